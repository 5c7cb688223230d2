//! Configuration in layers: defaults, the user's file, the project's file, the environment, flags; a later one wins. Beside it
//! what else the user has said once and for all: which folders are trusted, which rules were granted, which keys there are.
//!
//! A project's file counts only once its folder is trusted, and then it may only tighten: it never says where requests go, which
//! model answers, what is done unasked, or where Ox keeps its files. Nothing unknown is ignored: it is an error that names its
//! file and line. No `.env` is read.

mod keys;
mod layers;
mod paths;
pub mod roles;
#[cfg(test)]
mod roles_tests;
mod settings;
pub mod state;
#[cfg(test)]
mod tests;
pub mod trust;

pub use keys::kind::Kind;
pub use keys::reference::reference;
pub use keys::table::{KEYS, Key, ProjectRule, is_key, kind_of};
pub use layers::edit::{add, set, unset};
pub use layers::layer::Flags;
pub use layers::origin::Origin;
pub use paths::{Paths, paths, project_file};
pub use settings::{IndexSettings, ProjectConfig, Settings, language, load};
