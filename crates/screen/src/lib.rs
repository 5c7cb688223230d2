//! The terminal's picture: what a conversation looks like, what is typed, what is chosen, and what keys do there.
//!
//! Promise: pure. Nothing here reads the terminal, draws on it, or sends anything: updates and keys go in, lines and actions
//! come out.

pub mod commands;
pub mod composer;
pub mod editor;
pub mod full;
mod fuzzy;
pub mod inside;
pub mod picker;
pub mod report;
pub mod screen;

pub use fuzzy::best;

use ox_text::diff;
use ox_text::{self as text, markdown, words};

#[cfg(test)]
mod canned;
