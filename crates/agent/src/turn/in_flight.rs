//! The work in flight, by the identity of its want.

use std::collections::HashMap;
use std::time::Duration;

use ox_core::Want;
use ox_protocol::{BoxFuture, ChangeSize, Event, HookRun, Hooked, Outcome, WantId};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

/// How long effectful work may take to end after it was told to.
const DRAIN: Duration = Duration::from_secs(10);

/// What runs now.
#[derive(Default)]
pub struct InFlight {
    tasks: JoinSet<Vec<Event>>,
    running: HashMap<Id, (Want, AbortHandle)>,
}

impl InFlight {
    /// True when this want is in flight.
    pub fn has(&self, id: WantId) -> bool {
        self.running.values().any(|(want, _)| want.id() == id)
    }

    /// Begins one piece of work.
    pub fn start(&mut self, want: Want, future: BoxFuture<'static, Vec<Event>>) {
        let handle = self.tasks.spawn(future);
        self.running.insert(handle.id(), (want, handle));
    }

    /// Ends what is no longer wanted; what may change files or processes is left to finish.
    pub fn keep(&mut self, wants: &[Want]) {
        self.running.retain(|_, (want, handle)| {
            let keep = want.is_effectful() || wants.iter().any(|it| it.id() == want.id());
            if !keep {
                handle.abort();
            }
            keep
        });
    }

    /// The facts that the next finished piece of work brings; pending for ever when nothing runs.
    pub async fn next(&mut self) -> Vec<Event> {
        loop {
            match self.tasks.join_next_with_id().await {
                None => std::future::pending().await,
                Some(Ok((id, events))) if self.running.remove(&id).is_some() => return events,
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    if let Some((want, _)) = self.running.remove(&error.id()) {
                        return broke(&want, &error);
                    }
                }
            }
        }
    }

    /// Ends everything; the results of effectful work are waited for.
    pub async fn drain(&mut self) -> Vec<Event> {
        self.keep(&[]);
        let mut events = Vec::new();
        while !self.running.is_empty() {
            match tokio::time::timeout(DRAIN, self.next()).await {
                Ok(more) => events.extend(more),
                Err(_) => break,
            }
        }
        self.tasks.abort_all();
        self.running.clear();
        events
    }
}

/// A panic ends one piece of work, never the turn.
fn broke(want: &Want, error: &JoinError) -> Vec<Event> {
    let words = format!(
        "an internal error of Ox ended this: {error}. The tree may be as it was before; look before trying again."
    );
    match want {
        Want::Tool { call, .. } => {
            vec![Event::ToolComplete {
                call: call.id.clone(),
                tool: call.tool.clone(),
                outcome: Outcome::failed(words),
            }]
        }
        Want::Checks(ox_core::ChecksRun { id, call, baseline, round, total, .. }) => {
            let report = ox_protocol::CheckReport::default();
            let result = Event::CheckResult { want: *id, baseline: *baseline, round: *round, total: *total, report };
            let settled = call.iter().map(|call| Event::ToolComplete {
                call: call.clone(),
                tool: ox_protocol::CHECKS_RULE.to_string(),
                outcome: Outcome::failed(words.clone()),
            });
            std::iter::once(result).chain(settled).collect()
        }
        Want::Fixers { call, .. } => vec![Event::ToolComplete {
            call: call.clone(),
            tool: ox_protocol::FIXERS.to_string(),
            outcome: Outcome::failed(words),
        }],
        // What could not be audited is told; it is nobody's fault, so that the turn may end.
        Want::Audit { id, changes } => vec![
            Event::Error { problem: ox_protocol::Problem::new("audit.broke").with("what", error.to_string()) },
            Event::Audited { want: *id, changes: *changes, size: ChangeSize::default(), findings: Vec::new() },
        ],
        Want::Model { id, .. } => {
            let failure = ox_protocol::Failure {
                kind: ox_protocol::FailureKind::Malformed,
                status: None,
                message: words,
                retry_after_ms: None,
                partial: String::new(),
            };
            vec![Event::ModelFailed { want: *id, failure, jitter: 0 }]
        }
        Want::Route { id } => {
            let routed = ox_core::intent::Routed { failure: words, ..Default::default() };
            vec![crate::router::event(*id, routed)]
        }
        Want::Hook { id, at, call } => {
            let run = HookRun {
                command: String::new(),
                blocked: true,
                message: words,
                exit_code: None,
                timed_out: false,
                duration_ms: 0,
            };
            let call = call.as_ref().map(|it| it.id.clone());
            vec![Event::Hooked(Hooked { want: *id, at: *at, call, runs: vec![run] })]
        }
        Want::Prune { id, .. } => vec![Event::Pruned {
            want: *id,
            pruning: ox_protocol::Pruning::default(),
            before: ox_protocol::Tokens(1),
            after: ox_protocol::Tokens(1),
        }],
        Want::Agent { agent, .. } => crate::subagents::result::broke(agent, words),
        Want::Wake { at, .. } => vec![Event::Woken { at: *at }],
    }
}
