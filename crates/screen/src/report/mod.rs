//! Frames as lines for people, in their language. The terminal and the plain output share it.
//!
//! Promise: the text of replies is not told here, because one shows it as it streams and the other only at the end;
//! everything else that a user must know of is.

mod agents;
pub mod asks;
mod between;
mod checks;
mod command;
mod end;
mod look;
mod plan;
mod spent;
mod tool;
mod work;

use ox_protocol::{
    CHECKS_RULE, CallId, Decision, Effort, Event, FailureKind, Finish, Frame, Intent, IntentClass, IntentScope, Keep,
    Level, Problem, Reasoning, Repair, Tokens,
};

pub use between::file_lines;
pub use look::Look;
use look::{marked, said};
pub use plan::plan_lines;
pub use spent::{price, table as cost_table};
pub use tool::{subject, subject_of};
pub use work::policy;
pub use work::stage_key;
pub use work::todo_lines;

use crate::picker::choices::DEFAULT_EFFORT;
use crate::text::{Line, Role, each};
use crate::words;
use ox_client::Control;
use ox_client::view::{ApprovalRequest, View};

/// The lines that tell of `frame`; `state` is the state before it.
pub fn lines(look: &Look, view: &View, frame: &Frame) -> Vec<Line> {
    match &frame.event {
        // What it asks is asked of the user, and so told like any question.
        Event::Question { .. } | Event::Answer { .. } | Event::Approval { .. } => {}
        _ if view.is_of_agent(&frame.conversation) => return agents::within(look, view, frame),
        _ => {}
    }
    match &frame.event {
        Event::AgentStart(..) | Event::AgentEnd(..) => agents::lines(look, view, &frame.event),
        Event::ConversationId { id, .. } if look.apart => {
            vec![Line::of(&look.say("ui.conversation", &[("id", &id.0)]), Role::Dim)]
        }
        Event::TurnStart { .. } => work::turn(look, view, frame),
        Event::StageExit { .. } | Event::IterationStart { iteration: 1, .. } => work::stages(look, view, frame),
        // A live line counts down to it; it is no news once the model has answered.
        Event::Retry { .. } if look.live => Vec::new(),
        Event::Retry { .. } => vec![retry(look, view, frame)],
        Event::StreamComplete { text, reasoning, finish, .. } => {
            // The text of a reply is on the screen already, and a line about the thought before it would come too late.
            let thought = if look.expanded || text.trim().is_empty() { thought(look, reasoning) } else { Vec::new() };
            let ended = match finish {
                Finish::Other(reason) => {
                    Some(Line::of(&look.say("ui.finish_other", &[("reason", reason)]), Role::Warn))
                }
                _ => None,
            };
            thought.into_iter().chain(ended).collect()
        }
        Event::Intent { decision } => intended(look, decision.intent.as_ref(), &decision.failure),
        Event::PrefixDropped { cause, tokens } => {
            let args = [("why", look.say(cause.code(), &[])), ("tokens", words::tokens(*tokens))];
            let args = args.each_ref().map(|(key, value)| (*key, value.as_str()));
            vec![Line::of("· ", Role::Dim).with(&look.say("ui.prefix", &args), Role::Dim).hanging(2)]
        }
        Event::Repair(repair) => vec![repaired(look, repair)],
        Event::Fallback { from, to, kind } => fallback(look, from, &to.name, *kind),
        Event::Pruned { before, after, .. } => pruned(look, before.0, after.0),
        Event::Downgrade { model, what, reason } => downgrade(look, model, what, reason),
        Event::Approval { call, decision, by } => approval(look, view, call, decision, by),
        Event::ToolStart { call, args, .. } if !look.live => tool::started(look, view, call, args),
        Event::ToolComplete { call, tool, outcome } => tool::settled(look, view, call, tool, outcome),
        Event::Lost { call } => tool::lost(look, view, call),
        // A plan and a todo list of the same steps are told once: as the one that came first.
        Event::Todo { items } if plan::repeats_plan(view, items) || plan::follows_plan(view, items) => Vec::new(),
        Event::Todo { items } => work::todo_changes(look, &view.todos, items),
        Event::Plan { plan: now } if plan::repeats_todos(view, now) => Vec::new(),
        Event::Plan { plan: now } => plan::plan_changes(look, view, now),
        Event::Question { text, options, .. } => question(look, text, options),
        Event::Answer { text, .. } => vec![said("›", text)],
        Event::ChecksStart { baseline, round, total, .. } if !look.live => {
            vec![checks::started(look, *baseline, *round, *total)]
        }
        Event::CheckResult { baseline, round, total, report, .. } => {
            checks::result(look, &view.root, *baseline, (*round, *total), report)
        }
        Event::Refusal { gate, retry, total, .. } => {
            let why = look.say(work::gate_key(*gate), &[]);
            let count = [("why", why.as_str()), ("retry", &retry.to_string()), ("total", &total.to_string())];
            vec![Line::of("↻ ", Role::Warn).with(&look.say("ui.refusal", &count), Role::Warn).hanging(2)]
        }
        Event::Steered { .. } | Event::TakenBack { .. } => steered(look, view, &frame.event),
        Event::ModeSet { mode } => vec![Line::of(&look.say("ui.mode_set", &[("mode", mode.name())]), Role::Dim)],
        Event::ModelSet { model } => vec![Line::of(&look.say("ui.model_set", &[("model", model)]), Role::Dim)],
        Event::EffortSet { effort } => vec![effort_set(look, *effort)],
        Event::Summary { summary } => end::summary(look, view, summary),
        Event::Completion { stop, .. } => asks::ended(look, view, end::completion(look, view, *stop, frame.time)),
        Event::Error { problem } => failed(look, problem),
        other => between::lines(look, other),
    }
}

