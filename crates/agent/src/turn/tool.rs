//! Runs one tool call between two checkpoints, with what streams from it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ox_protocol::{BoxFuture, Call, Delta, Event, Outcome};
use ox_tools::Need;

use super::context::TurnContext;
use crate::Journal;
use crate::checkpoint_guard::CheckpointGuard;
use crate::editor::Met;
use crate::project_index::ProjectIndex;

/// Runs one tool call.
pub(super) fn run(turn_cx: &TurnContext, journal: &Journal, call: &Call) -> BoxFuture<'static, Vec<Event>> {
    let hub = journal.hub().clone();
    let (id, offset) = (call.id.clone(), AtomicU64::new(0));
    let live = move |text: &str| {
        let offset = offset.fetch_add(text.len() as u64, Ordering::Relaxed);
        hub.delta(Delta::output(id.clone(), offset, text.to_string()));
    };
    let mut cx = turn_cx.context_of(journal, &call.id);
    cx.live = Arc::new(live);
    cx.asked = journal.conversation().has_consent(&call.id);
    let toolbox = turn_cx.env.toolbox.clone();
    let call = call.clone();
    let (index, run_tool) = (turn_cx.env.index.clone(), turn_cx.env.run_tool.clone());
    let trees = journal.conversation().trees().to_vec();
    let repeats = journal.conversation().failures_of(&call);
    let guard = CheckpointGuard::of(turn_cx.env.checkpoints.as_ref(), journal, &call, (turn_cx.env.clock.now)());
    cx.past = guard.as_ref().map(CheckpointGuard::past);
    if toolbox.needs(&call.tool, Need::Results) {
        cx.results = results(turn_cx, journal);
    }
    if toolbox.needs(&call.tool, Need::Checks) {
        cx.checked = crate::summary::check_lines(journal.conversation()).into();
    }
    if toolbox.needs(&call.tool, Need::Directory) {
        cx.offered = Some(journal.transcript().tools.iter().map(|it| it.name.clone()).collect());
    }
    let open_files = turn_cx.env.open_files.clone();
    Box::pin(async move {
        let settled = |outcome| Event::ToolComplete { call: call.id.clone(), tool: call.tool.clone(), outcome };
        let (tree, met) = (cx.tree.clone(), Met::by(open_files, &cx.tree, &call).await);
        let mut events = Vec::new();
        if met.stands_in_the_way() {
            // What is on disk is replaced by what the editor saves.
            if let Some(guard) = &guard {
                events.extend(guard.aside().await);
            }
            if let Err(words) = met.save(&tree).await {
                events.push(settled(Outcome::failed(words)));
                return events;
            }
        }
        let Some(guard) = guard else {
            let mut ran = run_tool(toolbox, cx, call.clone()).await;
            met.tell(&tree, &mut ran.outcome).await;
            tell(index, &ran.outcome).await;
            note_repetition(&mut ran.outcome, repeats);
            return events.into_iter().chain(ran.events).chain([settled(ran.outcome)]).collect();
        };
        match guard.before().await {
            Ok(kept) => events.extend(kept),
            Err(words) => {
                events.push(settled(Outcome::failed(words)));
                return events;
            }
        }
        let mut ran = run_tool(toolbox, cx, call.clone()).await;
        met.tell(&tree, &mut ran.outcome).await;
        tell(index, &ran.outcome).await;
        let after = guard.after().await;
        note_repetition(&mut ran.outcome, repeats);
        if ran.outcome.mutated() && returned(&trees, &events, &after) {
            ran.outcome.output = format!("{}\n{RETURNED}", ran.outcome.output.trim_end());
        }
        events.extend(ran.events);
        events.extend(after);
        events.push(settled(ran.outcome));
        events
    })
}

