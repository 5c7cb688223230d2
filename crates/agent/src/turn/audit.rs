//! Audits the change of the running turn: its files as they were before the turn and as they are now, beside the index.
//!
//! Nothing is written. Where the state before the turn was not kept, git says how files were at the last commit; outside of a
//! repository only files that the turn made are compared with anything.

use std::collections::{BTreeMap, BTreeSet};

use ox_audit::{Changed, Ground};
use ox_index::Snapshot;
use ox_protocol::{
    AuditFinding, BoxFuture, ChangeKind, ChangeSize, Event, FileChange, Frame, PlanStep, Runner, WantId,
};
use ox_repo::{Checkpoints, Tree};

use super::context::TurnContext;
use crate::project_index::ProjectIndex;
use crate::summary::{asked, this_turn};
use crate::{Journal, checkpoint_guard, committed};

/// Looks at the change as it stands after so many `changes` of the turn.
pub(super) fn run(cx: &TurnContext, journal: &Journal, want: WantId, changes: u64) -> BoxFuture<'static, Vec<Event>> {
    let (job, runner) = (job(cx, journal), cx.env.tools.runner.clone());
    Box::pin(async move {
        let job = job.with_base(runner.as_ref()).await;
        let looked = tokio::task::spawn_blocking(move || job.findings());
        let (size, findings) = looked.await.expect("invariant: an audit does not panic");
        vec![Event::Audited { want, changes, size, findings }]
    })
}

/// The change of the turn as it is now, to be looked at elsewhere.
pub(super) fn job(cx: &TurnContext, journal: &Journal) -> Job {
    let conversation = journal.conversation();
    Job {
        files: touched(this_turn(journal.frames())),
        before: before(journal.frames()),
        checkpoints: cx.env.checkpoints.clone(),
        tree: cx.env.tree.clone(),
        index: cx.env.index.clone(),
        scope: conversation.scope().to_vec(),
        failed: failed(this_turn(journal.frames())),
        planned: planned(journal),
        task: asked(this_turn(journal.frames())),
        committed: BTreeMap::new(),
    }
}

/// The checkpoint from before the turn's first change.
fn before(frames: &[Frame]) -> Option<String> {
    let turn = this_turn(frames).iter().find_map(|it| match it.event {
        Event::TurnStart { turn, .. } => Some(turn),
        _ => None,
    });
    turn.and_then(|turn| checkpoint_guard::before_turn(frames, turn))
}

/// A file that the turn touched.
#[derive(Debug)]
struct Touched {
    /// Its name before the turn; none where the turn made it.
    from: Option<String>,
}

/// The files that the turn touched by the names that they have now, or had last.
fn touched(frames: &[Frame]) -> BTreeMap<String, Touched> {
    let outcomes = frames.iter().filter_map(|it| match &it.event {
        Event::ToolComplete { outcome, .. } => Some(&outcome.changed),
        _ => None,
    });
    let mut files: BTreeMap<String, Touched> = BTreeMap::new();
    for FileChange { path, kind, from, .. } in outcomes.flatten() {
        let earlier = from.as_ref().unwrap_or(path);
        let known = files.remove(earlier);
        let unknown = || (*kind != ChangeKind::Created).then(|| earlier.clone());
        files.insert(path.clone(), Touched { from: known.map_or_else(unknown, |it| it.from) });
    }
    files
}

/// The files and names of what checks complained about in this turn, before the first edit or later.
fn failed(frames: &[Frame]) -> BTreeSet<(String, String)> {
    let reports = frames.iter().filter_map(|it| match &it.event {
        Event::CheckResult { report, .. } => Some(report),
        _ => None,
    });
    let complaints = reports.flat_map(|it| &it.results).flat_map(|it| &it.diagnostics);
    complaints.map(|it| (it.file.clone(), it.code.clone())).collect()
}

/// The steps of the plan, where it was made for this turn.
fn planned(journal: &Journal) -> Vec<PlanStep> {
    journal.conversation().plan_at_hand().map(|it| it.steps.clone()).unwrap_or_default()
}

