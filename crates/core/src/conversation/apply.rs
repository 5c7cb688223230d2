//! Records what happened. State changes here and nowhere else; nothing is wanted or asked here.
//!
//! A fact that no longer matters (a result after an interrupt, an answer that nobody waits for) changes nothing but
//! the position in the log.

use ox_protocol::{
    Call, CallId, CallKind, ChangeKind, Decision, Event, FailureKind, Finish, Frame, HookPoint, Hooked, IntentScope,
    Mode, Money, Outcome, QueuedPrompt, Rule, Statement, Status, Stop, Tokens, Usage, WantId, Workflow,
};

use super::state::{
    Baseline, ChecksConsent, Concluding, Conversation, Hooks, LoopState, PendingCall, Review, Step, TurnState,
};
use super::wants::ROUTER;
use crate::verify;

/// Who answers where rules and the policy allow what was asked about.
pub(super) const BY_RULE: &str = "rule";

impl Conversation {
    /// Folds a whole log.
    pub fn replay<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> Conversation {
        let mut conversation = Conversation::default();
        for frame in frames {
            conversation.apply(frame);
        }
        conversation
    }

    /// Records one fact.
    pub fn apply(&mut self, frame: &Frame) {
        self.seq = frame.seq;
        self.time = frame.time;
        self.follow_prefix(&frame.event);
        let here = WantId { seq: frame.seq, index: 0 };
        // Named one by one: a new event does not compile until it is said here what it means.
        match &frame.event {
            Event::ConversationId { id, .. } => self.state.id = id.clone(),
            Event::TurnStart { .. } => self.begin(&frame.event),
            Event::Intent { .. } => self.decided(&frame.event),
            Event::Prompted { .. } => self.prompted(&frame.event),
            Event::IterationStart { iteration, max_output, .. } => self.iterate(*iteration, *max_output, here),
            Event::Checkpoint { tree, .. } => self.turn.loops.tree(tree),
            Event::Woken { at } => self.wake(*at, here),
            Event::StreamComplete { .. } => self.reply(&frame.event, frame.seq),
            Event::TokenUsage { turn, .. } => self.turn.usage_recorded = *turn,
            Event::ApprovalRequest { call, .. } => self.asked(call),
            Event::Approval { call, decision, by } => self.answered(call, decision, by),
            Event::Amended { call } => self.amended(call),
            Event::ToolStart { call, .. } => self.tool_started(call),
            Event::ToolComplete { call, outcome, .. } => self.settle(call, outcome),
            Event::Lost { call } => self.settle(call, &Outcome::ended(Status::Lost, "")),
            Event::Todo { items } => self.todos_recorded(items),
            Event::Plan { plan } => self.plan_recorded(plan),
            Event::Workflow { state, .. } => {
                self.turn.workflow = *state;
                self.turn.workflow_recorded = Some(*state);
            }
            Event::Question { call, .. } => self.questioned(call, true),
            Event::Answer { call, .. } => self.questioned(call, false),
            Event::ChecksStart { baseline, .. } => self.verifying(*baseline, here),
            Event::CheckResult { want, baseline, round, report, .. } => self.checked(*want, *baseline, *round, report),
            Event::Audited { changes, size, findings, .. } => self.audited(*changes, *size, findings),
            Event::Hooked(Hooked { want, at, runs, .. }) => self.hooked(*want, *at, runs),
            Event::Refusal { gate, call, .. } => self.refused(*gate, call.as_ref()),
            Event::Steered { text, images } => self.steered(text, images.len()),
            Event::TakenBack { count } => self.taken_back(*count),
            Event::PromptQueued { prompt } => self.state.queue.push(prompt.clone()),
            Event::QueueSet { prompts } => QueuedPrompt::reorder(&mut self.state.queue, prompts),
            Event::Rewound { turn } => self.rewound(*turn),
            Event::Repair(_) => self.repaired(&frame.event),
            Event::Interrupted => self.stop_running(Stop::Interrupted),
            Event::ModeSet { mode } => self.mode_set(*mode),
            Event::ApprovalSet { policy } => self.turn.rules.approval = *policy,
            Event::UserCommand(it) => self.turn.window.add(&it.output, 0),
            Event::FilesSet(files) => self.state.files.clone_from(files),
            Event::Stopped { stop } => self.over(*stop),
            Event::Completion { .. } => self.phase = LoopState::Idle,
            Event::ModelFailed { want, failure, jitter } => self.fail(*want, failure.clone(), *jitter, here),
            Event::Retry { attempt, until, .. } => self.wait(*attempt, *until),
            Event::Downgrade { model, what, .. } => self.downgrade(model, what, here),
            Event::Pruned { want, pruning, before, after } => self.pruned(*want, pruning, (*before, *after), here),
            Event::Fallback { to, .. } => self.fall_back(to, here),
            Event::AgentStart(start) => self.agent_started(start, here),
            Event::AgentEnd(end) => self.agent_ended(end),
            Event::Named { .. }
            | Event::StageEnter { .. }
            | Event::StageExit { .. }
            | Event::ModelSet { .. }
            | Event::EffortSet { .. }
            | Event::EarlierTurns { .. }
            | Event::Summary { .. }
            | Event::Restored { .. }
            | Event::Background(..)
            | Event::Error { .. }
            | Event::PrefixDropped { .. }
            | Event::Unknown(_) => {}
        }
    }

