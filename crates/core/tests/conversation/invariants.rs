//! Random event sequences, half sensible and half nonsense, against what must always hold.
//!
//! Never panics; over is over; never done on failing checks; nothing denied ever runs; wants are bounded and distinct;
//! replay agrees. `OX_EXTENDED=1` runs a million sequences.

use std::collections::BTreeSet;

use fastrand::Rng;
use ox_core::{AgentRun, Conversation, Want, verify};
use ox_protocol::{
    AgentEnd, ApprovalPolicy, Call, CallId, CallKind, CheckReport, Command, Decision, Delivery, Event, FailureKind,
    Finish, Frame, Level, Mode, Outcome, Status, Stop, Time, Todo, TodoState, Verification,
};

use crate::fixture::{
    Log, Start, agent, checks_call, command, conclude, concluding, edit, edited, failing, failure, fixer, hook, hooked,
    passing, question, read, reply, test_check,
};

#[test]
fn random_sequences_keep_the_invariants() {
    let sequences = if std::env::var_os("OX_EXTENDED").is_some() { 1_000_000 } else { 4_000 };
    let seed = 0x0b5e_55ed;
    for i in 0..sequences {
        let mut play = Play { rng: Rng::with_seed(seed + i), log: Log::default(), denied: BTreeSet::new() };
        play.run(i);
    }
}

/// The most facts that may follow from one another: a few for each call of a reply, and the next iteration.
const LONGEST_RUN: usize = 24;

struct Play {
    rng: Rng,
    log: Log,
    denied: BTreeSet<CallId>,
}

impl Play {
    fn run(&mut self, seed: u64) {
        let steps = self.rng.usize(5..60);
        self.start();
        let mut in_a_row = 0;
        for _ in 0..steps {
            let follows = self.log.conversation.next_event();
            in_a_row = if follows.is_some() { in_a_row + 1 } else { 0 };
            assert!(in_a_row <= LONGEST_RUN, "sequence {seed}: facts follow from one another without end");
            match (follows, self.rng.u8(0..20)) {
                (_, 0) => self.nonsense(),
                (_, 1) => self.command(),
                (Some(event), _) => self.push(event),
                (None, _) => self.play_along(),
            }
            self.check(seed);
        }
        let replayed = Conversation::replay(&self.log.frames);
        assert_eq!(replayed, self.log.conversation, "sequence {seed} replays differently");
    }

    fn push(&mut self, event: Event) {
        match &event {
            Event::Approval { call, decision: Decision::Deny { .. }, .. } if self.log.conversation.is_asking(call) => {
                self.denied.insert(call.clone());
            }
            Event::ToolComplete { call, outcome, .. } if outcome.status == Status::Denied => {
                self.denied.insert(call.clone());
            }
            Event::TurnStart { .. } | Event::StreamComplete { .. } => self.denied.clear(),
            _ => {}
        }
        self.log.push(event);
    }

    fn start(&mut self) {
        let mode = *self.pick(&[Mode::Build, Mode::Build, Mode::Auto, Mode::Plan, Mode::Chat]);
        let mut start = Start::new(mode);
        start.router = (mode == Mode::Auto && self.rng.bool()).then(|| "small/model".to_string());
        start.rules.approval = *self.pick(&[ApprovalPolicy::Ask, ApprovalPolicy::AcceptEdits, ApprovalPolicy::Auto]);
        start.rules.headless = self.rng.bool();
        start.model.reasons = self.rng.bool();
        start.limits.iterations = self.rng.u32(1..12);
        start.limits.time_ms = self.rng.bool().then_some(40_000);
        start.verification =
            *self.pick(&[Verification::Full, Verification::Full, Verification::Types, Verification::Off]);
        start.continues = self.rng.u8(0..5) == 0;
        if self.rng.bool() {
            start.checks = vec![test_check()];
        }
        if self.rng.bool() {
            start.fixers = vec![fixer()];
        }
        if self.rng.bool() {
            start.rules.rules =
                vec![ox_protocol::Rule::parse(ox_protocol::RuleAction::Allow, "run_checks").expect("a rule")];
        }
        start.rules.isolated = self.rng.bool();
        use ox_protocol::ReviewPolicy;
        start.review = *self.pick(&[ReviewPolicy::Off, ReviewPolicy::Auto, ReviewPolicy::Always]);
        if self.rng.u8(0..3) == 0 {
            use ox_protocol::HookPoint::{AfterTool, BeforeStop, BeforeTool, RunStart};
            let points = [RunStart, BeforeTool, AfterTool, BeforeStop];
            start.rules.hooks = points.iter().filter(|_| self.rng.bool()).map(|it| hook(*it, &[])).collect();
        }
        self.push(start.event());
        self.push(Event::Prompted { system: None, tools: None, context: Vec::new() });
    }

