//! Checkpoints around what changes the tree: before a turn's first change, before each further one, after a command.
//!
//! Nothing that may change the tree runs before the state that it starts from is kept; where that cannot be kept, it does
//! not run, and the model is told why.

use ox_protocol::{Call, CallId, CallKind, CheckpointReason, Event, Frame, Problem, Time};
use ox_repo::{Checkpoints, Note, RepoError, Skip, Skipped, Taken};
use ox_tools::TurnCheckpoints;
use serde_json::Value;

use crate::Journal;

/// What is noted beside the checkpoints of one call.
#[derive(Clone, Debug)]
pub(crate) struct CheckpointGuard {
    store: Checkpoints,
    note: Note,
    /// The user has been told in this conversation what is left out.
    reported: bool,
}

impl CheckpointGuard {
    /// What is kept around `call`; none where it changes nothing.
    pub fn of(store: Option<&Checkpoints>, journal: &Journal, call: &Call, now: Time) -> Option<CheckpointGuard> {
        let changes = call.facts.kind == CallKind::Mutate && journal.conversation().mode().may_change();
        let store = store.filter(|_| changes)?.clone();
        let first = !journal.changed_before() && !changed_before(journal.frames());
        let reason = if first { CheckpointReason::BeforeTurn } else { CheckpointReason::BeforeCall };
        let note = Note { call: Some(call.id.0.clone()), why: why(call), ..note(journal, reason, now) };
        Some(CheckpointGuard { store, note, reported: has_reported(journal.frames()) })
    }

    /// What is kept before a sub-agent's copy comes back.
    pub fn around_agent(
        store: Checkpoints,
        journal: &Journal,
        call: &CallId,
        reason: CheckpointReason,
        now: Time,
    ) -> CheckpointGuard {
        let note = Note { call: Some(call.0.clone()), ..note(journal, reason, now) };
        CheckpointGuard { store, note, reported: has_reported(journal.frames()) }
    }

    /// Something else of the turn changed the tree since this was made.
    pub fn not_the_first(&mut self) {
        self.note.reason = CheckpointReason::BeforeCall;
    }

    /// What a call needs that puts files back by itself.
    pub fn past(&self) -> TurnCheckpoints {
        TurnCheckpoints { checkpoints: self.store.clone(), note: self.note.clone() }
    }

    /// Keeps a state that is about to be replaced by what the user has, which is no change of the turn.
    pub async fn aside(&self) -> Vec<Event> {
        match self.take(CheckpointReason::Asked).await {
            Ok(taken) if taken.new => vec![event(&taken, CheckpointReason::Asked, self.reported)],
            // What stops the call says why.
            Ok(_) | Err(_) => Vec::new(),
        }
    }

    /// Keeps the state before the call. The words for the model where that is not possible.
    pub async fn before(&self) -> Result<Vec<Event>, String> {
        let reason = self.note.reason;
        match self.take(reason).await {
            // The beginning of a turn is what its undoing goes back to, whether or not it differs from what was kept last.
            Ok(taken) => {
                let said = |words: String| Event::Error { problem: Problem::new("back.told").with("what", words) };
                let mut events: Vec<Event> = self.store.reported().into_iter().map(said).collect();
                if taken.new || reason == CheckpointReason::BeforeTurn {
                    events.push(event(&taken, reason, self.reported));
                }
                Ok(events)
            }
            Err(error) => Err(format!(
                "not run: the working tree could not be recorded before it, so nothing could be undone afterwards. {error}"
            )),
        }
    }

    /// Keeps what a call left behind, whatever it says of itself: the files that git ignores are told of nowhere else. What
    /// changes from now on is somebody else's.
    pub async fn after(&self) -> Vec<Event> {
        match self.take(CheckpointReason::AfterCommand).await {
            Ok(taken) if taken.new => vec![event(&taken, CheckpointReason::AfterCommand, self.reported)],
            // The next call records it, or says why it cannot.
            Ok(_) | Err(_) => Vec::new(),
        }
    }

    async fn take(&self, reason: CheckpointReason) -> Result<Taken, RepoError> {
        let (store, note) = (self.store.clone(), Note { reason, ..self.note.clone() });
        let taking = tokio::task::spawn_blocking(move || store.take(&note));
        taking.await.expect("invariant: taking a checkpoint does not panic")
    }
}

/// Keeps the end of a turn that changed something, so that an undo can be taken back.
pub(crate) async fn after_turn(store: Option<&Checkpoints>, journal: &Journal, now: Time) -> Option<Event> {
    let store = store.filter(|_| changed_before(journal.frames()))?;
    let note = note(journal, CheckpointReason::AfterTurn, now);
    let guard = CheckpointGuard { store: store.clone(), note, reported: has_reported(journal.frames()) };
    let taken = guard.take(CheckpointReason::AfterTurn).await.ok()?;
    taken.new.then(|| event(&taken, CheckpointReason::AfterTurn, guard.reported))
}

/// What stands beside a checkpoint that is made now.
pub(crate) fn note(journal: &Journal, reason: CheckpointReason, time: Time) -> Note {
    let (conversation, turn) = journal.keeps_for();
    Note { conversation: conversation.0, turn, call: None, reason, why: String::new(), time }
}

/// The checkpoint from before the first change of this turn, or of the first later one that changed anything.
pub(crate) fn before_turn(frames: &[Frame], turn: u32) -> Option<String> {
    let begins = |it: &Frame| matches!(it.event, Event::TurnStart { turn: number, .. } if number >= turn);
    let from = frames.iter().position(begins)?;
    frames[from..].iter().find_map(|it| match &it.event {
        Event::Checkpoint { id, reason: CheckpointReason::BeforeTurn, .. } => Some(id.clone()),
        _ => None,
    })
}

/// True when this turn has changed something already, or has tried to.
pub(crate) fn changed_before(frames: &[Frame]) -> bool {
    let turn = frames.iter().rev().take_while(|it| !matches!(it.event, Event::TurnStart { .. }));
    let mut turn = turn.map(|it| &it.event);
    turn.any(|it| matches!(it, Event::Checkpoint { reason: CheckpointReason::BeforeTurn, .. }))
}

/// What is left out is told once in a conversation; `ox checkpoints` tells it always.
fn has_reported(frames: &[Frame]) -> bool {
    frames.iter().any(|it| matches!(&it.event, Event::Checkpoint { skipped, .. } if !skipped.is_empty()))
}

fn event(taken: &Taken, reason: CheckpointReason, reported: bool) -> Event {
    let files = u32::try_from(taken.changed.len()).unwrap_or(u32::MAX);
    // What can be made again, and what holds nothing, is no news.
    let missed = |it: &&Skipped| matches!(it.why, Skip::TooLarge | Skip::TreeTooLarge | Skip::Unreadable);
    let skipped = taken.skipped.iter().filter(missed).filter(|_| !reported).map(|it| it.path.clone()).collect();
    Event::Checkpoint { id: taken.checkpoint.id.clone(), reason, files, tree: taken.checkpoint.tree.clone(), skipped }
}

/// What the call is about, for the list of checkpoints.
fn why(call: &Call) -> String {
    let given = call.args.get("why").and_then(Value::as_str).filter(|it| !it.trim().is_empty());
    let paths: Vec<&str> = call.facts.paths.iter().filter(|it| it.write).map(|it| it.path.as_str()).take(3).collect();
    match (&call.facts.command, given) {
        (Some(command), _) => format!("{} `{command}`", call.tool),
        (None, Some(why)) => format!("{} {}: {why}", call.tool, paths.join(", ")),
        (None, None) => format!("{} {}", call.tool, paths.join(", ")),
    }
}
