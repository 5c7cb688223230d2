//! `ox trust`: what a folder brings of its own for Ox, and whether it counts; and the question that is asked about it.
//!
//! Only a person says yes: at a terminal, by a flag or by a variable of the process. It shows what it asks about exactly
//! as it will be used, and what is granted is what was shown.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use ox_agent::config::{self, project_file};
use ox_agent::trust::{Look, Standing, Trust, What};
use ox_protocol::locale::Language;
use ox_protocol::{Problem, Time};
use serde_json::json;

use super::print::{columns, err, json, out};
use crate::wire::{self, Opening, Told, env};

/// Arguments of `ox trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Trust without a question.
    #[arg(long, conflicts_with_all = ["revoke", "list", "refuse"])]
    yes: bool,
    /// Forget what was said about the folder; Ox asks again.
    #[arg(long, conflicts_with_all = ["list", "refuse"])]
    revoke: bool,
    /// Never use the folder's settings, whatever they become.
    #[arg(long, conflicts_with = "list")]
    refuse: bool,
    /// List all folders that were trusted or refused.
    #[arg(long)]
    list: bool,
    /// Print JSON; changes nothing by itself.
    #[arg(long)]
    json: bool,
    /// The folder; the project around the current one by default.
    path: Option<PathBuf>,
}

/// Shows, asks, grants or takes back. Exit code 1: there is something that is not trusted.
pub fn run(args: TrustArgs) -> anyhow::Result<u8> {
    let language = wire::language();
    let paths = config::paths(&env).map_err(Told)?;
    let trust = Trust::open(&paths.state_dir);
    if args.list {
        return Ok(list(&trust, args.json, language));
    }
    let root = root(args.path)?;
    let shown = root.display().to_string();
    let say = |key: &str| err(&language.say(key, &[("root", &shown)]));
    if args.revoke {
        say(if trust.revoke(&root, now()).map_err(Told)? { "trust.revoked" } else { "trust.not_said" });
        return Ok(0);
    }
    if args.refuse {
        trust.refuse(&root, now()).map_err(Told)?;
        say("trust.refused");
        return Ok(0);
    }
    let look = trust.look(&root, Some(&paths.config_file()));
    if args.json && !args.yes {
        json(&as_json(&root, &look));
        return Ok(u8::from(!look.counts()));
    }
    if let Some(problem) = look.broken {
        return Err(Told(problem).into());
    }
    decide(&trust, &root, &look, args.yes, language)
}

fn decide(trust: &Trust, root: &Path, look: &Look, yes: bool, language: Language) -> anyhow::Result<u8> {
    let shown = root.display().to_string();
    if look.standing == Standing::Trusted && !look.things.is_empty() {
        err(&language.say("trust.is_trusted", &[("root", &shown)]));
        out(&listed(&look.things, language));
        return Ok(0);
    }
    if look.things.is_empty() && !yes {
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
        trust.grant(root, &look.things, now()).map_err(Told)?;
    }
    err(&language.say(if granted { "trust.granted" } else { "trust.refused" }, &[]));
    Ok(u8::from(!granted))
}

/// Asks whoever sits at the terminal about what a project brings; true when they trust it. A no is remembered, so that
/// nobody is asked twice.
pub fn ask(opening: &Opening) -> anyhow::Result<bool> {
    let language = opening.settings.language;
    err(&headed(&opening.root, &opening.trust, language));
    let trust = Trust::open(&opening.paths.state_dir);
    let granted = says_yes(language)?;
    match granted {
        true => trust.grant(&opening.root, &opening.trust.things, now()).map_err(Told)?,
        false => trust.refuse(&opening.root, now()).map_err(Told)?,
    }
    err(&language.say(if granted { "trust.granted" } else { "trust.refused" }, &[]));
    SAID.store(true, Ordering::Relaxed);
    Ok(granted)
}

/// Whether it was said in this process that the project's settings do not count.
static SAID: AtomicBool = AtomicBool::new(false);

