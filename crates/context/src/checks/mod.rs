//! What the model reads of the project's checks: feedback after a failed round, and the result of its own runs.
//!
//! Decides nothing: which failures are new is the core's comparison with the baseline. Output is cut to a budget and
//! says what it left out.

mod diagnostics;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ox_core::verify::{self, Failing};
use ox_protocol::{CheckReport, CheckResult, CheckStatus, Dependence, Diagnostic, RedGreen};

use crate::words::CheckNote;
use diagnostics::{listed, place};

/// Bytes that the diagnostics of one report may take.
pub const FEEDBACK_BYTES: usize = 6 << 10;
/// The most labels of old failures and of changed files that are named.
const NAMED: usize = 5;
/// Bytes of a cause that is named in a list.
const CAUSE: usize = 200;
/// The most complaints of a check, and the bytes of its output, that are told before the first edit.
const FIRST: usize = 3;
const FIRST_BYTES: usize = 600;

/// So many rounds without progress, and another strategy is demanded.
const STALLED: u32 = 2;

/// One round of verification.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// Its number, from 1.
    pub round: u32,
    /// The limit.
    pub total: u32,
    /// What the checks say now.
    pub report: &'a CheckReport,
    /// What they said before the first edit, if they ran then.
    pub baseline: Option<&'a CheckReport>,
    /// What they said in the round before, if there was one.
    pub before: Option<&'a CheckReport>,
    /// Files changed since the round before, or since the turn began.
    pub changed: &'a [String],
    /// Rounds in a row, this one included, after which everything that failed still failed.
    pub stalled: u32,
}

/// The feedback on a round in which something failed that did not fail before; none where nothing did.
///
/// Its diagnostics take about `budget` bytes, see [`FEEDBACK_BYTES`].
pub fn check_feedback(it: &Round<'_>, budget: usize) -> Option<String> {
    let failing = verify::compare(it.baseline, it.report);
    if failing.is_empty() {
        return None;
    }
    let mut text = format!("Checks fail: round {} of {}.\n", it.round, it.total);
    text += &failures(&failing, it.changed, budget);
    text += &known(it.report, it.baseline, &failing);
    text += &attempt(it);
    text += "\n";
    if it.stalled >= STALLED {
        text = text + CheckNote::Strategy.words() + "\n";
    } else if it.before.is_some_and(|before| findings(it.baseline, before) == findings(it.baseline, it.report)) {
        text = text + CheckNote::Same.words() + "\n";
    }
    Some(text + CheckNote::Rules.words())
}

/// The result of the model's own `run_checks`: one line per check, then what is new against the baseline.
pub fn checks_output(report: &CheckReport, baseline: Option<&CheckReport>) -> String {
    if report.results.is_empty() {
        return CheckNote::None.words().to_owned();
    }
    let failing = verify::compare(baseline, report);
    let mut text: String = report.results.iter().map(line).collect();
    if !failing.is_empty() {
        text += &failures(&failing, &[], FEEDBACK_BYTES);
    }
    text += &known(report, baseline, &failing);
    text.trim_end().to_owned()
}

