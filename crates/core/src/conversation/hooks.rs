//! The user's hooks in the life of a turn: before its first request, around each call, before its end.
//!
//! A hook only tightens: it can end a turn, deny a call, add words to a result or send the model back to work. Nothing
//! that it says makes anything run.

use ox_protocol::{Event, Gate, HookPoint, HookRun, Outcome, Status, Stop, WantId};

use super::state::{Concluding, Conversation, Hooks, LoopState, PendingCall, Step};
use crate::permit::names_tool;
use crate::{Want, words};

/// Indices that keep the hooks around a call apart from the call itself, whose index is small.
const BEFORE: u16 = 20_000;
const AFTER: u16 = 30_000;
const START: u16 = 40_000;
const STOP: u16 = 40_001;

impl Conversation {
    /// Whether any hook is about this moment and, where it is one of a call, this tool.
    pub(super) fn hooks_for(&self, at: HookPoint, tool: Option<&str>) -> Hooks {
        let about =
            |tools: &[String]| tools.is_empty() || tool.is_none_or(|tool| tools.iter().any(|it| names_tool(it, tool)));
        Hooks::waiting(self.turn.rules.hooks.iter().any(|it| it.at == at && about(&it.tools)))
    }

    /// The hooks that have to run now.
    pub(super) fn wanted_hooks(&self, wants: &mut Vec<Want>) {
        let alone = |seq, index, at| Want::Hook { id: WantId { seq, index }, at, call: None };
        match &self.phase {
            LoopState::Ready if self.turn.start_hooks == Hooks::Pending => {
                wants.push(alone(self.turn.prompted, START, HookPoint::RunStart));
            }
            LoopState::Acting { pending } => {
                wants.extend(self.current(pending).iter().filter_map(|it| self.hook_of(pending, it)))
            }
            LoopState::Concluding(it) if self.stop_hooks_wait(it) => {
                wants.push(alone(it.seq, STOP, HookPoint::BeforeStop));
            }
            _ => {}
        }
    }

    fn hook_of(&self, pending: &[PendingCall], pending_call: &PendingCall) -> Option<Want> {
        let hook = |index: u16, at| {
            let id = WantId { seq: pending_call.want.seq, index: pending_call.want.index.saturating_add(index) };
            Some(Want::Hook { id, at, call: Some(Box::new(pending_call.call.clone())) })
        };
        match pending_call.step {
            Step::Waiting if self.before_waits(pending, pending_call) => hook(BEFORE, HookPoint::BeforeTool),
            Step::Settled { .. } if pending_call.after == Hooks::Pending => hook(AFTER, HookPoint::AfterTool),
            _ => None,
        }
    }

    /// True when the hooks before a call have to run first. They do not run for a call that cannot run whatever they say.
    pub(super) fn before_waits(&self, pending: &[PendingCall], pending_call: &PendingCall) -> bool {
        pending_call.before == Hooks::Pending
            && pending_call.call.facts.rejected.is_none()
            && self.spoiled_by(pending, pending_call).is_none()
    }

    /// Records what hooks said.
    pub(super) fn hooked(&mut self, want: WantId, at: HookPoint, runs: &[HookRun]) {
        let objection = runs.iter().find(|it| it.blocked).map(|it| it.message.clone());
        match at {
            HookPoint::RunStart if self.turn.start_hooks == Hooks::Pending => {
                self.turn.start_hooks = Hooks::Passed;
                if objection.is_some() {
                    self.stop(Stop::PermissionRefused);
                }
            }
            HookPoint::BeforeTool => {
                let before = |it: &&mut PendingCall| it.want.index.saturating_add(BEFORE) == want.index;
                if let Some(pending_call) = self.slots_mut(want).find(before) {
                    pending_call.before = Hooks::Passed;
                    pending_call.objection = objection;
                }
            }
            HookPoint::AfterTool => {
                let after = |it: &&mut PendingCall| it.want.index.saturating_add(AFTER) == want.index;
                let found = self.slots_mut(want).find(after);
                if let Some(pending_call) = found {
                    pending_call.after = Hooks::Passed;
                }
                self.end_of_reply();
            }
            HookPoint::BeforeStop => {
                if let LoopState::Concluding(it) = &mut self.phase
                    && it.seq == want.seq
                {
                    it.hooks = Hooks::Passed;
                    it.objection = objection;
                }
            }
            HookPoint::RunStart | HookPoint::AfterRun => {}
        }
    }

    fn slots_mut(&mut self, want: WantId) -> impl Iterator<Item = &mut PendingCall> {
        let pending = match &mut self.phase {
            LoopState::Acting { pending } | LoopState::Stopping { pending, .. } => pending.as_mut_slice(),
            _ => &mut [],
        };
        pending.iter_mut().filter(move |it| it.want.seq == want.seq)
    }

    /// The result of a call that a hook objected to.
    pub(super) fn objected(pending_call: &PendingCall) -> Option<Event> {
        let objection = pending_call.objection.as_ref()?;
        Some(Event::ToolComplete {
            call: pending_call.call.id.clone(),
            tool: pending_call.call.tool.clone(),
            outcome: Outcome::ended(Status::Denied, words::hook_objects(&pending_call.call, objection)),
        })
    }

    /// The refusal of a hook before the end, with its own words.
    pub(super) fn hook_refusal(&self, it: &Concluding) -> Option<Event> {
        let words = it.objection.clone()?;
        match self.refusal(Gate::Hook, it.call.as_ref().map(|call| call.id.clone())) {
            Event::Refusal { gate, call, retry, total, .. } => {
                Some(Event::Refusal { gate, call, retry, total, message: words })
            }
            other => Some(other),
        }
    }
}
