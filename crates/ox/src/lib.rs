//! Ox as a library: everything that the command line is made of.
//!
//! `cmd` holds the commands: they read arguments, call the application layer and print.

pub mod cmd;
pub mod help;
mod overview;
pub mod panic;
