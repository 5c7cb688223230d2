//! The project's checks as lines.

use ox_protocol::{CheckReport, CheckResult, CheckStatus, Diagnostic};

use super::Look;
use crate::text::{Line, Role};
use crate::words;

/// Complaints shown of each failing check.
const SHOWN: usize = 3;

/// Checks began.
pub(super) fn started(look: &Look, baseline: bool, round: u32, total: u32) -> Line {
    let (words, which) = (look.say("ui.checks.running", &[]), heading(look, baseline, round, total));
    let text = if which.is_empty() { words } else { format!("{words} · {which}") };
    Line::of(&text, Role::Dim).indented(2, 0)
}

/// Checks ended. A baseline that passed is no news.
pub(super) fn result(look: &Look, baseline: bool, round: (u32, u32), report: &CheckReport) -> Vec<Line> {
    if baseline {
        // It comes check by check, each report with all before it.
        let failed =
            report.results.last().filter(|it| matches!(it.status, CheckStatus::Failed | CheckStatus::TimedOut));
        let title = (look.live && failed.is_some()).then(|| Line::of(&heading(look, true, 0, 0), Role::Dim));
        return title.into_iter().chain(failed.map(|it| line(look, it, true))).collect();
    }
    if report.results.is_empty() {
        return vec![Line::of(&look.say("ui.checks.none", &[]), Role::Warn)];
    }
    let title = heading(look, false, round.0, round.1);
    let mut out = Vec::new();
    // Without a live line the start of the checks has said it.
    if look.live && !title.is_empty() {
        out.push(Line::of(&title, Role::Dim));
    }
    for result in &report.results {
        out.push(line(look, result, false));
        out.extend(complaints(look, result));
    }
    out
}

fn heading(look: &Look, baseline: bool, round: u32, total: u32) -> String {
    match (baseline, round) {
        (true, _) => look.say("ui.checks.baseline", &[]),
        (false, 0) => String::new(),
        (false, _) => look.say("ui.checks.round", &[("round", &round.to_string()), ("total", &total.to_string())]),
    }
}

fn line(look: &Look, result: &CheckResult, baseline: bool) -> Line {
    let (mark, role, word) = match result.status {
        CheckStatus::Passed => ("✓ ", Role::Good, None),
        CheckStatus::Failed if baseline => ("✗ ", Role::Dim, Some("ui.checks.failed_before")),
        CheckStatus::Failed => ("✗ ", Role::Bad, Some("ui.checks.failed")),
        CheckStatus::TimedOut => ("✗ ", Role::Bad, Some("ui.checks.timed_out")),
        CheckStatus::Unavailable => ("- ", Role::Warn, Some("ui.checks.unavailable")),
        CheckStatus::Skipped => ("- ", Role::Dim, Some("ui.checks.skipped")),
    };
    let mut line = Line::of(mark, role).with(&result.check.name, Role::Plain);
    if let Some(key) = word {
        line = line.with(&format!(" {}", look.say(key, &[])), role);
    }
    if result.duration_ms > 0 {
        line = line.with(&format!(" ({})", words::duration(result.duration_ms)), Role::Dim);
    }
    line.hanging(4)
}

fn complaints(look: &Look, result: &CheckResult) -> Vec<Line> {
    if !matches!(result.status, CheckStatus::Failed | CheckStatus::TimedOut) {
        return Vec::new();
    }
    if result.diagnostics.is_empty() {
        let lines: Vec<&str> = result.tail.lines().filter(|it| !it.trim().is_empty()).collect();
        let from = lines.len().saturating_sub(SHOWN);
        return lines[from..].iter().map(|it| Line::of(it, Role::Dim).indented(4, 2)).collect();
    }
    let mut out: Vec<Line> = result.diagnostics.iter().take(SHOWN).map(complaint).collect();
    let left = result.diagnostics.len().saturating_sub(SHOWN);
    if left > 0 {
        let more = look.say("ui.checks.more", &[("count", &left.to_string())]);
        out.push(Line::of(&more, Role::Dim).indented(4, 0));
    }
    out
}

fn complaint(it: &Diagnostic) -> Line {
    let place = match (it.file.as_str(), it.line) {
        ("", _) => String::new(),
        (file, 0) => file.to_string(),
        (file, line) => format!("{file}:{line}"),
    };
    let mut line = Line::of(&place, Role::Accent);
    if !it.code.is_empty() {
        line = line.with(if place.is_empty() { "" } else { " " }, Role::Plain).with(&it.code, Role::Strong);
    }
    let gap = if line.is_blank() { "" } else { " " };
    line.with(gap, Role::Plain).with(&words::short(&it.message, 200), Role::Plain).indented(4, 2)
}
