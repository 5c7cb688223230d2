//! Facts that follow from the state alone: the next iteration, a retry, a denial, a refusal, the end.
//!
//! The driver records them one at a time before it looks at the wants, so that every decision stands in the log.

use ox_protocol::{
    CHECKS_RULE, Call, CallId, CallKind, Decision, Event, Failure, FailureKind, IntentScope, Level, Mode, Money,
    Outcome, Problem, Statement, Status, Stop, Time, ToolFormat, Workflow,
};

use super::apply::BY_RULE;
use super::conclude::Conclusion;
use super::state::{ChecksConsent, Conversation, Hooks, LoopState, PendingCall, Step};
use crate::permit::{self, Verdict};
use crate::words;

/// Waits between requests: this, doubled each time, up to the cap.
const FIRST_WAIT_MS: u64 = 500;
const LONGEST_WAIT_MS: u64 = 30_000;
/// The longest wait that a provider's own word can cause; who asks for more is not asked again.
const LONGEST_ASKED_WAIT_MS: u64 = 300_000;
/// Requests before a network that went away is given up: with these waits, three to six minutes.
const NETWORK_TRIES: u32 = 16;

impl Conversation {
    /// The next fact that follows, or none when only work, people or time can bring the turn on.
    pub fn next_event(&self) -> Option<Event> {
        if !self.is_running() || self.phase == LoopState::Preparing {
            return None;
        }
        if let Some(event) = self.bookkeeping() {
            return Some(event);
        }
        match &self.phase {
            LoopState::Ready if self.turn.start_hooks == Hooks::Pending => None,
            LoopState::Ready => Some(self.next_iteration()),
            LoopState::Failed { failure, jitter, attempt } => Some(self.after_failure(failure, *jitter, *attempt)),
            LoopState::Acting { pending } => self
                .checks_by_rule()
                .or_else(|| self.current(pending).iter().find_map(|it| self.decide_call(pending, it)))
                .or_else(|| self.asks_for_checks(pending)),
            LoopState::Concluding(it) => match self.conclude(it) {
                Conclusion::Event(event) => Some(*event),
                Conclusion::Wait => None,
                Conclusion::Stop(stop) => Some(Event::Stopped { stop: self.named(stop) }),
            },
            LoopState::Stopping { stop, pending } => Some(self.wind_up(*stop, pending)),
            _ => None,
        }
    }

    fn bookkeeping(&self) -> Option<Event> {
        if self.turn.workflow_recorded != Some(self.turn.workflow) {
            let next = match self.turn.workflow {
                Workflow::Explore => "next.explore",
                Workflow::Plan => "next.plan",
                Workflow::Implement => "next.implement",
                Workflow::Verify => "next.verify",
                Workflow::Fix => "next.fix",
                Workflow::Summarize => "next.summarize",
            };
            return Some(Event::Workflow { state: self.turn.workflow, next: next.to_string() });
        }
        if let Some(dropped) = self.dropped_prefix() {
            return Some(dropped);
        }
        if let Some(news) = self.plan_news() {
            return Some(news);
        }
        (self.turn.usage != self.turn.usage_recorded).then(|| Event::TokenUsage {
            turn: self.turn.usage,
            conversation: self.state.usage,
            cost: self.turn.cost,
            used: self.turn.window.used(),
            window: self.turn.model.window.0,
        })
    }

    pub(super) fn next_iteration(&self) -> Event {
        if let Some(stop) = self.limit() {
            return Event::Stopped { stop: self.named(stop) };
        }
        let max_output = match self.reserve() {
            Ok(max_output) => max_output,
            Err(stop) => return Event::Stopped { stop: self.named(stop) },
        };
        let (iteration, total) = (self.turn.iteration + 1, self.turn.limits.iterations);
        Event::IterationStart { iteration, total, tool_choice: self.choice(), max_output }
    }

    fn limit(&self) -> Option<Stop> {
        let limits = &self.turn.limits;
        if limits.tokens.is_some_and(|it| self.turn.usage.total() >= it) {
            Some(Stop::TokenBudget)
        } else if limits.cost.is_some_and(|it| self.turn.cost.unwrap_or(Money(0)) >= it) {
            Some(Stop::CostBudget)
        } else if let Some(stop) = self.turn.loops.reached(limits) {
            Some(stop)
        } else {
            (self.turn.iteration + self.turn.agents.iterations >= limits.iterations).then_some(Stop::IterationLimit)
        }
    }

