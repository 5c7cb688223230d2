//! What Ox knows of the project's code, and what it would tell a model of it. No model is asked.

mod context;
mod find;
mod index;
mod patch;

pub use context::{ContextPreview, PreviewSection};
