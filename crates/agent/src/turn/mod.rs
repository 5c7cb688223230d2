//! The work of a turn: what is put on record before it, and how each want is performed.

mod audit;
mod checks;
pub(crate) mod command;
pub(crate) mod context;
mod fixers;
pub(crate) mod in_flight;
pub(crate) mod model;
mod order;
mod preview;
pub(crate) mod prune;
mod questions;
mod tool;

use ox_core::{ChecksRun, Want};
use ox_protocol::{BoxFuture, Event, FIXERS};

use crate::hooks::trigger::HookTrigger;
use crate::{Journal, subagents};
pub use context::TurnContext;
pub(crate) use preview::previewed;
pub(crate) use tool::tell;

/// What must be on disk before the want is performed.
pub fn announce(want: &Want, journal: &Journal) -> Vec<Event> {
    let iteration = journal.conversation().iteration();
    let started = |call: &ox_protocol::CallId| {
        journal.conversation().call(call).map(|it| Event::ToolStart {
            call: it.id.clone(),
            tool: it.tool.clone(),
            args: it.args.clone(),
            iteration,
        })
    };
    match want {
        Want::Tool { call, .. } => started(&call.id).into_iter().collect(),
        Want::Agent { agent, .. } => started(&agent.call).into_iter().collect(),
        // The core itself records the start of a round of verification.
        Want::Checks(ChecksRun { round: 1.., .. }) | Want::Checks(ChecksRun { only: Some(1..), .. }) => Vec::new(),
        Want::Fixers { call, .. } => {
            let commands: Vec<&str> = journal.conversation().fixers().iter().map(|it| it.command.as_str()).collect();
            let args = serde_json::json!({ "commands": commands });
            vec![Event::ToolStart { call: call.clone(), tool: FIXERS.to_owned(), args, iteration }]
        }
        Want::Checks(ChecksRun { id, call, baseline, round, total, .. }) => {
            let begun = Event::ChecksStart { want: *id, baseline: *baseline, round: *round, total: *total };
            call.as_ref().and_then(started).into_iter().chain([begun]).collect()
        }
        Want::Model { .. }
        | Want::Route { .. }
        | Want::Prune { .. }
        | Want::Audit { .. }
        | Want::Hook { .. }
        | Want::Wake { .. } => Vec::new(),
    }
}

/// The work itself. Everything that it needs is taken along, so that it can run beside the fold.
pub fn perform(cx: &TurnContext, want: &Want, journal: &Journal) -> BoxFuture<'static, Vec<Event>> {
    match want {
        Want::Model { id, choice, max_output, .. } => model::ask(cx, journal, *id, choice.clone(), *max_output),
        Want::Route { id } => cx.routed(journal, *id),
        Want::Prune { id, target } => prune::pruned(cx, journal, *id, *target),
        Want::Tool { call, .. } => tool::run(cx, journal, call),
        Want::Checks(job) => checks::run(cx, journal, job),
        Want::Agent { agent, .. } => subagents::run::run(cx, journal, agent),
        Want::Fixers { call, .. } => fixers::run(cx, journal, call),
        Want::Audit { id, changes } => audit::run(cx, journal, *id, *changes),
        Want::Hook { id, at, call } => {
            HookTrigger::of(journal, *id, *at, call.as_deref()).run(&cx.env, cx.cancel.clone())
        }
        Want::Wake { at, .. } => {
            let (at, sleep) = (*at, (cx.env.clock.sleep)(*at));
            Box::pin(async move {
                sleep.await;
                vec![Event::Woken { at }]
            })
        }
    }
}
