//! What picking is handed.

use ox_index::embed::Similar;
use ox_index::{Read, Snapshot};

/// What a builder is handed.
pub struct PickInputs<'a> {
    /// The index.
    pub snapshot: &'a Snapshot,
    /// Reads a file of the project.
    pub read: &'a Read<'a>,
    /// What the user asked.
    pub task: &'a str,
    /// The pieces whose vectors are most like it; none without vectors.
    pub similar: &'a [Similar],
    /// True for a file that the model has read whole and that is unchanged since.
    pub has_read: &'a dyn Fn(&str) -> bool,
    /// True for a file that the user leaves out.
    pub left_out: &'a dyn Fn(&str) -> bool,
    /// How much of the project it knows.
    pub fresh: Freshness,
}

/// How far an index is behind the working tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It knows everything.
    Whole,
    /// Files have changed that it does not have yet.
    Behind,
    /// It is being built for the first time: which files are best cannot be told.
    Building,
}