/// A problem; that a turn waits for another one, or was not begun for it, is none.
fn failed(look: &Look, problem: &Problem) -> Vec<Line> {
    let waits = matches!(problem.code.as_str(), "store.tree_waits" | "store.gave_up");
    let (sign, role) = if waits { ("! ", Role::Warn) } else { ("✗ ", Role::Bad) };
    marked(sign, &look.language.problem(problem), role)
}

/// What the user said to a running turn, or took back of it.
fn steered(look: &Look, view: &View, event: &Event) -> Vec<Line> {
    match event {
        Event::Steered { text, .. } => {
            vec![said("›", text).with(&format!("  {}", look.say("ui.queued", &[])), Role::Dim)]
        }
        Event::TakenBack { count } => {
            let from = view.unread.len().saturating_sub(*count as usize);
            let words = |text: &String| look.say("ui.taken_back", &[("text", &words::short(text, 60))]);
            let line = |text| Line::of("↶ ", Role::Dim).with(&words(text), Role::Dim).hanging(2);
            view.unread[from..].iter().map(line).collect()
        }
        _ => Vec::new(),
    }
}

/// How much the model reasons.
pub fn effort_set(look: &Look, effort: Option<Effort>) -> Line {
    let effort = effort.map_or(DEFAULT_EFFORT, Effort::name);
    Line::of(&look.say("ui.effort_set", &[("effort", effort)]), Role::Dim)
}

/// The lines that tell of what is no part of the conversation.
pub fn control(look: &Look, control: &Control) -> Vec<Line> {
    match control {
        Control::Accepted { .. } => Vec::new(),
        Control::Rejected { why, .. } => marked("✗ ", &look.language.problem(why), Role::Bad),
        Control::Snapshot { view } => {
            marked("! ", &look.say("ui.skipped", &[("seq", &view.seq.to_string())]), Role::Warn)
        }
        Control::Gap { from, .. } => marked("✗ ", &look.say("ui.gap", &[("from", &from.to_string())]), Role::Bad),
    }
}

