//! Going back: the working tree to an earlier state, and with `rewind` the conversation too.
//!
//! Nothing is lost by it: the state that is left is kept first, and the log only grows. What somebody changed since is
//! told first, and put back only where the command says so.

use ox_protocol::{Back, CheckpointReason, Command, Event, FileChange, Over, Plan, Problem, RestoredTree};
use ox_repo::{Checkpoints, Note, RepoError, Restored, UndoOutcome, UndoPreview};
use ox_store::lock_tree;

use crate::checkpoint_guard;
use crate::session::{Session, busy};

/// Files that a question names.
const FILES: usize = 20;

impl Session {
    /// Has the model forget the turns so far, with the plan and the list that they left.
    pub(crate) fn clear(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        if !self.journal.conversation().todos().is_empty() {
            events.push(Event::Todo { items: Vec::new() });
        }
        if self.journal.conversation().plan().is_some() {
            events.push(Event::Plan { plan: Plan::default() });
        }
        self.env.tools.reads.clear();
        events.push(Event::Rewound { turn: 1 });
        events
    }

    /// Puts the tree back as `command` asks, and tells what came of it; or why nothing was put back.
    pub(crate) fn go_back(&mut self, command: &Command) -> Result<Vec<Event>, Problem> {
        if let Command::Rewind { turn, .. } = command
            && !(1..=self.journal.conversation().turns()).contains(turn)
        {
            let last = self.journal.conversation().turns();
            return Err(Problem::new("back.no_turn").with("turn", turn).with("last", last));
        }
        let rewound = |turn: &u32| Event::Rewound { turn: *turn };
        if let Command::Rewind { turn, what: Back::Conversation, .. } = command {
            self.env.tools.reads.clear();
            return Ok(vec![rewound(turn)]);
        }
        // A turn of another process may be changing the tree.
        let _claimed = lock_tree(&self.state, self.env.tree.root()).map_err(|it| busy(&it))?;
        let Some(store) = self.env.checkpoints.clone() else { return Err(Problem::new("back.not_kept")) };
        let note = checkpoint_guard::note(&self.journal, CheckpointReason::BeforeRestore, (self.env.clock.now)());
        let failed = |error: RepoError| Problem::new("back.failed").with("why", error);
        let went = match command {
            Command::Undo { over } => store.undo(Some(*over), &note),
            Command::Rewind { turn, over, .. } => store.rewind(*turn, Some(*over), &note),
            _ => store.redo(&note).map(|it| it.map_or(UndoOutcome::Nothing, |it| UndoOutcome::Done(Box::new(it)))),
        };
        let mut events = match (went.map_err(failed)?, command) {
            (UndoOutcome::Asks(back), _) => return Err(asked(&back)),
            (UndoOutcome::Done(restored), _) => reported(*restored),
            (UndoOutcome::Nothing, Command::Undo { .. }) => return Err(Problem::new("back.nothing_to_undo")),
            (UndoOutcome::Nothing, Command::Redo) => return Err(Problem::new("back.nothing_to_redo")),
            (UndoOutcome::Nothing, Command::Rewind { what: Back::Files, .. }) => {
                return Err(Problem::new("back.same_files"));
            }
            (UndoOutcome::Nothing, _) => Vec::new(),
        };
        if let Command::Rewind { turn, what: Back::Both, .. } = command {
            events.push(rewound(turn));
            self.env.tools.reads.clear();
        }
        Ok(events)
    }
}

/// Puts the tree back to before a turn that still holds it. What somebody else changed since stays.
pub(crate) fn before_turn(store: &Checkpoints, turn: u32, note: &Note) -> Vec<Event> {
    match store.rewind(turn, Some(Over::Keep), note) {
        Ok(UndoOutcome::Done(restored)) => reported(*restored),
        Ok(UndoOutcome::Asks(_) | UndoOutcome::Nothing) => Vec::new(),
        Err(error) => vec![Event::Error { problem: Problem::new("back.failed").with("why", error) }],
    }
}

/// What the user has to agree to before anything is put back.
pub fn asked(back: &UndoPreview) -> Problem {
    let list = |files: &[FileChange]| {
        let line = |it: &FileChange| format!("\n  {}  +{} -{}", it.path, it.added, it.removed);
        files.iter().take(FILES).map(line).chain((files.len() > FILES).then(|| "\n  …".to_owned())).collect::<String>()
    };
    let (lost, files) = (list(&back.lost), list(&back.files));
    match &back.moved {
        None => Problem::new("back.lost").with("lost", lost),
        Some((then, now)) => {
            let code = if back.lost.is_empty() { "back.moved" } else { "back.lost_moved" };
            Problem::new(code).with("then", then).with("now", now).with("lost", lost).with("files", files)
        }
    }
}

/// What was put back, and what could not be.
fn reported(restored: Restored) -> Vec<Event> {
    let left = restored.left.iter().map(|it| format!("{} ({})", it.path, it.why)).collect::<Vec<_>>().join(", ");
    let mut events =
        vec![Event::Restored(RestoredTree { to: restored.to.id, before: restored.before.id, files: restored.files })];
    if !restored.git.is_empty() {
        let count = restored.git.len();
        events.push(Event::Error { problem: Problem::new("back.git").with("count", count) });
    }
    if !left.is_empty() {
        events.push(Event::Error { problem: Problem::new("back.left").with("files", left) });
    }
    events
}