    fn prompted(&mut self, event: &Event) {
        if self.phase == LoopState::Preparing {
            self.turn.prompted = self.seq;
            self.turn.window.prompted(event);
            if self.turn.attempt == 0 {
                self.turn.start_hooks = self.hooks_for(HookPoint::RunStart, None);
            }
            self.phase = LoopState::Ready;
        }
    }

    fn iterate(&mut self, iteration: u32, max_output: Option<Tokens>, here: WantId) {
        if matches!(self.phase, LoopState::Ready | LoopState::Concluding(_)) {
            self.turn.iteration = iteration;
            self.turn.queued = 0;
            self.turn.max_output = max_output;
            self.turn.faults.clear();
            self.phase = self.ask_or_prune(here);
        }
    }

    fn steered(&mut self, text: &str, images: usize) {
        if self.is_running() {
            self.turn.queued += 1;
            self.turn.window.add(text, images);
        }
    }

    fn taken_back(&mut self, count: u32) {
        self.turn.queued = self.turn.queued.saturating_sub(count);
    }

    fn stop_running(&mut self, stop: Stop) {
        if self.is_running() {
            self.stop(stop);
        }
    }

    fn over(&mut self, stop: Stop) {
        if self.is_running() {
            self.state.last_stop = Some(stop);
            self.phase = LoopState::Over { stop };
        }
    }

    fn begin(&mut self, event: &Event) {
        let Event::TurnStart {
            turn,
            mode,
            continues,
            branch: _,
            rules,
            limits,
            model,
            fallbacks,
            verification,
            review,
            checks,
            fixers,
            router,
            ..
        } = event
        else {
            return;
        };
        let required =
            checks.iter().filter(|it| it.is_goal() || verify::is_required(*verification, it.kind)).cloned().collect();
        self.state.turns = *turn;
        self.state.mode = Some(*mode);
        if !continues {
            self.take_up_plan(*mode);
        }
        let kept = std::mem::take(&mut self.turn);
        self.state.windows.push((*turn, kept.window.clone()));
        self.turn = TurnState {
            mode: *mode,
            routing: router.as_ref().map(|_| WantId { seq: self.seq, index: ROUTER }),
            rules: rules.clone(),
            limits: limits.clone(),
            model: model.clone(),
            fallbacks: fallbacks.clone(),
            window: kept.window.begun(event),
            verification: *verification,
            policy: *review,
            checks: required,
            fixers: fixers.clone(),
            started: self.time,
            continues: *continues,
            must_call: *mode == Mode::Build && !*continues,
            ..TurnState::default()
        };
        if *continues {
            // The edits of the stopped turn still have to be verified, against the same baseline.
            self.turn.changes = kept.changes;
            self.turn.intent = kept.intent;
            self.turn.fixed_at = kept.fixed_at;
            self.turn.verified_at = kept.verified_at;
            self.turn.last_report = kept.last_report;
            self.turn.checked_at = kept.checked_at;
            self.turn.audit = kept.audit;
            self.turn.put = kept.put;
            self.turn.size = kept.size;
            // A review that was broken off is begun anew.
            let judged = kept.review.want.is_none() && kept.review.problem.is_none();
            self.turn.review = if judged { kept.review } else { Review::default() };
            if let Baseline::Known(report) = kept.baseline {
                self.turn.baseline = Baseline::Known(report);
            }
        }
        if self.state.checks_allowed.as_ref().is_some_and(|it| *it == self.check_commands()) {
            self.turn.consent = ChecksConsent::Given;
        }
        self.phase = LoopState::Preparing;
    }

