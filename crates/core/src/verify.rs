//! Which failures are new, and whether a report proves anything: what failed before the edit is not held against it, what it
//! newly breaks is, and nothing counts as seen that no check saw to its end.

use std::collections::BTreeSet;

use ox_protocol::{CheckKind, CheckReport, CheckResult, CheckStatus, Diagnostic, Verification};

/// A check that fails now in a way in which it did not fail before.
#[derive(Clone, Debug, PartialEq)]
pub struct Failing<'a> {
    /// The check.
    pub check: &'a CheckResult,
    /// What it complains about now and did not before; empty when its output could not be read.
    pub new: Vec<&'a Diagnostic>,
    /// True where this check, or the whole that it is a part of, was seen to its end before: that it fails is then the edits'
    /// doing.
    pub is_certain: bool,
}

/// True where something fails that is known not to have failed before.
pub fn is_worse(baseline: Option<&CheckReport>, now: &CheckReport) -> bool {
    compare(baseline, now).iter().any(|it| it.is_certain)
}

/// Compares a report with the baseline. A diagnostic is known when the baseline of the same check, or of a narrower form of
/// it, has one with the same file, code and message; lines move with every edit and do not count.
///
/// Where the output now could not be read into diagnostics, the whole check is compared: failing before and failing now is
/// no news, failing now alone is. Where only the output before could not be read, what is read now is another failure than
/// that one, such as an edit that does not compile where a test failed; what it hid before is not known. A check that was skipped, stopped at its limit or could not run before has
/// no baseline but for what it said. One that passed before and cannot run or end now has lost what it tested, and fails;
/// one that was stopped without a failure and had never ended does not. A narrower form of a check is held against what the
/// whole check said before. Where failing tests were run over the tree before the edits, that run says what is new of them.
pub fn compare<'a>(baseline: Option<&CheckReport>, now: &'a CheckReport) -> Vec<Failing<'a>> {
    now.results.iter().filter_map(|check| newly_failing(baseline, check)).collect()
}

fn newly_failing<'a>(baseline: Option<&CheckReport>, check: &'a CheckResult) -> Option<Failing<'a>> {
    let before = of(baseline, check);
    let passed_before = before.iter().any(|it| it.status == CheckStatus::Passed && is_whole(it));
    let lost = || (passed_before && is_whole(check)).then(|| Failing { check, new: Vec::new(), is_certain: true });
    match check.status {
        CheckStatus::Passed | CheckStatus::Skipped | CheckStatus::NotReached => return None,
        // That a narrower form cannot run is no loss: the whole check follows.
        CheckStatus::CouldNotStart | CheckStatus::NotInstalled | CheckStatus::Hidden => return lost(),
        // A build or a look at types takes as long as there is to do again; only tests that ran and no longer end are a loss.
        CheckStatus::TimedOut if check.none_failed() && !is_test(check) && !check.check.is_goal() => return None,
        CheckStatus::TimedOut if check.none_failed() => return lost(),
        CheckStatus::Failed | CheckStatus::TimedOut => {}
    }
    let failed_before = before.iter().any(|it| it.status == CheckStatus::Failed && it.diagnostics.is_empty());
    let read_before = before.iter().any(|it| it.status.is_bad() && !it.diagnostics.is_empty());
    let known_whole = failed_before || read_before && before.iter().any(|it| failed_whole(it));
    if check.diagnostics.is_empty() && known_whole {
        return None;
    }
    let seen = before.iter().copied().chain(&check.earlier);
    let known: BTreeSet<_> = seen.flat_map(|it| &it.diagnostics).map(identity).collect();
    let new: Vec<&Diagnostic> = check.diagnostics.iter().filter(|it| !known.contains(&identity(it))).collect();
    let same = |it: &CheckResult| is_whole(it) || it.check.command == check.check.command;
    let failed_earlier =
        |it: &Diagnostic| check.earlier.iter().flat_map(|it| &it.diagnostics).any(|old| old.code == it.code);
    let passed_earlier = !check.earlier.is_empty() && !new.iter().any(|it| failed_earlier(it));
    let is_certain = check.check.is_goal()
        || passed_earlier
        || !failed_before && before.iter().any(|it| it.status.is_answer() && same(it));
    if new.is_empty() && !check.diagnostics.is_empty() { None } else { Some(Failing { check, new, is_certain }) }
}

