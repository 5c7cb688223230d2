//! What the records of a store add up to: the checkpoints, the way back turn by turn, and the way forward again.
//!
//! A fold without input or output: the same records give the same history in every process.

use ox_protocol::CheckpointReason;

use super::record::{Moved, Record, Taken, Way};
use super::{Checkpoint, Note};
use crate::Hash;

/// Characters of a checkpoint's name.
const SHORT: usize = 8;

/// A checkpoint with the objects that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub checkpoint: Checkpoint,
    pub commit: Hash,
    pub tree: Hash,
}

/// A moment to which undo goes back: a turn began, or the tree was put back to an older state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Start {
    /// The state then, as a position in `all`.
    at: usize,
    conversation: String,
    turn: u32,
}

/// An undo that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Undone {
    /// The state before it.
    before: usize,
    /// The state after it.
    to: usize,
    /// What it went back over.
    line: Vec<Start>,
}

/// What redo has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forward {
    /// Nothing has been undone.
    Nothing,
    /// Back to this checkpoint, if the tree is still that of the other.
    To { checkpoint: usize, from: usize },
    /// The tree was changed after the undo; what was undone is this checkpoint.
    Gone(usize),
}

/// The sum of all records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// Oldest first.
    pub all: Vec<Known>,
    /// The state that the tree was last known to be in.
    head: Option<usize>,
    line: Vec<Start>,
    undone: Vec<Undone>,
    gone: Option<usize>,
}

impl History {
    pub(super) fn apply(&mut self, record: &Record) {
        match record {
            Record::Taken(it) => self.taken(it),
            Record::Marked { commit, note } => {
                if let Some(at) = self.position(commit) {
                    self.noted(at, note.reason, &note.conversation, note.turn);
                }
            }
            Record::Moved(it) => self.moved(it),
        }
    }

    fn taken(&mut self, taken: &Taken) {
        let Taken { commit, tree, note, files, bytes, skipped, skips } = taken;
        let checkpoint = Checkpoint {
            id: commit.to_string()[..SHORT].to_owned(),
            tree: tree.to_string(),
            time: note.time,
            conversation: note.conversation.clone(),
            turn: note.turn,
            call: note.call.clone(),
            reason: note.reason,
            why: note.why.clone(),
            files: *files,
            bytes: *bytes,
            skipped: skipped.clone(),
            skips: *skips,
        };
        self.all.push(Known { checkpoint, commit: *commit, tree: *tree });
        self.noted(self.all.len() - 1, note.reason, &note.conversation, note.turn);
    }

    /// The tree was seen to be in the state `at`.
    fn noted(&mut self, at: usize, reason: CheckpointReason, conversation: &str, turn: u32) {
        let before = self.head.replace(at);
        if reason == CheckpointReason::BeforeRestore || reason == CheckpointReason::Asked {
            return;
        }
        if before.is_none_or(|it| self.all[it].tree != self.all[at].tree) {
            self.changed();
        }
        if self.line.last().is_some_and(|it| it.conversation == conversation && it.turn == turn) {
            return;
        }
        let begins = matches!(reason, CheckpointReason::BeforeTurn | CheckpointReason::BeforeCall);
        // A turn that was first heard of when it had changed something began in the state before.
        let at = if begins { at } else { before.unwrap_or(at) };
        self.line.push(Start { at, conversation: conversation.to_owned(), turn });
    }

    /// True when noting that the tree was seen in this state would change nothing.
    pub(super) fn knows(&self, known: &Known, note: &Note) -> bool {
        let seen = self.head().is_some_and(|it| it.commit == known.commit);
        let apart = matches!(note.reason, CheckpointReason::BeforeRestore | CheckpointReason::Asked);
        let same = |it: &Start| it.conversation == note.conversation && it.turn == note.turn;
        seen && (apart || self.line.last().is_some_and(same))
    }

    /// What was undone cannot be redone any more: the tree has gone another way.
    fn changed(&mut self) {
        if let Some(last) = self.undone.last() {
            self.gone = Some(last.before);
            self.undone.clear();
        }
    }

    fn moved(&mut self, moved: &Moved) {
        let (Some(before), Some(to)) = (self.position(&moved.before), self.position(&moved.to)) else { return };
        match moved.way {
            Way::Undo => {
                let Some(at) = self.line.iter().rposition(|it| it.at == to) else { return };
                // Whatever was undone before and no longer fits is another line.
                if self.undone.last().is_some_and(|it| self.all[it.to].tree != self.all[before].tree) {
                    self.undone.clear();
                }
                let line = self.line.split_off(at);
                self.undone.push(Undone { before, to, line });
                self.gone = None;
            }
            Way::Redo => {
                let Some(last) = self.undone.pop() else { return };
                self.line.extend(last.line);
            }
            Way::Restore => {
                self.changed();
                self.line.push(Start { at: before, conversation: String::new(), turn: 0 });
            }
        }
        self.head = Some(if moved.whole { to } else { before });
    }

    /// Where undo leads from a tree: to the latest start at which it was another.
    pub(super) fn back(&self, tree: &Hash) -> Option<&Known> {
        self.line.iter().rev().map(|it| &self.all[it.at]).find(|it| it.tree != *tree)
    }

    /// The state in which the last turn began, or the tree was put back.
    pub(super) fn last_start(&self) -> Option<&Known> {
        self.line.last().map(|it| &self.all[it.at])
    }

    /// Where redo leads.
    pub(super) fn forward(&self) -> Forward {
        match (self.undone.last(), self.gone) {
            (Some(it), _) => Forward::To { checkpoint: it.before, from: it.to },
            (None, Some(it)) => Forward::Gone(it),
            (None, None) => Forward::Nothing,
        }
    }

    /// The state that the tree was last known to be in.
    pub(super) fn head(&self) -> Option<&Known> {
        self.head.map(|it| &self.all[it])
    }

    pub(super) fn position(&self, commit: &Hash) -> Option<usize> {
        self.all.iter().rposition(|it| it.commit == *commit)
    }

    /// True when no other checkpoint has the short name of this one.
    pub(super) fn is_free(&self, commit: &Hash) -> bool {
        let name = &commit.to_string()[..SHORT];
        self.all.iter().all(|it| it.checkpoint.id != name)
    }

    /// The checkpoints whose names begin so; a full name has 64 characters.
    pub(super) fn named(&self, id: &str) -> Vec<&Known> {
        let id = id.to_ascii_lowercase();
        let fits = |it: &&Known| !id.is_empty() && it.commit.to_string().starts_with(&id);
        self.all.iter().filter(fits).collect()
    }
}
