//! The project's own checks and what they reported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a check verifies. The order is cheap to dear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// Type check or compile check.
    Types,
    /// Style and correctness lint.
    Lint,
    /// Full build.
    Build,
    /// Tests.
    Test,
    /// Security audit.
    Security,
}

/// One command that the project verifies itself with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Short name, for example `cargo test`.
    pub name: String,
    /// What it verifies.
    pub kind: CheckKind,
    /// The shell command line, run in the project root.
    pub command: String,
    /// Time limit in milliseconds.
    pub limit_ms: u64,
    /// Where it was found, for example `Cargo.toml` or `config`.
    pub source: String,
    /// The command of the check that it is a narrower form of, which runs after it has passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
}

/// How one check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Exit code zero.
    Passed,
    /// Ran and failed.
    Failed,
    /// Killed at its time limit.
    TimedOut,
    /// Its program is not installed; held against nobody.
    Unavailable,
    /// Not run because an earlier, cheaper check failed.
    Skipped,
}

/// One thing a check complained about: a compiler message or a failing test.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostic {
    /// File relative to the project root; empty when unknown.
    pub file: String,
    /// 1-based line, 0 when unknown.
    pub line: u32,
    /// 1-based column, 0 when unknown.
    pub column: u32,
    /// Error code, rule or test name; empty when there is none.
    pub code: String,
    /// The message, one or more lines.
    pub message: String,
}

/// What one check reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// The check.
    pub check: Check,
    /// How it ended.
    pub status: CheckStatus,
    /// Exit code where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What it complained about, deduplicated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// The end of its output, cut to a budget; for when no diagnostic could be read from it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// Milliseconds.
    pub duration_ms: u64,
}

/// The results of one run of a set of checks over one state of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// Results in the order in which the checks ran. Empty: the project has no checks.
    pub results: Vec<CheckResult>,
    /// Stamp of the tree they ran over.
    pub tree: String,
}

impl CheckReport {
    /// The checks that ran and did not pass.
    pub fn failures(&self) -> impl Iterator<Item = &CheckResult> {
        self.results.iter().filter(|it| matches!(it.status, CheckStatus::Failed | CheckStatus::TimedOut))
    }

    /// True when nothing failed (also when nothing ran).
    pub fn passed(&self) -> bool {
        self.failures().next().is_none()
    }
}
