//! The checkpoints of the tree, as a call may use them.

use ox_repo::{Checkpoints, Note};

/// The checkpoints of the tree, and what is noted of one that a call makes.
#[derive(Clone, Debug)]
pub struct TurnCheckpoints {
    /// The store.
    pub checkpoints: Checkpoints,
    /// The conversation, its turn, the call and the time.
    pub note: Note,
}
