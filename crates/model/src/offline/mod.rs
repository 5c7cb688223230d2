//! Models that ask no provider: by a script, from a recording, by hand.

pub mod cassette;
pub mod manual;
pub mod scripted;
