//! Records what happened. State changes here and nowhere else; nothing is wanted, asked or decided here.
//!
//! A fact that no longer matters (a result after an interrupt, an answer that nobody waits for) changes nothing but
//! the position in the log.

use ox_protocol::{
    Call, CallId, CallKind, CheckReport, Decision, Event, FailureKind, Finish, Frame, HookPoint, Level, Mode, Outcome,
    Rule, Status, Stop, WantId, Workflow,
};

use super::hooks::Hooks;
use super::state::{Baseline, Concluding, Consent, Now, Phase, Slot, Step, Turn};
use crate::verify;

impl Turn {
    /// Folds a whole log.
    pub fn replay<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> Turn {
        let mut turn = Turn::default();
        for frame in frames {
            turn.apply(frame);
        }
        turn
    }

    /// Records one fact.
    pub fn apply(&mut self, frame: &Frame) {
        self.seq = frame.seq;
        self.time = frame.time;
        let here = WantId { seq: frame.seq, index: 0 };
        match &frame.event {
            Event::ConversationId { id, .. } => self.carried.id = id.clone(),
            Event::TurnStart { .. } => self.begin(&frame.event),
            Event::Prompted { .. } if self.phase == Phase::Preparing => {
                self.now.prompted = frame.seq;
                self.now.room.prompted(&frame.event);
                self.now.start_hooks = self.hooks_for(HookPoint::RunStart, None);
                self.phase = Phase::Ready;
            }
            Event::IterationStart { iteration, max_output, .. }
                if matches!(self.phase, Phase::Ready | Phase::Concluding(_)) =>
            {
                self.now.iteration = *iteration;
                self.now.queued = 0;
                self.now.max_output = *max_output;
                self.now.faults.clear();
                self.phase = self.ask_or_prune(here);
            }
            Event::Checkpoint { tree, .. } => self.now.loops.tree(tree),
            Event::Woken { at } => self.wake(*at, here),
            Event::StreamComplete { .. } => self.reply(&frame.event, frame.seq),
            Event::TokenUsage { turn, .. } => self.now.usage_recorded = *turn,
            Event::ApprovalRequest { call, .. } => self.asked(call),
            Event::Approval { call, decision, .. } => self.answered(call, decision),
            Event::Amended { call } => self.amended(call),
            Event::ToolStart { call, .. } => self.tool_started(call),
            Event::ToolComplete { call, outcome, .. } => self.settle(call, outcome),
            Event::Lost { call } => self.settle(call, &Outcome::ended(Status::Lost, "")),
            Event::Todo { items } => {
                self.carried.todos = items.clone();
                self.planned();
            }
            Event::Plan { plan } => {
                self.carried.plan = Some(plan.clone());
                self.carried.todos_planned = self.now.mode == Mode::Plan;
                self.planned();
            }
            Event::Workflow { state, .. } => {
                self.now.workflow = *state;
                self.now.workflow_recorded = Some(*state);
            }
            Event::Question { call, .. } => self.set_step(call, Step::Judging, Step::Running),
            Event::ChecksStart { baseline: false, .. } if self.is_running() => self.verifying(here),
            Event::CheckResult { want, baseline, round, report, .. } => self.checked(*want, *baseline, *round, report),
            Event::Hooked { want, at, runs, .. } => self.hooked(*want, *at, runs),
            Event::Refusal { gate, call, .. } => self.refused(*gate, call.as_ref()),
            Event::Queued { text, images } if self.is_running() => {
                self.now.queued += 1;
                self.now.room.add(text, images.len());
            }
            Event::Rewound { turn } => self.rewound(*turn),
            Event::Interrupted if self.is_running() => self.stop(Stop::Interrupted),
            Event::ModeSet { mode } => self.carried.mode = Some(*mode),
            Event::ModelSet { model } => self.carried.model = Some(model.clone()),
            Event::Stopped { stop } if self.is_running() => {
                self.carried.last_stop = Some(*stop);
                self.phase = Phase::Over { stop: *stop };
            }
            Event::Completion { .. } => self.phase = Phase::Idle,
            other => self.weather(other, here),
        }
    }

