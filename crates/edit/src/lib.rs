//! The edit engine: (text, edit) → text, or a helpful refusal.
//!
//! The engine never touches a disk, never guesses between two equally good places, and never returns a partly
//! edited text: either every block of a call has one certain place, or nothing changes and the refusal says where
//! to look. What a block does not name (line endings, byte-order mark, trailing blanks, the missing last newline)
//! stays as the file has it.

mod block;
mod engine;
mod format;
mod formats;
pub mod layout;
mod rebase;
mod refusal;
mod syntax;
mod text;

pub use block::{Applied, Block, Place, Strategy};
pub use engine::apply::apply;
pub use engine::guard::{marker_guard, write_guard};
pub use format::Format;
pub use formats::{
    FileOperation, Files, LineRange, NamedFile, Outcome, PlaceInFile, Request, detect, parse_search_replace, rewrite,
    run,
};
pub use rebase::{Conflict, Rebased, rebase};
pub use refusal::{Candidate, Reason, Refusal};
pub use syntax::{SyntaxError, run_checked};
pub use text::diff::short_diff;
pub use text::ops::{line_changes, line_ops};
