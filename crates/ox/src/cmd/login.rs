//! `ox login`: takes a provider's key without showing it, has it proved by one tiny request, and keeps it.
//!
//! The key is read from the terminal or from standard input, never from an argument, where `ps` and the shell's history
//! would have it. A key that the provider rejects is not kept.

mod hidden;

use std::io::{ErrorKind, IsTerminal, Read, Write};

use clap::Args;
use ox_app::Project;
use ox_app::project::env;
use ox_app::project::login::test_key;
use ox_config::Settings;
use ox_config::state::key_store::{KeyStore, LONGEST};
use ox_protocol::Problem;

use super::print::{columns, err, out};
use super::trust::plain;
use super::{answer, pick};
use crate::cmd::shared;

/// Arguments of `ox login`.
#[derive(Debug, Default, Args)]
pub struct LoginArgs {
    /// Provider, for example anthropic, or git host, for example github.com; asked for if missing.
    provider: Option<String>,
    /// Remove the stored key.
    #[arg(long, conflicts_with_all = ["list", "no_test"])]
    remove: bool,
    /// List providers with stored keys; keys are not shown.
    #[arg(long)]
    list: bool,
    /// Store the key without testing it.
    #[arg(long)]
    no_test: bool,
    /// Model for the test request, as PROVIDER/MODEL.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    model: Option<String>,
}

/// The exit code where a question was left.
const GAVE_UP: u8 = 130;

/// Takes, lists or forgets keys. Exit code 1 where a key was not kept.
pub fn run(args: LoginArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    let settings = &project.settings;
    let logins = KeyStore::of(&ox_config::paths(&env)?);
    if args.list {
        return list(&logins, &project);
    }
    let provider = match &args.provider {
        Some(it) => it.clone(),
        None => match ask_provider(&project)? {
            Some(it) => it,
            None => return Ok(GAVE_UP),
        },
    };
    if project.is_git_host(&provider) {
        return git_host(&project, &logins, &provider, &args);
    }
    let variable = project.provider_variable(&provider)?;
    if args.remove {
        return remove(&logins, settings, &provider);
    }
    let language = settings.language;
    let Some(key) = ask_key(&language.say("login.key", &[("provider", &provider)]))? else {
        return Ok(GAVE_UP);
    };
    prove_and_keep(&project, &provider, &key, if args.no_test { Proof::None } else { Proof::By(args.model) })?;
    if let Some(variable) = variable.filter(|it| env(it).is_some_and(|it| !it.trim().is_empty())) {
        err(&language.say("login.shadowed", &[("variable", &variable), ("provider", &provider)]));
    }
    Ok(0)
}

/// Takes or forgets the token of a git host, which is proved by asking the host whose it is.
fn git_host(project: &Project, logins: &KeyStore, host: &str, args: &LoginArgs) -> anyhow::Result<u8> {
    let language = project.settings.language;
    if args.remove {
        let gone = project.forget_host_token(host)?;
        let key = if gone { "login.removed" } else { "login.none_for" };
        err(&language.say(key, &[("provider", host)]));
        return Ok(u8::from(!gone));
    }
    let Some(token) = ask_key(&language.say("login.key", &[("provider", host)]))? else { return Ok(GAVE_UP) };
    if let Some(user) = project.keep_host_token(host, &token, !args.no_test)? {
        err(&language.say("login.host_user", &[("host", host), ("user", &plain(&user))]));
    }
    let file = logins.file().display().to_string();
    err(&language.say("login.kept", &[("provider", host), ("file", &file)]));
    Ok(0)
}

/// How a key is proved before it is kept.
pub(super) enum Proof {
    /// Not at all.
    None,
    /// By a tiny request to this model; to the provider's usual one where none is named.
    By(Option<String>),
}