/// Every failing check with its new diagnostics; what one check leaves of its share goes to the next.
fn failures(failing: &[Failing<'_>], changed: &[String], budget: usize) -> String {
    let (mut text, mut left) = (String::new(), budget);
    for (index, it) in failing.iter().enumerate() {
        let share = left / (failing.len() - index);
        if it.check.status.is_missing() {
            let _ = writeln!(text, "\n{} passed before your edits and now {}", label(it.check), ended(it.check));
            continue;
        }
        let body = listed(it.check, &it.new, changed, share);
        left = left.saturating_sub(body.len());
        let (label, ended) = (label(it.check), ended(it.check));
        let _ = match body.trim().is_empty() {
            true => writeln!(text, "\n{label} {ended} and printed nothing."),
            false => write!(text, "\n{label} {ended}:\n{body}"),
        };
    }
    text
}

/// What failed before the edits too, as far as that is known.
fn known(report: &CheckReport, baseline: Option<&CheckReport>, failing: &[Failing<'_>]) -> String {
    let note = if failing.iter().any(|it| !it.is_certain) {
        format!("\n{}\n", CheckNote::Unknown.words())
    } else {
        String::new()
    };
    if baseline.is_none() && report.results.iter().all(|it| it.earlier.is_empty()) {
        return note;
    }
    let mut old = Vec::new();
    for check in report.failures() {
        let new = failing.iter().find(|it| it.check.check == check.check);
        let is_new = |it: &Diagnostic| new.is_some_and(|failing| failing.new.contains(&it));
        let rest: Vec<&Diagnostic> = check.diagnostics.iter().filter(|it| !is_new(it)).collect();
        match (new, rest.is_empty()) {
            (None, true) if check.status == CheckStatus::TimedOut => {}
            (None, true) if check.cause().is_empty() => old.push(label(check)),
            (None, true) => old.push(format!("{} ({})", label(check), cut(check.cause()))),
            (_, false) => old.push(format!("{} ({})", label(check), some(rest.into_iter().map(short)))),
            (Some(_), true) => {}
        }
    }
    note + &if old.is_empty() { String::new() } else { format!("\n{} {}.\n", CheckNote::Old.words(), old.join("; ")) }
}

/// The name by which a diagnostic is recognised in a list.
fn short(it: &Diagnostic) -> String {
    let name = [place(it), it.code.clone()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    if name.is_empty() { it.message.lines().next().unwrap_or_default().to_owned() } else { name }
}

fn attempt(it: &Round<'_>) -> String {
    if it.changed.is_empty() {
        return match it.before {
            Some(_) => "\nNo file was changed since the round before.\n".to_owned(),
            None => String::new(),
        };
    }
    let since = if it.before.is_some() { "since the round before" } else { "so far" };
    let progress = it.before.map_or(String::new(), |before| progress(it.baseline, before, it.report));
    format!("\nChanged {since}: {}.{progress}\n", some(it.changed.iter().cloned()))
}

/// What became of the failures of the round before, in numbers.
fn progress(baseline: Option<&CheckReport>, before: &CheckReport, now: &CheckReport) -> String {
    let (old, new): (BTreeSet<_>, BTreeSet<_>) =
        (findings(baseline, before).into_iter().collect(), findings(baseline, now).into_iter().collect());
    let (gone, added) = (old.difference(&new).count(), new.difference(&old).count());
    format!(" Failures: {} before, {} now; {gone} gone, {added} new.", old.len(), new.len())
}

/// True where something that failed before fails no more: fewer failures, or others.
pub(crate) fn has_progress(baseline: Option<&CheckReport>, before: &CheckReport, now: &CheckReport) -> bool {
    let now: BTreeSet<_> = findings(baseline, now).into_iter().collect();
    findings(baseline, before).iter().any(|it| !now.contains(it))
}

/// The first few of a list, and how many more there are.
fn some(items: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = items.collect();
    let shown = all[..all.len().min(NAMED)].join(", ");
    if all.len() > NAMED { format!("{shown} and {} more", all.len() - NAMED) } else { shown }
}

fn line(check: &CheckResult) -> String {
    let shown = match check.red_green.as_ref().map(RedGreen::dependence) {
        Some(Dependence::Shown) => "; the tests that you changed fail without the rest of your change",
        Some(Dependence::None) => "; the tests that you changed pass without the rest of your change too",
        Some(Dependence::Unknown) | None => "",
    };
    format!("{} {}{shown}\n", label(check), ended(check))
}

fn label(check: &CheckResult) -> String {
    let it = &check.check;
    if it.name == it.command || it.name.is_empty() {
        it.command.clone()
    } else {
        format!("{} (`{}`)", it.name, it.command)
    }
}

fn ended(check: &CheckResult) -> String {
    match (check.status, check.exit_code) {
        (CheckStatus::Passed, _) if check.flaky.is_empty() => "passed".to_owned(),
        (CheckStatus::Passed, _) => {
            format!(
                "passed; these failed once and passed when they were run again, so they are flaky: {}",
                some(check.flaky.iter().cloned())
            )
        }
        (CheckStatus::Failed, Some(code)) => format!("failed with exit code {code}"),
        (CheckStatus::Failed, None) => "failed".to_owned(),
        (CheckStatus::TimedOut, _) => {
            let counted = check.tests.filter(|it| it.passed + it.failed > 0);
            let so_far = counted.map_or(String::new(), |it| match it.failed {
                0 => format!(" after {} tests, none failed", it.passed),
                failed => format!(" after {} tests, {failed} failed", it.passed + failed),
            });
            format!("was stopped at its limit of {} s{so_far}", check.check.limit_ms / 1000)
        }
        (CheckStatus::NotInstalled, _) if check.tail.is_empty() => {
            "did not run: its program is not installed".to_owned()
        }
        (CheckStatus::CouldNotStart | CheckStatus::NotInstalled | CheckStatus::Hidden, _) => {
            let untested = some(check.untested.iter().cloned());
            let alone = if untested.is_empty() { untested } else { format!("; nothing else tests {untested}") };
            format!("did not run: {}{alone}", check.tail.trim().lines().collect::<Vec<_>>().join("; "))
        }
        (CheckStatus::NotReached, _) => "was not run: your changes do not reach it".to_owned(),
        (CheckStatus::Skipped, _) if check.tail.is_empty() => "was skipped after an earlier failure".to_owned(),
        (CheckStatus::Skipped, _) => format!("did not run: {}", check.tail.trim()),
    }
}

/// A line of a tool's output, short enough for a list.
fn cut(line: &str) -> String {
    let end = line.floor_char_boundary(CAUSE);
    if end < line.len() { format!("{}…", &line[..end]) } else { line.to_owned() }
}

/// What the checks found before the first edit, from result number `from` on; none where all of it passed. Those that could not
/// run share a line, since there is little to say of them.
pub fn before_edits(report: &CheckReport, from: usize) -> Option<String> {
    let results = || report.results.iter().skip(from);
    let lines = results().filter(|it| it.status.is_bad() && it.check.lacks.is_none()).map(|it| {
        let first: Vec<&Diagnostic> = it.diagnostics.iter().take(FIRST).collect();
        let more = match it.diagnostics.len() - first.len() {
            0 => String::new(),
            more => format!("… {more} more\n"),
        };
        format!("{}{}{more}", line(it), listed(it, &first, &[], FIRST_BYTES))
    });
    let mut text: String = lines.collect();
    if !text.is_empty() {
        text = format!("{}\n{text}", CheckNote::Before.words());
    }
    let unrun = results().filter(|it| it.status.is_missing() && it.check.lacks.is_none());
    let unrun: Vec<String> = unrun.map(|it| format!("{} ({})", it.check.name, cut(first_line(it)))).collect();
    if !unrun.is_empty() {
        text += &format!("{} {}.", CheckNote::Unrun.words(), unrun.join("; "));
    }
    (!text.is_empty()).then(|| text.trim_end().to_owned())
}

fn first_line(check: &CheckResult) -> &str {
    let plainly = if check.status == CheckStatus::NotInstalled { "it is not installed" } else { "it did not start" };
    check.tail.trim().lines().next().unwrap_or(plainly)
}

/// What of a report is new against the baseline, as it is told apart: line numbers move with every edit and do not count.
fn findings<'a>(baseline: Option<&CheckReport>, report: &'a CheckReport) -> Vec<(&'a str, &'a str, &'a str, &'a str)> {
    let failing = verify::compare(baseline, report);
    let all = failing.iter().flat_map(|it| {
        let check: &'a CheckResult = it.check;
        // A check whose output could not be read is told apart by the end of that output.
        let unread = it.new.is_empty().then_some(("", "", check.tail.as_str()));
        let read: Vec<&'a Diagnostic> = it.new.clone();
        let read = read.into_iter().map(|it| (it.file.as_str(), it.code.as_str(), it.message.as_str()));
        read.chain(unread).map(|(file, code, message)| (check.check.command.as_str(), file, code, message))
    });
    all.collect()
}
