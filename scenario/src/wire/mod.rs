//! Providers on this machine: servers that play a script in each provider's wire format and check every request to the
//! letter.
//!
//! A request that a provider would refuse, or that breaks one of our own promises about caching and pairing, is answered
//! 400 in the provider's own error shape and kept as a violation, so that a test fails by it. Never speaks to any network
//! beyond loopback.

mod anthropic;
mod check;
mod format;
mod gemini;
pub mod images;
mod mock;
mod openai;
mod responses;
pub mod server;
#[cfg(test)]
mod tests;

pub use anthropic::Anthropic;
pub use format::{Format, KEY, MODEL};
pub use gemini::Gemini;
pub use mock::{Mock, anthropic, behind, gemini, openai, responses, xml};
pub use openai::OpenAi;
pub use responses::Responses;
