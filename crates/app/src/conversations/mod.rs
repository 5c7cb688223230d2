//! Conversations of a project: holding one, and what is stored of those before.

mod cassette;
pub mod comparison;
pub mod history;
pub mod listed;
mod memory;
pub mod plans;
pub mod replay;
pub mod running;
pub mod session;
pub mod stored;

pub use ox_agent::memory::Memory;
