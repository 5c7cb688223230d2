//! How a turn ended: the summary, the reason, and what it cost.

use ox_protocol::{
    AuditFinding, AuditWeight, ChangeKind, CheckLine, CheckStatus, Claim, Decision, Dependence, Evidence, FailureKind,
    FileChange, RedGreenLine, ReviewSummary, Stop, Summary, Time,
};

use super::look::{Look, marked};
use super::{checks, plan, spent};
use crate::markdown;
use crate::text::{Line, Role};
use crate::words;
use ox_client::view::{EntryKind, View};

/// Tests that are named, and changed files that none tested.
const TESTS: usize = 3;
const FILES: usize = 3;

/// What was done. The text is left out where the last reply has just shown it; in plain output, whose standard output
/// carries it, so is how to verify it and what was left undone.
pub(super) fn summary(look: &Look, view: &View, it: &Summary) -> Vec<Line> {
    let mut out = Vec::new();
    let said = |text: &str| text.trim() == it.text.trim();
    let repeated = said(&view.reply) || view.plan.as_ref().is_some_and(|plan| said(&plan.text));
    if !look.apart && !repeated && !it.text.trim().is_empty() {
        out.push(Line::empty());
        out.extend(markdown::lines(&it.text, look.width));
    }
    if !it.files.is_empty() {
        out.push(Line::empty());
        // One file needs no heading.
        if !look.live || it.files.len() > 1 {
            out.push(Line::of(&look.say("ui.summary.files", &[]), Role::Strong));
        }
        let before = std::iter::once(None).chain(it.files.iter().map(|it| it.why.as_deref()));
        out.extend(it.files.iter().zip(before).map(|(it, before)| file(it, before)));
    }
    out.extend(plan::summary(look, it));
    // Where all pass, the last line says so, and the names stand above.
    let all_pass = it.checks.iter().all(|it| it.status == CheckStatus::Passed);
    if !(it.checks.is_empty() || look.live && all_pass) {
        out.push(Line::empty());
        out.push(check_marks(look, it));
    }
    out.extend(it.red_green.iter().map(|it| red_green(look, it)));
    if !it.claims.is_empty() {
        out.push(Line::empty());
        out.push(Line::of(&look.say("ui.summary.claims", &[]), Role::Strong));
        out.extend(it.claims.iter().map(|it| claim(look, it)));
    }
    if !it.findings.is_empty() {
        out.push(Line::empty());
        out.push(Line::of(&look.say("ui.summary.findings", &[]), Role::Warn));
        out.extend(it.findings.iter().flat_map(|it| finding(look, it)));
    }
    if let Some(review) = &it.review {
        out.extend(reviewed(look, review));
    }
    if !look.apart && !it.verify.trim().is_empty() {
        out.push(Line::empty());
        out.push(Line::of(&look.say("ui.summary.verify", &[]), Role::Strong));
        let body = markdown::lines(&it.verify, look.width.saturating_sub(2));
        out.extend(body.into_iter().map(|line| line.indented(2, 0)));
    }
    // Open steps stand above.
    let undone = it.undone.iter().filter(|text| !it.steps.iter().any(|step| step.text == **text));
    let mut undone = undone.peekable();
    if !look.apart && undone.peek().is_some() {
        out.push(Line::empty());
        out.push(Line::of(&look.say("ui.summary.undone", &[]), Role::Warn));
        out.extend(undone.map(|text| Line::of("• ", Role::Warn).with(text, Role::Plain).indented(2, 2)));
    }
    out
}

/// What a reviewer found that still stands, or why the change was not reviewed.
fn reviewed(look: &Look, it: &ReviewSummary) -> Vec<Line> {
    let mut out = Vec::new();
    if !it.kept.is_empty() {
        out.push(Line::empty());
        out.push(Line::of(&look.say("ui.summary.review", &[]), Role::Warn));
        out.extend(it.kept.iter().map(|it| Line::of("! ", Role::Warn).with(&it.line(), Role::Plain).indented(2, 4)));
    }
    if let Some(why) = &it.not_reviewed {
        out.push(Line::empty());
        out.push(Line::of(&look.language.problem(why), Role::Warn));
    }
    out
}

