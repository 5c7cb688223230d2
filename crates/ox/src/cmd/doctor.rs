//! `ox doctor`: looks for what keeps Ox from working here and says what to do about it.
//!
//! It asks no model, costs nothing, and names keys without ever showing one.

pub(super) mod safety;

use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;
use ox_agent::config::{self, Paths, Settings};
use ox_agent::login::Logins;
use ox_protocol::locale::Language;
use ox_protocol::{Layer, Problem, Runner};
use ox_store::{Log, Store};
use serde_json::json;

use super::print::{json, out};
use crate::wire::{self, Extras, env, problem_of};

/// Free bytes below which a warning is given.
const SPACE: u64 = 200 * 1024 * 1024;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(3);

/// Arguments of `ox doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grade {
    Good,
    /// Worth knowing; nothing is wrong.
    Note,
    /// Ox works, though not in full.
    Warning,
    /// Ox does not work.
    Fault,
}

/// One thing that was looked at.
struct Finding {
    name: &'static str,
    grade: Grade,
    words: Problem,
}

/// Looks and reports. Exit code 1 when something keeps Ox from working.
pub fn run(args: DoctorArgs) -> anyhow::Result<u8> {
    let settings = wire::opening_quietly(Layer::default(), &[]).map(|it| (it.root, it.settings, it.trust));
    let language = settings.as_ref().map_or_else(|_| wire::language(), |(_, it, _)| it.language);
    let mut found = vec![finding("version", Grade::Good, version())];
    found.push(configuration(settings.as_ref().err()));
    let paths = config::paths(&env);
    match &paths {
        Ok(paths) => found.extend(files(paths)),
        Err(problem) => found.push(finding("state", Grade::Fault, problem.clone())),
    }
    found.push(git());
    if let (Ok((root, settings, look)), Ok(paths)) = (&settings, &paths) {
        found.push(project(root));
        found.push(safety::trust(look));
        found.extend(safety::search_path(root));
        found.push(safety::servers(root, look));
        found.push(safety::checkpoints(paths, root));
        found.extend(safety::walls(settings));
        found.extend(safety::environment(root, settings, paths));
        found.extend(private_file(settings));
        found.push(keys(settings));
        found.extend(model(settings));
    }
    found.push(terminal(language));
    let sound = found.iter().all(|it| it.grade != Grade::Fault);
    if args.json {
        json(&report(&found, sound, language))
    } else {
        out(&text(&found, language))
    }
    Ok(u8::from(!sound))
}

fn finding(name: &'static str, grade: Grade, words: Problem) -> Finding {
    Finding { name, grade, words }
}

fn version() -> Problem {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    Problem::new("doctor.version").with("version", env!("CARGO_PKG_VERSION")).with("os", os).with("arch", arch)
}

fn configuration(error: Option<&anyhow::Error>) -> Finding {
    match error {
        None => finding("config", Grade::Good, Problem::new("doctor.config")),
        Some(error) => {
            let plain = || Problem::new("doctor.error").with("why", error);
            finding("config", Grade::Fault, problem_of(error).unwrap_or_else(plain))
        }
    }
}

fn files(paths: &Paths) -> Vec<Finding> {
    let folder = paths.state_dir.display().to_string();
    let database = match Store::open(&paths.database()).and_then(|store| store.list(None, usize::MAX)) {
        Ok(infos) => finding("database", Grade::Good, Problem::new("doctor.database").with("count", infos.len())),
        Err(error) => return vec![finding("database", Grade::Fault, error.problem())],
    };
    let space = match ox_store::free_space(&paths.state_dir) {
        None => finding("state", Grade::Good, Problem::new("doctor.state").with("path", folder)),
        Some(free) => {
            let (grade, code) =
                if free < SPACE { (Grade::Warning, "doctor.space_low") } else { (Grade::Good, "doctor.space") };
            let free = format!("{:.1}", free as f64 / 1e9);
            finding("state", grade, Problem::new(code).with("path", folder).with("free", free))
        }
    };
    vec![space, database]
}

