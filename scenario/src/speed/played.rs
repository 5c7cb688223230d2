//! Tools that are played: their results come from the file, and nothing is read or written.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ox_agent::RunTool;
use ox_protocol::{Call, CallId, CallKind, ChangeKind, Event, FileChange, Frame, Outcome, Status};
use ox_tools::ToolResult;

use crate::speed::stage::Stage;
use crate::text::{Doc, Section};

/// Runs each call by the section of the file that tells its result.
pub(crate) fn tools(doc: &Doc, stage: &Arc<Stage>) -> RunTool {
    let results: Arc<[Section]> = doc.sections.iter().filter(|it| is_played(&it.name)).cloned().collect();
    let stage = stage.clone();
    Arc::new(move |toolbox, cx, call| {
        let section = result_of(&stage.lock().frames, &results, &call.id);
        Box::pin(async move {
            // A call that the file has no result of is broken off, or the process dies.
            let Some(section) = section else { return std::future::pending().await };
            let outcome = outcome(&call, &section);
            while outcome.status == Status::Interrupted && !cx.cancel.load(Ordering::Relaxed) {
                tokio::task::yield_now().await;
            }
            // Tools that only take notes do so at this speed too: the turn folds their notes.
            let notes = call.facts.pinned && call.facts.kind == CallKind::Read;
            let events = if notes { toolbox.run(&cx, &call).await.events } else { Vec::new() };
            ToolResult { outcome, events }
        })
    })
}

/// True for a section with the result of a tool; a sub-agent really runs, with tools that are played.
fn is_played(section: &str) -> bool {
    section.starts_with("tool: ") && !section.starts_with("tool: spawn_subagent")
}

/// The result that the file has for a call: in the order of the calls each gets the next one that bears its tool's name.
fn result_of(frames: &[Frame], results: &[Section], wanted: &CallId) -> Option<Section> {
    let mut left = results.iter();
    for frame in frames {
        let Event::StreamComplete { calls, .. } = &frame.event else { continue };
        for call in calls {
            let tool = call.tool.split(' ').next().unwrap_or_default();
            let next = left.as_slice().first().filter(|it| it.name.split(' ').nth(1) == Some(tool));
            if next.is_some() {
                left.next();
            }
            if call.id == *wanted {
                return next.cloned();
            }
        }
    }
    None
}

/// The exit code that a command's output names; without one it was 0.
fn exit_code(output: &str) -> i32 {
    let named = output.rsplit_once("exit code ").map_or("", |it| it.1);
    named.split(|it: char| !it.is_ascii_digit()).next().and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// The outcome that a section of the file tells of; see [`crate::scribe`] for the endings.
fn outcome(call: &Call, section: &Section) -> Outcome {
    let name = section.name.trim_start_matches("tool: ");
    let ending = name.strip_prefix(call.tool.as_str()).unwrap_or_default().trim();
    let status = match ending {
        "failed" => Status::Failed,
        "denied" => Status::Denied,
        "skipped" => Status::Skipped,
        "interrupted" => Status::Interrupted,
        _ => Status::Ok,
    };
    let is_command = call.facts.command.is_some();
    let edited = status == Status::Ok && call.facts.kind == CallKind::Mutate && !is_command && ending != "unchanged";
    let written = call.facts.paths.iter().filter(|it| it.write && edited);
    let changed = written.map(|it| FileChange {
        path: it.path.clone(),
        kind: ChangeKind::Modified,
        from: None,
        why: None,
        diff: String::new(),
        added: 0,
        removed: 0,
    });
    Outcome {
        status,
        exit_code: (is_command && status == Status::Ok).then(|| exit_code(&section.body)),
        output: section.body.strip_suffix('\n').unwrap_or(&section.body).to_string(),
        changed: changed.collect(),
        tree_changed: is_command && ending == "changed" || edited,
        ..Outcome::default()
    }
}
