//! All that an audit looks at.

use ox_protocol::PlanStep;
use std::collections::BTreeSet;

use ox_index::Snapshot;

use crate::change::Changed;

/// What an audit looks at.
pub struct Ground<'a> {
    /// The changed files.
    pub changes: &'a [Changed],
    /// All files that were touched, also those whose texts are not known; a renamed one under both names.
    pub touched: &'a [String],
    /// The index of the tree as it is after the change; without it nothing is said of other files.
    pub index: Option<&'a Snapshot>,
    /// Reads a file as it is now.
    pub read: &'a dyn Fn(&str) -> Option<String>,
    /// Globs that the change must stay within; any file where there is none.
    pub scope: &'a [String],
    /// Files and names of tests that failed before the change was what it is.
    pub failed: &'a BTreeSet<(String, String)>,
    /// What the user asked for, in the words that were written.
    pub task: &'a str,
    /// The steps of the plan.
    pub planned: &'a [PlanStep],
}
