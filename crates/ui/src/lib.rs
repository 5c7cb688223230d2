//! Interfaces: the terminal, plain output and JSON lines.
//!
//! Promise: an interface knows the client and the protocol only. It sends commands, shows what it is told, and decides
//! nothing; no control sequence of a model, a tool or a file reaches the terminal.

pub mod acp;
mod error;
pub mod plain;
pub mod play;
pub mod script;
mod session;
mod signals;
pub mod terminal;

use std::io::IsTerminal;

pub use ox_screen::commands::is_taken as is_command;
use ox_screen::{commands, composer, full, inside, picker};
pub use ox_screen::{report, screen};
use ox_text::diff;
pub use ox_text::{self as text, markdown, words};

pub use acp::{AcpOptions, run_acp};
pub use error::UiError;
pub use plain::PlainOptions;
pub use play::play;
pub use script::{Judge, Judged, Mismatch, Output, ScriptOptions, follow_script, run_script, watch_events};
pub use terminal::{
    Choice, OwnCommand, Start, TerminalOptions, choose_answer, choose_conversation, converse, run_attached,
};

/// True when the user can be shown and asked things: standard input and output are terminals.
pub fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Columns of the terminal; 80 where it does not say.
pub fn columns_of_terminal() -> usize {
    terminal::size().0
}

#[cfg(test)]
#[path = "../../screen/src/canned.rs"]
mod canned;