    /// The conversation stands where it stood before that turn. Numbers of turns are not given twice.
    fn rewound(&mut self, turn: u32) {
        let at = self.state.windows.iter().position(|(number, _)| *number >= turn);
        let then = at.map(|at| self.state.windows.split_off(at).swap_remove(0).1);
        self.turn.window = self.turn.window.rewound(&then.unwrap_or_default());
    }

    fn wake(&mut self, at: ox_protocol::Time, here: WantId) {
        if self.is_running() && self.deadline().is_some_and(|deadline| at >= deadline) {
            return self.stop(Stop::TimeBudget);
        }
        if let LoopState::Waiting { until, attempt } = self.phase
            && at >= until
        {
            self.phase = LoopState::Thinking { want: here, attempt };
        }
        if matches!(self.turn.baseline, Baseline::Running { until: Some(until), .. } if at >= until) {
            self.waited_in_vain();
            self.end_baseline();
        }
    }

    fn reply(&mut self, event: &Event, seq: ox_protocol::Seq) {
        let Event::StreamComplete { want, text, calls, order, finish, usage, cost, .. } = event else { return };
        let LoopState::Thinking { want: wanted, .. } = self.phase else { return };
        if wanted != *want {
            return;
        }
        self.used(*usage, *cost);
        self.turn.window.replied(*usage, text, calls);
        self.turn.must_call = false;
        if *finish == Finish::Filter && calls.is_empty() {
            // Asking again would be refused again.
            return self.stop(Stop::ModelFailed { kind: FailureKind::ContentFilter });
        }
        let concluding = |call: Option<Call>, text: String| self.concluding(call, text, seq);
        let empty = calls.is_empty() && (text.trim().is_empty() || *finish == Finish::Length);
        let next = match calls.as_slice() {
            [] => concluding(None, if empty { String::new() } else { text.clone() }),
            [call] if call.facts.kind == CallKind::Conclude && call.facts.rejected.is_none() => {
                concluding(Some(call.clone()), text.clone())
            }
            calls => {
                let pending_call = |(i, call): (usize, &Call)| PendingCall {
                    before: match call.facts.kind {
                        CallKind::Conclude => Hooks::None,
                        _ => self.hooks_for(HookPoint::BeforeTool, Some(&call.tool)),
                    },
                    ..PendingCall::new(seq, i, call)
                };
                let mut pending: Vec<PendingCall> = calls.iter().enumerate().map(pending_call).collect();
                let place = |it: &PendingCall| order.iter().position(|at| *at + 1 == it.want.index);
                pending.sort_by_key(place);
                LoopState::Acting { pending }
            }
        };
        self.turn.empty_replies = if empty { self.turn.empty_replies + 1 } else { 0 };
        self.phase = next;
        self.heed_no_change();
        self.want_baseline();
        self.await_baseline();
    }

    pub(super) fn used(&mut self, usage: Usage, cost: Option<Money>) {
        self.turn.usage += usage;
        self.state.usage += usage;
        if let Some(cost) = cost {
            self.turn.cost = Some(Money(self.turn.cost.unwrap_or_default().0.saturating_add(cost.0)));
        }
    }

