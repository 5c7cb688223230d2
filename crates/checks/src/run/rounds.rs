//! One run of the project's checks: narrower forms first, over what changed and the tests that it can reach; the whole
//! checks after these have passed, and at once where no narrower form is known. What a narrower form says counts against a
//! change; that it passes never does for one. What could not end is not run again in full.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ox_core::verify;
use ox_index::Snapshot;
use ox_protocol::{Check, CheckKind, CheckReport, CheckResult, CheckStatus, Event, Frame};
use ox_repo::Tree;

use super::again;
use super::earlier::{self, RunEarlier};
use super::kept::Kept;
use crate::narrow::{narrow, note_untested, reached};

pub use super::again::RunChecks;

/// The index of the tree as it is at this moment; none where it cannot be had. It may take its time.
pub type CurrentIndex = Arc<dyn Fn() -> Option<Snapshot> + Send + Sync>;

/// For finding out what a change reaches; after it the whole checks run.
const TIME: Duration = Duration::from_secs(5);

/// The files that were changed in the turn so far, each once, also by commands; under the names that they have now.
pub fn changed(frames: &[Frame]) -> Vec<String> {
    let turn = frames.iter().rev().take_while(|it| !matches!(it.event, Event::TurnStart { .. }));
    let outcomes = turn.filter_map(|it| match &it.event {
        Event::ToolComplete { outcome, .. } => Some(outcome),
        _ => None,
    });
    let paths: BTreeSet<String> = outcomes.flat_map(|it| &it.changed).map(|it| it.path.clone()).collect();
    paths.into_iter().collect()
}

/// So many files of tests hold more tests than a baseline has time for.
const LARGE: usize = 60;

/// The whole checks that were cut at their limit in this conversation and never came to their end: they would be cut again.
pub fn endless(frames: &[Frame]) -> Vec<Check> {
    let (mut cut, mut answered): (Vec<Check>, BTreeSet<&str>) = Default::default();
    let reports = frames.iter().filter_map(|it| match &it.event {
        Event::CheckResult { report, .. } => Some(report),
        _ => None,
    });
    for result in reports.flat_map(|it| &it.results).filter(|it| it.check.part_of.is_none()) {
        if result.status.is_answer() {
            answered.insert(result.check.command.as_str());
        } else if result.status == CheckStatus::TimedOut {
            cut.push(result.check.clone());
        }
    }
    cut.retain(|it| !answered.contains(it.command.as_str()));
    cut
}

/// What a run of checks starts from.
pub struct Round {
    /// Runs checks.
    pub run: RunChecks,
    /// The index, where there is one.
    pub index: Option<CurrentIndex>,
    /// The working tree.
    pub tree: Tree,
    /// The checks that are to run.
    pub checks: Vec<Check>,
    /// The files that were changed, for a baseline those that are about to be.
    pub changed: Vec<String>,
    /// What was known before the first edit.
    pub baseline: Option<CheckReport>,
    /// The whole checks that are known not to end.
    pub endless: Vec<Check>,
    /// Runs single tests over the tree before the edits; none where that is not kept.
    pub earlier: Option<RunEarlier>,
    /// What passed on other days over the same tree; it is believed before an edit and never after one.
    pub kept: Option<Arc<Kept>>,
}

impl Round {
    /// The narrower forms, which checks are reached at all, and whether the project has more tests than a baseline has time
    /// for; nothing where no index is.
    async fn forms(&self) -> Option<(Vec<Option<Check>>, Vec<bool>, bool)> {
        let index = self.index.clone()?;
        let (tree, checks, changed) = (self.tree.clone(), self.checks.clone(), self.changed.clone());
        let forms = tokio::task::spawn_blocking(move || {
            let snapshot = index()?;
            let large = snapshot.paths().filter(|it| ox_syntax::is_test(it)).nth(LARGE).is_some();
            Some((narrow(&checks, &tree, &snapshot, &changed), reached(&checks, &changed), large))
        });
        tokio::time::timeout(TIME, forms).await.ok()?.ok()?
    }

    fn is_endless(&self, check: &Check) -> bool {
        self.endless.iter().any(|it| it.command == check.command && it.limit_ms >= check.limit_ms)
    }

    /// Keeps what passed for another day.
    fn keep(&self, report: &CheckReport) {
        if let Some(kept) = self.kept.as_ref().filter(|_| !report.tree.is_empty()) {
            report.results.iter().for_each(|it| kept.keep(it, &self.tree, &report.tree));
        }
    }

