//! How many tokens a text has for a model: exact where the vocabulary is public, a calibrated estimate elsewhere; and what
//! the provider's own counts teach about both.
//!
//! A count never waits and loads nothing: a vocabulary takes some hundredths of a second, so it is loaded beside the first
//! request ([`Counter::warm`]), and until it is there the estimate stands in for it.

mod bpe;
mod calibration;
mod counter;
mod estimate;
mod exact;
mod gauge;
#[cfg(test)]
mod published_tests;

pub use calibration::Calibration;
pub use counter::Counter;
pub use gauge::Gauge;