/// Says on stderr, once, that the project's own settings do not count, and what to do about it.
pub fn say_ignored(opening: &Opening) {
    if opening.trust.counts() || SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let language = opening.settings.language;
    let key = match (&opening.trust.broken, opening.trust.standing) {
        (Some(_), Standing::Unknown | Standing::Changed | Standing::Trusted) => "trust.ignored_broken",
        (_, Standing::Refused) => "trust.ignored_refused",
        (_, Standing::Changed) => "trust.ignored_changed",
        (_, Standing::Unknown | Standing::Trusted) => "trust.ignored",
    };
    let why = opening.trust.broken.as_ref().map(|it| language.problem(it)).unwrap_or_default();
    let file = project_file(&opening.root).display().to_string();
    err(&language.say(key, &[("file", &file), ("why", &why)]));
}

/// Says where the whole disk or the home is taken for a project.
pub fn say_wide(opening: &Opening) {
    if !ox_agent::checks::is_project(&opening.root) {
        err(&opening.settings.language.say("start.wide", &[("root", &opening.root.display().to_string())]));
    }
}

fn root(path: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let here = || std::env::current_dir().map_err(|error| Told(Problem::new("error.no_folder").with("why", error)));
    let Some(path) = path else { return Ok(wire::root_of(&here()?)) };
    match path.canonicalize() {
        Ok(real) if real.is_dir() => Ok(real),
        _ => Err(Told(Problem::new("trust.no_folder").with("path", path.display())).into()),
    }
}

fn headed(root: &Path, look: &Look, language: Language) -> String {
    let changed = look.standing == Standing::Changed;
    let head = language.say(if changed { "trust.head_changed" } else { "trust.head" }, &[]);
    let folder = language.say("trust.folder", &[("root", &root.display().to_string())]);
    let fresh: Vec<What> = look.things.iter().filter(|it| !it.known).cloned().collect();
    format!("{head}\n{}{folder}", listed(&fresh, language))
}

/// One line a thing. Whoever wrote the texts is not the user: what would steer a terminal is shown as what it is.
fn listed(things: &[What], language: Language) -> String {
    let row = |it: &What| vec![format!("  {}", language.say(it.thing.code(), &[])), plain(&it.text)];
    columns(&things.iter().map(row).collect::<Vec<Vec<String>>>())
}

/// A text in which nothing is invisible and nothing moves the cursor or the direction of writing.
pub(super) fn plain(text: &str) -> String {
    let odd = |c: char| c.is_control() || ox_ui::text::hides(c);
    text.chars().map(|c| if odd(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

fn says_yes(language: Language) -> anyhow::Result<bool> {
    let mut stderr = std::io::stderr().lock();
    let question = format!("{} [y/N] ", language.say("trust.ask", &[]));
    stderr.write_all(question.as_bytes()).and_then(|()| stderr.flush())?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes" | "是"))
}

fn list(trust: &Trust, as_json: bool, language: Language) -> u8 {
    let entries = trust.list();
    if as_json {
        let one = |it: &ox_agent::trust::Entry| json!({"root": it.root, "trusted": it.trusted, "time": it.time.0});
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

fn as_json(root: &Path, look: &Look) -> serde_json::Value {
    let standing = match look.standing {
        Standing::Trusted => "trusted",
        Standing::Unknown => "unknown",
        Standing::Refused => "refused",
        Standing::Changed => "changed",
    };
    let one = |it: &What| {
        let kind = it.thing.code().trim_start_matches("trust.thing.");
        json!({"kind": kind, "text": it.text, "trusted": it.known})
    };
    let things: Vec<_> = look.things.iter().map(one).collect();
    let broken = look.broken.as_ref().map(|it| json!({"code": it.code, "args": it.args}));
    json!({"root": root, "standing": standing, "counts": look.counts(), "things": things, "broken": broken})
}

/// The present moment.
pub(super) fn now() -> Time {
    Time(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_millis() as u64))
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
