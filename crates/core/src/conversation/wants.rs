//! What should be in flight now. Reads the state, changes nothing.

use ox_protocol::{CallKind, Statement, ToolChoice, WantId};

use super::state::{Baseline, Conversation, LoopState, PendingCall, Step};
use crate::want::{ChecksRun, Want};

/// Indices that keep timers apart from the other wants of the event that caused them.
const RETRY_TIMER: u16 = u16::MAX - 1;
const BASELINE_TIMER: u16 = u16::MAX - 2;
const DEADLINE_TIMER: u16 = u16::MAX - 3;
/// The index of the want that asks the router.
pub(super) const ROUTER: u16 = u16::MAX - 4;
const AUDIT: u16 = u16::MAX - 5;

impl Conversation {
    /// The wanted work, in the order in which it should begin. Equal states want equal work.
    pub fn wants(&self) -> Vec<Want> {
        let mut wants = match &self.phase {
            LoopState::Thinking { want, attempt } => {
                let max_output = self.turn.max_output;
                vec![Want::Model { id: *want, attempt: *attempt, choice: self.choice(), max_output }]
            }
            LoopState::Pruning { want, .. } => {
                vec![Want::Prune { id: *want, target: self.turn.window.target(&self.turn.model) }]
            }
            LoopState::Waiting { until, .. } => {
                vec![Want::Wake { id: WantId { seq: self.timer_id(), index: RETRY_TIMER }, at: *until }]
            }
            LoopState::Acting { pending } => self.runnable(pending),
            LoopState::Concluding(it) if self.fixers_come_first(it) => vec![self.fixers_want(it.seq)],
            LoopState::Concluding(it) if self.audit_is_due(it) => {
                vec![Want::Audit { id: WantId { seq: it.seq, index: AUDIT }, changes: self.turn.changes }]
            }
            LoopState::Checking { want, .. } => vec![self.checks_want(*want, None, false)],
            _ => Vec::new(),
        };
        wants.extend(self.review_want());
        self.wanted_hooks(&mut wants);
        if self.baseline_may_run() {
            self.baseline_and_deadline(&mut wants);
            wants.extend(self.routing().map(|id| Want::Route { id }));
        }
        wants
    }

    /// What the model must do about tools in this iteration.
    pub(super) fn choice(&self) -> ToolChoice {
        let model = &self.turn.model;
        let forbidden = model.reasons || !model.can_require || self.lacks(&model.name, "tool_choice");
        if self.turn.must_call && !forbidden { ToolChoice::Required } else { ToolChoice::Auto }
    }

    /// The calls that may be in flight together: the next run of read-only calls, or one mutation alone.
    pub(super) fn current<'a>(&self, pending: &'a [PendingCall]) -> &'a [PendingCall] {
        let Some(first) = pending.iter().position(|it| !it.is_settled()) else { return &[] };
        let reads = |it: &PendingCall| match it.call.facts.kind {
            CallKind::Read => true,
            CallKind::Agent => {
                let request = |it: &Statement| matches!(it, Statement::Agent { request } if request.worktree);
                !it.call.facts.may_change() || it.call.facts.statement.as_ref().is_some_and(request)
            }
            _ => false,
        };
        let alone = |it: &PendingCall| !reads(it);
        let length = match pending[first..].iter().position(alone) {
            Some(0) => 1,
            Some(length) => length,
            None => pending.len() - first,
        };
        &pending[first..first + length]
    }

    fn runnable(&self, pending: &[PendingCall]) -> Vec<Want> {
        let ready = |it: &&PendingCall| it.step == Step::Running || (it.step == Step::Waiting && self.is_cleared(it));
        self.current(pending)
            .iter()
            .filter(ready)
            .filter_map(|pending_call| match pending_call.call.facts.kind {
                CallKind::Question | CallKind::Conclude => None,
                CallKind::Agent => self.agent_want(pending_call),
                // Two runs at a time would slow each other, and may share a port or a file.
                CallKind::Checks if pending_call.step == Step::Waiting && self.mutation_waits() => None,
                CallKind::Checks if pending_call.step == Step::Waiting && self.fixers_are_due() => {
                    Some(self.fixers_want(pending_call.want.seq))
                }
                CallKind::Checks => Some(self.checks_want(pending_call.want, Some(&pending_call.call), false)),
                CallKind::Read => Some(Want::Tool { id: pending_call.want, call: Box::new(pending_call.call.clone()) }),
                CallKind::Mutate
                    if pending_call.step == Step::Waiting && pending_call.is_edit() && self.mutation_waits() =>
                {
                    None
                }
                CallKind::Mutate => {
                    Some(Want::Tool { id: pending_call.want, call: Box::new(pending_call.call.clone()) })
                }
            })
            .collect()
    }

    fn checks_want(&self, id: WantId, call: Option<&ox_protocol::Call>, baseline: bool) -> Want {
        let round = if call.is_some() || baseline { 0 } else { self.turn.check_round + 1 };
        let only = self.baseline_so_far().filter(|_| baseline).map(|done| done.results.len());
        Want::Checks(ChecksRun {
            id,
            call: call.map(|it| it.id.clone()),
            baseline,
            only,
            round,
            total: self.turn.limits.check_rounds,
        })
    }

    fn baseline_and_deadline(&self, wants: &mut Vec<Want>) {
        if let Baseline::Running { want, until, .. } = &self.turn.baseline {
            wants.push(self.checks_want(*want, None, true));
            if let Some(at) = until {
                wants.push(Want::Wake { id: WantId { seq: want.seq, index: BASELINE_TIMER }, at: *at });
            }
        }
        if let Some(at) = self.deadline() {
            wants.push(Want::Wake { id: WantId { seq: ox_protocol::Seq(0), index: DEADLINE_TIMER }, at });
        }
    }

    /// A timer's identity must not change while it is waited for, so it is the moment that it waits for.
    fn timer_id(&self) -> ox_protocol::Seq {
        match &self.phase {
            LoopState::Waiting { until, .. } => ox_protocol::Seq(until.0),
            _ => self.seq,
        }
    }
}
