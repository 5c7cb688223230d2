//! The index right after whatever happens to the tree, to its cache, or to the process.

mod edits;
mod world;