/// That the model thought, where the provider showed of it; all of it where nothing is folded.
pub fn thought(look: &Look, reasoning: &[Reasoning]) -> Vec<Line> {
    let text: Vec<&str> = reasoning.iter().map(|it| it.text.trim()).filter(|it| !it.is_empty()).collect();
    if text.is_empty() || look.apart {
        return Vec::new();
    }
    let key = if look.live && !look.expanded { "ui.thought_folded" } else { "ui.thought" };
    let mut out = vec![Line::of("· ", Role::Dim).with(&look.say(key, &[]), Role::Dim).hanging(2)];
    if look.expanded {
        out.extend(each(&text.join("\n\n"), Role::Dim).into_iter().map(|it| it.indented(2, 0)));
    }
    out
}

/// That a request is made again.
pub fn retry(look: &Look, view: &View, frame: &Frame) -> Line {
    let Event::Retry { attempt, total, kind, wait_ms, .. } = &frame.event else { return Line::empty() };
    let text = look.say(
        "ui.retry",
        &[
            ("attempt", &attempt.to_string()),
            ("total", &total.to_string()),
            ("wait", &words::duration(*wait_ms)),
            ("why", &failure(look, *kind)),
        ],
    );
    let detail = view.failure.as_ref().map_or(String::new(), |it| words::short(&it.message, 160));
    let line = Line::of("↻ ", Role::Warn).with(&text, Role::Warn);
    if detail.is_empty() { line.hanging(2) } else { line.with(&format!(" ({detail})"), Role::Dim).hanging(2) }
}

fn fallback(look: &Look, from: &str, to: &str, kind: FailureKind) -> Vec<Line> {
    let why = failure(look, kind);
    let text = look.say("ui.fallback", &[("from", from), ("to", to), ("why", why.trim_end_matches(['.', '。']))]);
    vec![Line::of("! ", Role::Warn).with(&text, Role::Warn).hanging(2)]
}

fn repaired(look: &Look, repair: &Repair) -> Line {
    let undone = if repair.rolled_back { look.say("ui.repair.undone", &[]) } else { String::new() };
    let why = look.say(repair.stop.code(), &[]);
    let (attempt, total) = (repair.attempt.to_string(), repair.total.to_string());
    let text = look.say("ui.repair", &[("why", &why), ("attempt", &attempt), ("total", &total)]);
    Line::of("! ", Role::Warn).with(format!("{text} {undone}").trim_end(), Role::Warn).hanging(2)
}

/// What the prompt was taken for. That a plain change was asked for is told by the work itself.
fn intended(look: &Look, intent: Option<&Intent>, failure: &str) -> Vec<Line> {
    let text = match intent {
        None if failure.is_empty() => return Vec::new(),
        None => look.say("ui.intent.failed", &[("why", failure)]),
        Some(Intent { class: IntentClass::CodeChange, scope: IntentScope::Narrow, .. }) => return Vec::new(),
        Some(Intent { class: IntentClass::Conversation, .. }) => return Vec::new(),
        Some(intent) => {
            let what = match (intent.class, intent.scope) {
                (IntentClass::CodeChange, IntentScope::Style) => "intent.style",
                (IntentClass::CodeChange, _) => "intent.broad",
                (IntentClass::PlanOnly, _) => "intent.plan_only",
                _ => "intent.read_only",
            };
            look.say("ui.intent", &[("what", &look.say(what, &[]))])
        }
    };
    vec![Line::of("· ", Role::Dim).with(&text, Role::Dim).hanging(2)]
}

fn pruned(look: &Look, before: u64, after: u64) -> Vec<Line> {
    let tokens = |count: u64| words::tokens(Tokens(count));
    let text = look.say("ui.pruned", &[("before", &tokens(before)), ("after", &tokens(after))]);
    vec![Line::of("· ", Role::Dim).with(&text, Role::Dim).hanging(2)]
}

