//! `ox trust`: what a folder brings of its own for Ox, and whether it counts; and the question that is asked about it.
//!
//! Only a person says yes: at a terminal, by a flag or by a variable of the process. It shows what it asks about exactly
//! as it will be used, and what is granted is what was shown.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use ox_app::Project;
use ox_app::project::{env, now};
use ox_config::project_file;
use ox_config::state::chosen_policy;
use ox_config::trust::{FolderTrust, Trust, TrustItem, TrustState};
use ox_extensions::Cost;
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use serde_json::json;

use super::print::{columns, err, json, out};

/// Arguments of `ox trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Trust without asking.
    #[arg(long, conflicts_with_all = ["revoke", "list", "refuse"])]
    yes: bool,
    /// Remove the decision about the folder; Ox asks again.
    #[arg(long, conflicts_with_all = ["list", "refuse"])]
    revoke: bool,
    /// Never use the folder's settings, even if they change.
    #[arg(long, conflicts_with = "list")]
    refuse: bool,
    /// List all trusted and refused folders.
    #[arg(long)]
    list: bool,
    /// Print JSON; changes nothing on its own.
    #[arg(long)]
    json: bool,
    /// Folder; the current project by default.
    path: Option<PathBuf>,
}

/// Shows, asks, grants or takes back. Exit code 1: there is something that is not trusted.
pub fn run(args: TrustArgs) -> anyhow::Result<u8> {
    let language = ox_app::project::language();
    let paths = ox_config::paths(&env)?;
    let trust = Trust::open(&paths.state_dir);
    if args.list {
        return Ok(list(&trust, args.json, language));
    }
    let root = root(args.path)?;
    let shown = root.display().to_string();
    let say = |key: &str| err(&language.say(key, &[("root", &shown)]));
    if args.revoke {
        let chosen = chosen_policy::load(&paths.state_dir, &root)?.is_some();
        chosen_policy::keep(&paths.state_dir, &root, None)?;
        say(if trust.revoke(&root, now())? || chosen { "trust.revoked" } else { "trust.not_said" });
        return Ok(0);
    }
    if args.refuse {
        trust.refuse(&root, now())?;
        say("trust.refused");
        return Ok(0);
    }
    let look = trust.look(&root, Some(&paths.config_file()));
    if args.json && !args.yes {
        json(&as_json(&root, &look));
        return Ok(u8::from(!look.counts()));
    }
    if let Some(problem) = look.broken {
        return Err(problem.into());
    }
    decide(&trust, &root, &look, args.yes, language)
}

fn decide(trust: &Trust, root: &Path, look: &FolderTrust, yes: bool, language: Language) -> anyhow::Result<u8> {
    let shown = root.display().to_string();
    if look.state == TrustState::Trusted && !look.items.is_empty() {
        err(&language.say("trust.is_trusted", &[("root", &shown)]));
        out(&listed(&look.items, language));
        return Ok(0);
    }
    if look.items.is_empty() && !yes {
        err(&language.say("trust.nothing", &[("root", &shown)]));
        return Ok(0);
    }
    err(&headed(root, look, language));
    let answered = yes || (std::io::stdin().is_terminal() && std::io::stderr().is_terminal());
    if !answered {
        err(&language.say("trust.needs_answer", &[]));
        return Ok(1);
    }
    let granted = yes || says_yes(language)?;
    if granted {
        trust.grant(root, &look.items, now())?;
    }
    err(&language.say(if granted { "trust.granted" } else { "trust.refused" }, &[]));
    Ok(u8::from(!granted))
}

/// Asks whoever sits at the terminal about what a project brings; true when they trust it. A no is remembered, so that
/// nobody is asked twice.
pub fn ask(project: &Project) -> anyhow::Result<bool> {
    let language = project.settings.language;
    err(&headed(&project.root, &project.trust, language));
    let trust = Trust::open(&project.paths.state_dir);
    let granted = says_yes(language)?;
    match granted {
        true => trust.grant(&project.root, &project.trust.items, now())?,
        false => trust.refuse(&project.root, now())?,
    }
    err(&language.say(if granted { "trust.granted" } else { "trust.refused" }, &[]));
    SAID.store(true, Ordering::Relaxed);
    Ok(granted)
}

/// Whether it was said in this process that the project's settings do not count.
static SAID: AtomicBool = AtomicBool::new(false);

/// Says on stderr, once, that the project's own settings do not count, and what to do about it.
pub fn say_ignored(project: &Project) {
    if project.trust.counts() || SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let language = project.settings.language;
    let key = match (&project.trust.broken, project.trust.state) {
        (Some(_), TrustState::Unknown | TrustState::Changed | TrustState::Trusted) => "trust.ignored_broken",
        (_, TrustState::Refused) => "trust.ignored_refused",
        (_, TrustState::Changed) => "trust.ignored_changed",
        (_, TrustState::Unknown | TrustState::Trusted) => "trust.ignored",
    };
    let why = project.trust.broken.as_ref().map(|it| language.problem(it)).unwrap_or_default();
    let file = project_file(&project.root).display().to_string();
    err(&language.say(key, &[("file", &file), ("why", &why)]));
}

