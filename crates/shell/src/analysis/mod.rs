//! What the parts of a line do, a file for each kind of part. The methods of [`crate::analyzer::Analyzer`] that are here
//! call one another, as a command may hold a line and a line commands.

mod assignments;
mod builtins;
mod code;
mod commands;
mod expansions;
mod path_access;
mod redirections;
mod statements;
mod words;
