//! What a model writes as text beside prose: tool calls in XML, JSON that a schema asks for, reasoning in tags.

pub mod structured;
pub(crate) mod think;
pub mod xml;