    fn begin(&mut self, event: &Event) {
        let Event::TurnStart { turn, mode, continues, rules, limits, model, fallbacks, verification, checks, .. } =
            event
        else {
            return;
        };
        let required = checks.iter().filter(|it| verify::is_required(*verification, it.kind)).cloned().collect();
        self.carried.turns = *turn;
        self.carried.mode = Some(*mode);
        if mode.may_change() && !continues && !std::mem::take(&mut self.carried.todos_planned) {
            self.carried.todos.clear();
        }
        let kept = std::mem::take(&mut self.now);
        self.carried.rooms.push((*turn, kept.room.clone()));
        self.now = Now {
            mode: *mode,
            rules: rules.clone(),
            limits: limits.clone(),
            model: model.clone(),
            fallbacks: fallbacks.clone(),
            room: kept.room.begun(event),
            verification: *verification,
            checks: required,
            started: self.time,
            continues: *continues,
            must_call: *mode == Mode::Build && !*continues,
            ..Now::default()
        };
        if *continues {
            // The edits of the stopped turn still have to be verified, against the same baseline.
            self.now.changes = kept.changes;
            self.now.verified_at = kept.verified_at;
            self.now.last_report = kept.last_report;
            self.now.checked_at = kept.checked_at;
            if let Baseline::Known(report) = kept.baseline {
                self.now.baseline = Baseline::Known(report);
            }
        }
        if self.carried.checks_allowed.as_ref().is_some_and(|it| *it == self.check_commands()) {
            self.now.consent = Consent::Given;
        }
        self.phase = Phase::Preparing;
    }

    /// The conversation stands where it stood before that turn. Numbers of turns are not given twice.
    fn rewound(&mut self, turn: u32) {
        let at = self.carried.rooms.iter().position(|(number, _)| *number >= turn);
        let then = at.map(|at| self.carried.rooms.split_off(at).swap_remove(0).1);
        self.now.room = self.now.room.rewound(&then.unwrap_or_default());
    }

    fn wake(&mut self, at: ox_protocol::Time, here: WantId) {
        if self.is_running() && self.deadline().is_some_and(|deadline| at >= deadline) {
            return self.stop(Stop::TimeBudget);
        }
        if let Phase::Waiting { until, attempt } = self.phase
            && at >= until
        {
            self.phase = Phase::Thinking { want: here, attempt };
        }
        if matches!(self.now.baseline, Baseline::Running { until: Some(until), .. } if at >= until) {
            self.end_baseline();
        }
    }

    fn reply(&mut self, event: &Event, seq: ox_protocol::Seq) {
        let Event::StreamComplete { want, text, calls, finish, usage, cost, .. } = event else { return };
        let Phase::Thinking { want: wanted, .. } = self.phase else { return };
        if wanted != *want {
            return;
        }
        self.now.usage += *usage;
        self.carried.usage += *usage;
        self.now.room.replied(*usage, text, calls);
        if let Some(cost) = cost {
            self.now.cost = Some(ox_protocol::Money(self.now.cost.unwrap_or_default().0.saturating_add(cost.0)));
        }
        self.now.must_call = false;
        if *finish == Finish::Filter && calls.is_empty() {
            // Asking again would be refused again.
            return self.stop(Stop::ModelFailed { kind: FailureKind::ContentFilter });
        }
        let concluding = |call: Option<Call>, text: String| {
            let hooks = self.hooks_for(HookPoint::BeforeStop, None);
            Phase::Concluding(Concluding { call, text, seq, hooks, objection: None })
        };
        let empty = calls.is_empty() && (text.trim().is_empty() || *finish == Finish::Length);
        let next = match calls.as_slice() {
            [] => concluding(None, if empty { String::new() } else { text.clone() }),
            [call] if call.facts.kind == CallKind::Conclude && call.facts.rejected.is_none() => {
                concluding(Some(call.clone()), text.clone())
            }
            calls => {
                let slot = |(i, call): (usize, &Call)| Slot {
                    before: self.hooks_for(HookPoint::BeforeTool, Some(&call.tool)),
                    ..Slot::new(seq, i, call)
                };
                Phase::Acting { slots: calls.iter().enumerate().map(slot).collect() }
            }
        };
        self.now.empty_replies = if empty { self.now.empty_replies + 1 } else { 0 };
        self.phase = next;
        if let Phase::Concluding(it) = &self.phase {
            self.now.no_change = it
                .call
                .as_ref()
                .is_some_and(|call| call.args["no_change"].as_str().is_some_and(|why| !why.trim().is_empty()));
        }
        self.want_baseline();
        self.await_baseline();
    }