    /// Does one of the wanted things, or what a person could do.
    fn play_along(&mut self) {
        let wants = self.log.conversation.wants();
        if wants.is_empty() {
            return self.person();
        }
        let want = self.rng.choice(&wants).expect("wants").clone();
        match want {
            Want::Model { id, .. } => self.reply(id),
            Want::Tool { call, .. } => {
                self.push(Event::ToolStart {
                    call: call.id.clone(),
                    tool: call.tool.clone(),
                    args: call.args.clone(),
                    iteration: 1,
                });
                let outcome = self.outcome(&call);
                self.push(Event::ToolComplete { call: call.id.clone(), tool: call.tool.clone(), outcome });
            }
            Want::Checks(ox_core::ChecksRun { id, call, baseline, round, total, .. }) => {
                let report = self.report();
                self.push(Event::CheckResult { want: id, baseline, round, total, report });
                if let Some(call) = call {
                    self.push(Event::ToolComplete { call, tool: "run_checks".into(), outcome: Outcome::ok("ran") });
                }
            }
            Want::Agent { agent, .. } => {
                let AgentRun { call, tool, conversation, limits, .. } = *agent;
                let end = AgentEnd {
                    call: call.clone(),
                    conversation,
                    stop: Stop::Answered,
                    iterations: self.rng.u32(0..=limits.iterations),
                    usage: Default::default(),
                    cost: None,
                    findings: self.reviewer_found(&call),
                    problem: None,
                };
                self.push(Event::AgentEnd(end));
                if !call.is_review() {
                    self.push(Event::ToolComplete { call, tool, outcome: Outcome::ok("found") });
                }
            }
            Want::Fixers { call, .. } => {
                let tool = ox_protocol::FIXERS.to_string();
                self.push(Event::ToolStart {
                    call: call.clone(),
                    tool: tool.clone(),
                    args: serde_json::json!({}),
                    iteration: 1,
                });
                let outcome = Outcome { tree_changed: self.rng.bool(), ..Outcome::default() };
                self.push(Event::ToolComplete { call, tool, outcome });
            }
            Want::Audit { id, changes } => {
                let kind = *self.rng.choice(&ox_protocol::AuditKind::ALL).expect("kinds");
                let found = ox_protocol::AuditFinding {
                    kind,
                    file: "a.rs".into(),
                    line: 1,
                    about: String::new(),
                    before: String::new(),
                    now: String::new(),
                };
                let findings = if self.rng.bool() { vec![found] } else { Vec::new() };
                let size = ox_protocol::ChangeSize { files: self.rng.u32(0..10), lines: self.rng.u32(0..300) };
                self.push(Event::Audited { want: id, changes, size, findings });
            }
            Want::Hook { id, at, call } => {
                let objection = (self.rng.u8(0..3) == 0).then_some("no");
                let call = call.map(|it| it.id);
                if let (Some(call), Some(_), ox_protocol::HookPoint::BeforeTool) = (&call, objection, at) {
                    self.denied.insert(call.clone());
                }
                self.push(hooked(id, at, call, objection));
            }
            Want::Prune { id, .. } => {
                let (before, after) = (ox_protocol::Tokens(100), ox_protocol::Tokens(self.rng.u64(0..120)));
                let sections = if self.rng.bool() { vec!["files".to_string()] } else { Vec::new() };
                let pruning = ox_protocol::Pruning { sections, ..Default::default() };
                self.push(Event::Pruned { want: id, pruning, before, after });
            }
            Want::Wake { at, .. } => self.push(Event::Woken { at }),
            Want::Route { id } => {
                use ox_protocol::IntentClass::{CodeChange, Conversation, PlanOnly, ReadOnly};
                use ox_protocol::IntentScope::{Broad, Narrow, Style};
                let class = *self.pick(&[Conversation, ReadOnly, PlanOnly, CodeChange]);
                let scope = *self.pick(&[Style, Narrow, Broad]);
                let intent = self.rng.bool().then(|| crate::fixture::intent(class, scope));
                self.push(crate::fixture::routed(id, intent));
            }
        }
    }