/// What runs of the changed tests without the rest of the change showed.
fn red_green(look: &Look, it: &RedGreenLine) -> Line {
    let names: Vec<&str> = it.tests.iter().map(|it| it.name.as_str()).take(TESTS).collect();
    let more = it.tests.len() - names.len();
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    let tests = names.join(", ") + &more;
    let (mark, role, key, why) = match it.dependence {
        Dependence::Shown => ("✓ ", Role::Good, "ui.summary.red_green.shown", ""),
        Dependence::None => ("! ", Role::Warn, "ui.summary.red_green.none", ""),
        Dependence::Unknown => ("- ", Role::Dim, "ui.summary.red_green.unknown", it.before.excerpt.as_str()),
    };
    let why = if why.is_empty() { look.say("ui.checks.could_not_start", &[]) } else { words::short(why, 160) };
    let words = look.say(key, &[("tests", &tests), ("why", &why)]);
    Line::of(mark, role).with(&words, Role::Plain).indented(2, 4)
}

/// What is said to work, and the run that shows it.
fn claim(look: &Look, it: &Claim) -> Line {
    let text = words::short(&it.claim, 200);
    match &it.evidence {
        Some(run) => {
            let count = run.tests.map(|it| look.say("ui.checks.tests", &[("count", &it.passed.to_string())]));
            let shown = format!(
                "  {}{}",
                words::short(&run.command, 100),
                count.map_or(String::new(), |it| format!(" ({it})"))
            );
            Line::of("✓ ", Role::Good).with(&text, Role::Plain).with(&shown, Role::Dim)
        }
        None => {
            let unseen = format!("  {}", look.say("ui.summary.unseen", &[]));
            Line::of("? ", Role::Warn).with(&text, Role::Plain).with(&unseen, Role::Warn)
        }
    }
    .indented(2, 4)
}

/// The place, what it is, and the lines themselves.
fn finding(look: &Look, it: &AuditFinding) -> Vec<Line> {
    let place = if it.line == 0 { it.file.clone() } else { format!("{}:{}", it.file, it.line) };
    let mark = if it.kind.weight() == AuditWeight::Note { ("· ", Role::Dim) } else { ("! ", Role::Warn) };
    let about = words::short(&it.about, 100);
    let words = look.say(it.kind.code(), &[("about", &about)]);
    let head = Line::of(mark.0, mark.1).with(&place, Role::Plain).with(&format!("  {words}"), Role::Dim);
    let lines = [("- ", &it.before, Role::Removed), ("+ ", &it.now, Role::Added)];
    let lines = lines.into_iter().filter(|it| !it.1.is_empty());
    let lines =
        lines.map(|(mark, text, role)| Line::of(mark, role).with(&words::short(text, 160), role).indented(4, 6));
    std::iter::once(head.indented(2, 4)).chain(lines).collect()
}

/// A changed file, and why, where that is not what the line `before` says.
fn file(change: &FileChange, before: Option<&str>) -> Line {
    let (mark, role) = match change.kind {
        ChangeKind::Created => ("+ ", Role::Added),
        ChangeKind::Modified => ("~ ", Role::Warn),
        ChangeKind::Deleted => ("- ", Role::Removed),
        ChangeKind::Renamed => ("→ ", Role::Accent),
    };
    let name = change.from.as_ref().map_or_else(|| change.path.clone(), |from| format!("{from} → {}", change.path));
    let mut line = Line::of(mark, role).with(&name, Role::Plain);
    if change.added > 0 {
        line = line.with(&format!(" +{}", change.added), Role::Added);
    }
    if change.removed > 0 {
        line = line.with(&format!(" −{}", change.removed), Role::Removed);
    }
    if let Some(why) = change.why.as_deref().filter(|it| !it.trim().is_empty() && Some(*it) != before) {
        line = line.with(&format!("  {}", why.trim()), Role::Dim);
    }
    line.indented(2, 4)
}

