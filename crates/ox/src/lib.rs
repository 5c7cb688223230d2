//! Ox as a library: everything that the command line is made of.
//!
//! `wire` puts a session together from settings and the environment; `cmd` holds the commands.

pub mod cmd;
mod host;
pub mod panic;
pub mod wire;