    fn person(&mut self) {
        let asked = self.log.frames.iter().rev().find_map(|it| match &it.event {
            Event::ApprovalRequest { call, .. } if self.log.conversation.is_asking(call) => Some((call.clone(), true)),
            Event::Question { call, .. } if self.log.conversation.is_questioning(call) => Some((call.clone(), false)),
            _ => None,
        });
        match asked {
            Some((call, true)) => {
                let decision = if self.rng.bool() {
                    Decision::Allow
                } else {
                    Decision::Deny { reason: String::new(), stop: false }
                };
                self.say(&Command::Decide { call, decision });
            }
            Some((call, false)) => self.say(&Command::Answer { call, text: "a".into() }),
            None if self.log.conversation.stopped().is_some() => {
                self.push(Event::Completion { stop: Stop::Done, exit_code: 0 });
                self.start();
            }
            None => self.push(Event::Interrupted),
        }
    }

    fn command(&mut self) {
        let command = match self.rng.u8(0..4) {
            0 => Command::Prompt { text: "more".into(), images: vec![], mode: None, delivery: Delivery::Steer },
            1 => Command::Interrupt,
            2 => Command::Decide { call: self.id(), decision: Decision::Allow },
            _ => Command::Answer { call: self.id(), text: "x".into() },
        };
        self.say(&command);
    }

    fn say(&mut self, command: &Command) {
        for event in self.log.decide(command).unwrap_or_default() {
            self.push(event);
        }
    }

    fn reply(&mut self, want: ox_protocol::WantId) {
        if self.rng.u8(0..6) == 0 {
            let kind = *self.pick(&[
                FailureKind::Overloaded,
                FailureKind::Cut,
                FailureKind::Auth,
                FailureKind::ToolChoiceRejected,
                FailureKind::ToolsRejected,
            ]);
            let jitter = self.rng.u16(0..1000);
            return self.push(Event::ModelFailed { want, failure: failure(kind), jitter });
        }
        let calls = (0..self.rng.usize(0..4)).map(|i| self.call(&CallId::of(&Default::default(), want, i).0)).collect();
        let finish = self.pick(&[Finish::Stop, Finish::Calls, Finish::Length]).clone();
        let text = *self.pick(&["", "done", "words"]);
        self.push(reply(want, text, calls, finish));
    }

    fn call(&mut self, id: &str) -> Call {
        let line = format!("make {}", self.rng.u8(0..3));
        let mut call = match self.rng.u8(0..10) {
            9 => agent(id, self.rng.bool()),
            0 | 1 => read(id),
            2 | 3 => edit(id),
            4 | 5 => command(id, &line),
            6 => question(id),
            7 => checks_call(id),
            _ => conclude(id),
        };
        match self.rng.u8(0..12) {
            0 => call.facts.level = Level::System,
            1 => call.facts.rejected = Some("no such tool".into()),
            2 => call.facts.statement = concluding("x", "why").facts.statement,
            _ => {}
        }
        call
    }

    fn outcome(&mut self, call: &Call) -> Outcome {
        match self.rng.u8(0..4) {
            0 => Outcome::failed("no"),
            1 => Outcome::ok("same"),
            _ if call.facts.kind == CallKind::Mutate => edited(),
            _ => Outcome::ok(format!("{}", self.rng.u8(0..5))),
        }
    }

    fn report(&mut self) -> CheckReport {
        match self.rng.u8(0..4) {
            0 => failing(&["a"]),
            1 => failing(&["a", "b"]),
            2 => CheckReport::default(),
            _ => passing(),
        }
    }

    /// What a turn's own reviewer says.
    fn reviewer_found(&mut self, call: &ox_protocol::CallId) -> Vec<ox_protocol::Finding> {
        let severity = *self.pick(&[ox_protocol::Severity::Error, ox_protocol::Severity::Warning]);
        let why = self.rng.u8(0..9).to_string();
        let found = ox_protocol::Finding { severity, path: String::new(), line: None, why, evidence: String::new() };
        if call.is_review() && self.rng.bool() { vec![found] } else { Vec::new() }
    }