    /// A limit that was reached because permissions were refused is named after the refusal.
    pub(super) fn named(&self, stop: Stop) -> Stop {
        if stop.exit_code() == 6 && self.turn.was_denied { Stop::PermissionRefused } else { stop }
    }

    fn after_failure(&self, failure: &Failure, jitter: u16, attempt: u32) -> Event {
        let model = self.turn.model.name.clone();
        let reason = failure.message.clone();
        let lacks = |what: &str| self.lacks(&model, what);
        match failure.kind {
            FailureKind::ToolChoiceRejected if !lacks("tool_choice") => {
                Event::Downgrade { model, what: "tool_choice".to_string(), reason }
            }
            FailureKind::ToolsRejected if !lacks("native_tools") && self.turn.model.tools == ToolFormat::Native => {
                Event::Downgrade { model, what: "native_tools".to_string(), reason }
            }
            kind if attempt < self.tries(kind) && is_soon(failure) => {
                let wait_ms = wait(attempt, jitter, failure.retry_after_ms);
                let until = Time(self.time.0 + wait_ms);
                Event::Retry { attempt: attempt + 1, total: self.tries(kind), kind, wait_ms, until }
            }
            kind => match self.turn.fallbacks.first().filter(|_| kind.concerns_the_model()) {
                Some(to) => Event::Fallback { from: model, to: to.clone(), kind },
                None => Event::Stopped { stop: Stop::ModelFailed { kind } },
            },
        }
    }

    /// How often a reply is asked for when requests fail like this. A stream that was cut is asked again once. A
    /// network that went away is waited for, minutes long; an address that never answered is soon given up: whoever
    /// mistyped it is waiting.
    fn tries(&self, kind: FailureKind) -> u32 {
        let most = self.turn.limits.model_attempts;
        match kind {
            FailureKind::Cut | FailureKind::Malformed => most.min(2),
            FailureKind::Connect | FailureKind::Timeout if self.has_answered() && self.turn.fallbacks.is_empty() => {
                most.max(NETWORK_TRIES)
            }
            FailureKind::Connect => most.min(3),
            kind if kind.is_passing() => most,
            _ => 1,
        }
    }

    /// The model has answered in this conversation before.
    fn has_answered(&self) -> bool {
        self.state.usage.total() > ox_protocol::Tokens(0)
    }

    /// Consent to the project's checks that needs nobody: it is noted as soon as there is a reason to run them.
    fn checks_by_rule(&self) -> Option<Event> {
        let is_open = match self.turn.consent {
            ChecksConsent::Unknown => self.checks_at_hand(),
            // What the user changed since they were asked may allow them.
            ChecksConsent::Asked => true,
            _ => false,
        };
        let now = is_open.then(|| self.consent_for_checks())?;
        match &now {
            Event::Approval { decision: Decision::Allow, .. } => Some(now),
            Event::Approval { .. } if self.turn.consent == ChecksConsent::Unknown => Some(now),
            _ => None,
        }
    }

    /// The project's checks need consent once, before the first of them runs, and not before what would be checked may run.
    fn asks_for_checks(&self, pending: &[PendingCall]) -> Option<Event> {
        let due =
            |it: &PendingCall| it.brings_checks() && (it.call.facts.kind == CallKind::Checks || self.is_cleared(it));
        let is_due = self.turn.consent == ChecksConsent::Unknown && self.needs_checks();
        (is_due && pending.iter().any(due)).then(|| self.consent_for_checks())
    }

    pub(super) fn consent_for_checks(&self) -> Event {
        let call = self.checks_call();
        let id = call.id.clone();
        match permit::permit(self.mode(), &self.turn.rules, &self.state.granted, &call) {
            Verdict::Allow => Event::Approval { call: id, decision: Decision::Allow, by: BY_RULE.to_string() },
            Verdict::Deny(reason) => {
                Event::Approval { call: id, decision: Decision::Deny { reason, stop: false }, by: BY_RULE.to_string() }
            }
            Verdict::Ask(_) if self.turn.rules.headless => self.refuse_headless(id),
            Verdict::Ask(why) => Event::ApprovalRequest {
                call: id,
                tool: call.tool.clone(),
                args: call.args.clone(),
                level: call.facts.level,
                commands: self.check_commands(),
                effects: Vec::new(),
                hosts: Vec::new(),
                why: if self.turn.rules.isolated { Problem::new("approval.why.checks") } else { why },
                always: permit::exactly(&call),
                further: Vec::new(),
                changes: Vec::new(),
            },
        }
    }

