//! `ox checks`: the checks that were found in this project, cheap ones first, with why, and what of them can run here. They
//! run with `--run` alone.

use clap::Args;
use ox_app::project::checks::FoundCheck;
use ox_protocol::locale::Language;
use ox_protocol::{Check, CheckReport, CheckResult, CheckStatus, Fixer, Problem};
use serde_json::json;

use super::print::{columns, err, json, out};
use crate::cmd::shared;

/// Complaints that are shown of a failing check.
const SHOWN: usize = 20;
/// Exit code where a check failed, as that of a task.
const FAILED: u8 = 3;

/// Arguments of `ox checks`.
#[derive(Debug, Args)]
pub struct ChecksArgs {
    /// Run the checks, or only those with this name or kind, or with this text in their command.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    run: Option<String>,
    /// With --run: only what the uncommitted changes affect, where a check can be limited to that.
    #[arg(long, requires = "run")]
    narrow: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Shows the checks, or runs them.
pub fn run(args: ChecksArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    let language = project.settings.language;
    let changed = project.uncommitted()?;
    let needed = args.run.is_none() || args.narrow;
    let mut found = project.seen_checks(if needed { &changed } else { &[] })?;
    if let Some(name) = args.run.as_deref().filter(|it| !it.is_empty()) {
        let all = found.iter().map(|it| it.check.name.clone()).collect::<Vec<_>>().join(", ");
        found.retain(|it| is_called(&it.check, name));
        if found.is_empty() {
            return Err(Problem::new("usage.check").with("name", name).with("all", all).into());
        }
    }
    if args.run.is_none() || found.is_empty() {
        let fixers = if args.run.is_none() { project.fixers()? } else { Vec::new() };
        match args.json {
            true => {
                json(&serde_json::Value::Array(found.iter().map(as_json).chain(fixers.iter().map(fixer)).collect()))
            }
            false => list(&found, &fixers, language),
        }
        return Ok(0);
    }
    let chosen = |it: FoundCheck| if args.narrow { it.narrow.unwrap_or(it.check) } else { it.check };
    let checks: Vec<Check> = found.into_iter().map(chosen).collect();
    let report = project.run_checks(&checks, None)?;
    match args.json {
        true => json(&serde_json::to_value(&report)?),
        false => report.results.iter().for_each(|it| out(&ended(it, language))),
    }
    Ok(code(&report))
}

/// Nothing that ran to its end is no success.
fn code(report: &CheckReport) -> u8 {
    let failed = report.results.iter().any(|it| it.status.is_bad());
    let passed = report.results.iter().any(|it| it.status == CheckStatus::Passed);
    if failed || !passed { FAILED } else { 0 }
}

fn kind_of(check: &Check) -> String {
    serde_json::to_value(check.kind).ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
}

fn is_called(check: &Check, name: &str) -> bool {
    check.name == name || kind_of(check) == name || check.command.contains(name)
}

fn as_json(it: &FoundCheck) -> serde_json::Value {
    let mut value = json!(it.check);
    if let Some(narrow) = &it.narrow {
        value["narrow"] = json!(narrow.command);
    }
    value
}

fn fixer(it: &Fixer) -> serde_json::Value {
    let mut value = json!(it);
    value["kind"] = json!("fixer");
    value
}

/// The checks and the fixers, and how many of the checks can run.
fn list(found: &[FoundCheck], fixers: &[Fixer], language: Language) {
    let text = shown(found, fixers, language);
    if !text.is_empty() {
        out(&text);
    }
    if found.is_empty() {
        return err(&language.say("checks.none", &[]));
    }
    let can = found.iter().filter(|it| it.check.lacks.is_none()).count().to_string();
    err(&language.say("checks.total", &[("can", &can), ("all", &found.len().to_string())]));
}

/// A line for each check, and beneath it what speaks for it, what it would be now, and what lacks.
fn shown(found: &[FoundCheck], fixers: &[Fixer], language: Language) -> String {
    let kind = |it: &FoundCheck| language.say(&format!("checks.kind.{}", kind_of(&it.check)), &[]);
    let rows = found.iter().map(|it| vec![kind(it), it.check.command.clone(), it.check.source.clone()]);
    let of_fixer = |it: &Fixer| vec![language.say("checks.fixer", &[]), it.command.clone(), it.source.clone()];
    let table = columns(&rows.chain(fixers.iter().map(of_fixer)).collect::<Vec<Vec<String>>>());
    let mut text = String::new();
    let mut lines = table.lines();
    for (it, line) in found.iter().zip(&mut lines) {
        text += &format!("{line}\n");
        let mut more = |key: &str, what: &str| text += &format!("    {}\n", language.say(key, &[("what", what)]));
        if let Some(evidence) = &it.check.evidence {
            more("checks.evidence", evidence);
        }
        if let Some(narrow) = &it.narrow {
            more("checks.narrow", &narrow.command);
        }
        if let Some(lack) = &it.check.lacks {
            more("checks.lacks", &lack.why.replace('\n', "; "));
        }
    }
    for (it, line) in fixers.iter().zip(lines) {
        text += &format!("{line}\n");
        if let Some(lack) = &it.lacks {
            text += &format!("    {}\n", language.say("checks.lacks", &[("what", &lack.why.replace('\n', "; "))]));
        }
    }
    text
}

fn ended(it: &CheckResult, language: Language) -> String {
    let mark = match it.status {
        CheckStatus::Passed => "✓",
        CheckStatus::Failed | CheckStatus::TimedOut => "✗",
        _ => "-",
    };
    let status = serde_json::to_value(it.status).ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default();
    let words = if it.status == CheckStatus::Passed {
        String::new()
    } else {
        language.say(&format!("ui.checks.{status}"), &[])
    };
    let seconds = format!("{:.1} s", it.duration_ms as f64 / 1000.0);
    let mut text = [format!("{mark} {}", it.check.command), words, seconds]
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join("  ");
    text.push('\n');
    for complaint in it.diagnostics.iter().take(SHOWN) {
        let place = [complaint.file.clone(), complaint.line.to_string(), complaint.column.to_string()];
        let place: Vec<&str> = place.iter().map(String::as_str).filter(|it| !it.is_empty() && *it != "0").collect();
        let message = complaint.message.replace('\n', "\n      ");
        let parts = [place.join(":"), complaint.code.clone(), message];
        text += &format!("    {}\n", parts.iter().filter(|it| !it.is_empty()).cloned().collect::<Vec<_>>().join("  "));
    }
    if let Some(more) = it.diagnostics.len().checked_sub(SHOWN).filter(|it| *it > 0) {
        text += &format!("    {}\n", language.say("ui.checks.more", &[("count", &more.to_string())]));
    }
    it.tail.lines().for_each(|line| text += &format!("    {line}\n"));
    text
}
