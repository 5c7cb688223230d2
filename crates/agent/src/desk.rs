//! Where a turn's commands and wants meet the world of its session.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ox_core::{Rejected, Want, decide};
use ox_protocol::{BoxFuture, Command, Decision, Event, Keep, Level};

use ox_tools::{Board, Surroundings};

use crate::moments::Moment;
use crate::{Journal, World, perform};

/// One turn's access to the world.
pub struct Desk {
    pub(crate) world: World,
    pub(crate) cancel: Arc<AtomicBool>,
    /// The todo list and the plan, shared by the calls of the turn.
    pub(crate) board: Arc<Board>,
}

impl Desk {
    /// A desk for one turn.
    pub fn new(world: World, journal: &Journal) -> Desk {
        let turn = journal.turn();
        let board = Arc::new(Board::new(turn.todos().to_vec(), turn.plan().cloned()));
        Desk { world, cancel: Arc::new(AtomicBool::new(false)), board }
    }

    /// Asks everything that runs to end; blocking work looks at this from time to time.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// What must be on disk before the want is performed.
    pub fn announce(&self, want: &Want, journal: &Journal) -> Vec<Event> {
        let iteration = journal.turn().iteration();
        let started = |call: &ox_protocol::CallId| {
            journal.turn().call(call).map(|it| Event::ToolStart {
                call: it.id.clone(),
                tool: it.tool.clone(),
                args: it.args.clone(),
                iteration,
            })
        };
        match want {
            Want::Tool { call, .. } => started(&call.id).into_iter().collect(),
            // The core itself records the start of a round of verification.
            Want::Checks { round: 1.., .. } | Want::Checks { only: Some(1..), .. } => Vec::new(),
            Want::Checks { id, call, baseline, round, total, .. } => {
                let begun = Event::ChecksStart { want: *id, baseline: *baseline, round: *round, total: *total };
                call.as_ref().and_then(started).into_iter().chain([begun]).collect()
            }
            Want::Model { .. } | Want::Prune { .. } | Want::Hook { .. } | Want::Wake { .. } => Vec::new(),
        }
    }

    /// The work itself. Everything that it needs is taken along, so that it can run beside the fold.
    pub fn perform(&self, want: &Want, journal: &Journal) -> BoxFuture<'static, Vec<Event>> {
        match want {
            Want::Model { id, choice, max_output, .. } => {
                perform::model(self, journal, *id, choice.clone(), *max_output)
            }
            Want::Prune { id, target } => crate::pruning::pruned(self, journal, *id, *target),
            Want::Tool { call, .. } => perform::tool(self, journal, call),
            Want::Checks { id, call, baseline, only, round, total } => perform::checks(
                self,
                journal,
                perform::ChecksJob {
                    want: *id,
                    call: call.clone(),
                    baseline: *baseline,
                    only: *only,
                    round: *round,
                    total: *total,
                },
            ),
            Want::Hook { id, at, call } => {
                Moment::of(journal, *id, *at, call.as_deref()).hear(&self.world, self.cancel.clone())
            }
            Want::Wake { at, .. } => {
                let (at, sleep) = (*at, (self.world.clock.sleep)(*at));
                Box::pin(async move {
                    sleep.await;
                    vec![Event::Woken { at }]
                })
            }
        }
    }

    /// The facts that a piece of work brought, with the todo list and the plan as they stand now: calls of one reply run
    /// side by side, and the one that ends last may know an older state.
    pub fn brought(&self, events: Vec<Event>) -> Vec<Event> {
        let now = |event| match event {
            Event::Todo { .. } => Event::Todo { items: self.board.notes().todos },
            Event::Plan { plan } => Event::Plan { plan: self.board.notes().plan.unwrap_or(plan) },
            other => other,
        };
        // A command in the background that ended is told of with whatever comes next.
        events.into_iter().map(now).chain(self.world.jobs.news()).collect()
    }

    /// The facts that a command makes; none where it has no meaning now.
    pub fn command(&self, command: &Command, journal: &Journal) -> Vec<Event> {
        match decide(journal.turn(), command) {
            Ok(mut events) => {
                events.extend(self.remember(command, journal));
                events
            }
            Err(Rejected::NeedsFacts) => self.amend(command, journal).into_iter().collect(),
            Err(Rejected::Idle | Rejected::Busy | Rejected::NotAsked) => Vec::new(),
        }
    }

    /// A rule that is granted for the project is kept there; a rule that cannot be kept still holds for the conversation.
    fn remember(&self, command: &Command, journal: &Journal) -> Option<Event> {
        let Command::Decide { call, decision: Decision::AllowAlways { rule, keep: Keep::Project } } = command else {
            return None;
        };
        // The project's checks are asked about under an id of their own.
        let level = journal.turn().call(call).map_or(Level::Edit, |it| it.facts.level);
        let problem = (self.world.remember)(rule, level).err()?;
        Some(Event::Error { problem })
    }

    fn amend(&self, command: &Command, journal: &Journal) -> Option<Event> {
        let Command::Decide { call, decision: Decision::Amend { args } } = command else { return None };
        let old = journal.turn().call(call)?;
        let checks = perform::check_lines(journal);
        let around =
            Surroundings { tree: &self.world.tree, walls: &self.world.walls, jobs: &self.world.jobs, checks: &checks };
        let new = ox_tools::amended(&around, old, args.clone());
        Some(Event::Amended { call: new })
    }
}
