//! The index right after whatever happens to the tree, to its cache, or to the process.

mod crash;
mod disk;
mod edges;
mod edits;
mod fixture;
mod git;
mod processes;
mod special;
