//! What the index answers: search, graph, documents, and what it keeps on disk.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod docs;
mod embed;
mod graph;
mod impact;
mod query;
mod reach;
mod store;
