//! Sub-agents: conversations of their own that do a part of a turn's work.
//!
//! A sub-agent may do what its parent may and what it was asked for, never more. It runs the same seven phases in a log of
//! its own, so that it can be read, replayed and, after a crash, gone on with; its updates go to its parent's subscribers
//! too. What it may spend was taken from its parent before.

pub mod kinds;
pub(crate) mod result;
pub(crate) mod run;
pub(crate) mod running;
pub mod tool;
mod worktree;