    fn checks_call(&self) -> ox_protocol::Call {
        ox_protocol::Call {
            id: self.checks_id(),
            tool: CHECKS_RULE.to_string(),
            args: serde_json::json!({}),
            facts: ox_protocol::CallFacts {
                kind: CallKind::Checks,
                // The project's own checks, where the kernel holds them to the project.
                level: if self.turn.rules.isolated && !self.turn.rules.untrusted {
                    ox_protocol::Level::Edit
                } else {
                    ox_protocol::Level::Shell
                },
                ..Default::default()
            },
            as_written: None,
        }
    }

    fn refuse_headless(&self, call: ox_protocol::CallId) -> Event {
        let reason = words::NOBODY_TO_ASK.to_string();
        Event::Approval { call, decision: Decision::Deny { reason, stop: false }, by: "headless".to_string() }
    }

    /// The fact that brings a current call on: its rejection, denial, question or request for consent.
    fn decide_call(&self, pending: &[PendingCall], pending_call: &PendingCall) -> Option<Event> {
        let end = |status, words: String| {
            Some(Event::ToolComplete {
                call: pending_call.call.id.clone(),
                tool: pending_call.call.tool.clone(),
                outcome: Outcome::ended(status, words),
            })
        };
        let waits_for_consent =
            pending_call.call.facts.kind == CallKind::Checks && self.turn.consent == ChecksConsent::Asked;
        if pending_call.has_result() || pending_call.step == Step::Running || waits_for_consent {
            return None;
        }
        if pending_call.step == Step::Asking {
            return self.allowed_since(pending_call);
        }
        if pending_call.step == Step::Refused {
            return end(Status::Denied, words::refused(&pending_call.call, &pending_call.reason));
        }
        if let Some(words) = &pending_call.call.facts.rejected {
            return end(Status::Failed, words.clone());
        }
        if pending_call.call.facts.kind == CallKind::Conclude {
            if !Conversation::may_follow(pending, pending_call) {
                return Some(self.refusal(ox_protocol::Gate::NotAlone, Some(pending_call.call.id.clone())));
            }
            let open = pending.iter().find(|it| it.unfinished)?;
            return end(Status::Skipped, words::not_concluded(&open.call.tool));
        }
        if let Some(earlier) = self.spoiled_by(pending, pending_call) {
            return end(Status::Skipped, words::spoiled_by(earlier));
        }
        if let Some(event) = Conversation::objected(pending_call) {
            return Some(event);
        }
        if self.before_waits(pending, pending_call) {
            return None;
        }
        if pending_call.is_edit()
            && self.is_of_scope(IntentScope::Broad)
            && !self.has_plan()
            && !self.turn.plan_demanded
        {
            return end(Status::Skipped, words::PLAN_FIRST.to_string());
        }
        match self.verdict(pending_call) {
            Verdict::Deny(words) => end(Status::Denied, words),
            // The checks are asked about under an id of their own.
            Verdict::Ask(_) if pending_call.call.facts.kind == CallKind::Checks && self.needs_checks() => None,
            Verdict::Ask(why) if self.turn.rules.headless => {
                end(Status::Denied, words::nobody_to_consent(&pending_call.call, &why))
            }
            Verdict::Ask(why) => Some(self.request(&pending_call.call, why)),
            Verdict::Allow if pending_call.call.facts.kind == CallKind::Agent => {
                self.begin_agent(pending, pending_call)
            }
            Verdict::Allow => self.question(pending_call),
        }
    }

    /// The request for consent to a call. What an edit would change is worked out outside.
    fn request(&self, call: &Call, why: Problem) -> Event {
        let mut rules = permit::always(&self.turn.rules, &self.state.granted, call).into_iter();
        Event::ApprovalRequest {
            call: call.id.clone(),
            tool: call.tool.clone(),
            args: call.args.clone(),
            level: call.facts.level,
            commands: call.facts.command.iter().cloned().collect(),
            effects: call.facts.effects.clone(),
            hosts: call.facts.hosts.clone(),
            why,
            always: rules.next().unwrap_or_else(|| permit::exactly(call)),
            further: rules.collect(),
            changes: Vec::new(),
        }
    }

    /// Consent by what the user changed since they were asked about the call.
    fn allowed_since(&self, pending_call: &PendingCall) -> Option<Event> {
        (self.verdict(pending_call) == Verdict::Allow).then(|| Event::Approval {
            call: pending_call.call.id.clone(),
            decision: Decision::Allow,
            by: BY_RULE.to_string(),
        })
    }