/// Tells the index of an edit before anybody can ask about it.
pub(crate) async fn tell(index: Option<ProjectIndex>, outcome: &Outcome) {
    if let Some(index) = index.filter(|_| !outcome.changed.is_empty()) {
        let outcome = Outcome { changed: outcome.changed.clone(), ..Outcome::default() };
        // Should this panic, the next look at the tree finds the edit.
        drop(tokio::task::spawn_blocking(move || crate::code::tell(&index, &outcome)).await);
    }
}

/// What every call of the conversation returned, whole: of a sub-agent that is in its own log.
fn results(turn_cx: &TurnContext, journal: &Journal) -> Arc<BTreeMap<String, String>> {
    let mut results = BTreeMap::new();
    let mut agents = Vec::new();
    for frame in ox_context::remembered(journal.frames()) {
        match &frame.event {
            Event::ToolComplete { call, outcome, .. } => {
                results.insert(call.0.clone(), outcome.output.clone());
            }
            Event::AgentEnd(end) => agents.push((end.call.0.clone(), end.conversation.clone())),
            _ => {}
        }
    }
    for (call, conversation) in agents {
        let log = turn_cx.env.store.read(&conversation);
        let words = log.map(|it| crate::summary::last_words(&it.frames).0).unwrap_or_default();
        if let Some(result) = results.get_mut(&call).filter(|it| it.len() < words.len()) {
            *result = words;
        }
    }
    Arc::new(results)
}

fn tree_of(event: &Event) -> Option<String> {
    match event {
        Event::Checkpoint { tree, .. } if !tree.is_empty() => Some(tree.clone()),
        _ => None,
    }
}

/// True where the tree is again in a state that it was in earlier in the turn, for the third time: taking a fix away and
/// putting it back once shows that a test fails without it.
fn returned(trees: &[String], before: &[Event], after: &[Event]) -> bool {
    let mut all: Vec<String> = trees.to_vec();
    all.extend(before.iter().chain(after).filter_map(tree_of));
    all.dedup();
    let new = all.len() > trees.len();
    let returns = (0..all.len()).filter(|at| all[..*at].contains(&all[*at])).count();
    new && returns > 2 && all.pop().is_some_and(|last| all.contains(&last))
}

/// Tells the model that a command failed for the third time, in whatever words, with nothing changed in between.
fn note_repetition(outcome: &mut Outcome, before: u32) {
    if outcome.exit_code.is_some_and(|it| it != 0) && !outcome.mutated() && before + 1 == 3 {
        outcome.output = format!("{}\n{FAILED_AGAIN}", outcome.output.trim_end());
    }
}

const FAILED_AGAIN: &str = "[This has failed 3 times now with no file changed in between; running it again in other words \
tells nothing new. Change something, or look for the cause elsewhere.]";

const RETURNED: &str = "[The tree is again in a state that it was in earlier in this turn: changes are being \
made and taken back again and again. Say what the two states are each good for, and decide, or look for another cause.]";

#[cfg(test)]
mod tests {
    use ox_protocol::CheckpointReason;

    use super::*;

    /// True where the model reads of circles when the tree goes through these states, the last of them by this call.
    fn is_noted(states: &[&str]) -> bool {
        let (last, earlier) = states.split_last().expect("a state");
        let checkpoint = Event::Checkpoint {
            id: String::new(),
            reason: CheckpointReason::AfterCommand,
            files: 1,
            tree: (*last).to_owned(),
            skipped: Vec::new(),
        };
        let trees: Vec<String> = earlier.iter().map(|it| (*it).to_owned()).collect();
        returned(&trees, &[], &[checkpoint])
    }

    #[test]
    fn a_fix_taken_away_once_to_see_its_test_fail_is_no_circle() {
        assert!(!is_noted(&["broken", "fixed", "broken"]), "taken away");
        assert!(!is_noted(&["broken", "fixed", "broken", "fixed"]), "and put back");
        assert!(is_noted(&["broken", "fixed", "broken", "fixed", "broken"]), "and taken away once more");
        assert!(!is_noted(&["broken", "fixed", "broken", "fixed", "better"]));
    }
}