fn git() -> Finding {
    let missing = || finding("git", Grade::Warning, Problem::new("doctor.no_git"));
    if ox_sandbox::on_path("git").is_none() {
        return missing();
    }
    let (Ok(runtime), Ok(here)) = (wire::runtime(), std::env::current_dir()) else { return missing() };
    let mut job = ox_repo::git::job(&here, &["version"]);
    job.env.push(("PATH".to_string(), safety::own_path(&wire::root_of(&here))));
    match runtime.block_on(ox_sandbox::Plain.run(job, None)) {
        Ok(exit) if exit.code == Some(0) => {
            let words = exit.output.text(|_| String::new());
            let version = words.split_whitespace().nth(2).unwrap_or_default().to_string();
            finding("git", Grade::Good, Problem::new("doctor.git").with("version", version))
        }
        _ => missing(),
    }
}

fn project(root: &Path) -> Finding {
    let code = if ox_repo::git::is_repo(root) { "doctor.project" } else { "doctor.project_no_git" };
    let grade = if code == "doctor.project" { Grade::Good } else { Grade::Note };
    finding("project", grade, Problem::new(code).with("root", root.display()))
}

/// A file with keys that others may read.
#[cfg(unix)]
fn private_file(settings: &Settings) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    settings.providers.values().find(|it| it.key.is_some())?;
    let file = config::paths(&env).ok()?.config_file();
    let mode = std::fs::metadata(&file).ok()?.permissions().mode();
    let open = mode & 0o077 != 0;
    open.then(|| finding("keys", Grade::Warning, Problem::new("doctor.keys_open").with("file", file.display())))
}

#[cfg(not(unix))]
fn private_file(_settings: &Settings) -> Option<Finding> {
    None
}

/// The names of the keys that were found; the values stay where they are.
fn keys(settings: &Settings) -> Finding {
    let wanted = |name: &str| {
        name.ends_with("_API_KEY") || settings.providers.values().any(|it| it.key_env.as_deref() == Some(name))
    };
    let variables = std::env::vars_os().filter(|(_, value)| !value.is_empty());
    let mut names: Vec<String> =
        variables.filter_map(|(name, _)| name.into_string().ok()).filter(|it| wanted(it)).collect();
    names.sort();
    let own = settings.providers.iter().filter(|(_, it)| it.key.is_some());
    names.extend(own.map(|(name, _)| format!("providers.{name}.key")));
    match config::paths(&env).and_then(|it| Logins::of(&it).all()) {
        Ok(kept) => names.extend(kept.keys().map(|it| format!("{it} (ox login)"))),
        Err(problem) => return finding("keys", Grade::Fault, problem),
    }
    if names.is_empty() {
        return finding("keys", Grade::Note, Problem::new("doctor.no_keys"));
    }
    finding("keys", Grade::Good, Problem::new("doctor.keys").with("names", names.join(", ")))
}

fn model(settings: &Settings) -> Vec<Finding> {
    let model = match wire::model(settings, None, &Extras::default()) {
        Ok(model) => model.facts().name.clone(),
        Err(problem) => return vec![finding("model", Grade::Fault, problem)],
    };
    let chosen = finding("model", Grade::Good, Problem::new("doctor.model").with("name", &model));
    let mut found = vec![chosen];
    if let Some(url) = endpoint(settings, &model) {
        found.push(reach(&url));
    }
    found
}

/// The address that was configured for the model. A provider's own one is not tried: that would tell a third party
/// that Ox is installed here.
fn endpoint(settings: &Settings, model: &str) -> Option<String> {
    let provider = model.split('/').next().unwrap_or_default();
    let configured = settings.providers.get(provider).and_then(|it| it.base_url.clone());
    let variable = || env(&format!("{}_BASE_URL", provider.to_uppercase())).filter(|it| !it.is_empty());
    settings.base_url.clone().or_else(variable).or(configured)
}

