//! One thing that was looked at, as a code and how grave it is.

use ox_protocol::Problem;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// All is well.
    Good,
    /// Worth knowing; nothing is wrong.
    Note,
    /// Ox works, though not in full.
    Warning,
    /// Ox does not work.
    Fault,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub name: &'static str,
    /// How grave it is.
    pub grade: Grade,
    /// The sentence about it.
    pub words: Problem,
}

/// A finding.
pub(super) fn finding(name: &'static str, grade: Grade, words: Problem) -> Finding {
    Finding { name, grade, words }
}