    fn asked(&mut self, id: &CallId) {
        if *id == self.checks_id() {
            self.turn.consent = ChecksConsent::Asked;
        }
        self.set_step(id, Step::Waiting, Step::Asking);
    }

    fn answered(&mut self, id: &CallId, decision: &Decision, by: &str) {
        let allowed = !matches!(decision, Decision::Deny { .. });
        if let Decision::AllowAlways { rule, further, .. } = decision {
            let counts = |rule: &&Rule| self.can_grant(id, rule);
            let rules: Vec<Rule> = std::iter::once(rule).chain(further).filter(counts).cloned().collect();
            rules.iter().for_each(|it| self.grant(it));
        }
        if *id == self.checks_id() {
            self.turn.consent = if allowed { ChecksConsent::Given } else { ChecksConsent::Refused };
            if allowed {
                self.state.checks_allowed = Some(self.check_commands());
                self.want_baseline();
                self.await_baseline();
            }
            return;
        }
        let Some(pending_call) = self.pending_mut(id).filter(|it| it.step == Step::Asking) else { return };
        if allowed {
            pending_call.step = Step::Waiting;
            // A rule allows what it covers; to exactly this call only the user consents.
            pending_call.consented = by != BY_RULE;
        } else {
            pending_call.step = Step::Refused;
            if let Decision::Deny { reason, .. } = decision {
                pending_call.reason.clone_from(reason);
            }
        }
    }

    fn grant(&mut self, rule: &Rule) {
        if !self.state.granted.contains(rule) {
            self.state.granted.push(rule.clone());
        }
    }

    fn amended(&mut self, call: &Call) {
        if let Some(pending_call) = self.pending_mut(&call.id).filter(|it| it.step == Step::Asking) {
            pending_call.call = call.clone();
            pending_call.step = Step::Waiting;
            pending_call.consented = true;
        }
    }

    fn tool_started(&mut self, id: &CallId) {
        let cleared =
            self.pending().iter().any(|it| it.call.id == *id && it.step == Step::Waiting && self.is_cleared(it));
        if !cleared {
            return;
        }
        self.set_step(id, Step::Waiting, Step::Running);
        let Some(pending_call) = self.pending_mut(id) else { return };
        let edits =
            pending_call.call.facts.kind == CallKind::Mutate && pending_call.call.facts.paths.iter().any(|it| it.write);
        if edits && self.is_running() {
            self.turn.workflow = Workflow::Implement;
        }
    }

    fn settle(&mut self, id: &CallId, outcome: &Outcome) {
        self.changed_since_review(outcome);
        let created = outcome.changed.iter().filter(|it| it.kind == ChangeKind::Created);
        self.state.created.extend(created.map(|it| it.path.clone()));
        self.plan_touched(&outcome.changed);
        let failed = outcome.is_failure();
        let Some(pending_call) = self.pending_mut(id).filter(|it| !it.has_result()) else {
            // Nobody waits for it any more, but what it did to the tree is as true as ever.
            self.turn.changes += u64::from(outcome.mutated());
            self.fixed(id, outcome.mutated());
            return;
        };
        let ran = pending_call.step == Step::Running;
        pending_call.step = Step::Settled { failed };
        pending_call.unfinished = failed || (pending_call.call.facts.command.is_some() && outcome.exit_code != Some(0));
        self.turn.window.add(&outcome.output, outcome.images.len());
        let Some(pending_call) = self.pending_mut(id) else { return };
        let (call, objected) = (pending_call.call.clone(), pending_call.objection.is_some());
        let after = self.hooks_for(HookPoint::AfterTool, Some(&call.tool));
        if let Some(pending_call) = self.pending_mut(id).filter(|_| ran) {
            pending_call.after = after;
        }
        if outcome.mutated() || (outcome.status == Status::Lost && call.facts.kind == CallKind::Mutate) {
            self.turn.changes += 1;
            self.turn.refusals = 0;
            self.end_baseline();
        }
        self.turn.plan_demanded |= outcome.status == Status::Skipped && !ran && self.is_of_scope(IntentScope::Broad);
        // A hook is no person who can be asked: the model goes another way, and the turn ends as it ends.
        self.turn.was_denied |= outcome.status == Status::Denied && call.facts.kind != CallKind::Checks && !objected;
        // That a file is missing is knowledge too; a call that never ran is none.
        let looked = matches!(outcome.status, Status::Ok | Status::Failed) && call.facts.rejected.is_none();
        self.turn.looked |= (call.facts.explores && looked) || outcome.mutated();
        self.state.explored |= self.turn.looked;
        let changes = self.turn.changes;
        self.turn.loops.record(&call, outcome, changes);
        self.end_of_reply();
    }