/// Says where the whole disk or the home is taken for a project.
pub fn say_wide(project: &Project) {
    if !ox_checks::is_project(&project.root) {
        err(&project.settings.language.say("start.wide", &[("root", &project.root.display().to_string())]));
    }
}

fn root(path: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let here = || std::env::current_dir().map_err(|error| Problem::new("error.no_folder").with("why", error));
    let Some(path) = path else { return Ok(ox_app::project::root_of(&here()?)) };
    match path.canonicalize() {
        Ok(real) if real.is_dir() => Ok(real),
        _ => Err(Problem::new("trust.no_folder").with("path", path.display()).into()),
    }
}

fn headed(root: &Path, look: &FolderTrust, language: Language) -> String {
    let changed = look.state == TrustState::Changed;
    let head = language.say(if changed { "trust.head_changed" } else { "trust.head" }, &[]);
    let folder = language.say("trust.folder", &[("root", &root.display().to_string())]);
    let fresh: Vec<TrustItem> = look.items.iter().filter(|it| !it.known).cloned().collect();
    format!("{head}\n{}{folder}", listed(&fresh, language))
}

/// One line a thing. Whoever wrote the texts is not the user: what would steer a terminal is shown as what it is.
fn listed(things: &[TrustItem], language: Language) -> String {
    let row = |it: &TrustItem| {
        let cost = it.cost.map(|it| cost(it, language)).unwrap_or_default();
        vec![format!("  {}", language.say(it.kind.code(), &[])), plain(&it.text), cost]
    };
    columns(&things.iter().map(row).collect::<Vec<Vec<String>>>())
}

/// What something takes of a model's window.
pub(super) fn cost(cost: Cost, language: Language) -> String {
    let (always, used) = (cost.always.0.to_string(), cost.used.0.to_string());
    let key = if cost.always.0 > 0 { "trust.cost_always" } else { "trust.cost" };
    language.say(key, &[("always", &always), ("used", &used)])
}

/// A text in which nothing is invisible and nothing moves the cursor or the direction of writing.
pub(super) fn plain(text: &str) -> String {
    let odd = |c: char| c.is_control() || ox_ui::text::hides(c);
    text.chars().map(|c| if odd(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

fn says_yes(language: Language) -> anyhow::Result<bool> {
    confirmed("trust.ask", language)
}

/// Asks at the terminal; true for a yes.
pub(super) fn confirmed(key: &str, language: Language) -> anyhow::Result<bool> {
    let mut stderr = std::io::stderr().lock();
    let question = format!("{} [y/N] ", language.say(key, &[]));
    stderr.write_all(question.as_bytes()).and_then(|()| stderr.flush())?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes" | "是"))
}

fn list(trust: &Trust, as_json: bool, language: Language) -> u8 {
    let entries = trust.list();
    if as_json {
        let one = |it: &ox_config::trust::Entry| json!({"root": it.root, "trusted": it.trusted, "time": it.time.0});
        json(&entries.iter().map(one).collect::<Vec<_>>().into());
    } else if entries.is_empty() {
        err(&language.say("trust.list_empty", &[]));
    } else {
        let word = |trusted: bool| language.say(if trusted { "trust.list_trusted" } else { "trust.list_refused" }, &[]);
        let rows: Vec<Vec<String>> =
            entries.iter().map(|it| vec![word(it.trusted), it.root.display().to_string()]).collect();
        out(&columns(&rows));
    }
    0
}

fn as_json(root: &Path, look: &FolderTrust) -> serde_json::Value {
    let standing = match look.state {
        TrustState::Trusted => "trusted",
        TrustState::Unknown => "unknown",
        TrustState::Refused => "refused",
        TrustState::Changed => "changed",
    };
    let one = |it: &TrustItem| {
        let kind = it.kind.code().trim_start_matches("trust.thing.");
        let tokens = it.cost.map(|it| json!({"always": it.always, "used": it.used}));
        json!({"kind": kind, "text": it.text, "trusted": it.known, "tokens": tokens})
    };
    let things: Vec<_> = look.items.iter().map(one).collect();
    let broken = look.broken.as_ref().map(|it| json!({"code": it.code, "args": it.args}));
    json!({"root": root, "standing": standing, "counts": look.counts(), "things": things, "broken": broken})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_question_steers_the_terminal() {
        assert_eq!(plain("a\u{1b}[2K\u{202e}b\nc\u{200b}中"), "a\\u{1b}[2K\\u{202e}b\\u{a}c\\u{200b}中");
        // A filler is as wide as a blank, and is none.
        assert_eq!(plain("rm\u{3164}x"), "rm\\u{3164}x");
    }
}