    fn asked(&mut self, id: &CallId) {
        if *id == self.checks_id() {
            self.now.consent = Consent::Asked;
        }
        self.set_step(id, Step::Judging, Step::Asking);
    }

    fn answered(&mut self, id: &CallId, decision: &Decision) {
        let allowed = !matches!(decision, Decision::Deny { .. });
        let reaches_out = self.call(id).is_some_and(|it| it.facts.level == Level::System);
        if let Decision::AllowAlways { rule, .. } = decision
            && !reaches_out
        {
            self.grant(rule);
        }
        if *id == self.checks_id() {
            self.now.consent = if allowed { Consent::Given } else { Consent::Refused };
            if allowed {
                self.carried.checks_allowed = Some(self.check_commands());
                self.want_baseline();
                self.await_baseline();
            }
            return;
        }
        let Some(slot) = self.slot_mut(id).filter(|it| it.step == Step::Asking) else { return };
        if allowed {
            slot.step = Step::Judging;
            slot.consented = true;
        } else {
            slot.step = Step::Refused;
            if let Decision::Deny { reason } = decision {
                slot.reason.clone_from(reason);
            }
        }
    }

    fn grant(&mut self, rule: &Rule) {
        if !self.carried.granted.contains(rule) {
            self.carried.granted.push(rule.clone());
        }
    }

    fn amended(&mut self, call: &Call) {
        if let Some(slot) = self.slot_mut(&call.id).filter(|it| it.step == Step::Asking) {
            slot.call = call.clone();
            slot.step = Step::Judging;
            slot.consented = true;
        }
    }

    fn tool_started(&mut self, id: &CallId) {
        let cleared =
            self.slots().iter().any(|it| it.call.id == *id && it.step == Step::Judging && self.is_cleared(it));
        if !cleared {
            return;
        }
        self.set_step(id, Step::Judging, Step::Running);
        let Some(slot) = self.slot_mut(id) else { return };
        let edits = slot.call.facts.kind == CallKind::Mutate && slot.call.facts.paths.iter().any(|it| it.write);
        if edits && self.is_running() {
            self.now.workflow = Workflow::Implement;
        }
    }

    fn settle(&mut self, id: &CallId, outcome: &Outcome) {
        let failed = outcome.is_failure();
        let Some(slot) = self.slot_mut(id).filter(|it| !it.has_result()) else {
            // Nobody waits for it any more, but what it did to the tree is as true as ever.
            self.now.changes += u64::from(outcome.mutated());
            return;
        };
        let ran = slot.step == Step::Running;
        slot.step = Step::Settled { failed };
        self.now.room.add(&outcome.output, outcome.images.len());
        let Some(slot) = self.slot_mut(id) else { return };
        let call = slot.call.clone();
        let after = self.hooks_for(HookPoint::AfterTool, Some(&call.tool));
        if let Some(slot) = self.slot_mut(id).filter(|_| ran) {
            slot.after = after;
        }
        if outcome.mutated() || (outcome.status == Status::Lost && call.facts.kind == CallKind::Mutate) {
            self.now.changes += 1;
            self.now.refusals = 0;
            self.end_baseline();
        }
        self.now.was_denied |= outcome.status == Status::Denied && call.facts.kind != CallKind::Checks;
        // That a file is missing is knowledge too; a call that never ran is none.
        let looked = matches!(outcome.status, Status::Ok | Status::Failed) && call.facts.rejected.is_none();
        self.now.looked |= (call.facts.explores && looked) || outcome.mutated();
        self.carried.explored |= self.now.looked;
        let changes = self.now.changes;
        self.now.loops.record(&call, outcome, changes);
        self.end_of_reply();
    }

