//! What comes back from a sub-agent: its last words, what it changed, what it used; and the change that a reviewer judges.

use std::fmt::Write as _;

use ox_core::{AgentRun, REVIEW};
use ox_protocol::locale::Language;
use ox_protocol::{AgentEnd, CheckpointReason, Event, Finding, Frame, Money, Outcome, Problem, Status, Stop, Usage};
use ox_repo::Point;

use super::worktree::Merged;
use crate::turn::context::TurnContext;
use crate::{Journal, checkpoint_guard, summary};

/// The longest last words that the parent reads, in bytes; `recall` shows the whole.
const WORDS: usize = 12_000;
/// The longest change that a reviewer reads, in bytes.
const CHANGE: usize = 60_000;

/// What the parent records at the end of a sub-agent.
pub(super) fn events(agent: &AgentRun, stop: Stop, frames: &[Frame]) -> Vec<Event> {
    let mut used = Used::default();
    frames.iter().for_each(|it| used.add(&it.event));
    let words = summary::last_words(frames).0;
    let findings = if agent.request.kind == REVIEW { Finding::all_of(&words) } else { Vec::new() };
    let mut events = checkpoints(frames);
    let end = AgentEnd {
        call: agent.call.clone(),
        conversation: agent.conversation.clone(),
        stop,
        iterations: used.iterations,
        usage: used.usage,
        cost: used.cost,
        problem: agent.call.is_review().then(|| unjudged(stop, &words)).flatten(),
        findings,
    };
    events.push(Event::AgentEnd(end));
    if agent.call.is_review() {
        return events;
    }
    let outcome = outcome(agent, stop, frames, &used, &words);
    events.push(Event::ToolComplete { call: agent.call.clone(), tool: agent.tool.clone(), outcome });
    events
}

/// The same with what came back of a sub-agent's own copy of the project, in place of what it changed there.
pub(super) fn merged(mut events: Vec<Event>, merged: Merged) -> Vec<Event> {
    if let Some(Event::ToolComplete { outcome, .. }) = events.last_mut() {
        let _ = match &merged.refused {
            Some(words) => write!(outcome.output, "\n{words}"),
            None => write!(outcome.output, "\n[{} files came into the project from its copy]", merged.changed.len()),
        };
        if merged.refused.is_some() && outcome.status == Status::Ok {
            outcome.status = Status::Failed;
        }
        outcome.tree_changed = !merged.changed.is_empty();
        outcome.changed = merged.changed;
    }
    merged.events.into_iter().chain(events).collect()
}

/// Why a reviewer has not judged the change.
fn unjudged(stop: Stop, words: &str) -> Option<Problem> {
    if stop.exit_code() != 0 {
        return Problem::all([Problem::new("reviewer.stopped"), Problem::new(stop.code())]);
    }
    (!Finding::judges(words)).then(|| Problem::new("reviewer.unreadable"))
}

/// What the parent records where a sub-agent could not be begun or its log not be written.
pub(crate) fn broke(agent: &AgentRun, words: String) -> Vec<Event> {
    let mut events = events(agent, Stop::Internal, &[]);
    match events.last_mut() {
        Some(Event::ToolComplete { outcome, .. }) => *outcome = Outcome::failed(words),
        Some(Event::AgentEnd(end)) => end.problem = Some(Problem::new("reviewer.broke").with("what", words)),
        _ => {}
    }
    events
}

/// Why it could not go on, for the model.
pub(super) fn why(problem: &Problem) -> String {
    format!("the sub-agent could not go on: {}", Language::En.problem(problem))
}

/// What a sub-agent used, its own sub-agents included.
#[derive(Default)]
struct Used {
    iterations: u32,
    usage: Usage,
    cost: Option<Money>,
}

