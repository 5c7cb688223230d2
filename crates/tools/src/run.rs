//! Runs a call. What the mode or the scope forbids is refused here again, whatever was decided before.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use ox_protocol::{Call, CallFacts, Level, Outcome, PathUse, Status};
use serde_json::Value;

use crate::tool::{Ran, Run, Tool};
use crate::{Cx, ToolError, facts, names};

/// Runs `call` to its end. Never fails and never panics: what goes wrong is an outcome with words for the model.
pub async fn run(cx: &Cx, call: &Call) -> Ran {
    let began = Instant::now();
    let mut ran = match permitted(cx, call) {
        Err(refused) => refused.into(),
        Ok((tool, cx)) => perform(&cx, tool, &call.args).await.unwrap_or_else(|error| failed(&error).into()),
    };
    ran.outcome.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    ran
}

/// The tool and the world it may act in.
fn permitted(cx: &Cx, call: &Call) -> Result<(&'static Tool, Cx), Outcome> {
    if let Some(words) = &call.facts.rejected {
        return Err(Outcome::failed(words));
    }
    let tool = names::find(&call.tool).ok_or_else(|| Outcome::failed(names::unknown(&call.tool)))?;
    if !tool.is_allowed(cx.mode) {
        return Err(failed(&ToolError::Mode { tool: tool.name, mode: cx.mode }));
    }
    let now = facts::of(&cx.tree, tool, &call.args);
    for path in now.paths.iter().filter(|it| it.write) {
        cx.within_scope(&path.path).map_err(|error| failed(&error))?;
    }
    Ok((tool, consented(cx, &call.facts, &now)))
}

/// Widens the tree by the outside paths that were already outside when the call was decided on.
fn consented(cx: &Cx, decided: &CallFacts, now: &CallFacts) -> Cx {
    if decided.level != Level::System {
        return cx.clone();
    }
    let outside = |it: &&PathUse| it.path.starts_with('/') && decided.paths.contains(it);
    let outside: Vec<PathUse> = now.paths.iter().filter(outside).cloned().collect();
    if outside.is_empty() { cx.clone() } else { cx.reaching(&outside) }
}

async fn perform(cx: &Cx, tool: &'static Tool, args: &Value) -> Result<Ran, ToolError> {
    match tool.run {
        Run::Quick(run) => guarded(tool, || run(cx, args)),
        Run::Slow(run) => {
            let (cx, args) = (cx.clone(), args.clone());
            let work = tokio::task::spawn_blocking(move || guarded(tool, || run(&cx, &args)));
            work.await.unwrap_or_else(|error| Err(ToolError::Broke { tool: tool.name, what: error.to_string() }))
        }
        Run::Waits(run) => run(cx, args).await,
        Run::Wanted => Err(ToolError::Wrong(format!("`{}` is answered by the turn, not run as a tool", tool.name))),
    }
}

/// A panic in a tool is that call's failure and nobody else's.
fn guarded(tool: &Tool, run: impl FnOnce() -> Result<Ran, ToolError>) -> Result<Ran, ToolError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<&str>().map(|it| (*it).to_string());
        let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into());
        Err(ToolError::Broke { tool: tool.name, what })
    })
}

fn failed(error: &ToolError) -> Outcome {
    let status = match error {
        ToolError::Mode { .. } | ToolError::Scope { .. } => Status::Denied,
        ToolError::Cancelled => Status::Interrupted,
        _ => Status::Failed,
    };
    Outcome { tree_changed: matches!(error, ToolError::HalfDone { .. }), ..Outcome::ended(status, error.to_string()) }
}
