//! How many tokens a text has for a model: exact where the vocabulary is public, an estimate elsewhere.
//!
//! A count never waits and loads nothing: a vocabulary takes some hundredths of a second, so it is loaded beside the first
//! request ([`Counter::warm`]), and until it is there the estimate stands in for it.

mod bpe;
mod counter;
mod estimate;
mod exact;
#[cfg(test)]
mod published_tests;

pub use counter::Counter;
