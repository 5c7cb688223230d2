//! The terminal while Ox has it, to be given to another program and taken again.

use super::keys::{Input, Keys};
use super::raw::Raw;
use crate::UiError;
use crate::text::Line;

/// The terminal, while Ox has it.
#[derive(Default)]
pub(super) struct Taken {
    pub(super) keys: Option<Keys>,
    pub(super) raw: Option<Raw>,
    /// True where it is taken for the full screen.
    pub(super) full: bool,
}

impl Taken {
    pub(super) fn enter(&mut self, moves: bool) -> Result<(), UiError> {
        self.raw = Some(Raw::enter(moves, self.full)?);
        self.keys = Some(Keys::read()?);
        Ok(())
    }

    /// Gives keyboard and modes to another.
    pub(super) fn give(&mut self) {
        (self.keys, self.raw) = (None, None);
    }

    pub(super) async fn next(&mut self) -> Option<Input> {
        match &mut self.keys {
            Some(keys) => keys.next().await,
            None => std::future::pending().await,
        }
    }
}

/// What gets the terminal as soon as the loop can give it away.
pub(super) enum Owed {
    /// A command of Ox, by its words.
    Command(Vec<String>),
    /// The user's pager, with these lines.
    Pager(Vec<Line>),
}