    /// The next iteration may begin once every call of the reply is over.
    pub(super) fn end_of_reply(&mut self) {
        let LoopState::Acting { pending } = &self.phase else { return };
        if pending.iter().all(PendingCall::is_settled) {
            let all_failed = pending.iter().all(|it| it.step == Step::Settled { failed: true });
            self.turn.loops.end_reply(all_failed);
            self.phase = LoopState::Ready;
        } else if let Some((call, seq)) = Conversation::last_of_reply(pending) {
            self.turn.loops.end_reply(false);
            self.phase = self.concluding(Some(call), String::new(), seq);
            self.heed_no_change();
        } else {
            self.await_baseline();
        }
    }

    fn concluding(&self, call: Option<Call>, text: String, seq: ox_protocol::Seq) -> LoopState {
        let hooks = self.hooks_for(HookPoint::BeforeStop, None);
        LoopState::Concluding(Concluding { call, text, seq, hooks, objection: None })
    }

    fn heed_no_change(&mut self) {
        if let LoopState::Concluding(it) = &self.phase {
            let said = it.call.as_ref().and_then(|it| it.facts.statement.as_ref());
            self.turn.no_change =
                matches!(said, Some(Statement::Completion { no_change, .. }) if !no_change.is_empty());
        }
    }

    fn verifying(&mut self, baseline: bool, here: WantId) {
        if baseline || !self.is_running() {
            return;
        }
        self.turn.workflow = Workflow::Verify;
        if let LoopState::Concluding(concluding) = &self.phase {
            self.phase = LoopState::Checking { want: here, concluding: concluding.clone() };
        }
    }

    fn refused(&mut self, gate: ox_protocol::Gate, call: Option<&CallId>) {
        if gate == ox_protocol::Gate::NotAlone {
            if let Some(id) = call {
                self.settle(&id.clone(), &Outcome::ended(Status::Skipped, ""));
            }
            return;
        }
        if matches!(self.phase, LoopState::Concluding(_)) {
            match gate {
                ox_protocol::Gate::Audit => self.put_findings(),
                ox_protocol::Gate::Review => self.put_review(),
                _ => {}
            }
            self.turn.refusals += 1;
            self.turn.must_call = true;
            self.phase = LoopState::Ready;
        }
    }

    pub(super) fn planned(&mut self) {
        if self.is_running() && matches!(self.turn.workflow, Workflow::Explore) {
            self.turn.workflow = Workflow::Plan;
        }
    }

    /// Nothing new begins; what has started is drained and its result still counts.
    pub(super) fn stop(&mut self, stop: Stop) {
        let pending = match &mut self.phase {
            LoopState::Acting { pending } => std::mem::take(pending),
            LoopState::Stopping { .. } => return,
            _ => Vec::new(),
        };
        self.phase = LoopState::Stopping { stop, pending };
    }

    pub(super) fn pending_mut(&mut self, id: &CallId) -> Option<&mut PendingCall> {
        match &mut self.phase {
            LoopState::Acting { pending } | LoopState::Stopping { pending, .. } => {
                pending.iter_mut().find(|it| it.call.id == *id)
            }
            _ => None,
        }
    }

    pub(super) fn set_step(&mut self, id: &CallId, from: Step, to: Step) {
        if let Some(pending_call) = self.pending_mut(id).filter(|it| it.step == from) {
            pending_call.step = to;
        }
    }
}