    /// A fact that may have no meaning here at all.
    fn nonsense(&mut self) {
        let call = self.id();
        let want = ox_protocol::WantId { seq: ox_protocol::Seq(self.rng.u64(0..60)), index: self.rng.u16(0..3) };
        let event = match self.rng.u8(0..13) {
            0 => Event::ToolComplete { call, tool: "t".into(), outcome: edited() },
            1 => Event::ToolStart { call, tool: "t".into(), args: Default::default(), iteration: 1 },
            2 => Event::Lost { call },
            3 => Event::Woken { at: Time(self.rng.u64(0..100_000)) },
            4 => Event::CheckResult { want, baseline: self.rng.bool(), round: 1, total: 5, report: self.report() },
            5 => Event::Approval {
                call,
                decision: Decision::Deny { reason: String::new(), stop: false },
                by: "user".into(),
            },
            6 => Event::IterationStart { iteration: 1, total: 2, tool_choice: Default::default(), max_output: None },
            7 => Event::Interrupted,
            8 => Event::Todo {
                items: vec![Todo {
                    id: 1,
                    text: "t".into(),
                    state: *self.pick(&[TodoState::Pending, TodoState::Completed]),
                    priority: String::new(),
                    notes: String::new(),
                }],
            },
            9 => Event::ModelFailed { want, failure: failure(FailureKind::Cut), jitter: 0 },
            10 => {
                let at = *self.pick(&[ox_protocol::HookPoint::BeforeTool, ox_protocol::HookPoint::BeforeStop]);
                hooked(want, at, Some(call), Some("late"))
            }
            11 => reply(want, "late", vec![], Finish::Stop),
            _ => Event::Steered { text: "hm".into(), images: vec![] },
        };
        self.push(event);
    }

    fn id(&mut self) -> CallId {
        let known: Vec<CallId> = self.log.frames.iter().rev().take(12).filter_map(call_of).collect();
        self.rng.choice(&known).cloned().unwrap_or(CallId("none".into()))
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.rng.usize(0..from.len())]
    }

    fn check(&self, seed: u64) {
        let turn = &self.log.conversation;
        let wants = turn.wants();
        if !turn.is_running() {
            assert!(wants.is_empty() && turn.next_event().is_none(), "sequence {seed}: over is over");
        }
        let ids: BTreeSet<_> = wants.iter().map(Want::id).collect();
        assert_eq!(ids.len(), wants.len(), "sequence {seed}: wants are distinct");
        assert!(wants.len() <= 8, "sequence {seed}: wants are bounded");
        for want in &wants {
            let Want::Tool { call, .. } = want else { continue };
            assert!(!self.denied.contains(&call.id), "sequence {seed}: nothing denied runs");
            assert!(call.facts.rejected.is_none(), "sequence {seed}: nothing rejected runs");
            let on_a_copy = call.facts.command.is_some() && self.is_isolated();
            assert!(
                turn.mode().may_change()
                    || call.facts.kind == CallKind::Read
                    || on_a_copy
                    || self.has_started(&call.id),
                "sequence {seed}: reading modes only read"
            );
        }
        if turn.stopped() == Some(Stop::Done)
            && matches!(self.log.frames.last().map(|it| &it.event), Some(Event::Stopped { .. }))
        {
            assert!(self.is_verified(), "sequence {seed}: done needs checks that pass over this very tree");
        }
    }

    fn has_started(&self, id: &CallId) -> bool {
        self.log.frames.iter().any(|it| matches!(&it.event, Event::ToolStart { call, .. } if call == id))
    }

    fn is_isolated(&self) -> bool {
        let started = |it: &Frame| match &it.event {
            Event::TurnStart { rules, .. } => Some(rules.isolated),
            _ => None,
        };
        self.log.frames.iter().rev().find_map(started).unwrap_or_default()
    }

    /// Independent of the fold: reads the log backwards.
    fn is_verified(&self) -> bool {
        for frame in self.log.frames.iter().rev() {
            match &frame.event {
                Event::CheckResult { baseline: false, report, .. } => {
                    return verify::compare(self.log.conversation.baseline(), report).is_empty();
                }
                Event::ToolComplete { outcome, call, .. } if outcome.mutated() && self.was_wanted(call) => {
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    fn was_wanted(&self, call: &CallId) -> bool {
        self.log
            .frames
            .iter()
            .any(|it| matches!(&it.event, Event::StreamComplete { calls, .. } if calls.iter().any(|c| c.id == *call)))
    }
}

fn call_of(frame: &Frame) -> Option<CallId> {
    match &frame.event {
        Event::ToolStart { call, .. } | Event::ApprovalRequest { call, .. } | Event::Question { call, .. } => {
            Some(call.clone())
        }
        Event::StreamComplete { calls, .. } => calls.first().map(|it| it.id.clone()),
        _ => None,
    }
}
