//! Looking for what keeps Ox from working here, and what to do about it.
//!
//! It asks no model, costs nothing, and names keys without ever showing one.

mod finding;
mod safety;

use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use ox_config::state::key_store::KeyStore;
use ox_config::{Paths, Settings};
use ox_protocol::{Problem, Runner};

pub use finding::{Finding, Grade};

use crate::project::models::Reach;
use crate::project::sandbox::safe_path;
use crate::project::{Project, current_folder, env, paths, root_of, store, wait};
use finding::finding;

/// Free bytes below which a warning is given.
const SPACE: u64 = 200 * 1024 * 1024;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(3);

/// Looks at everything, for the project around the current folder or why it cannot be opened.
pub fn examine(opened: &Result<Project, Problem>) -> Vec<Finding> {
    let mut found = vec![finding("version", Grade::Good, version()), configuration(opened.as_ref().err())];
    match paths() {
        Ok(paths) => found.extend(files(&paths)),
        Err(problem) => found.push(finding("state", Grade::Fault, problem)),
    }
    found.push(git());
    if let Ok(project) = opened {
        let (root, settings) = (&project.root, &project.settings);
        found.push(folder(root));
        found.push(safety::trust(&project.trust));
        found.extend(safety::search_path(root));
        found.push(safety::servers(root, &project.trust));
        found.push(safety::checkpoints(&project.paths, root));
        found.extend(safety::sandbox(project));
        found.extend(safety::environment(project));
        found.extend(private_file(settings));
        found.push(keys(settings));
        found.extend(model(project));
    }
    found
}

fn version() -> Problem {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    Problem::new("doctor.version").with("version", env!("CARGO_PKG_VERSION")).with("os", os).with("arch", arch)
}

fn configuration(problem: Option<&Problem>) -> Finding {
    match problem {
        None => finding("config", Grade::Good, Problem::new("doctor.config")),
        Some(problem) => finding("config", Grade::Fault, problem.clone()),
    }
}

fn files(paths: &Paths) -> Vec<Finding> {
    let folder = paths.state_dir.display().to_string();
    let database = match store(paths).and_then(|it| Ok(it.list(None, usize::MAX)?)) {
        Ok(infos) => finding("database", Grade::Good, Problem::new("doctor.database").with("count", infos.len())),
        Err(problem) => return vec![finding("database", Grade::Fault, problem)],
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
    let Ok(here) = current_folder() else { return missing() };
    let mut job = ox_repo::git::job(&here, &["version"]);
    job.env.push(("PATH".to_string(), safe_path(&root_of(&here))));
    match wait(ox_sandbox::Plain.run(job, None)) {
        Ok(Ok(exit)) if exit.code == Some(0) => {
            let words = exit.output.text(|_| String::new());
            let version = words.split_whitespace().nth(2).unwrap_or_default().to_string();
            finding("git", Grade::Good, Problem::new("doctor.git").with("version", version))
        }
        _ => missing(),
    }
}

fn folder(root: &Path) -> Finding {
    let code = if ox_repo::git::is_repo(root) { "doctor.project" } else { "doctor.project_no_git" };
    let grade = if code == "doctor.project" { Grade::Good } else { Grade::Note };
    finding("project", grade, Problem::new(code).with("root", root.display()))
}

/// A file with keys that others may read.
#[cfg(unix)]
fn private_file(settings: &Settings) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    settings.providers.values().find(|it| it.key.is_some())?;
    let file = paths().ok()?.config_file();
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
    match paths().and_then(|it| KeyStore::of(&it).all()) {
        Ok(kept) => names.extend(kept.keys().map(|it| format!("{it} (ox login)"))),
        Err(problem) => return finding("keys", Grade::Fault, problem),
    }
    if names.is_empty() {
        return finding("keys", Grade::Note, Problem::new("doctor.no_keys"));
    }
    finding("keys", Grade::Good, Problem::new("doctor.keys").with("names", names.join(", ")))
}

fn model(project: &Project) -> Vec<Finding> {
    let model = match project.model(None, &Reach::default()) {
        Ok(model) => model.facts().name.clone(),
        Err(problem) => return vec![finding("model", Grade::Fault, problem)],
    };
    let chosen = finding("model", Grade::Good, Problem::new("doctor.model").with("name", &model));
    let mut found = vec![chosen];
    if let Some(url) = endpoint(&project.settings, &model) {
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
