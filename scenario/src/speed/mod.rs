//! The speeds: the same story over the loop alone, over the whole agent, and over HTTP.
//!
//! Only the agent speed is the truth about what Ox does; the others have to agree with it.

pub mod agent;
pub mod core;
mod gate;
pub mod http;
mod played;
mod servers;
mod stage;
