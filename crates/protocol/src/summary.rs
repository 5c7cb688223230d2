//! What a finished turn says of itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AuditFinding, CheckStatus, Claim, Evidence, FileChange, Finding, Money, PlanStep, Problem, RedGreenLine, Tests,
    Usage,
};

/// What a turn did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The model's last words.
    pub text: String,
    /// Files changed, each with the reasons given.
    #[serde(default)]
    pub files: Vec<FileChange>,
    /// The last checks, one line each: name and how it ended.
    #[serde(default)]
    pub checks: Vec<CheckLine>,
    /// Runs of the project's tests by the model that passed over this very tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Evidence>,
    /// The tests that the change adds or alters, run without the rest of it and with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub red_green: Vec<RedGreenLine>,
    /// What the model says that works, each with the run that shows it or without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// What an audit of the change found and the model kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<AuditFinding>,
    /// What a reviewer said of the change, where one was to look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewSummary>,
    /// How to see the result by hand, in the model's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verify: String,
    /// The steps of the plan that the turn worked by, as they stand at its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    /// What was left undone.
    #[serde(default)]
    pub undone: Vec<String>,
    /// Iterations used.
    pub iterations: u32,
    /// Tokens used.
    pub usage: Usage,
    /// Cost, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// Wall-clock time.
    pub duration_ms: u64,
}

/// What a reviewer found that still stands, or why none could judge the change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewSummary {
    /// Errors and warnings in files that are as they were when it looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Finding>,
    /// Why the change was not reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_reviewed: Option<Problem>,
}

/// One line about one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckLine {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub status: CheckStatus,
    /// True when it failed before the first edit in the same way.
    #[serde(default)]
    pub failed_before: bool,
    /// Why it did not pass or run, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The tests that it was seen to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// Tests that failed and passed when they were run once more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
    /// Changed files that only this check tests, which could not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untested: Vec<String>,
    /// How it ran; none where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

impl CheckLine {
    /// A line of which nothing is known but how the check ended.
    pub fn new(name: &str, status: CheckStatus) -> CheckLine {
        CheckLine {
            name: name.to_string(),
            status,
            failed_before: false,
            why: String::new(),
            tests: None,
            flaky: Vec::new(),
            untested: Vec::new(),
            evidence: None,
        }
    }
}
