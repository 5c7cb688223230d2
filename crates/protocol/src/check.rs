//! The project's own checks and what they reported.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AuditFinding, AuditKind};

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
    /// Where the project itself says that it runs this: a file of its CI, and the command there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The command of the check that it is a narrower form of, which runs after it has passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// How one test of it is run, with words in capitals for what to put in; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one: Option<String>,
    /// Why it cannot run here, as far as that is known without running it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<Lack>,
}

/// What the name of a narrower form of a check ends with, in the log and for the model. People read it in their own words:
/// [`Language::check`](crate::locale::Language::check).
pub const NARROW: &str = " (narrow)";

/// The name and source of the command that the user made the goal of a run.
const GOAL: &str = "until";

impl Check {
    /// A command that the user made the goal: it has to pass, whatever it did before and whatever else is verified.
    pub fn goal(command: &str, limit_ms: u64) -> Check {
        Check::new(GOAL, CheckKind::Test, command, limit_ms, GOAL)
    }

    /// True for the goal of a run.
    pub fn is_goal(&self) -> bool {
        self.name == GOAL && self.source == GOAL && self.part_of.is_none()
    }

    /// A whole check of which nothing more is known.
    pub fn new(name: &str, kind: CheckKind, command: &str, limit_ms: u64, source: &str) -> Check {
        Check {
            name: name.to_owned(),
            kind,
            command: command.to_owned(),
            limit_ms,
            source: source.to_owned(),
            evidence: None,
            part_of: None,
            one: None,
            lacks: None,
        }
    }
}

/// Why a check cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lack {
    /// One of the statuses of a check that did not run.
    pub status: CheckStatus,
    /// What is missing and what to do, in words for whoever must act.
    pub why: String,
}

/// How one check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Exit code zero.
    Passed,
    /// Ran and failed.
    Failed,
    /// Killed at its time limit; what it said until then counts as a part.
    TimedOut,
    /// Its programs are there and it did not get to look at anything: no tests, a broken toolchain.
    #[serde(alias = "unavailable")]
    CouldNotStart,
    /// A program or package that it needs is not installed.
    NotInstalled,
    /// What it needs is installed, but out of reach for commands.
    Hidden,
    /// Not run: an earlier, cheaper check failed, or it is known not to end in time.
    Skipped,
    /// Not run: the change does not reach it, as a project in another language beside it.
    NotReached,
}

impl CheckStatus {
    /// True when it ran and did not pass.
    pub fn is_bad(self) -> bool {
        matches!(self, CheckStatus::Failed | CheckStatus::TimedOut)
    }

    /// True when it ran until it had an answer.
    pub fn is_answer(self) -> bool {
        matches!(self, CheckStatus::Passed | CheckStatus::Failed)
    }

    /// True when it cannot run here; held against nobody, and proof of nothing.
    pub fn is_missing(self) -> bool {
        matches!(self, CheckStatus::CouldNotStart | CheckStatus::NotInstalled | CheckStatus::Hidden)
    }
}

/// Tests that were seen to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tests {
    /// Those that passed.
    pub passed: u32,
    /// Those that failed.
    pub failed: u32,
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
    /// The tests that it was seen to run, as far as its output counts them; with a time-out those until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// What it created or changed in the project, ignored files apart: a check that writes is not run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrote: Vec<String>,
    /// Tests that failed and passed when they were run once more, over the same tree; they count as passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
    /// Changed files that no test which ran looks after, only this check that could not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untested: Vec<String>,
    /// What newly failing tests said over the tree before the turn's edits, where no baseline had shown it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<CheckResult>,
    /// The lines around the places of its first complaints, by `file:line`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub source: BTreeMap<String, String>,
    /// The tests of the change, run without the rest of it; only of a check that passed with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red_green: Option<RedGreen>,
    /// Milliseconds.
    pub duration_ms: u64,
}

/// A test that a change adds or alters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedTest {
    /// Its file, relative to the project root.
    pub file: String,
    /// Its name.
    pub name: String,
    /// 1-based line.
    pub line: u32,
    /// True where it is new.
    pub is_new: bool,
}

/// What two runs of the same tests show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dependence {
    /// They fail without the change and pass with it.
    Shown,
    /// They pass without it too.
    None,
    /// One of the runs had no answer.
    Unknown,
}

/// The tests of a change, run without the rest of the change and with it: what fails first and passes then depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RedGreen {
    /// The tests.
    pub tests: Vec<ChangedTest>,
    /// Stamp of the texts that the run without the change had.
    pub stamp: String,
    /// The run without the rest of the change.
    pub before: Box<CheckResult>,
    /// The run with it.
    pub after: Box<CheckResult>,
}

impl CheckResult {
    /// The result of a check of which nothing is known but how it ended.
    pub fn ended(check: Check, status: CheckStatus) -> CheckResult {
        CheckResult {
            check,
            status,
            exit_code: None,
            diagnostics: Vec::new(),
            tail: String::new(),
            tests: None,
            wrote: Vec::new(),
            flaky: Vec::new(),
            untested: Vec::new(),
            earlier: Vec::new(),
            source: BTreeMap::new(),
            red_green: None,
            duration_ms: 0,
        }
    }

    /// True when nothing that it said until it ended was a failure.
    pub fn none_failed(&self) -> bool {
        self.diagnostics.is_empty() && self.tests.is_none_or(|it| it.failed == 0)
    }

    /// The line that tells most about why it did not pass; empty where it said nothing.
    pub fn cause(&self) -> &str {
        if let Some(first) = self.diagnostics.first() {
            return first.message.lines().next().unwrap_or_default();
        }
        let lines = || self.tail.lines().map(str::trim).filter(|it| !it.is_empty() && *it != "[…]");
        let tells = |it: &&str| {
            let low = it.to_lowercase();
            ["error", "fatal", "not found", "no such", "cannot", "failed"].iter().any(|word| low.contains(word))
        };
        lines().find(tells).or_else(|| lines().next()).unwrap_or_default()
    }
}

impl RedGreen {
    /// What the two runs show.
    pub fn dependence(&self) -> Dependence {
        let ran = |it: &CheckResult| it.tests.is_none_or(|tests| tests.passed > 0);
        match (self.before.status, self.after.status) {
            (CheckStatus::Failed, CheckStatus::Passed) => Dependence::Shown,
            (CheckStatus::Passed, CheckStatus::Passed) if ran(&self.before) => Dependence::None,
            _ => Dependence::Unknown,
        }
    }

    /// The new tests, where they pass without the change too.
    pub fn findings(&self) -> Vec<AuditFinding> {
        let new = self.tests.iter().filter(|it| it.is_new && self.dependence() == Dependence::None);
        let finding = |it: &ChangedTest| AuditFinding {
            kind: AuditKind::PassesWithoutChange,
            file: it.file.clone(),
            line: it.line,
            about: it.name.clone(),
            before: String::new(),
            now: String::new(),
        };
        new.map(finding).collect()
    }
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
        self.results.iter().filter(|it| it.status.is_bad())
    }

    /// What the runs of the changed tests without the change tell against them; nothing where one of them depends on it.
    pub fn unproven(&self) -> Vec<AuditFinding> {
        let runs = || self.results.iter().filter_map(|it| it.red_green.as_ref());
        let all = runs().all(|it| it.dependence() == Dependence::None);
        runs().filter(|_| all).flat_map(RedGreen::findings).collect()
    }

    /// True when nothing failed (also when nothing ran).
    pub fn passed(&self) -> bool {
        self.failures().next().is_none()
    }
}