fn check_marks(look: &Look, it: &Summary) -> Line {
    let mut line = Line::of(&look.say("ui.summary.checks", &[]), Role::Strong);
    for check in &it.checks {
        let (mark, role) = match check.status {
            CheckStatus::Passed => ("✓ ", Role::Good),
            status if status.is_bad() => ("✗ ", Role::Bad),
            _ => ("- ", Role::Dim),
        };
        line = line.with("  ", Role::Plain).with(mark, role).with(&look.language.check(&check.name), Role::Plain);
        if check.failed_before && check.status != CheckStatus::Passed {
            line = line.with(&format!(" {}", look.say("ui.summary.failed_before", &[])), Role::Dim);
        }
    }
    line.hanging(2)
}

/// The turn is over: why, and what it used.
pub(super) fn completion(look: &Look, view: &View, stop: Stop, now: Time) -> Vec<Line> {
    let (mark, role) = match stop.exit_code() {
        _ if was_refused(look, view, stop) => ("· ", Role::Plain),
        0 if stop == Stop::DoneUnchecked => ("! ", Role::Warn),
        0 => ("✓ ", Role::Good),
        3 | 130 => ("! ", Role::Warn),
        _ => ("✗ ", Role::Bad),
    };
    let mut out = vec![Line::empty()];
    // An answer speaks for itself.
    let is_answer = look.live && stop == Stop::Answered;
    if !is_answer {
        out.extend(marked(mark, &reason(look, view, stop), role));
    }
    if let Stop::ModelFailed { kind } = stop {
        out.extend(model_failed(look, view, kind));
    }
    out.extend(usage(look, view, now));
    out
}

/// Why the turn ended, with what the reader would have to look up otherwise.
pub(super) fn reason(look: &Look, view: &View, stop: Stop) -> String {
    let (cost, tokens) = (view.account.cost_limit, view.account.token_limit);
    if was_refused(look, view, stop) {
        return look.say(if stop == Stop::Interrupted { "stop.refused_here" } else { "stop.without_refused" }, &[]);
    }
    if look.echo && stop == Stop::Interrupted {
        return look.say("stop.interrupted_here", &[]);
    }
    match (stop, &view.summary, cost, tokens) {
        (Stop::ChecksNotRun, Some(it), ..) => look.say("stop.not_verified", &[("why", &unverified(look, it))]),
        // "Done" alone would claim too much where a check failed before and still does.
        (Stop::Done, Some(it), ..) if it.checks.iter().any(|check| check.failed_before) => {
            let old = it.checks.iter().filter(|check| check.failed_before);
            look.say("stop.done_nothing_new", &[("checks", &names(look, old))])
        }
        (Stop::Done, Some(it), ..) if it.checks.iter().any(unfinished) => {
            let cut_off = it.checks.iter().filter(|it| unfinished(it));
            look.say("stop.done_unfinished", &[("checks", &names(look, cut_off))])
        }
        (Stop::Done, Some(it), ..) if it.checks.iter().any(|it| it.status.is_missing()) => {
            let missing = it.checks.iter().filter(|it| it.status.is_missing());
            look.say("stop.done_not_run", &[("checks", &names(look, missing))])
        }
        (Stop::CostBudget, _, Some(limit), _) => look.say("stop.cost_budget_of", &[("limit", &words::money(limit))]),
        (Stop::TokenBudget, .., Some(limit)) => look.say("stop.token_budget_of", &[("limit", &words::tokens(limit))]),
        _ => look.say(stop.code(), &[]),
    }
}

/// The names of checks as people read them.
fn names<'a>(look: &Look, checks: impl Iterator<Item = &'a CheckLine>) -> String {
    checks.map(|it| look.language.check(&it.name)).collect::<Vec<String>>().join(", ")
}

