//! The frame of a turn: its beginning, its stages, plan and todo list with ticks.

use ox_protocol::{ApprovalPolicy, CommandId, Event, Frame, Gate, Stage, Todo, TodoState};

use super::look::{Look, left_out, marked};
use crate::text::{Line, Role};
use crate::words;
use ox_client::view::View;

/// When the user is asked, in two words.
pub fn policy(look: &Look, policy: ApprovalPolicy) -> String {
    let key = match policy {
        ApprovalPolicy::Ask => "ui.policy.ask",
        ApprovalPolicy::AcceptEdits => "ui.policy.edits",
        ApprovalPolicy::Auto => "ui.policy.auto",
    };
    look.say(key, &[])
}

/// A turn began: what it may do, with which model, and what will verify it. The line below the prompt says the same, so it is
/// told again only where it is not as in the turn before.
pub(super) fn turn(look: &Look, view: &View, frame: &Frame) -> Vec<Line> {
    let Event::TurnStart { mode, prompt, continues, rules, model, checks, .. } = &frame.event else {
        return Vec::new();
    };
    let mut out = Vec::new();
    // What Ox itself asked is not the user's words.
    if look.echo && !prompt.is_empty() && !frame.command.as_ref().is_some_and(CommandId::is_of_ox) {
        out.extend(asked(look, prompt));
    }
    if *continues {
        out.push(Line::of(&look.say("ui.continues", &[]), Role::Dim));
    }
    let is_as_before =
        view.turn > 0 && (view.mode, view.approval) == (*mode, rules.approval) && view.model == model.name;
    if look.live && is_as_before && rules.scope.is_empty() {
        return out;
    }
    let names: Vec<&str> = checks.iter().map(|it| it.name.as_str()).collect();
    let mut parts = vec![mode.name().to_string(), model.name.clone(), policy(look, rules.approval)];
    if !names.is_empty() {
        parts.push(look.say("ui.turn.checks", &[("checks", &names.join(", "))]));
    }
    if !rules.scope.is_empty() {
        parts.push(look.say("ui.turn.scope", &[("scope", &rules.scope.join(", "))]));
    }
    out.push(Line::of("● ", Role::Accent).with(&parts.join(" · "), Role::Dim).hanging(2));
    out
}

/// Lines of the user's own text that are shown again.
const PROMPT_LINES: usize = 12;

/// The user's own words; of a long text its beginning.
fn asked(look: &Look, prompt: &str) -> Vec<Line> {
    let lines = prompt.lines().count();
    // Below the name of a custom command stands what it says, which nobody typed.
    let name = prompt.split_whitespace().next().and_then(|it| it.strip_prefix('/'));
    let is_custom = name.is_some_and(|it| !it.contains('/')) && prompt.lines().nth(1) == Some("");
    let shown = match look.expanded {
        true => lines,
        false if is_custom => 1,
        false => PROMPT_LINES,
    };
    let text = prompt.lines().take(shown).collect::<Vec<_>>().join("\n");
    let mut out = marked("› ", &text, Role::User);
    out.extend(left_out(look, lines.saturating_sub(shown)));
    out
}

/// How long a stage may take before that is worth a line, in milliseconds: about as long as one waits without asking why.
const SLOW: u64 = 2_000;

/// Where they took long, the stages of this turn before the loop when it begins, and those after it at the end. What goes
/// as it should has no line, and neither has a stage that failed: the problem that ended it follows.
pub(super) fn stages(look: &Look, view: &View, frame: &Frame) -> Vec<Line> {
    let looped = view.stages.iter().rposition(|(stage, ..)| *stage == Stage::AgentLoop).map_or(0, |at| at + 1);
    let ended = match &frame.event {
        Event::StageExit { stage: stage @ Stage::Cleanup, duration_ms, .. } => {
            slow(view.stages[looped..].iter().chain([&(*stage, *duration_ms, true)]))
        }
        Event::StageExit { .. } => Vec::new(),
        _ => slow(view.stages.iter()),
    };
    if ended.is_empty() {
        return Vec::new();
    }
    let mut line = Line::empty();
    for (index, (stage, ms)) in ended.iter().enumerate() {
        let gap = if index == 0 { "" } else { "  " };
        let name = look.say(stage_key(*stage), &[]);
        line = line.with(gap, Role::Plain).with("✓ ", Role::Good).with(&name, Role::Dim);
        line = line.with(&format!(" ({})", words::duration(*ms)), Role::Dim);
    }
    vec![line.hanging(2)]
}

fn slow<'a>(stages: impl Iterator<Item = &'a (Stage, u64, bool)>) -> Vec<(Stage, u64)> {
    let is_slow = |it: &&(Stage, u64, bool)| it.2 && it.1 >= SLOW && it.0 != Stage::AgentLoop;
    stages.filter(is_slow).map(|(stage, ms, _)| (*stage, *ms)).collect()
}

/// The catalogue's key of a stage.
pub fn stage_key(stage: Stage) -> &'static str {
    match stage {
        Stage::Claim => "stage.claim",
        Stage::LoadContext => "stage.load_context",
        Stage::AssemblePrompt => "stage.assemble_prompt",
        Stage::AgentLoop => "stage.agent_loop",
        Stage::FinalResponse => "stage.final_response",
        Stage::WriteResult => "stage.write_result",
        Stage::Cleanup => "stage.cleanup",
    }
}

/// The catalogue's key of a stop hook.
pub(super) fn gate_key(gate: Gate) -> &'static str {
    match gate {
        Gate::NothingExplored => "ui.gate.nothing_explored",
        Gate::NothingEdited => "ui.gate.nothing_edited",
        Gate::OpenTodos => "ui.gate.open_todos",
        Gate::NoPlan => "ui.gate.no_plan",
        Gate::ChecksFail => "ui.gate.checks_fail",
        Gate::Audit => "ui.gate.audit",
        Gate::Review => "ui.gate.review",
        Gate::NotAlone => "ui.gate.not_alone",
        Gate::Unfinished => "ui.gate.unfinished",
        Gate::Hook => "ui.gate.hook",
    }
}

/// The todo list, or only what changed of it where the same items stand there as before.
pub(super) fn todo_changes(look: &Look, before: &[Todo], now: &[Todo]) -> Vec<Line> {
    let same = before.len() == now.len() && before.iter().zip(now).all(|(a, b)| a.id == b.id && a.text == b.text);
    if !same {
        return todo_lines(look, now);
    }
    before.iter().zip(now).filter(|(a, b)| a.state != b.state).map(|(_, item)| todo(item)).collect()
}

/// The todo list with ticks.
pub fn todo_lines(look: &Look, items: &[Todo]) -> Vec<Line> {
    if items.is_empty() {
        return vec![Line::of(&look.say("ui.todo.empty", &[]), Role::Dim)];
    }
    let done = items.iter().filter(|it| it.state == TodoState::Completed).count();
    let count = [("done", done.to_string()), ("total", items.len().to_string())];
    let count: Vec<(&str, &str)> = count.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut out = vec![Line::of(&look.say("ui.todo.title", &count), Role::Strong)];
    out.extend(items.iter().map(todo));
    out
}

fn todo(item: &Todo) -> Line {
    match item.state {
        TodoState::Pending => Line::of("☐ ", Role::Dim).with(&item.text, Role::Plain),
        TodoState::InProgress => Line::of("▸ ", Role::Accent).with(&item.text, Role::Strong),
        TodoState::Completed => Line::of("✓ ", Role::Good).with(&item.text, Role::Dim),
    }
    .indented(2, 2)
}