    /// The next iteration may begin once every call of the reply is over.
    pub(super) fn end_of_reply(&mut self) {
        let Phase::Acting { slots } = &self.phase else { return };
        if slots.iter().all(Slot::is_settled) {
            let all_failed = slots.iter().all(|it| it.step == Step::Settled { failed: true });
            self.now.loops.end_reply(all_failed);
            self.phase = Phase::Ready;
        } else {
            self.await_baseline();
        }
    }

    fn verifying(&mut self, here: WantId) {
        self.now.workflow = Workflow::Verify;
        if let Phase::Concluding(concluding) = &self.phase {
            self.phase = Phase::Checking { want: here, concluding: concluding.clone() };
        }
    }

    fn checked(&mut self, want: WantId, baseline: bool, round: u32, report: &CheckReport) {
        if baseline {
            self.baseline_checked(want, report);
            return;
        }
        let passed = verify::compare(self.baseline(), report).is_empty();
        let news = self.now.last_report.as_ref().is_none_or(|it| !same_findings(it, report));
        self.now.checked_at = Some(self.now.changes);
        self.now.verified_at = passed.then_some(self.now.changes);
        self.now.last_report = Some(report.clone());
        self.carried.explored = true;
        if news {
            self.now.refusals = 0;
        }
        if !passed {
            self.now.workflow = Workflow::Fix;
        }
        let Phase::Checking { want: wanted, concluding } = &self.phase else { return };
        if *wanted != want {
            return;
        }
        self.now.check_round = round;
        if passed {
            self.phase = Phase::Concluding(concluding.clone());
        } else if round >= self.now.limits.check_rounds {
            self.stop(Stop::ChecksFailing);
        } else {
            self.now.must_call = true;
            self.phase = Phase::Ready;
        }
    }

    fn refused(&mut self, gate: ox_protocol::Gate, call: Option<&CallId>) {
        if gate == ox_protocol::Gate::NotAlone {
            if let Some(id) = call {
                self.settle(&id.clone(), &Outcome::ended(Status::Skipped, ""));
            }
            return;
        }
        if matches!(self.phase, Phase::Concluding(_)) {
            self.now.refusals += 1;
            self.now.must_call = true;
            self.phase = Phase::Ready;
        }
    }

    fn planned(&mut self) {
        if self.is_running() && matches!(self.now.workflow, Workflow::Explore) {
            self.now.workflow = Workflow::Plan;
        }
    }

    /// Nothing new begins; what has started is drained and its result still counts.
    pub(super) fn stop(&mut self, stop: Stop) {
        let slots = match &mut self.phase {
            Phase::Acting { slots } => std::mem::take(slots),
            Phase::Stopping { .. } => return,
            _ => Vec::new(),
        };
        self.phase = Phase::Stopping { stop, slots };
    }

    fn slot_mut(&mut self, id: &CallId) -> Option<&mut Slot> {
        match &mut self.phase {
            Phase::Acting { slots } | Phase::Stopping { slots, .. } => slots.iter_mut().find(|it| it.call.id == *id),
            _ => None,
        }
    }

    fn set_step(&mut self, id: &CallId, from: Step, to: Step) {
        if let Some(slot) = self.slot_mut(id).filter(|it| it.step == from) {
            slot.step = to;
        }
    }
}

impl Slot {
    fn new(seq: ox_protocol::Seq, index: usize, call: &Call) -> Slot {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        Slot {
            want: WantId { seq, index: index.saturating_add(1) },
            call: call.clone(),
            step: Step::Judging,
            consented: false,
            reason: String::new(),
            before: Hooks::None,
            objection: None,
            after: Hooks::None,
        }
    }
}

fn same_findings(a: &CheckReport, b: &CheckReport) -> bool {
    let findings = |it: &CheckReport| -> Vec<_> {
        it.failures().map(|check| (check.check.command.clone(), check.diagnostics.clone(), check.exit_code)).collect()
    };
    findings(a) == findings(b)
}
