//! Models behind an endpoint: the wire formats of the providers, and what they share.

mod anthropic;
pub(crate) mod attached;
mod cache;
mod effort;
pub(crate) mod endpoint;
pub(crate) mod exchange;
mod format;
#[cfg(test)]
mod fuzz_tests;
mod gemini;
pub(crate) mod http;
mod interleave;
pub(crate) mod learnt;
mod openai_chat;
mod openai_responses;
pub(crate) mod roots;
pub(crate) mod sse;
#[cfg(test)]
mod wire_tests;

pub use anthropic::Anthropic;
pub(crate) use anthropic::claude_version;
pub(crate) use format::Format;
pub use format::WireModel;
pub use gemini::Gemini;
pub use openai_chat::{Dialect, OpenAiChat};
pub use openai_responses::OpenAiResponses;
