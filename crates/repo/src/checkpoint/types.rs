//! What checkpoints are told by, and what taking one and going back to one come to.

use ox_protocol::{ChangeKind, CheckpointReason, FileChange, Time};

use super::skip::Skipped;

/// What a checkpoint is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The conversation's id; empty outside any.
    pub conversation: String,
    /// Its turn.
    pub turn: u32,
    /// The call that it is about.
    pub call: Option<String>,
    /// Why it is made.
    pub reason: CheckpointReason,
    /// The same for people, on one line: a prompt, a command.
    pub why: String,
    /// When.
    pub time: Time,
}

/// A recorded state of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its name: eight hexadecimal digits, unique in its store. Any unique beginning of it will do.
    pub id: String,
    /// Hash of all that is recorded in it: equal trees have the same.
    pub tree: String,
    /// When it was made.
    pub time: Time,
    /// The conversation that it was made for; empty outside any.
    pub conversation: String,
    /// Its turn.
    pub turn: u32,
    /// The call that it is about.
    pub call: Option<String>,
    /// Why it was made.
    pub reason: CheckpointReason,
    /// The same for people.
    pub why: String,
    /// The number of its files and links.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// What was left out; the first hundred.
    pub skipped: Vec<Skipped>,
    /// The number of all that was left out.
    pub skips: u64,
}

/// What taking a checkpoint came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The checkpoint that the tree equals.
    pub checkpoint: Checkpoint,
    /// False when the tree was as it was last known, whose checkpoint this is then.
    pub new: bool,
    /// What differs from the state that the tree was last known to be in, by path. A renamed file is one deleted and one
    /// created; of a folder only its files are told. Nothing for the first checkpoint.
    pub changed: Vec<(String, ChangeKind)>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
}

/// A state to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Point {
    /// That of a checkpoint, by the beginning of its id.
    At(String),
    /// What is on the disk now.
    Now,
}

/// What putting the tree back came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// The checkpoint whose state the tree has now, but for what `left` names.
    pub to: Checkpoint,
    /// The checkpoint of what was there before; restoring it takes this back.
    pub before: Checkpoint,
    /// What was changed.
    pub files: Vec<FileChange>,
    /// What could not be put back and is as it was, with the reason.
    pub left: Vec<Skipped>,
    /// Files of git's folder that were lost and are back.
    pub git: Vec<String>,
}
