//! What the user said about projects and providers, kept among the user's own files and never in a project.

pub mod chosen_policy;
pub mod granted_rules;
pub mod key_store;
mod private_file;
mod project_state;

pub use private_file::{private_folder, replace};
pub use project_state::{ProjectState, every};
