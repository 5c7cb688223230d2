//! Paths: where they lead, and what their names tell.

mod kinds;
mod resolver;

pub(crate) use kinds::{is_guarded, is_instruction, is_secret};
pub(crate) use resolver::{PathResolver, PathTarget};

/// What is done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathAccess {
    Read,
    Write,
    Delete,
    /// Runs it.
    Run,
    /// Its folder becomes the working folder.
    Enter,
}