/// Everything that an audit needs, taken along to a thread that may read files.
pub(super) struct Job {
    files: BTreeMap<String, Touched>,
    before: Option<String>,
    checkpoints: Option<Checkpoints>,
    tree: Tree,
    index: Option<ProjectIndex>,
    scope: Vec<String>,
    failed: BTreeSet<(String, String)>,
    planned: Vec<PlanStep>,
    task: String,
    /// Files as the last commit has them, where no checkpoint has them.
    committed: BTreeMap<String, Vec<u8>>,
}

impl Job {
    /// The same with what files were at the last commit, where the state before the turn was not kept.
    pub(super) async fn with_base(mut self, runner: &dyn Runner) -> Job {
        if self.checkpoints.is_none() || self.before.is_none() {
            let from: Vec<String> = self.files.values().filter_map(|it| it.from.clone()).collect();
            self.committed = committed::files(runner, self.tree.root(), &from).await;
        }
        self
    }

    /// The changed files that no program wrote.
    pub(super) fn by_hand(&self) -> Vec<Changed> {
        let index = self.current_index();
        self.changes().into_iter().filter(|it| is_by_hand(index.as_ref(), it)).collect()
    }

    fn current_index(&self) -> Option<Snapshot> {
        let index = self.index.as_ref()?;
        index.refresh(false, &|_| {}).ok()?;
        Some(index.snapshot())
    }

    fn findings(&self) -> (ChangeSize, Vec<AuditFinding>) {
        let changes = self.changes();
        let read = |path: &str| self.now(path);
        let index = self.current_index();
        let names = self.files.iter().flat_map(|(path, it)| [Some(path), it.from.as_ref().filter(|it| *it != path)]);
        let touched: Vec<String> = names.flatten().cloned().collect();
        let ground = Ground {
            changes: &changes,
            touched: &touched,
            index: index.as_ref(),
            read: &read,
            scope: &self.scope,
            failed: &self.failed,
            planned: &self.planned,
            task: &self.task,
        };
        // What a program wrote nobody reads.
        let by_hand = changes.iter().filter(|it| is_by_hand(index.as_ref(), it));
        let mut size = ChangeSize::default();
        for it in by_hand.map(Changed::size) {
            size.files += it.files;
            size.lines = size.lines.saturating_add(it.lines);
        }
        (size, ox_audit::audit(&ground))
    }

    /// The changed files of which both texts are known.
    pub(super) fn changes(&self) -> Vec<Changed> {
        self.files.iter().filter_map(|(path, it)| self.changed(path, it)).collect()
    }

    /// A file with both of its texts; none where what it was is not known, and where it is as it was.
    fn changed(&self, path: &str, touched: &Touched) -> Option<Changed> {
        let before = self.before(touched)?;
        let after = self.now(path);
        (before != after).then(|| Changed { path: path.to_owned(), from: touched.from.clone(), before, after })
    }

    /// The texts of the changed files before the turn, by their names then; none under the names that are new. Nothing where
    /// one of them is not known.
    pub(super) fn texts_before(&self) -> Option<BTreeMap<String, Option<String>>> {
        let mut texts = BTreeMap::new();
        for (path, touched) in &self.files {
            let before = self.before(touched)?;
            let from = touched.from.as_ref().unwrap_or(path);
            if from != path {
                texts.insert(path.clone(), None);
            }
            texts.insert(from.clone(), before);
        }
        (!texts.is_empty()).then_some(texts)
    }

    /// The text before the turn, if there was one; nothing where that is not known.
    #[expect(clippy::option_option, reason = "what is not known is not what was not there")]
    fn before(&self, touched: &Touched) -> Option<Option<String>> {
        Some(match (&touched.from, &self.checkpoints, &self.before) {
            (None, ..) => None,
            (Some(from), Some(store), Some(id)) => store.content(id, from).ok()?.map(text),
            (Some(from), ..) => Some(text(self.committed.get(from)?.clone())),
        })
    }

    fn now(&self, path: &str) -> Option<String> {
        self.tree.listed(path).ok().map(text)
    }
}

/// False for a file that a program wrote, as far as the index knows.
fn is_by_hand(index: Option<&Snapshot>, it: &Changed) -> bool {
    index.is_none_or(|at| at.state(&it.path).is_none_or(|it| it.rule.is_none()))
}

/// Bytes as a text; what is none has no lines that matter here.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}
