//! Runs the project's fixers over what the turn edited, and writes what belongs to the edits.
//!
//! The fixers work on a copy. A file is written only while it is as it was when they began, between two checkpoints; what fails is
//! named once in a conversation and never fails the turn.

use std::time::Instant;

use ox_checks::fix::{Edited, Fixed, FixedFile};
use ox_protocol::{BoxFuture, CallId, CheckpointReason, Event, FIXERS, FileChange, Fixer, Frame, Outcome, Problem};
use ox_repo::{RepoError, Tree};

use super::audit;
use super::context::TurnContext;
use super::tool::tell;
use crate::Journal;
use crate::checkpoint_guard::CheckpointGuard;
use crate::hooks::interrupted;

/// What says that a fixer is of no use in this conversation.
const USELESS: [&str; 3] = ["fixers.failed", "fixers.timed_out", "fixers.lacks"];

/// Runs the fixers of the turn; the run is recorded as the call `call`.
pub(super) fn run(cx: &TurnContext, journal: &Journal, call: &CallId) -> BoxFuture<'static, Vec<Event>> {
    let job = audit::job(cx, journal);
    let reported = reported(journal.frames());
    let useless = |it: &&Fixer| reported.iter().any(|(code, name)| USELESS.contains(code) && *name == it.name);
    let fixers: Vec<Fixer> = journal.conversation().fixers().iter().filter(|it| !useless(it)).cloned().collect();
    let known: Vec<(String, String)> = reported.iter().map(|it| (it.0.to_owned(), it.1.clone())).collect();
    let (env, cancel, call) = (cx.env.clone(), cx.cancel.clone(), call.clone());
    let now = (env.clock.now)();
    let around = |store| CheckpointGuard::around_agent(store, journal, &call, CheckpointReason::BeforeCall, now);
    let guard = env.checkpoints.clone().map(around);
    Box::pin(async move {
        let began = Instant::now();
        let fixed = match fixers.is_empty() {
            true => Fixed::default(),
            false => {
                let job = job.with_base(env.tools.runner.as_ref()).await;
                let find = tokio::task::spawn_blocking(move || job.by_hand());
                let edited = find.await.unwrap_or_default().into_iter().filter_map(edited).collect();
                tokio::select! {
                    fixed = (env.run_fixers)(fixers, edited) => fixed,
                    () = interrupted(&cancel) => Fixed::default(),
                }
            }
        };
        let mut events = Vec::new();
        let mut problems = fixed.problems;
        problems.dedup_by(|it, before| about(it) == about(before));
        problems.retain(|it| !known.contains(&about(it)));
        let mut changed = Vec::new();
        if !fixed.files.is_empty() {
            match written(&env.tree, guard.as_ref(), fixed.files, &mut events).await {
                Ok(files) => changed = files,
                Err(why) => problems.push(Problem::new("fixers.not_written").with("why", why)),
            }
        }
        events.extend(problems.into_iter().map(|problem| Event::Error { problem }));
        let output = words(&changed);
        let duration_ms = began.elapsed().as_millis() as u64;
        let outcome = Outcome { output, changed, duration_ms, ..Outcome::default() };
        tell(env.index.clone(), &outcome).await;
        events.push(Event::ToolComplete { call, tool: FIXERS.to_owned(), outcome });
        events
    })
}

fn edited(it: ox_audit::Changed) -> Option<Edited> {
    Some(Edited { path: it.path, before: it.before, now: it.after? })
}

/// What was said of fixers in this conversation, and of which.
fn reported(frames: &[Frame]) -> Vec<(&str, String)> {
    let said = frames.iter().filter_map(|it| match &it.event {
        Event::Error { problem } if problem.code.starts_with(FIXERS) => Some((problem.code.as_str(), name(problem))),
        _ => None,
    });
    said.collect()
}

fn about(problem: &Problem) -> (String, String) {
    (problem.code.clone(), name(problem))
}

fn name(problem: &Problem) -> String {
    problem.args.get("name").map(ToString::to_string).unwrap_or_default()
}

/// Writes the files that are still as they were, between two checkpoints; an error says why nothing was written.
async fn written(
    tree: &Tree,
    guard: Option<&CheckpointGuard>,
    files: Vec<FixedFile>,
    events: &mut Vec<Event>,
) -> Result<Vec<FileChange>, String> {
    if let Some(guard) = guard {
        events.extend(guard.before().await?);
    }
    let tree = tree.clone();
    let write = tokio::task::spawn_blocking(move || write(&tree, &files));
    let changed = write.await.map_err(|it| it.to_string())?.map_err(|it| it.to_string())?;
    if let Some(guard) = guard {
        events.extend(guard.after().await);
    }
    Ok(changed)
}

fn write(tree: &Tree, files: &[FixedFile]) -> Result<Vec<FileChange>, RepoError> {
    let mut transaction = tree.begin();
    let mut changed = Vec::new();
    for file in files {
        let Ok(old) = tree.read(&file.path) else { continue };
        // It was changed meanwhile, or it is stored in a way that a fixer did not see.
        if old.text == file.old {
            transaction.write(&file.path, old, &file.new);
            changed.push(file.change());
        }
    }
    if !changed.is_empty() {
        transaction.commit()?;
    }
    Ok(changed)
}

/// The words for the model: the files are no longer as it wrote them.
fn words(changed: &[FileChange]) -> String {
    if changed.is_empty() {
        return String::new();
    }
    let one = |it: &FileChange| {
        let why = it.why.as_deref().unwrap_or_default();
        format!("{} (+{} -{}, {why})", it.path, it.added, it.removed)
    };
    let files: Vec<String> = changed.iter().map(one).collect();
    format!("[The project's own fixers changed lines that you edited: {}. The files are now so.]", files.join(", "))
}
