//! The HTTP API, event streams, the web page's files and the queue worker: one driver per conversation behind the same
//! commands and events that every other interface speaks.
//!
//! The crate will never decide anything about a turn, never speak to a model and never touch the working tree; it
//! carries commands in and frames out. It is empty so far: nothing here listens on a port.