/// Keeps the key of a provider once it is proved.
pub(super) fn prove_and_keep(project: &Project, provider: &str, key: &str, proof: Proof) -> anyhow::Result<()> {
    ox_model::keys::know(key);
    let language = project.settings.language;
    if let Proof::By(model) = proof {
        let model = project.model_for_key(provider, model, key)?;
        err(&language.say("login.testing", &[("model", &model.facts().name)]));
        if let Some(doubt) = shared::runtime()?.block_on(test_key(model.as_ref(), provider))? {
            err(&language.problem(&doubt));
        }
    }
    let logins = KeyStore::of(&project.paths);
    logins.keep(provider, key)?;
    let file = logins.file().display().to_string();
    err(&language.say("login.kept", &[("provider", provider), ("file", &file)]));
    Ok(())
}

/// Says what keeps the kept keys from being used.
pub fn say(problem: &Problem) {
    err(&ox_app::project::language().problem(problem));
}

/// The provider; none where the user gave up.
fn ask_provider(project: &Project) -> anyhow::Result<Option<String>> {
    let all = project.providers();
    let with_key: Vec<&str> = all.iter().filter(|(_, key)| key.is_some()).map(|(name, _)| name.as_str()).collect();
    let names = with_key.join(", ");
    if !std::io::stdin().is_terminal() {
        return Err(Problem::new("usage.login_provider").with("known", names).into());
    }
    if let Some(terminal) = pick::lists(project) {
        return pick::ask_whose(project, &terminal);
    }
    match answer::line(&project.settings.language.say("login.which", &[("known", &names)])).map_err(unreadable)? {
        Some(name) if name.is_empty() => Err(Problem::new("usage.login_provider").with("known", names).into()),
        name => Ok(name),
    }
}

/// The key, from the terminal without echo behind these words, or all of standard input; none where the user gave up.
pub(super) fn ask_key(words: &str) -> anyhow::Result<Option<String>> {
    let text = if std::io::stdin().is_terminal() {
        let line = hidden::line(|| prompt(words));
        prompt("\n");
        match line {
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(None),
            line => line.map_err(unreadable)?,
        }
    } else {
        let mut text = String::new();
        let limit = u64::try_from(LONGEST)? + 1;
        std::io::stdin().take(limit).read_to_string(&mut text).map_err(unreadable)?;
        text
    };
    let key = text.trim();
    // Enter alone goes back.
    if key.is_empty() && std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let odd = key.chars().any(|it| it.is_control() || it.is_whitespace());
    if key.is_empty() || odd || key.len() > LONGEST {
        return Err(Problem::new("usage.login_key").into());
    }
    Ok(Some(key.to_string()))
}

fn unreadable(error: std::io::Error) -> Problem {
    Problem::new("usage.stdin_edit").with("why", error)
}

/// Words before which no line ends.
fn prompt(words: &str) {
    // There is nowhere to tell of a broken stderr.
    let _ = write!(std::io::stderr(), "{words}").and_then(|()| std::io::stderr().flush());
}

fn remove(logins: &KeyStore, settings: &Settings, provider: &str) -> anyhow::Result<u8> {
    let gone = logins.remove(provider)?;
    let key = if gone { "login.removed" } else { "login.none_for" };
    err(&settings.language.say(key, &[("provider", provider)]));
    Ok(u8::from(!gone))
}

fn list(logins: &KeyStore, project: &Project) -> anyhow::Result<u8> {
    let language = project.settings.language;
    let mut kept = logins.all()?;
    // Logins to MCP servers are `ox mcp`'s.
    kept.retain(|name, _| !name.starts_with("mcp:"));
    if kept.is_empty() {
        err(&language.say("login.none", &[]));
        return Ok(0);
    }
    let variables = project.providers();
    let row = |name: &String| {
        let variable = variables.iter().find(|(it, _)| it == name).and_then(|(_, it)| it.clone());
        let first = variable.filter(|it| env(it).is_some_and(|it| !it.trim().is_empty()));
        let shown = name.strip_prefix("git:").unwrap_or(name);
        vec![shown.to_owned(), first.map_or_else(String::new, |it| language.say("login.first", &[("variable", &it)]))]
    };
    out(&columns(&kept.keys().map(row).collect::<Vec<_>>()));
    Ok(0)
}
