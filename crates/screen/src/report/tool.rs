//! Tool calls as lines: what was done, to what, how long it took, and why it failed.

use ox_protocol::{
    Call, CallId, CallKind, Decision, FileChange, Fixer, Level, MCP_PREFIX, Outcome, Presentation, Rule, Status,
};
use serde_json::Value;

use super::command;
use super::look::{Look, left_out};
use crate::diff;
use crate::text::{Line, Role, Target};
use crate::words;
use ox_client::view::{EntryKind, View};

/// Diff lines shown below one edit.
const DIFF_LINES: usize = 40;
/// Effects named below a call that was refused.
const EFFECTS: usize = 4;

/// What a call is about, in a few words: a path, a command, a pattern.
pub fn subject(args: &Value) -> String {
    let text = |names: &[&str]| names.iter().find_map(|name| args.get(name)?.as_str()).map(str::to_string);
    if let (Some(from), Some(to)) = (text(&["from", "source"]), text(&["to", "destination"])) {
        return format!("{from} → {to}");
    }
    if let Some(command) = text(&["command"]) {
        return format!("`{}`", words::short(&command, 100));
    }
    let path = text(&["path", "file_path", "file"]);
    if let Some(pattern) = text(&["pattern", "query", "regex"]) {
        let place = path.filter(|it| !matches!(it.as_str(), "" | ".")).map_or(String::new(), |it| format!(" · {it}"));
        return format!("“{}”{place}", words::short(&pattern, 60));
    }
    if let Some(path) = path {
        return format!("{path}{}", range(args));
    }
    let first = args.as_object().and_then(|it| it.values().find_map(Value::as_str));
    first.map_or_else(String::new, |text| words::short(text, 60))
}

/// The same for a call; what ends a turn is shown by its own words.
pub fn subject_of(call: &Call) -> String {
    if call.facts.kind == CallKind::Conclude { String::new() } else { subject(&call.args) }
}

/// `:10-40` where lines are asked for.
fn range(args: &Value) -> String {
    let number = |names: &[&str]| names.iter().find_map(|name| args.get(name)?.as_u64());
    match (number(&["from", "start_line", "from_line"]), number(&["to", "end_line", "to_line"])) {
        (Some(from), Some(to)) => format!(":{from}-{to}"),
        (Some(from), None) => format!(":{from}-"),
        _ => String::new(),
    }
}

/// A call began; told only where no live line shows it, and only for calls that take their time.
pub(super) fn started(look: &Look, view: &View, call: &CallId, args: &Value) -> Vec<Line> {
    if presentation(view, call) != Presentation::Command || view.running.iter().any(|(id, _)| id == call) {
        return Vec::new();
    }
    vec![Line::of(&look.say("tool.started", &[("what", &subject(args))]), Role::Dim).indented(2, 0)]
}

