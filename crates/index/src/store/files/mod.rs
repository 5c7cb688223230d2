//! Which files there are, how they stood when they were read, and which of them are read at all.

mod entry;
mod listing;
mod rules;
mod table;

pub use entry::FileState;
pub(crate) use entry::{At, Entry, Key, Stamp, UNKNOWN, View, hash, is_young, key, short_name};
pub(crate) use listing::{Changed, Listing, Move};
pub use rules::{HUGE, RULES, Rule, is_generated_name};
pub(crate) use rules::{indexable_text, is_manifest};
pub(crate) use table::Table;
