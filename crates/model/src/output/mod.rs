//! What a model writes as text beside prose: tool calls in XML, reasoning in tags.

pub(crate) mod think;
pub mod xml;
