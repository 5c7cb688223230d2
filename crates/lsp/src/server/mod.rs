//! One language server: which are known, how one is found and started, and what it knows while it runs.

mod client;
mod folder;
mod known;
mod limits;
mod start;
mod state;

pub(crate) use client::Client;
pub(crate) use known::{SERVERS, Server, for_file};
pub use limits::Limits;
pub use start::installed;
pub(crate) use start::start;