/// Whether something listens there; nothing is sent.
fn reach(url: &str) -> Finding {
    let words = |code: &str| Problem::new(code).with("url", ox_model::keys::address(url));
    let proxies = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
    if let Some(name) = proxies.into_iter().find(|it| env(it).is_some_and(|it| !it.is_empty())) {
        return finding("endpoint", Grade::Note, words("doctor.endpoint_proxy").with("variable", name));
    }
    match host_and_port(url).map(|(host, port)| connect(host, port)) {
        Some(Ok(())) => finding("endpoint", Grade::Good, words("doctor.endpoint")),
        Some(Err(why)) => finding("endpoint", Grade::Fault, words("doctor.endpoint_dead").with("why", why)),
        None => finding("endpoint", Grade::Fault, words("doctor.endpoint_dead").with("why", "?")),
    }
}

/// Looking up a name may take longer than any limit, so it happens on a thread of its own that is left behind.
fn connect(host: String, port: u16) -> Result<(), String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let tried = (host.as_str(), port).to_socket_addrs().and_then(|addresses| {
            let mut last = std::io::Error::from(std::io::ErrorKind::NotFound);
            for address in addresses {
                match TcpStream::connect_timeout(&address, CONNECT) {
                    Ok(_) => return Ok(()),
                    Err(error) => last = error,
                }
            }
            Err(last)
        });
        // Nobody listens any more once the limit is over.
        let _ = sender.send(tried.map_err(|error| error.to_string()));
    });
    receiver.recv_timeout(CONNECT).unwrap_or_else(|_| Err(format!("{} s", CONNECT.as_secs())))
}

fn host_and_port(url: &str) -> Option<(String, u16)> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit('@').next()?;
    let default = if scheme == "https" { 443 } else { 80 };
    if let Some((host, after)) = authority.strip_prefix('[').and_then(|it| it.split_once(']')) {
        let port = after.strip_prefix(':').map_or(Some(default), |it| it.parse().ok())?;
        return Some((host.to_string(), port));
    }
    match authority.rsplit_once(':') {
        Some((host, port)) => Some((host.to_string(), port.parse().ok()?)),
        None => Some((authority.to_string(), default)),
    }
}

fn terminal(language: Language) -> Finding {
    use std::io::IsTerminal;
    let kind = if std::io::stdout().is_terminal() { env("TERM").unwrap_or_default() } else { "-".to_string() };
    let tag = if language == Language::Zh { "zh" } else { "en" };
    finding("terminal", Grade::Good, Problem::new("doctor.terminal").with("terminal", kind).with("language", tag))
}

fn text(found: &[Finding], language: Language) -> String {
    let line = |it: &Finding| {
        let mark = match it.grade {
            Grade::Good => "✓",
            Grade::Note => "·",
            Grade::Warning => "!",
            Grade::Fault => "✗",
        };
        format!("{mark} {}\n", language.problem(&it.words).replace('\n', "\n  "))
    };
    found.iter().map(line).collect()
}

fn report(found: &[Finding], sound: bool, language: Language) -> serde_json::Value {
    let one = |it: &Finding| {
        let grade = match it.grade {
            Grade::Good => "ok",
            Grade::Note => "note",
            Grade::Warning => "warning",
            Grade::Fault => "fault",
        };
        json!({
            "name": it.name, "grade": grade, "code": it.words.code, "args": it.words.args,
            "text": language.problem(&it.words),
        })
    };
    json!({ "ok": sound, "findings": found.iter().map(one).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_host_and_port_of_an_address() {
        let table = [
            ("http://localhost:8000/v1", Some(("localhost", 8000))),
            ("https://api.example.com/v1?x", Some(("api.example.com", 443))),
            ("http://user:pw@host", Some(("host", 80))),
            ("http://[::1]:9/", Some(("::1", 9))),
            ("http://host:x", None),
            ("host", None),
        ];
        for (url, expected) in table {
            assert_eq!(host_and_port(url), expected.map(|(host, port)| (host.to_string(), port)), "{url}");
        }
    }

    #[test]
    fn what_listens_is_reached_and_what_does_not_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(connect("127.0.0.1".to_string(), port), Ok(()));
        drop(listener);
        assert!(connect("127.0.0.1".to_string(), port).is_err());
    }
}
