//! The project's own fixers: commands that rewrite files so that its checks have nothing to say about them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, Lack};

/// The tool that a run of fixers is recorded as: its `tool_complete` names the files that they changed.
pub const FIXERS: &str = "fixers";

/// What stands in a fixer's command for the files that it is to fix.
pub const FIXED_FILES: &str = "{files}";

/// One command of the project that rewrites files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fixer {
    /// Short name, for example `rustfmt`.
    pub name: String,
    /// The shell command line, run in the project root, with `{files}` for the files.
    pub command: String,
    /// Globs of the files that it may fix; all where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Time limit in milliseconds.
    pub limit_ms: u64,
    /// What shows that the project wants it: a file, a command of its CI, or `config`.
    pub source: String,
    /// Why it cannot run here, as far as that is known without running it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<Lack>,
}

impl Fixer {
    /// The id of the run of a conversation's fixers over so many changes of a turn.
    pub fn call(turn: u32, changes: u64) -> CallId {
        CallId(format!("{FIXERS}_{turn}_{changes}"))
    }

    /// True for the id of such a run.
    pub fn is_call(call: &CallId) -> bool {
        call.0.strip_prefix(FIXERS).is_some_and(|it| it.starts_with('_'))
    }
}
