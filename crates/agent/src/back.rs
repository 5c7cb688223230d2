//! Going back: the working tree to an earlier state, and with `rewind` the conversation too.
//!
//! Nothing is lost by it: the state that is left is kept first, and the log only grows.

use ox_protocol::{CheckpointReason, Command, Event, Plan, Problem};
use ox_repo::Restored;
use ox_store::lock_tree;

use crate::session::{Session, busy};
use crate::{AgentError, keeping};

impl Session {
    /// Does what `command` asks where it is about going back, and tells what came of it.
    pub(crate) fn go_back(&mut self, command: &Command) -> Result<(), AgentError> {
        let events = self.back(command).unwrap_or_else(|problem| vec![Event::Error { problem }]);
        events.into_iter().for_each(|event| self.journal.note(event));
        self.journal.commit()
    }

    /// Has the model forget the turns so far, with the plan and the list that they left.
    pub(crate) fn clear(&mut self) -> Result<(), AgentError> {
        if !self.journal.turn().todos().is_empty() {
            self.journal.note(Event::Todo { items: Vec::new() });
        }
        if self.journal.turn().plan().is_some() {
            self.journal.note(Event::Plan { plan: Plan::default() });
        }
        self.world.reads = std::sync::Arc::default();
        self.journal.record(Event::Rewound { turn: 1 })
    }

    fn back(&mut self, command: &Command) -> Result<Vec<Event>, Problem> {
        if let Command::Rewind { turn } = command
            && !(1..=self.journal.turn().turns()).contains(turn)
        {
            let last = self.journal.turn().turns();
            return Err(Problem::new("back.no_turn").with("turn", turn).with("last", last));
        }
        // A turn of another process may be changing the tree.
        let _claimed = lock_tree(&self.state, self.world.tree.root()).map_err(|it| busy(&it))?;
        let Some(store) = self.world.checkpoints.clone() else { return Err(Problem::new("back.not_kept")) };
        let note = keeping::note(&self.journal, CheckpointReason::BeforeRestore, (self.world.clock.now)());
        let failed = |error: ox_repo::RepoError| Problem::new("back.failed").with("why", error);
        let restored = match command {
            Command::Undo => Some(store.undo(&note).map_err(failed)?.ok_or(Problem::new("back.nothing_to_undo"))?),
            Command::Redo => Some(store.redo(&note).map_err(failed)?.ok_or(Problem::new("back.nothing_to_redo"))?),
            Command::Rewind { turn } => match keeping::before_turn(self.journal.frames(), *turn) {
                Some(id) => Some(store.restore(&id, &[], &note).map_err(failed)?),
                None => None,
            },
            _ => return Ok(Vec::new()),
        };
        let mut events: Vec<Event> = restored.into_iter().flat_map(told).collect();
        if let Command::Rewind { turn } = command {
            events.push(Event::Rewound { turn: *turn });
            self.world.reads = std::sync::Arc::default();
        }
        Ok(events)
    }
}

/// What was put back, and what could not be.
fn told(restored: Restored) -> Vec<Event> {
    let left = restored.left.iter().map(|it| format!("{} ({})", it.path, it.why)).collect::<Vec<_>>().join(", ");
    let mut events = vec![Event::Restored { to: restored.to.id, before: restored.before.id, files: restored.files }];
    if !left.is_empty() {
        events.push(Event::Error { problem: Problem::new("back.left").with("files", left) });
    }
    events
}
