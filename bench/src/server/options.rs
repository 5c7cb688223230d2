//! What is measured of the server, and the limit that several parts share.

use std::path::PathBuf;

/// The most that may lie between the sending of a piece by the model and its receipt by a client, in milliseconds.
pub const MOST_DELAY: f64 = 5.0;

/// What is measured, and how much of it.
#[derive(clap::Args)]
pub struct Options {
    /// Streams in which nothing happens, and clients of the storm.
    #[arg(long, default_value = "1000")]
    pub clients: usize,
    /// Conversations that are worked on at once; two clients follow each.
    #[arg(long, default_value = "50")]
    pub conversations: usize,
    /// Streams that are opened and closed.
    #[arg(long, default_value = "10000")]
    pub opens: usize,
    /// Lines of the long reply.
    #[arg(long, default_value = "200000")]
    pub lines: usize,
    /// A part to measure: delay, streams, storm, slow, volume, crash, growth; all without it. May be repeated.
    #[arg(long)]
    pub only: Vec<String>,
    /// A binary to take instead of building one.
    #[arg(long)]
    pub ox: Option<PathBuf>,
}
