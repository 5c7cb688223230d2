//! The conversations and settings of other agents, read as if they were Ox's own.
//!
//! Nothing is written here, neither into the other agents' folders nor into Ox's: what comes out are events and values. What
//! is not understood is counted and named, and the rest is taken.

mod agent;
mod claude;
mod codex;
mod error;
mod events;
mod foreign;
mod lines;
mod listing;
mod opencode;
mod secrets;
pub mod settings;

pub use agent::{Agent, Home};
pub use error::ImportError;
pub use events::{conversation_id, frames};
pub use foreign::{Call, Foreign, Item, Unread, What};
pub use listing::{Listing, Stored};
pub use secrets::without_secrets;