/// What the baseline has of a check: itself, the check that it is a part of, and parts of that.
fn of<'b>(baseline: Option<&'b CheckReport>, check: &CheckResult) -> Vec<&'b CheckResult> {
    // What was made the goal has to pass, however it ended before.
    if check.check.is_goal() {
        return Vec::new();
    }
    let whole = |it: &CheckResult| it.check.part_of.clone().unwrap_or_else(|| it.check.command.clone());
    let results = baseline.map_or(&[][..], |it| &it.results);
    results.iter().filter(|it| whole(it) == whole(check)).collect()
}

fn is_test(it: &CheckResult) -> bool {
    it.check.kind == CheckKind::Test
}

fn is_whole(it: &CheckResult) -> bool {
    it.check.part_of.is_none()
}

fn failed_whole(it: &CheckResult) -> bool {
    it.status == CheckStatus::Failed && is_whole(it)
}

fn identity(it: &Diagnostic) -> (&str, &str, &str) {
    (&it.file, &it.code, &it.message)
}

/// True where a report in which nothing is new proves that the change is sound: every whole check that can run ran to its
/// end, but for those that the change does not reach, what fails failed before to its end too, and something was seen to pass,
/// a test where there are tests, and one of those that the change reaches where these were run by themselves.
///
/// A test check that cannot run is missed where it alone looks after a file that was changed, whatever else passed.
///
/// Of tests that are too many to end in time, those that the change reaches have to pass; where tests passed, a check of
/// another kind that did not end in time takes nothing from that.
pub fn is_proof(baseline: Option<&CheckReport>, now: &CheckReport) -> bool {
    let whole = || now.results.iter().filter(|it| is_whole(it));
    let counted = |it: &CheckResult| it.tests.is_some_and(|tests| tests.passed > 0);
    let part_passed = |whole: &CheckResult| {
        let of_it = |it: &&CheckResult| it.check.part_of.as_deref() == Some(&whole.check.command);
        now.results.iter().filter(of_it).any(|it| it.status == CheckStatus::Passed && counted(it))
    };
    let tests_passed = whole().any(|it| is_test(it) && it.status == CheckStatus::Passed && counted(it));
    let sound = |it: &CheckResult| match it.status {
        CheckStatus::Passed => true,
        _ if it.check.is_goal() => false,
        CheckStatus::Failed => !it.earlier.is_empty() || of(baseline, it).into_iter().any(failed_whole),
        CheckStatus::TimedOut | CheckStatus::Skipped if is_test(it) => it.none_failed() && part_passed(it),
        CheckStatus::TimedOut => it.none_failed() && tests_passed,
        CheckStatus::Skipped => false,
        CheckStatus::CouldNotStart | CheckStatus::NotInstalled | CheckStatus::Hidden => it.untested.is_empty(),
        CheckStatus::NotReached => true,
    };
    // What failed before, too, still shows something where some of its tests pass.
    let shows = |it: &CheckResult| match it.status {
        CheckStatus::Passed => true,
        CheckStatus::Failed => counted(it),
        CheckStatus::TimedOut | CheckStatus::Skipped => part_passed(it),
        _ => false,
    };
    let reached = |it: &&CheckResult| is_test(it) && it.status != CheckStatus::NotReached;
    let tests = || whole().filter(reached);
    // Where the narrower forms, which are the tests that the change reaches, all fail as before, others say nothing about it.
    let mut near = now.results.iter().filter(|it| !is_whole(it) && reached(it) && it.status.is_answer()).peekable();
    if near.peek().is_some() && !near.any(shows) {
        return false;
    }
    whole().all(sound) && whole().any(shows) && (tests().next().is_none() || tests().any(shows))
}

/// True when `kind` has to pass under this setting.
pub fn is_required(verification: Verification, kind: CheckKind) -> bool {
    match verification {
        Verification::Full => true,
        Verification::Types => matches!(kind, CheckKind::Types | CheckKind::Lint),
        Verification::Off => false,
    }
}
