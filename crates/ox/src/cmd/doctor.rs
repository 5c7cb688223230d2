//! `ox doctor`: looks for what keeps Ox from working here and says what to do about it.

use std::io::IsTerminal;

use clap::Args;
use ox_app::doctor::{Finding, Grade, examine};
use ox_app::project::{env, language};
use ox_app::{Project, ProjectOptions};
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use serde_json::json;

use super::print::{json, marked, out};

/// Arguments of `ox doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Show everything that was looked at, also what the sandbox guarantees.
    #[arg(short, long)]
    verbose: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Looks and reports. Exit code 1 when something keeps Ox from working.
pub fn run(args: DoctorArgs) -> anyhow::Result<u8> {
    let project = Project::here(ProjectOptions::default());
    let language = project.as_ref().map_or_else(|_| language(), |it| it.settings.language);
    let mut found = examine(&project);
    found.push(terminal(language));
    let sound = found.iter().all(|it| it.grade != Grade::Fault);
    match args.json {
        true => json(&report(&found, sound, language)),
        false => out(&marked(&text(&found, language, args.verbose))),
    }
    Ok(u8::from(!sound))
}

pub(super) fn terminal(language: Language) -> Finding {
    let kind = if std::io::stdout().is_terminal() { env("TERM").unwrap_or_default() } else { "-".to_string() };
    let tag = if language == Language::Zh { "zh" } else { "en" };
    let words = Problem::new("doctor.terminal").with("terminal", kind).with("language", tag);
    Finding { name: "terminal", grade: Grade::Good, words }
}

/// A line for each finding; in short what holds of the sandbox is left out.
pub(super) fn text(found: &[Finding], language: Language, verbose: bool) -> String {
    let line = |it: &Finding| {
        let mark = match it.grade {
            Grade::Good => "✓",
            Grade::Note => "·",
            Grade::Warning => "!",
            Grade::Fault => "✗",
        };
        format!("{mark} {}\n", language.problem(&it.words).replace('\n', "\n  "))
    };
    let short = |it: &&Finding| verbose || it.name != "promise" || it.grade != Grade::Good;
    found.iter().filter(short).map(line).collect()
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