/// True where the turn ended as the user, who is still there, has refused a call.
fn was_refused(look: &Look, view: &View, stop: Stop) -> bool {
    let mut decisions = view.entries.iter().rev().filter_map(|it| match &it.kind {
        EntryKind::Call(call) => call.decision.as_ref(),
        _ => None,
    });
    let stopped = matches!(stop, Stop::PermissionRefused | Stop::Interrupted);
    look.echo && stopped && matches!(decisions.next(), Some(Decision::Deny { .. }))
}

/// True for a check that was not run to its end.
fn unfinished(it: &CheckLine) -> bool {
    matches!(it.status, CheckStatus::TimedOut | CheckStatus::Skipped)
}

/// Why nothing is verified, first what was changed and not tested, then check by check, and what the model saw pass all the
/// same.
fn unverified(look: &Look, it: &Summary) -> String {
    let mut open: Vec<&CheckLine> = it.checks.iter().filter(|it| it.status != CheckStatus::Passed).collect();
    open.sort_by_key(|it| it.untested.is_empty());
    // Checks that ended alike are named together: one missing folder keeps them all from running.
    let mut alike: Vec<(Vec<&CheckLine>, String, &[String])> = Vec::new();
    for check in open {
        let ended = checks::ended(look, check);
        match alike.iter_mut().find(|(_, words, _)| *words == ended) {
            Some((those, ..)) => those.push(check),
            None => alike.push((vec![check], ended, &check.untested)),
        }
    }
    let short = |(those, ended, untested): &(Vec<&CheckLine>, String, &[String])| {
        let ended = format!("{} {ended}", names(look, those.iter().copied()));
        if untested.is_empty() {
            return ended;
        }
        let more = untested.len().saturating_sub(FILES);
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        let files = untested[..untested.len().min(FILES)].join(", ") + &more;
        look.say("ui.checks.untested", &[("files", &files), ("check", &ended)])
    };
    let mut reasons: Vec<String> = alike.iter().map(short).collect();
    let weakened = it.findings.iter().filter(|it| it.kind.weight() == AuditWeight::Weakens).count();
    if weakened > 0 {
        reasons.push(look.say("ui.checks.weakened", &[("count", &weakened.to_string())]));
    }
    if it.checks.is_empty() {
        reasons.push(look.say("ui.checks.refused", &[]));
    }
    let seen = |it: &Evidence| {
        let count = it.tests.map(|it| look.say("ui.checks.tests", &[("count", &it.passed.to_string())]));
        format!("`{}`{}", words::short(&it.command, 100), count.map_or(String::new(), |it| format!(" ({it})")))
    };
    let seen: Vec<String> = it.seen.iter().map(seen).collect();
    if !seen.is_empty() {
        reasons.push(look.say("ui.checks.seen", &[("commands", &seen.join(", "))]));
    }
    reasons.join("; ")
}

fn model_failed(look: &Look, view: &View, kind: FailureKind) -> Vec<Line> {
    // What to do about a key stands right above.
    let is_said = look.echo && kind == FailureKind::Auth;
    let words = (!is_said).then(|| Line::of(&look.say(failure_key(kind), &[]), Role::Bad).indented(2, 0));
    let mut out: Vec<Line> = words.into_iter().collect();
    if let Some(failure) = &view.failure {
        let status = failure.status.map_or(String::new(), |status| format!("{status} "));
        let words = words::short(&failure.message, 400);
        out.push(Line::of(&format!("{status}{words}"), Role::Dim).indented(2, 0));
    }
    out
}

