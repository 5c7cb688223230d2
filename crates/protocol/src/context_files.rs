//! The files that a conversation keeps in view and those that it leaves out, and the turns that a client hands in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who keeps a file in view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileOrigin {
    /// The user, until the user drops it.
    #[default]
    User,
    /// An editor, as long as the file is open there.
    Editor,
}

/// A file that the prompt of each turn has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextFile {
    /// Relative to the project root, with `/` separators.
    pub path: String,
    /// These lines only, 1-based and inclusive; of an editor, what is selected there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u32, u32)>,
    /// Who keeps it there.
    #[serde(default)]
    pub origin: FileOrigin,
}

/// What a conversation keeps in view and what it leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextFiles {
    /// In the order in which they get their room: the user's first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ContextFile>,
    /// Globs over paths relative to the root, as in `.gitignore` without negation: no tool reads or lists these files, and
    /// no prompt has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<String>,
}

/// A turn of the past that a client knows and the store does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierTurn {
    /// What the user asked.
    pub instruction: String,
    /// What came of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Files that it changed, relative to the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}