/// What a failure of the model means.
pub fn failure(look: &Look, kind: FailureKind) -> String {
    look.say(end::failure_key(kind), &[])
}

fn downgrade(look: &Look, model: &str, what: &str, reason: &str) -> Vec<Line> {
    let key = match what {
        "tool_choice" => "ui.downgrade.tool_choice",
        "native_tools" => "ui.downgrade.native_tools",
        _ => "ui.downgrade.other",
    };
    let text = look.say(key, &[("model", model), ("what", what)]);
    vec![
        Line::of("! ", Role::Warn)
            .with(&text, Role::Warn)
            .with(&format!(" ({})", words::short(reason, 160)), Role::Dim)
            .hanging(2),
    ]
}

fn approval(look: &Look, view: &View, call: &CallId, decision: &Decision, by: &str) -> Vec<Line> {
    let request = view.request(call);
    if by == "headless" {
        return match request {
            Some(request) => refused(look, request),
            None => checks_refused(look),
        };
    }
    if by == "rule" && *decision == Decision::Allow {
        // The user allowed it beforehand; there is no news in it.
        return Vec::new();
    }
    let asked = request.filter(|_| look.asked_in_place).map(|it| asks::question(look, it));
    let (mark, text, role) = match decision {
        Decision::Allow => ("✓ ", look.say("approval.allowed", &[]), Role::Good),
        Decision::AllowAlways { rule, keep, .. } => {
            let key = match keep {
                Keep::Conversation => "approval.allowed_always",
                Keep::Project => "approval.allowed_project",
            };
            ("✓ ", look.say(key, &[("rule", &asks::rule(look, rule))]), Role::Good)
        }
        Decision::Amend { .. } => ("✓ ", look.say("approval.amended", &[]), Role::Good),
        // The user decided so: nothing has failed.
        Decision::Deny { reason, .. } if reason.is_empty() => ("· ", look.say("approval.denied", &[]), Role::Dim),
        Decision::Deny { reason, .. } => ("· ", look.say("approval.denied_because", &[("reason", reason)]), Role::Dim),
    };
    let text = match asked {
        Some(asked) => format!("{asked} {text}"),
        None => text,
    };
    vec![Line::of(mark, role).with(&text, role).hanging(2)]
}

/// Nobody could be asked: what was refused, and how to allow it.
pub fn refused(look: &Look, request: &ApprovalRequest) -> Vec<Line> {
    let what = match request.commands.as_slice() {
        [] => format!("{} {}", request.tool, subject(&request.args)),
        commands => format!("{} `{}`", request.tool, commands.join(" && ")),
    };
    let mut out = marked("✗ ", &look.say("approval.headless", &[("what", what.trim())]), Role::Bad);
    if request.level != Level::System {
        let hint = look.say("approval.headless_hint", &[("rule", &request.always.to_string())]);
        out.push(Line::of(&hint, Role::Dim).indented(2, 0));
    }
    out
}

/// The same for the project's checks, which need consent without a call of the model's.
fn checks_refused(look: &Look) -> Vec<Line> {
    let rule = CHECKS_RULE;
    let mut out = marked("✗ ", &look.say("approval.headless", &[("what", rule)]), Role::Bad);
    out.push(Line::of(&look.say("approval.headless_hint", &[("rule", rule)]), Role::Dim).indented(2, 0));
    out
}

fn question(look: &Look, text: &str, options: &[String]) -> Vec<Line> {
    let mut out = marked("? ", text, Role::Strong);
    // Where one can be picked they stand there.
    let options = if look.live { &[] } else { options };
    for (index, option) in options.iter().enumerate() {
        out.push(Line::of(&format!("{}. ", index + 1), Role::Accent).with(option, Role::Plain).indented(2, 3));
    }
    out
}

/// Why a turn ended, in a sentence, given the view of it.
pub fn verdict(look: &Look, view: &View, stop: ox_protocol::Stop) -> String {
    end::reason(look, view, stop)
}