/// Steps, tokens, money and time in one line; none where no model was asked.
fn usage(look: &Look, view: &View, now: Time) -> Option<Line> {
    let turn = &view.account.turn;
    let iterations = view.summary.as_ref().map_or(view.iteration.0, |it| it.iterations.max(view.iteration.0));
    if iterations == 0 {
        return None;
    }
    let key = if look.live { "ui.usage.steps" } else { "ui.usage.iterations" };
    let mut parts = Vec::new();
    // What one step took is little; `/cost` has it.
    if !look.live || iterations > 1 {
        parts.push(look.say(key, &[("count", &iterations.to_string())]));
        parts.extend((turn.requests > 0).then(|| spent::tokens(look, turn)));
    }
    let is_priced = turn.requests > turn.unpriced;
    parts.extend((turn.requests > 0 && (is_priced || !look.live)).then(|| spent::price(look, turn)));
    parts.extend(spent::left(look, &view.account));
    parts.push(words::duration(now.0.saturating_sub(view.began.0)));
    // Below a prompt the footer has it.
    let (filled, window) = view.window;
    if let Some(share) = (filled * 100).checked_div(window).filter(|_| filled > 0 && !look.live) {
        parts.push(look.say("ui.usage.window", &[("share", &share.to_string())]));
    }
    Some(Line::of(&parts.join(" · "), Role::Dim).indented(2, 0))
}

/// The catalogue's key of a failure of the model.
pub(super) fn failure_key(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Connect => "ui.failure.connect",
        FailureKind::Tls => "ui.failure.tls",
        FailureKind::Timeout => "ui.failure.timeout",
        FailureKind::RateLimited => "ui.failure.rate_limited",
        FailureKind::Overloaded => "ui.failure.overloaded",
        FailureKind::Server => "ui.failure.server",
        FailureKind::Cut => "ui.failure.cut",
        FailureKind::Auth => "ui.failure.auth",
        FailureKind::Quota => "ui.failure.quota",
        FailureKind::UnknownModel => "ui.failure.unknown_model",
        FailureKind::ToolChoiceRejected => "ui.failure.tool_choice_rejected",
        FailureKind::ToolsRejected => "ui.failure.tools_rejected",
        FailureKind::ContextTooLong => "ui.failure.context_too_long",
        FailureKind::ContentFilter => "ui.failure.content_filter",
        FailureKind::BadRequest => "ui.failure.bad_request",
        FailureKind::Malformed => "ui.failure.malformed",
        FailureKind::Script => "ui.failure.script",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_and_not_tested_comes_first() {
        let look = Look { apart: true, ..Look::new(ox_protocol::locale::Language::En, 100) };
        let line = |name: &str, status| CheckLine::new(name, status);
        let tests = CheckLine { why: "vitest is missing".to_owned(), ..line("vitest", CheckStatus::NotInstalled) };
        let files = ["a.ts", "b.ts", "c.ts", "d.ts"].map(str::to_owned).to_vec();
        let untested = CheckLine { untested: files, ..tests.clone() };
        let passed = || [line("pytest", CheckStatus::Passed), line("eslint", CheckStatus::CouldNotStart)];
        for (stop, last, expected) in [
            (
                Stop::ChecksNotRun,
                untested,
                "Done, not verified: no test ran for a.ts, b.ts, c.ts +1: vitest is not installed: vitest is missing; \
                 eslint could not start.",
            ),
            (Stop::Done, tests, "Done; all checks that could run pass. Could not run: eslint, vitest."),
        ] {
            let checks = passed().into_iter().chain([last]).collect();
            let view = View { summary: Some(Summary { checks, ..Summary::default() }), ..View::default() };
            assert_eq!(reason(&look, &view, stop), expected);
        }
    }

    #[test]
    fn checks_that_lack_the_same_are_named_together() {
        let look = Look { apart: true, ..Look::new(ox_protocol::locale::Language::En, 100) };
        let line = |name: &str, why: &str| CheckLine {
            why: why.to_owned(),
            ..CheckLine::new(name, CheckStatus::NotInstalled)
        };
        let checks =
            vec![line("lint", "run `npm install`"), line("mypy", "it is missing"), line("test", "run `npm install`")];
        let summary = Summary { checks, ..Summary::default() };
        let expected = "lint, test is not installed: run `npm install`; mypy is not installed: it is missing";
        assert_eq!(unverified(&look, &summary), expected);
    }
}
