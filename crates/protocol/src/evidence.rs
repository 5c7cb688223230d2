//! What shows that something holds: a command, how it ended, over which tree.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ChangedTest, Dependence, Tests};

/// Bytes of the line that stands for an output.
const EXCERPT: usize = 200;

/// A command that was run, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The command line.
    pub command: String,
    /// Its exit code; none where it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Milliseconds.
    #[serde(default)]
    pub duration_ms: u64,
    /// Stamp of the tree that it ran over; empty where none was taken.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tree: String,
    /// The tests that it ran, where its output counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// The line of its output that tells most.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
}

impl Evidence {
    /// A line as an excerpt: its beginning.
    pub fn excerpt_of(line: &str) -> String {
        line[..line.floor_char_boundary(EXCERPT)].to_owned()
    }
}

/// What the model says that works, and the command that it says has shown it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// What is said to work.
    pub claim: String,
    /// The command, or the name of a check; empty where none is named.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// That run as it was recorded, where it passed over the tree as it is; none: the claim is the model's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

impl Claim {
    /// Reads `what works: `command``: the command stands in the last backticks, where it ends the text.
    pub fn of(text: &str) -> Claim {
        let text = text.trim();
        let ends = text.trim_end_matches(['.', ')']).strip_suffix('`').and_then(|it| it.rsplit_once('`'));
        let (claim, command) = ends.filter(|it| !it.0.is_empty()).unwrap_or((text, ""));
        let claim = claim.trim_end_matches([' ', ':', '(', '-', '–', '—']);
        Claim { claim: claim.to_owned(), command: command.trim().to_owned(), evidence: None }
    }
}

/// Tests of a change without the rest of it and with it, in a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedGreenLine {
    /// The tests.
    pub tests: Vec<ChangedTest>,
    /// What the runs show.
    pub dependence: Dependence,
    /// The run without the rest of the change.
    pub before: Evidence,
    /// The run with it.
    pub after: Evidence,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_a_claim_ends_it_in_backticks() {
        let table = [
            ("adds numbers: `pytest -q`", ("adds numbers", "pytest -q")),
            ("adds numbers (`pytest -q`).", ("adds numbers", "pytest -q")),
            ("`add` adds — `cargo test`", ("`add` adds", "cargo test")),
            ("`add` adds numbers", ("`add` adds numbers", "")),
            ("`cargo test`", ("`cargo test`", "")),
            ("", ("", "")),
        ];
        for (text, expected) in table {
            let claim = Claim::of(text);
            assert_eq!((claim.claim.as_str(), claim.command.as_str()), expected, "{text}");
        }
    }
}
