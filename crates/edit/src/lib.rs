//! The edit engine: (text, edit) → text, or a helpful refusal.
//!
//! The engine never touches a disk, never guesses between two equally good places, and never returns a partly
//! edited text: either every block of a call has one certain place, or nothing changes and the refusal says where
//! to look. What a block does not name (line endings, byte-order mark, trailing blanks, the missing last newline)
//! stays as the file has it.

mod align;
mod alike;
mod apply;
mod block;
mod bytes;
mod claim;
mod clean;
mod diff;
mod document;
mod elide;
mod fold;
mod formats;
mod guard;
mod guide;
mod indent;
mod lines;
mod locate;
mod markers;
mod merge;
mod nearest;
mod ops;
mod placeholder;
mod rebase;
mod refusal;
mod respell;
mod slide;
mod syntax;
mod target;
mod tier;
mod tokens;
mod whole;

pub use apply::apply;
pub use block::{Applied, Block, Place, Strategy};
pub use diff::short_diff;
pub use formats::{Does, Files, Format, Landed, LineRange, Named, Outcome, Request, detect, run};
pub use guard::{marker_guard, write_guard};
pub use markers::parse_search_replace;
pub use rebase::{Clash, Rebased, rebase};
pub use refusal::{Candidate, Reason, Refusal};
pub use syntax::{Fault, Syntax, apply_checked, run_checked};
pub use whole::rewrite;
