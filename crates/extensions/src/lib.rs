//! What users, projects and plugins add, in the formats of other agents: commands, skills, sub-agents and hooks, found in
//! folders and read as they are.
//!
//! Nothing is run here and nothing is believed: a project's folders are looked into only to show what there is to trust, or
//! once they are trusted. No file is read that lies outside the folder it belongs to. What cannot be used is said and leaves
//! the rest as it is.

mod command;
mod file;
mod found;
mod front_matter;
mod hook;
mod item;
mod plugin;
mod skill;
mod source;

pub use command::CustomCommand;
pub use file::LONGEST;
pub use found::{AgentFile, Extensions, FoundHook};
pub use front_matter::{FrontMatter, front_matter};
pub use hook::{foreign_event, foreign_tool, own_tools};
pub use item::{Cost, Item, ItemKind};
pub use plugin::{Manifest, copy_plugin, manifest, plugin_digest};
pub use skill::{LINE_TOKENS, SKILL_FILE, Skill, line};
pub use source::{Layout, Scope, Source};
