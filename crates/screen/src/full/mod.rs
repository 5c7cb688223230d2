//! The full screen: the conversation in a view of its own, with search, selection and panes, above a composer that stays.
//!
//! Promise: nothing is sent and nothing printed here; what a key or the mouse asks for is returned. A frame lays out what is
//! seen and no more. What is selected, found or looked at stays so when the terminal is resized and when text streams in.

mod asked;
mod draw;
mod entry;
mod keys;
mod mouse;
mod paint;
mod pane;
mod rows;
mod scroll;
mod search;
mod select;
mod state;
mod transcript;

pub use state::{Ask, FullScreen};

#[cfg(test)]
mod tests;