    /// Runs the checks after a change; without one, all of them at once.
    pub async fn run(self) -> CheckReport {
        let forms = if self.changed.is_empty() { None } else { self.forms().await };
        let many = self.checks.len();
        let (forms, reached) = forms.map_or_else(|| (vec![None; many], vec![true; many]), |it| (it.0, it.1));
        let mut left_out: Vec<CheckResult> = Vec::new();
        let mut first = Vec::new();
        for ((form, whole), reached) in forms.iter().zip(&self.checks).zip(&reached) {
            match reached {
                true => first.push(form.as_ref().unwrap_or(whole).clone()),
                false => left_out.push(CheckResult::ended(whole.clone(), CheckStatus::NotReached)),
            }
        }
        let mut report = self.in_turn(first).await;
        report.results.iter_mut().for_each(doubt);
        let failed = !verify::compare(self.baseline.as_ref(), &report).is_empty();
        let mut whole = Vec::new();
        let wanted = self.checks.iter().zip(&forms).zip(&reached).filter(|it| *it.1 && it.0.1.is_some());
        for check in wanted.map(|it| it.0.0) {
            let part = report.results.iter().find(|it| it.check.part_of.as_ref() == Some(&check.command));
            let status = part.map(|it| it.status);
            // Where a part does not end, neither does the whole.
            if self.is_endless(check) || status == Some(CheckStatus::TimedOut) {
                left_out.push(endless_again(check));
            } else if failed || status == Some(CheckStatus::Skipped) {
                left_out.push(CheckResult::ended(check.clone(), CheckStatus::Skipped));
            } else {
                whole.push(check.clone());
            }
        }
        report.results.extend(left_out);
        if !whole.is_empty() {
            report.results.extend(self.in_turn(whole).await.results);
        }
        note_untested(&mut report.results, &self.changed);
        report
    }

    /// Runs checks so that one which failed before the edits too keeps none from running; after one that fails anew the rest
    /// tells nothing more.
    async fn in_turn(&self, checks: Vec<Check>) -> CheckReport {
        let before = self.baseline.iter().flat_map(|it| &it.results);
        let old: Vec<&str> = before.filter(|it| it.status.is_bad()).map(|it| it.check.command.as_str()).collect();
        let mut report = CheckReport::default();
        for group in checks.chunk_by(|it, _| !old.contains(&it.command.as_str())) {
            if !verify::compare(self.baseline.as_ref(), &report).is_empty() {
                let skipped = |it: &Check| CheckResult::ended(it.clone(), CheckStatus::Skipped);
                report.results.extend(group.iter().map(skipped));
                continue;
            }
            let found = (self.run)(group.to_vec()).await;
            self.keep(&found);
            report.tree = found.tree;
            for result in found.results {
                let mut result = again::if_flaky(&self.run, self.baseline.as_ref(), result).await;
                if let Some(earlier) = &self.earlier {
                    result = earlier::if_unknown(earlier, self.baseline.as_ref(), result).await;
                }
                report.results.push(result);
            }
        }
        report
    }

    /// Runs the checks before an edit of `changed`: of a large project's tests those that it can reach and no others.
    pub async fn before(self) -> CheckReport {
        let (mut run, mut left_out) = (Vec::new(), Vec::new());
        let tests = self.checks.iter().any(|it| it.kind == CheckKind::Test);
        let forms = if tests { self.forms().await } else { None };
        let (forms, _, large) = forms.unwrap_or_else(|| (vec![None; self.checks.len()], Vec::new(), false));
        for (check, form) in self.checks.iter().zip(forms) {
            let is_long = self.is_endless(check) || large && check.kind == CheckKind::Test;
            match form {
                Some(form) if is_long => run.push(form),
                None if is_long => {
                    let why = "it is not run before the edits: the project has many tests".to_owned();
                    left_out.push(CheckResult { tail: why, ..CheckResult::ended(check.clone(), CheckStatus::Skipped) });
                }
                _ => run.push(check.clone()),
            }
        }
        let stamp = self.kept.as_ref().map_or_else(String::new, |_| self.tree.snapshot().stamp());
        let find = |it: &Check| self.kept.as_ref()?.find(it, &self.tree, &stamp);
        let known: Vec<CheckResult> = run.iter().filter_map(find).collect();
        run.retain(|it| !known.iter().any(|known| known.check == *it));
        let mut report = if run.is_empty() { CheckReport::default() } else { (self.run)(run).await };
        self.keep(&report);
        if report.tree.is_empty() {
            report.tree = stamp;
        }
        report.results.splice(0..0, known);
        report.results.extend(left_out);
        report
    }
}

/// A check that would be cut again.
fn endless_again(check: &Check) -> CheckResult {
    let tail = format!("it does not end within its limit of {} s", check.limit_ms / 1000);
    CheckResult { tail, ..CheckResult::ended(check.clone(), CheckStatus::Skipped) }
}

/// A narrower form that fails without a word that can be read may itself be at fault: the whole check will tell.
fn doubt(result: &mut CheckResult) {
    let failed = result.status == CheckStatus::Failed;
    if failed && result.check.part_of.is_some() && result.diagnostics.is_empty() {
        result.status = CheckStatus::CouldNotStart;
        result.tail = "this part alone told nothing\n".to_owned() + &result.tail;
    }
}
