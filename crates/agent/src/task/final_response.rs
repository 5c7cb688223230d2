//! Phase 5: what was done is summed up from the log, not from the model's memory of it (T11).

use ox_core::verify::compare;
use ox_protocol::{Call, CallKind, ChangeKind, CheckLine, CheckStatus, Event, FileChange, Frame, Summary, TodoState};

use super::agent_loop::Ran;
use crate::AgentError;
use crate::session::Session;

/// A turn with its summary.
pub(super) struct Answered {
    pub stop: ox_protocol::Stop,
    pub summary: Summary,
}

/// Builds the summary of the turn.
pub(super) fn answer(session: &mut Session, ran: &Ran) -> Result<Answered, AgentError> {
    let turn = session.journal.turn();
    let frames = this_turn(session.journal.frames());
    let (usage, cost) = turn.usage();
    let began = frames.first().map_or(0, |it| it.time.0);
    let (text, last) = last_words(frames);
    let mut undone = last.map_or(Vec::new(), |call| strings(&call.args["undone"]));
    undone.extend(
        turn.todos()
            .iter()
            .filter(|it| it.state != TodoState::Completed && !frames.is_empty())
            .map(|it| it.text.clone()),
    );
    let summary = Summary {
        text,
        files: merge(frames),
        checks: check_lines(turn),
        verify: last.and_then(|call| call.args["verify"].as_str()).unwrap_or_default().to_string(),
        undone,
        iterations: turn.iteration(),
        usage,
        cost,
        duration_ms: turn.time().0.saturating_sub(began),
    };
    Ok(Answered { stop: ran.stop, summary })
}

/// The events since the turn began; a turn that continues another one counts from that one's beginning.
fn this_turn(frames: &[Frame]) -> &[Frame] {
    let start = frames.iter().rposition(|it| matches!(it.event, Event::TurnStart { continues: false, .. }));
    &frames[start.unwrap_or(0)..]
}

/// The last words: what a concluding call says counts more than the prose around it, and what was said on the way to
/// further calls is no answer.
fn last_words(frames: &[Frame]) -> (String, Option<&Call>) {
    for frame in frames.iter().rev() {
        let Event::StreamComplete { text, calls, .. } = &frame.event else { continue };
        let last = calls.iter().find(|it| it.facts.kind == CallKind::Conclude);
        if last.is_none() && !calls.is_empty() {
            continue;
        }
        let said = last.and_then(|it| {
            it.args["result"].as_str().or(it.args["response"].as_str()).or(it.args["no_change"].as_str())
        });
        let words = said.unwrap_or(text).trim();
        if !words.is_empty() {
            return (words.to_string(), last);
        }
    }
    (String::new(), None)
}

fn strings(value: &serde_json::Value) -> Vec<String> {
    value.as_array().map_or(Vec::new(), |it| it.iter().filter_map(|item| item.as_str().map(str::to_string)).collect())
}

/// One entry a file, in the order of the first change, with every reason that was given.
fn merge(frames: &[Frame]) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    let outcomes = frames.iter().filter_map(|it| match &it.event {
        Event::ToolComplete { outcome, .. } => Some(&outcome.changed),
        _ => None,
    });
    for change in outcomes.flatten() {
        let earlier = change.from.as_ref().unwrap_or(&change.path);
        let Some(known) = files.iter_mut().find(|it| it.path == *earlier) else {
            files.push(FileChange { diff: String::new(), ..change.clone() });
            continue;
        };
        known.path.clone_from(&change.path);
        known.added += change.added;
        known.removed += change.removed;
        known.kind = match (known.kind, change.kind) {
            (ChangeKind::Created, ChangeKind::Modified | ChangeKind::Renamed) => ChangeKind::Created,
            (ChangeKind::Deleted, ChangeKind::Created) => ChangeKind::Modified,
            (_, kind) => kind,
        };
        match (&mut known.why, &change.why) {
            (Some(why), Some(more)) if !why.contains(more.as_str()) => *why = format!("{why}; {more}"),
            (why @ None, more) => why.clone_from(more),
            _ => {}
        }
    }
    files
}

fn check_lines(turn: &ox_core::Turn) -> Vec<CheckLine> {
    let Some(report) = turn.last_report() else { return Vec::new() };
    let newly: Vec<&str> = compare(turn.baseline(), report).iter().map(|it| it.check.check.command.as_str()).collect();
    let line = |it: &ox_protocol::CheckResult| CheckLine {
        name: it.check.name.clone(),
        status: it.status,
        failed_before: matches!(it.status, CheckStatus::Failed | CheckStatus::TimedOut)
            && !newly.contains(&it.check.command.as_str()),
    };
    report.results.iter().map(line).collect()
}
