//! What the records of a store add up to: the checkpoints, the way back turn by turn, and the way forward again.
//!
//! A fold without input or output: the same records give the same history in every process.

use ox_protocol::CheckpointReason;

use super::record::{Moved, Record, Taken, Way};
use super::types::{Checkpoint, Note};
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

/// A stretch that undo takes back as one: a turn, or the tree put back to an older state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The state in which it began, as a position in `all`.
    pub at: usize,
    pub conversation: String,
    pub turn: u32,
    /// What changed the tree meanwhile, in order.
    pub steps: Vec<Step>,
    /// What git's `HEAD` was when it was last heard of; empty where that is not known.
    pub head: String,
    /// A call of it has begun and is not known to have ended.
    open: bool,
}

/// A change from one tree to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub from: Hash,
    pub to: Hash,
    pub whose: Whose,
}

/// Who made a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// A call of the turn.
    Own,
    /// A call of the turn that was cut short, and whoever changed something since.
    Cut,
    /// It happened while the turn ran, between its calls: a check, a command in the background, the user.
    Beside,
    /// The user, who took parts of the turn back.
    Review,
}

/// An undo that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Undone {
    /// The state before it.
    before: usize,
    /// The state after it.
    to: usize,
    /// What it went back over.
    line: Vec<Stretch>,
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
    /// What git's `HEAD` was then.
    pub git: String,
    line: Vec<Stretch>,
    undone: Vec<Undone>,
    gone: Option<usize>,
}

impl Stretch {
    fn of(at: usize, step: Option<Step>) -> Stretch {
        let steps = step.into_iter().collect();
        Stretch { at, conversation: String::new(), turn: 0, steps, head: String::new(), open: false }
    }

    fn is_of(&self, note: &Note) -> bool {
        self.conversation == note.conversation && self.turn == note.turn
    }
}

/// Notes with which a turn or a call of it begins.
fn begins(reason: CheckpointReason) -> bool {
    matches!(reason, CheckpointReason::BeforeTurn | CheckpointReason::BeforeCall)
}

/// Notes that belong to no turn.
fn is_apart(reason: CheckpointReason) -> bool {
    use CheckpointReason::{AfterRestore, Asked, BeforeRestore, Review};
    matches!(reason, AfterRestore | Asked | BeforeRestore | Review)
}

impl History {
    pub(super) fn apply(&mut self, record: &Record) {
        match record {
            Record::Taken(it) => {
                let at = self.known(it);
                self.noted(at, &it.note);
            }
            Record::Prepared(it) => drop(self.known(it)),
            Record::Head(it) => self.git.clone_from(it),
            Record::Marked { commit, note } => {
                if let Some(at) = self.position(commit) {
                    self.noted(at, note);
                }
            }
            Record::Moved(it) => self.moved(it),
        }
    }

    /// Adds a checkpoint, and answers with its position.
    fn known(&mut self, taken: &Taken) -> usize {
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
        self.all.len() - 1
    }

    /// The tree was seen to be in the state `at`.
    fn noted(&mut self, at: usize, note: &Note) {
        let Note { conversation, turn, reason, .. } = note;
        use CheckpointReason::{AfterCommand, AfterTurn};
        let before = self.head.replace(at);
        let trees = before.map(|it| (self.all[it].tree, self.all[at].tree)).filter(|it| it.0 != it.1);
        let same = self.line.last().is_some_and(|it| it.is_of(note));
        let open = self.line.last().is_some_and(|it| it.open);
        let whose = match reason {
            AfterCommand | AfterTurn if open && same => Some(Whose::Own),
            CheckpointReason::Review => Some(Whose::Review),
            _ if open => Some(Whose::Cut),
            _ if same && !is_apart(*reason) => Some(Whose::Beside),
            // Between two turns the tree is the user's.
            _ => None,
        };
        if let (Some(last), Some((from, to)), Some(whose)) = (self.line.last_mut(), trees, whose) {
            last.steps.push(Step { from, to, whose });
        }
        if is_apart(*reason) {
            return;
        }
        if before.is_none() || trees.is_some() {
            self.changed();
        }
        let begins = begins(*reason);
        if let Some(last) = self.line.last_mut() {
            last.open = begins && same;
        }
        if !same {
            // A turn that was first heard of when it had changed something began in the state before.
            let at = if begins { at } else { before.unwrap_or(at) };
            let own = trees.filter(|_| !begins).map(|(from, to)| Step { from, to, whose: Whose::Own });
            let (conversation, turn) = (conversation.clone(), *turn);
            self.begin(Stretch { conversation, turn, open: begins, ..Stretch::of(at, own) });
        }
        if let Some(last) = self.line.last_mut() {
            last.head.clone_from(&self.git);
        }
    }

    fn begin(&mut self, stretch: Stretch) {
        self.line.push(Stretch { head: self.git.clone(), ..stretch });
    }

    /// True when noting that the tree was seen in this state would change nothing.
    pub(super) fn knows(&self, known: &Known, note: &Note) -> bool {
        let seen = self.head().is_some_and(|it| it.commit == known.commit);
        let same = |it: &Stretch| it.is_of(note) && it.open == begins(note.reason);
        seen && (is_apart(note.reason) || self.line.last().is_some_and(same))
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
                let at = match moved.back as usize {
                    0 => self.line.iter().rposition(|it| it.at == to),
                    back => self.line.len().checked_sub(back),
                };
                let Some(at) = at else { return };
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
            Way::Restore | Way::Within | Way::Review => {
                self.changed();
                let whose = if moved.way == Way::Review { Whose::Review } else { Whose::Own };
                let step = Step { from: self.all[before].tree, to: self.all[to].tree, whose };
                match self.line.last_mut().filter(|_| moved.way != Way::Restore) {
                    Some(last) => last.steps.push(step),
                    None => self.begin(Stretch::of(before, Some(step))),
                }
            }
        }
        self.head = Some(if moved.whole { to } else { before });
    }

    /// What undo may take back, the oldest first.
    pub(super) fn line(&self) -> &[Stretch] {
        &self.line
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