/// A call settled.
pub(super) fn settled(look: &Look, view: &View, call: &CallId, tool: &str, outcome: &Outcome) -> Vec<Line> {
    let presentation = presentation(view, call);
    // Fixers that had nothing to change are no news; what went wrong with one is told by itself.
    let is_silent = Fixer::is_call(call) && outcome.changed.is_empty();
    if outcome.status == Status::Ok && (presentation == Presentation::Separate || is_silent) {
        return Vec::new();
    }
    // What the user has just refused is said by their answer.
    if look.echo && outcome.status == Status::Denied && was_refused(view, call) {
        return Vec::new();
    }
    let (mark, role) = mark(presentation, outcome);
    let line = Line::of(mark, role).with(" ", Role::Plain);
    let typed = view.call(call).and_then(|it| it.args.get("command")?.as_str());
    let typed = typed.filter(|_| presentation == Presentation::Command);
    let mut line = match typed {
        Some(typed) => command::typed(look, line, typed),
        None => named(look, view, line.with(&look.tool(tool), Role::Accent), view.call(call), outcome),
    };
    line = counts(line, &outcome.changed);
    if let Some(code) = outcome.exit_code.filter(|code| *code != 0) {
        line = line.with(&format!(" · {}", look.say("tool.exit", &[("code", &code.to_string())])), Role::Warn);
    }
    // What takes no time needs no clock where people look on.
    if outcome.duration_ms > if look.live { 999 } else { 0 } {
        line = line.with(&format!(" ({})", words::duration(outcome.duration_ms)), Role::Dim);
    }
    let mut out = vec![line.hanging(4)];
    if outcome.status == Status::Denied && !view.answered.contains(call) {
        out.extend(denial(look, view, view.call(call), outcome));
    }
    out.extend(reason(look, outcome));
    if presentation == Presentation::Command && matches!(outcome.status, Status::Ok | Status::Interrupted) {
        out.extend(command::output(look, outcome));
    }
    // The first line tells the model whose words follow.
    if let Some((_, said)) = outcome.output.split_once('\n').filter(|_| tool.starts_with(MCP_PREFIX)) {
        out.extend(command::output(look, &Outcome { output: said.to_owned(), ..outcome.clone() }));
    }
    out.extend(diffs(look, view, typed.is_some() || outcome.changed.len() > 1, outcome));
    out
}

/// True for a call that the user refused.
fn was_refused(view: &View, call: &CallId) -> bool {
    view.entries.iter().rev().any(|it| match &it.kind {
        EntryKind::Call(entry) => entry.call == *call && matches!(entry.decision, Some(Decision::Deny { .. })),
        _ => false,
    })
}

/// What a call was about: the file that it changed, or what it was asked.
fn named(look: &Look, view: &View, line: Line, call: Option<&Call>, outcome: &Outcome) -> Line {
    let (what, path) = match outcome.changed.as_slice() {
        [change] => (place(change), Some(change.path.as_str())),
        _ => {
            let args = call.filter(|it| it.facts.kind != CallKind::Conclude).map(|it| &it.args);
            (call.map(subject_of).unwrap_or_default(), args.and_then(|it| it.get("path")?.as_str()))
        }
    };
    let target = path.and_then(|it| Target::file(&view.root, it)).filter(|_| look.links);
    let gap = if what.is_empty() { "" } else { " " };
    line.with(gap, Role::Plain).linked(&what, Role::Plain, target)
}

/// A call from before a crash.
pub(super) fn lost(look: &Look, view: &View, call: &CallId) -> Vec<Line> {
    let what = view.call(call).map_or_else(|| call.0.clone(), |it| format!("{} {}", it.tool, subject_of(it)));
    vec![Line::of("? ", Role::Warn).with(&look.say("tool.lost", &[("what", &what)]), Role::Warn).hanging(2)]
}

/// How a call is shown. Logs of earlier versions say it by the call's kind alone.
fn presentation(view: &View, call: &CallId) -> Presentation {
    view.call(call).map_or(Presentation::Named, |it| match it.facts.kind {
        CallKind::Checks | CallKind::Question | CallKind::Conclude => Presentation::Separate,
        CallKind::Agent => Presentation::Separate,
        CallKind::Read | CallKind::Mutate => it.facts.presentation,
    })
}

fn mark(presentation: Presentation, outcome: &Outcome) -> (&'static str, Role) {
    match outcome.status {
        // It goes on: how it ends is not known yet.
        Status::Ok if presentation == Presentation::Command && outcome.exit_code.is_none() => ("…", Role::Dim),
        Status::Ok if outcome.exit_code.is_some_and(|code| code != 0) => ("•", Role::Warn),
        Status::Ok => ("✓", Role::Good),
        Status::Failed => ("✗", Role::Bad),
        Status::Denied => ("✗", Role::Warn),
        Status::Skipped | Status::Interrupted => ("-", Role::Dim),
        Status::Lost => ("?", Role::Warn),
    }
}

