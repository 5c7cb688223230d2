//! Records a conversation's model traffic to a file and replays it without any network.
//!
//! A cassette is JSON lines: the first says what was recorded, each other one holds what is new in a request, the pieces of
//! the answer as they arrived, and the answer, failures among them. Keys and whatever looks like a secret are never written.
//! A replay answers a request by what it says, never by its place alone, and where no recorded request says the same it names
//! the first difference and answers nothing.

mod compare;
mod entry;
mod record;
mod replay;
mod then_live;
mod tolerance;

#[cfg(test)]
mod tests;

pub use entry::Head;
pub use record::{Recorder, to_cassette};
pub use replay::{Match, Replay};
pub use then_live::ReplayThenLive;
