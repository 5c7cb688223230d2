//! Which failures are new: what failed before the edit is not held against it, what it newly breaks is (T9).

use std::collections::BTreeSet;

use ox_protocol::{CheckKind, CheckReport, CheckResult, CheckStatus, Diagnostic, Verification};

/// A check that fails now in a way in which it did not fail before.
#[derive(Clone, Debug, PartialEq)]
pub struct Failing<'a> {
    /// The check.
    pub check: &'a CheckResult,
    /// What it complains about now and did not before; empty when its output could not be read.
    pub new: Vec<&'a Diagnostic>,
}

/// Compares a report with the baseline. A diagnostic is known when the baseline of the same check has one with the
/// same file, code and message; lines move with every edit and do not count.
///
/// Where either side's output could not be read into diagnostics, the whole check is compared: failing before and
/// failing now is no news, failing now alone is. A check that was skipped or unavailable before has no baseline. One
/// that passed before and cannot run now has lost what it tested, and fails. A narrower form of a check is held against what
/// the whole check said before.
pub fn compare<'a>(baseline: Option<&CheckReport>, now: &'a CheckReport) -> Vec<Failing<'a>> {
    now.results.iter().filter_map(|check| newly_failing(baseline, check)).collect()
}

fn newly_failing<'a>(baseline: Option<&CheckReport>, check: &'a CheckResult) -> Option<Failing<'a>> {
    let whole = check.check.part_of.as_ref().unwrap_or(&check.check.command);
    let before = baseline.and_then(|it| it.results.iter().find(|it| it.check.command == *whole));
    match check.status {
        CheckStatus::Passed | CheckStatus::Skipped => return None,
        CheckStatus::Unavailable => {
            // That a narrower form cannot run is no loss: the whole check follows.
            let is_lost = check.check.part_of.is_none() && before.is_some_and(|it| it.status == CheckStatus::Passed);
            return is_lost.then(|| Failing { check, new: Vec::new() });
        }
        CheckStatus::Failed | CheckStatus::TimedOut => {}
    }
    let before = before.filter(|it| matches!(it.status, CheckStatus::Failed | CheckStatus::TimedOut));
    let Some(before) = before else {
        return Some(Failing { check, new: check.diagnostics.iter().collect() });
    };
    if before.diagnostics.is_empty() || check.diagnostics.is_empty() {
        return None;
    }
    let known: BTreeSet<_> = before.diagnostics.iter().map(identity).collect();
    let new: Vec<&Diagnostic> = check.diagnostics.iter().filter(|it| !known.contains(&identity(it))).collect();
    if new.is_empty() { None } else { Some(Failing { check, new }) }
}

fn identity(it: &Diagnostic) -> (&str, &str, &str) {
    (&it.file, &it.code, &it.message)
}

/// True when `kind` has to pass under this setting.
pub fn is_required(verification: Verification, kind: CheckKind) -> bool {
    match verification {
        Verification::Full => true,
        Verification::Types => matches!(kind, CheckKind::Types | CheckKind::Lint),
        Verification::Off => false,
    }
}

/// True when at least one check really ran.
pub fn has_run(report: &CheckReport) -> bool {
    report.results.iter().any(|it| !matches!(it.status, CheckStatus::Unavailable | CheckStatus::Skipped))
}
