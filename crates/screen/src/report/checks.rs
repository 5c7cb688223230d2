//! The project's checks as lines.

use ox_protocol::{CheckLine, CheckReport, CheckResult, CheckStatus, Diagnostic};

use super::look::Look;
use crate::text::{Line, Role, Target, width};
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
pub(super) fn result(look: &Look, root: &str, baseline: bool, round: (u32, u32), report: &CheckReport) -> Vec<Line> {
    if baseline {
        // It comes check by check, each report with all before it.
        let failed = report.results.last().filter(|it| it.status.is_bad());
        let title = (look.live && failed.is_some()).then(|| Line::of(&heading(look, true, 0, 0), Role::Dim));
        return title.into_iter().chain(failed.map(|it| line(look, it, true))).collect();
    }
    if report.results.is_empty() {
        return vec![Line::of(&look.say("ui.checks.none", &[]), Role::Warn)];
    }
    let title = heading(look, false, round.0, round.1);
    // A first round that passes is one line.
    if look.live
        && round.0 <= 1
        && report.results.iter().all(|it| it.status == CheckStatus::Passed && it.wrote.is_empty())
    {
        return packed(look.width, report.results.iter().map(|it| line(look, it, false)));
    }
    let mut out = Vec::new();
    // Without a live line the start of the checks has said it.
    if look.live && !title.is_empty() {
        out.push(Line::of(&title, Role::Dim));
    }
    for result in &report.results {
        out.push(line(look, result, false));
        out.extend(complaints(look, root, result));
    }
    out
}

/// Short lines side by side, as many as fit: a break falls between them.
pub(super) fn packed(columns: usize, all: impl Iterator<Item = Line>) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    for line in all {
        match out.last_mut() {
            Some(last) if width(&last.text()) + 2 + width(&line.text()) <= columns => {
                let begun = std::mem::replace(last, Line::empty()).with("  ", Role::Plain);
                *last = line.spans.into_iter().fold(begun, |all, span| all.with(&span.text, span.role));
            }
            _ => out.push(line.hanging(2)),
        }
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
    let (mark, role) = match result.status {
        CheckStatus::Passed => ("✓ ", Role::Good),
        CheckStatus::Failed if baseline => ("✗ ", Role::Dim),
        CheckStatus::Failed | CheckStatus::TimedOut => ("✗ ", Role::Bad),
        CheckStatus::Skipped | CheckStatus::NotReached => ("- ", Role::Dim),
        CheckStatus::CouldNotStart | CheckStatus::NotInstalled | CheckStatus::Hidden => ("- ", Role::Warn),
    };
    let said = CheckLine {
        failed_before: baseline && result.status == CheckStatus::Failed,
        why: if result.status.is_bad() { String::new() } else { result.cause().to_owned() },
        tests: result.tests,
        flaky: result.flaky.clone(),
        ..CheckLine::new(&result.check.name, result.status)
    };
    let mut line = Line::of(mark, role).with(&look.language.check(&result.check.name), Role::Plain);
    let word = ended(look, &said);
    if !word.is_empty() {
        line = line.with(&format!(" {word}"), role);
    }
    if !result.wrote.is_empty() {
        let files = result.wrote.join(", ");
        line = line.with(&format!("; {}", look.say("ui.checks.wrote", &[("files", &files)])), Role::Warn);
    }
    if result.duration_ms > 0 {
        line = line.with(&format!(" ({})", words::duration(result.duration_ms)), Role::Dim);
    }
    line.hanging(4)
}

/// How a check ended and why, behind its name; nothing where it passed.
pub(super) fn ended(look: &Look, it: &CheckLine) -> String {
    let tests = it.tests.map_or((0, 0), |it| (it.passed + it.failed, it.failed));
    let key = match (it.status, tests) {
        (CheckStatus::Failed, _) if it.failed_before => "ui.checks.failed_before",
        (CheckStatus::TimedOut, (1.., 0)) => "ui.checks.timed_out_clean",
        (CheckStatus::TimedOut, (1.., _)) => "ui.checks.timed_out_after",
        (CheckStatus::Skipped, _) if !it.why.is_empty() => "ui.checks.left_out",
        (CheckStatus::Passed, _) if it.flaky.is_empty() => return String::new(),
        (CheckStatus::Passed, _) => return look.say("ui.checks.flaky", &[("tests", &it.flaky.join(", "))]),
        (CheckStatus::NotReached, _) => "ui.checks.not_reached",
        (CheckStatus::Failed, _) => "ui.checks.failed",
        (CheckStatus::TimedOut, _) => "ui.checks.timed_out",
        (CheckStatus::CouldNotStart, _) => "ui.checks.could_not_start",
        (CheckStatus::NotInstalled, _) => "ui.checks.not_installed",
        (CheckStatus::Hidden, _) => "ui.checks.hidden",
        (CheckStatus::Skipped, _) => "ui.checks.skipped",
    };
    let said = look.say(key, &[("count", &tests.0.to_string()), ("failed", &tests.1.to_string())]);
    if it.why.is_empty() { said } else { format!("{said}: {}", words::short(&it.why, 200)) }
}

fn complaints(look: &Look, root: &str, result: &CheckResult) -> Vec<Line> {
    if !result.status.is_bad() {
        return Vec::new();
    }
    let limit = if look.expanded { usize::MAX } else { SHOWN };
    if result.diagnostics.is_empty() {
        let lines: Vec<&str> = result.tail.lines().filter(|it| !it.trim().is_empty()).collect();
        let from = lines.len().saturating_sub(limit);
        return lines[from..].iter().map(|it| Line::of(it, Role::Dim).indented(4, 2)).collect();
    }
    let mut out: Vec<Line> = result.diagnostics.iter().take(limit).map(|it| complaint(look, root, it)).collect();
    let left = result.diagnostics.len().saturating_sub(limit);
    if left > 0 {
        let more = look.say("ui.checks.more", &[("count", &left.to_string())]);
        out.push(Line::of(&more, Role::Dim).indented(4, 0));
    }
    out
}

fn complaint(look: &Look, root: &str, it: &Diagnostic) -> Line {
    let place = match (it.file.as_str(), it.line) {
        ("", _) => String::new(),
        (file, 0) => file.to_string(),
        (file, line) => format!("{file}:{line}"),
    };
    let target = Target::file(root, &it.file).filter(|_| look.links && !it.file.is_empty());
    let mut line = Line::empty().linked(&place, Role::Accent, target);
    if !it.code.is_empty() {
        line = line.with(if place.is_empty() { "" } else { " " }, Role::Plain).with(&it.code, Role::Strong);
    }
    let gap = if line.is_blank() { "" } else { " " };
    let message = if look.expanded { it.message.clone() } else { words::short(&it.message, 200) };
    line.with(gap, Role::Plain).with(&message, Role::Plain).indented(4, 2)
}
