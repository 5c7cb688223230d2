//! Runs the project's checks.

use std::sync::Arc;
use std::time::Instant;

use ox_audit::{TestsAlone, tests_alone};
use ox_checks::red_green::{self, RunWithout, Without};
use ox_checks::{RunEarlier, rounds};
use ox_context::checks_output;
use ox_core::ChecksRun;
use ox_core::verify::compare;
use tokio::sync::OnceCell;

use ox_protocol::{BoxFuture, CheckReport, Event, Outcome, RedGreen};

use super::audit;
use super::context::TurnContext;
use crate::Journal;
use crate::project_index::ProjectIndex;

/// Runs the project's checks: narrower forms first where something was changed whose reach is known.
pub(super) fn run(cx: &TurnContext, journal: &Journal, job: &ChecksRun) -> BoxFuture<'static, Vec<Event>> {
    let all = journal.conversation().checks();
    let which = job.only.and_then(|index| all.get(index)).map_or_else(|| all.to_vec(), |it| vec![it.clone()]);
    let before = journal.conversation().baseline_so_far().filter(|_| job.baseline).cloned();
    let baseline = journal.conversation().baseline().cloned();
    let changed = if job.baseline { journal.conversation().files_at_hand() } else { rounds::changed(journal.frames()) };
    let tool = job.call.as_ref().and_then(|it| journal.conversation().call(it)).map(|it| it.tool.clone());
    let change = cx.env.run_without.clone().filter(|_| !job.baseline).map(|it| (it, audit::job(cx, journal)));
    let earlier = change.as_ref().map(|(run_without, _)| run_earlier(run_without.clone(), audit::job(cx, journal)));
    let known = red_greens(journal.conversation().last_report());
    let (env, job) = (&cx.env, job.clone());
    let round = rounds::Round {
        run: env.run_checks.clone(),
        index: env.index.clone().map(current_index),
        tree: env.tree.clone(),
        checks: which,
        changed,
        baseline: baseline.clone(),
        endless: rounds::endless(journal.frames()),
        earlier,
        kept: env.kept_checks.clone(),
    };
    let (tree, run, index) = (env.tree.clone(), env.run_checks.clone(), round.index.clone());
    Box::pin(async move {
        let began = Instant::now();
        let mut report = if job.baseline { round.before().await } else { round.run().await };
        // Where something fails anew the model goes on, and nothing of the change is final.
        let passed = compare(baseline.as_ref(), &report).is_empty();
        if let Some((run_without, change)) = change.filter(|_| passed) {
            let find = tokio::task::spawn_blocking(move || Some((tests_alone(&change.changes())?, index?()?)));
            if let Some((alone, snapshot)) = find.await.ok().flatten() {
                let TestsAlone { tests, before } = alone;
                let tests = red_green::Tests { tests, before, tree, snapshot, run, run_without };
                tests.prove(&mut report, &known).await;
            }
        }
        // A baseline grows check by check; each report of it holds all that came before.
        if let Some(before) = before.filter(|it| !it.results.is_empty()) {
            report =
                CheckReport { results: before.results.into_iter().chain(report.results).collect(), tree: before.tree };
        }
        let ChecksRun { id: want, call, baseline: is_baseline, round, total, .. } = job;
        let settled = call.zip(tool).map(|(call, tool)| {
            let output = checks_output(&report, baseline.as_ref());
            let outcome = Outcome { output, duration_ms: began.elapsed().as_millis() as u64, ..Outcome::default() };
            Event::ToolComplete { call, tool, outcome }
        });
        let result = Event::CheckResult { want, baseline: is_baseline, round, total, report };
        std::iter::once(result).chain(settled).collect()
    })
}

/// Runs checks over the tree as it was before the turn's edits; the texts are read when they are first needed.
fn run_earlier(run_without: RunWithout, change: audit::Job) -> RunEarlier {
    let (change, kept) = (Arc::new(change), Arc::new(OnceCell::new()));
    Arc::new(move |check| {
        let (run_without, change, kept) = (run_without.clone(), change.clone(), kept.clone());
        Box::pin(async move {
            let keep = || async {
                let texts = move || Without::keep(&change.texts_before()?).ok().map(Arc::new);
                tokio::task::spawn_blocking(texts).await.ok().flatten()
            };
            let without = kept.get_or_init(keep).await.clone()?;
            Some(run_without(check, without).await)
        })
    })
}

/// What is known of the changed tests without the rest of the change.
fn red_greens(report: Option<&CheckReport>) -> Vec<RedGreen> {
    report.into_iter().flat_map(|it| &it.results).filter_map(|it| it.red_green.clone()).collect()
}

/// The index as the tree is now: one that is behind would know other tests than there are.
fn current_index(index: ProjectIndex) -> rounds::CurrentIndex {
    Arc::new(move || {
        index.refresh(false, &|_| {}).ok()?;
        Some(index.snapshot())
    })
}
