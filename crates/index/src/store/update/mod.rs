//! Bringing the index up to date, and to disk.

mod build;
mod change;
mod index;
mod report;
mod save_job;
mod saving;
mod writer_state;

pub use build::Read;
pub use change::Change;
pub use index::Index;
pub use report::{Progress, Report, Spent, Unsaved};
