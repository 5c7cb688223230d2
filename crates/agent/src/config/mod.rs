//! Configuration in layers: defaults, the user's file, the project's file, the environment, flags; a later one wins.
//!
//! A project's file counts only once its folder is trusted, and then it may only tighten: it never says where requests go, which model answers, what is done unasked, or
//! where Ox keeps its files. Nothing unknown is ignored: it is an error that names its file and line. No `.env` is read.

mod edit;
mod keys;
mod kind;
mod layer;
mod merge;
mod origin;
mod paths;
mod preset;
mod reference;
#[cfg(test)]
mod roles_tests;
mod settings;
#[cfg(test)]
mod tests;

pub use edit::{set, unset};
pub use keys::{KEYS, Key, Project, edits, is_key, kind_of};
pub use kind::Kind;
pub(crate) use layer::{Setting, of_file, shown};
pub use origin::Origin;
pub use paths::{Paths, paths, project_file};
pub use reference::reference;
pub(crate) use settings::same_file;
pub use settings::{Belief, IndexSettings, Settings, language, load};