/// `src/lib.rs:12`, or `old → new` for a rename.
fn place(change: &FileChange) -> String {
    match (&change.from, diff::first_line(&change.diff)) {
        (Some(from), _) => format!("{from} → {}", change.path),
        (None, Some(line)) => format!("{}:{line}", change.path),
        (None, None) => change.path.clone(),
    }
}

fn counts(line: Line, changed: &[FileChange]) -> Line {
    let added: u32 = changed.iter().map(|it| it.added).sum();
    let removed: u32 = changed.iter().map(|it| it.removed).sum();
    let line = if added > 0 { line.with(&format!(" +{added}"), Role::Added) } else { line };
    if removed > 0 { line.with(&format!(" −{removed}"), Role::Removed) } else { line }
}

/// The first line of the reason, where a call did not do what it was asked.
fn reason(look: &Look, outcome: &Outcome) -> Option<Line> {
    let (text, role) = match outcome.status {
        Status::Ok => return None,
        Status::Failed => (words::short(&outcome.output, 300), Role::Bad),
        // The answer to the request for consent stands right above it.
        Status::Denied => return None,
        // The end of the turn says so.
        Status::Interrupted if look.live => return None,
        Status::Skipped => (look.say("tool.skipped", &[]), Role::Dim),
        Status::Lost => (look.say("tool.unknown", &[]), Role::Warn),
        Status::Interrupted => (look.say("tool.interrupted", &[]), Role::Dim),
    };
    Some(Line::of(&text, role).indented(4, 0))
}

/// Why a call was refused without a question, and how to allow it where consent was all that was missing.
fn denial(look: &Look, view: &View, call: Option<&Call>, outcome: &Outcome) -> Vec<Line> {
    let Some(why) = outcome.output.strip_prefix("permission refused: ") else {
        return vec![Line::of(&words::short(&outcome.output, 300), Role::Warn).indented(4, 0)];
    };
    let what = call.map(subject_of).unwrap_or_default();
    let what = if what.is_empty() { words::short(why, 100) } else { what };
    // The hint quotes each rule for a shell.
    let quoted = |rule: &Rule| rule.to_string().replace('\'', r"'\''");
    let rules = call.map_or_else(Vec::new, |it| it.rules_that_allow(view.sandbox_reach.is_some()));
    let rules = rules.iter().map(quoted).collect::<Vec<_>>().join("' --allow '");
    let mut lines = vec![look.say("approval.headless", &[("what", &what)])];
    if let Some(why) = view.not_isolated.as_ref().filter(|_| call.is_some_and(|it| it.facts.command.is_some())) {
        lines.push(format!("· {}", look.say("approval.why.no_walls", &[("why", why)])));
    }
    if let Some(call) = call.filter(|it| it.facts.level == Level::System) {
        let top = call.facts.effects.iter().filter(|it| it.level == Level::System).take(EFFECTS);
        lines.extend(top.map(|it| format!("· {}", look.language.effect(it.kind, &it.what))));
    }
    lines.push(match rules.is_empty() {
        true => look.say("approval.headless_system", &[]),
        false => look.say("approval.headless_hint", &[("rule", &rules)]),
    });
    lines.iter().map(|it| Line::of(it, Role::Warn).indented(4, 2)).collect()
}

/// Diffs of what a call changed, each below the name of its file where the line of the call does not name it.
fn diffs(look: &Look, view: &View, names: bool, outcome: &Outcome) -> Vec<Line> {
    let mut out = Vec::new();
    if look.apart || look.diff_above {
        return out;
    }
    for change in &outcome.changed {
        if names {
            let target = Target::file(&view.root, &change.path).filter(|_| look.links);
            let line = Line::empty().linked(&place(change), Role::Accent, target);
            out.push(counts(line, std::slice::from_ref(change)).indented(4, 2));
        }
        let limit = if look.expanded { usize::MAX } else { DIFF_LINES };
        let (lines, left) = diff::lines_of_file(Some(&change.path), &change.diff, limit);
        out.extend(lines);
        out.extend(left_out(look, left));
    }
    out
}
