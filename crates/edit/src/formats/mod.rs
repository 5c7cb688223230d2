//! The formats in which edits are written, and one entry for all of them.

mod addition;
mod anchors;
mod detect;
mod hunk;
mod hunks;
mod named;
mod patch;
mod paths;
mod range;
mod request;
mod run;
mod search_replace;
mod unified;
mod unified_header;
mod v4a;
mod whole_file;

pub use detect::detect;
pub use named::{FileOperation, NamedFile};
pub use range::LineRange;
pub use request::{Files, Outcome, PlaceInFile, Request};
pub use run::run;
pub use search_replace::parse_search_replace;
pub use whole_file::rewrite;