impl Used {
    fn add(&mut self, event: &Event) {
        let (usage, cost) = match event {
            Event::IterationStart { .. } => {
                self.iterations += 1;
                return;
            }
            Event::StreamComplete { usage, cost, .. } => (usage, cost),
            Event::Intent { decision } => (&decision.usage, &decision.cost),
            Event::Repair(repair) => (&repair.usage, &repair.cost),
            Event::AgentEnd(end) => {
                self.iterations += end.iterations;
                (&end.usage, &end.cost)
            }
            _ => return,
        };
        self.usage += *usage;
        if let Some(cost) = cost {
            self.cost = Some(Money(self.cost.unwrap_or_default().0.saturating_add(cost.0)));
        }
    }
}

fn outcome(agent: &AgentRun, stop: Stop, frames: &[Frame], used: &Used, words: &str) -> Outcome {
    let outcomes = || {
        frames.iter().filter_map(|it| match &it.event {
            Event::ToolComplete { outcome, .. } => Some(outcome),
            _ => None,
        })
    };
    let status = match stop {
        Stop::Interrupted => Status::Interrupted,
        stop if stop.exit_code() == 0 => Status::Ok,
        _ => Status::Failed,
    };
    let end = words.floor_char_boundary(WORDS.min(words.len()));
    let mut output = if words.is_empty() { "It said nothing.".to_owned() } else { words[..end].to_owned() };
    let cut = match words.len() - end {
        0 => String::new(),
        more => format!("; cut, {more} bytes more: `recall` of {}", agent.call),
    };
    let (kind, id, requests) = (&agent.request.kind, &agent.conversation, used.iterations);
    let (tokens, how) = (used.usage.total().0, stop.code().trim_start_matches("stop.").replace('_', " "));
    let _ = write!(output, "\n[{kind} {id}: {how}; {requests} requests, {tokens} tokens{cut}]");
    Outcome {
        changed: outcomes().flat_map(|it| it.changed.iter().cloned()).collect(),
        tree_changed: outcomes().any(Outcome::mutated),
        ..Outcome::ended(status, output)
    }
}

/// The states of the tree that were kept for it: its changes are the parent's turn's, and are taken back with it.
fn checkpoints(frames: &[Frame]) -> Vec<Event> {
    let kept = frames.iter().filter_map(|it| match &it.event {
        Event::Checkpoint { reason, .. } if *reason != CheckpointReason::AfterTurn => Some(it.event.clone()),
        _ => None,
    });
    kept.collect()
}

/// A diff from its first place on: the name stands above it.
fn lines(diff: &str) -> &str {
    let at = if diff.starts_with("@@") { Some(0) } else { diff.find("\n@@").map(|at| at + 1) };
    at.map_or(diff, |at| &diff[at..])
}

/// What this turn has changed so far, as a diff.
pub(super) fn change(cx: &TurnContext, journal: &Journal) -> String {
    let frames = summary::this_turn(journal.frames());
    let before = checkpoint_guard::before_turn(frames, journal.conversation().turns());
    let now = cx
        .env
        .checkpoints
        .as_ref()
        .zip(before)
        .and_then(|(store, before)| store.diff(&Point::At(before), &Point::Now, None).ok());
    let files = now.unwrap_or_else(|| {
        let outcomes = frames.iter().filter_map(|it| match &it.event {
            Event::ToolComplete { outcome, .. } => Some(outcome.changed.clone()),
            _ => None,
        });
        outcomes.flatten().collect()
    });
    let mut out = String::from("The change:\n");
    for file in &files {
        let _ = write!(out, "\n{} (+{} -{})\n{}", file.path, file.added, file.removed, lines(&file.diff));
    }
    if files.is_empty() {
        out.push_str("nothing was changed yet\n");
    }
    let mut out = crate::redact::text(out);
    if out.len() > CHANGE {
        out.truncate(out.floor_char_boundary(CHANGE));
        out.push_str("\n[cut: read the rest in the files]\n");
        let names: Vec<&str> = files.iter().map(|it| it.path.as_str()).collect();
        let _ = writeln!(out, "Changed files: {}", names.join(", "));
    }
    out
}
