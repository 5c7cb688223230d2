//! One run of the project's checks (T9): narrower forms first, over what changed and the tests that it can reach; the whole
//! checks after these have passed, and at once where no narrower form is known. What a narrower form says counts against a
//! change; that it passes never does for one.

use std::collections::BTreeSet;
use std::time::Duration;

use ox_core::verify;
use ox_protocol::{BoxFuture, Check, CheckReport, CheckResult, CheckStatus, Event, Frame};
use ox_repo::Tree;

use super::narrow;
use crate::knowledge::Knowledge;
use crate::world::RunChecks;

/// For finding out what a change reaches; after it the whole checks run.
const TIME: Duration = Duration::from_secs(5);

/// The files that were changed in the turn so far, each once, also by commands; under the names that they have now.
pub(crate) fn changed(frames: &[Frame]) -> Vec<String> {
    let turn = frames.iter().rev().take_while(|it| !matches!(it.event, Event::TurnStart { .. }));
    let outcomes = turn.filter_map(|it| match &it.event {
        Event::ToolComplete { outcome, .. } => Some(outcome),
        _ => None,
    });
    let paths: BTreeSet<String> = outcomes.flat_map(|it| &it.changed).map(|it| it.path.clone()).collect();
    paths.into_iter().collect()
}

/// Runs `checks` after a change of the files `changed`; without any, all of them at once.
pub(crate) fn run(
    run: RunChecks,
    knowledge: Option<Knowledge>,
    tree: &Tree,
    checks: Vec<Check>,
    changed: Vec<String>,
    baseline: Option<CheckReport>,
) -> BoxFuture<'static, CheckReport> {
    let Some(knowledge) = knowledge.filter(|_| !changed.is_empty()) else { return run(checks) };
    let (tree, all) = (tree.clone(), checks.clone());
    let forms = tokio::task::spawn_blocking(move || {
        // An index that is behind would know other tests than there are.
        knowledge.refresh(false, &|_| {}).ok()?;
        Some(narrow(&all, &tree, &knowledge.snapshot(), &changed))
    });
    Box::pin(async move {
        let forms = match tokio::time::timeout(TIME, forms).await {
            Ok(Ok(Some(forms))) if forms.iter().any(Option::is_some) => forms,
            _ => return run(checks).await,
        };
        let first = forms.iter().zip(&checks).map(|(form, whole)| form.as_ref().unwrap_or(whole).clone()).collect();
        let mut report = run(first).await;
        report.results.iter_mut().for_each(doubt);
        let narrowed: Vec<Check> = checks.into_iter().zip(forms).filter(|it| it.1.is_some()).map(|it| it.0).collect();
        let failed = !verify::compare(baseline.as_ref(), &report).is_empty();
        let is_pointless = |it: &Check| {
            let part = |of: &&CheckResult| of.check.part_of.as_ref() == Some(&it.command);
            failed || report.results.iter().find(part).is_some_and(|it| it.status == CheckStatus::Skipped)
        };
        let (pointless, left): (Vec<Check>, Vec<Check>) = narrowed.into_iter().partition(is_pointless);
        report.results.extend(pointless.into_iter().map(skipped));
        if !left.is_empty() {
            report.results.extend(run(left).await.results);
        }
        report
    })
}

/// A narrower form that fails without a word that can be read may itself be at fault: the whole check will tell.
fn doubt(result: &mut CheckResult) {
    let failed = matches!(result.status, CheckStatus::Failed | CheckStatus::TimedOut);
    if failed && result.check.part_of.is_some() && result.diagnostics.is_empty() {
        result.status = CheckStatus::Unavailable;
        result.tail = "this part alone told nothing\n".to_owned() + &result.tail;
    }
}

fn skipped(check: Check) -> CheckResult {
    CheckResult {
        check,
        status: CheckStatus::Skipped,
        exit_code: None,
        diagnostics: Vec::new(),
        tail: String::new(),
        duration_ms: 0,
    }
}