    fn question(&self, pending_call: &PendingCall) -> Option<Event> {
        if pending_call.call.facts.kind != CallKind::Question {
            return None;
        }
        if self.turn.rules.headless {
            return Some(Event::ToolComplete {
                call: pending_call.call.id.clone(),
                tool: pending_call.call.tool.clone(),
                outcome: Outcome::failed(words::NOBODY_TO_ANSWER),
            });
        }
        let (text, options) = match &pending_call.call.facts.statement {
            Some(Statement::Question { text, options }) => (text.clone(), options.clone()),
            _ => Default::default(),
        };
        Some(Event::Question { call: pending_call.call.id.clone(), text, options })
    }

    /// A question to the user is open, or has its answer: one of the agent, or of a call that runs.
    pub(super) fn questioned(&mut self, call: &CallId, is_open: bool) {
        self.set_step(call, Step::Waiting, Step::Running);
        if let Some(it) = self.pending_mut(call) {
            it.questions = is_open;
        }
    }

    /// True when nothing stands between a call and its run but the baseline.
    pub(super) fn is_cleared(&self, pending_call: &PendingCall) -> bool {
        pending_call.call.facts.rejected.is_none()
            && pending_call.before != Hooks::Pending
            && pending_call.objection.is_none()
            && self.spoiled_by(self.pending(), pending_call).is_none()
            && self.verdict(pending_call) == Verdict::Allow
    }

    fn verdict(&self, pending_call: &PendingCall) -> Verdict {
        if pending_call.call.facts.kind == CallKind::Checks && self.turn.checks.is_empty() && self.mode().may_change() {
            return Verdict::Allow;
        }
        if pending_call.call.facts.kind == CallKind::Checks && self.needs_checks() {
            return match self.turn.consent {
                ChecksConsent::Given => Verdict::Allow,
                ChecksConsent::Refused => Verdict::Deny(words::CHECKS_REFUSED.to_string()),
                ChecksConsent::Unknown | ChecksConsent::Asked => Verdict::Ask(Problem::new("approval.why.checks")),
            };
        }
        let facts = &pending_call.call.facts;
        if facts.command.is_some() && facts.level != Level::Read && self.is_of_scope(IntentScope::Style) {
            return Verdict::Deny(words::STYLE_ALONE.to_string());
        }
        match permit::permit(self.mode(), &self.turn.rules, &self.state.granted, &pending_call.call) {
            Verdict::Deny(_) if pending_call.is_edit() && self.turn.mode == Mode::Auto && !self.mode().may_change() => {
                Verdict::Deny(words::TAKEN_FOR_A_QUESTION.to_string())
            }
            Verdict::Ask(_) if pending_call.consented => Verdict::Allow,
            verdict => verdict,
        }
    }

    /// The earlier change of the same reply whose failure keeps this one from running. Reads always run.
    pub(super) fn spoiled_by<'a>(&self, pending: &'a [PendingCall], pending_call: &PendingCall) -> Option<&'a str> {
        if !pending_call.is_change() {
            return None;
        }
        let earlier = pending.iter().take_while(|it| it.call.id != pending_call.call.id);
        let mut spoiling = earlier.filter(|it| it.is_change() && it.step == Step::Settled { failed: true });
        spoiling.next().map(|it| it.call.tool.as_str())
    }

    /// Everything that has not settled gets a result, so that the next request is valid; then the loop is over.
    fn wind_up(&self, stop: Stop, pending: &[PendingCall]) -> Event {
        let open = pending.iter().find(|it| !it.has_result());
        match open {
            Some(pending_call) => {
                let words = match pending_call.step {
                    Step::Running => words::INTERRUPTED_RUNNING,
                    _ => words::INTERRUPTED_BEFORE,
                };
                Event::ToolComplete {
                    call: pending_call.call.id.clone(),
                    tool: pending_call.call.tool.clone(),
                    outcome: Outcome::ended(Status::Interrupted, words),
                }
            }
            None => Event::Stopped { stop: self.named(stop) },
        }
    }
}

/// Exponential back-off with full jitter over its upper half; a provider's own word counts more.
fn wait(attempt: u32, jitter: u16, asked: Option<u64>) -> u64 {
    let base = FIRST_WAIT_MS.saturating_mul(1 << attempt.saturating_sub(1).min(10)).min(LONGEST_WAIT_MS);
    let backoff = base / 2 + base / 2 * u64::from(jitter.min(1000)) / 1000;
    asked.map_or(backoff, |ms| ms.max(1))
}

/// False where the provider asks to come again so late that waiting is the user's to decide.
fn is_soon(failure: &Failure) -> bool {
    failure.retry_after_ms.is_none_or(|ms| ms <= LONGEST_ASKED_WAIT_MS)
}
