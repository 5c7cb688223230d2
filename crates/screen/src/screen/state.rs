//! What the screen keeps beside the conversation.

use ox_protocol::{ApprovalPolicy, Mode};

use crate::editor::Editor;
use crate::text::Line;

/// Where a question stands while it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Questions {
    /// Among the lines that are printed.
    Printed,
    /// Above its keys, as long as it fits there; it goes with its answer.
    Held,
    /// Among the entries of a full screen; it goes with its answer.
    Entry,
}

/// Milliseconds per picture of the spinner.
pub(super) const BEAT: u64 = 250;
/// Milliseconds.
pub(super) const SECOND: u64 = 1_000;

/// Where the project stands, for the footer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkTree {
    /// The branch, where there is one.
    pub branch: Option<String>,
    /// Files that git would call changed.
    pub dirty: usize,
    /// What the user's own command for this line printed; it replaces everything.
    pub own: Option<String>,
}

/// What stands at the bottom while the user is asked or types.
#[derive(Clone, Debug, Default)]
pub(super) struct Prompt {
    pub(super) above: Vec<Line>,
    pub(super) editor: Option<Editor>,
}

/// What a second press of a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Armed {
    Leave,
    Rewind,
    Clear,
}

/// The mode that follows, as a key goes through them.
pub(super) fn next_mode(mode: Mode) -> Mode {
    match mode {
        Mode::Auto => Mode::Build,
        Mode::Build => Mode::Plan,
        Mode::Plan => Mode::Chat,
        Mode::Chat => Mode::Auto,
    }
}

/// The policy that follows, as a key goes through them.
pub(super) fn next_policy(policy: ApprovalPolicy) -> ApprovalPolicy {
    match policy {
        ApprovalPolicy::Ask => ApprovalPolicy::AcceptEdits,
        ApprovalPolicy::AcceptEdits => ApprovalPolicy::Auto,
        ApprovalPolicy::Auto => ApprovalPolicy::Ask,
    }
}
