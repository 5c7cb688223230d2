//! Why the working tree was recorded, and how it was put back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::FileChange;

/// Why a checkpoint was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckpointReason {
    /// A turn is about to change something.
    BeforeTurn,
    /// A call is about to change something.
    BeforeCall,
    /// A command changed something.
    AfterCommand,
    /// The tree is about to be put back.
    BeforeRestore,
    /// A turn ended.
    AfterTurn,
    /// Somebody asked for it.
    Asked,
    /// The user took parts of a turn back.
    Review,
    /// The tree was about to be put into this state.
    AfterRestore,
}

/// A working tree that was put back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RestoredTree {
    /// The checkpoint that it equals now.
    pub to: String,
    /// The checkpoint that was made just before, which takes this back.
    pub before: String,
    /// What changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
}
