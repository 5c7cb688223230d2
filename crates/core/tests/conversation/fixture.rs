//! A log that is written by hand, and words to write it with.

use ox_core::{Conversation, Rejected, Want, decide};
use ox_protocol::{
    AgentRequest, ApprovalPolicy, AuditFinding, Call, CallFacts, CallId, CallKind, Check, CheckKind, CheckReport,
    CheckResult, CheckStatus, Command, CommandId, Diagnostic, Event, Failure, FailureKind, Finish, Frame, Hook,
    HookFormat, HookPoint, HookRun, Hooked, Level, Limits, Mode, ModelFacts, Outcome, PathUse, Rules, Seq, Statement,
    Stop, Submission, Time, Usage, Verification, WantId,
};
use serde_json::{Value, json};

/// A turn, its log and a clock that moves one second an event.
#[derive(Clone, Default)]
pub struct Log {
    pub conversation: Conversation,
    /// What audits find from now on; none is answered where there is no answer.
    pub audits: Option<Vec<AuditFinding>>,
    /// How large audits find the change.
    pub size: ox_protocol::ChangeSize,
    pub frames: Vec<Frame>,
}

impl Log {
    /// A conversation whose first turn has its prompt.
    pub fn begin(mode: Mode, change: impl FnOnce(&mut Start)) -> Log {
        let mut log = Log::start(mode, change);
        log.push(Event::Prompted { system: None, tools: None, context: Vec::new() });
        log
    }

    /// A conversation whose first turn has no prompt yet.
    pub fn start(mode: Mode, change: impl FnOnce(&mut Start)) -> Log {
        let mut log = Log { audits: Some(Vec::new()), ..Log::default() };
        let mut start = Start::new(mode);
        change(&mut start);
        log.push(start.event());
        log
    }

    pub fn push(&mut self, event: Event) {
        let seq = Seq(self.frames.len() as u64 + 1);
        let frame = Frame::new(seq, Time(1_000 * seq.0), event);
        self.conversation.apply(&frame);
        self.frames.push(frame);
    }

    /// What a command means now.
    pub fn decide(&self, command: &Command) -> Result<Vec<Event>, Rejected> {
        decide(&self.conversation, &Submission { id: CommandId("c1".into()), command: command.clone() })
    }

    /// Records what follows until nothing does, and returns the names of it.
    pub fn settle(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        while let Some(event) = self.conversation.next_event().or_else(|| self.audited()) {
            names.push(name(&event));
            self.push(event);
            assert!(names.len() < 200, "facts follow without end: {names:?}");
        }
        names
    }

    /// The answer to a wanted audit.
    fn audited(&self) -> Option<Event> {
        let wants = self.conversation.wants();
        let (want, changes) = wants.iter().find_map(|it| match it {
            Want::Audit { id, changes } => Some((*id, *changes)),
            _ => None,
        })?;
        Some(Event::Audited { want, changes, size: self.size, findings: self.audits.clone()? })
    }

    /// Answers the wanted model request.
    pub fn reply(&mut self, text: &str, calls: Vec<Call>) {
        self.settle();
        let want = self.model_want().unwrap_or_else(|| panic!("no model is wanted: {:?}", self.conversation));
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
        self.push(reply(want, text, calls, finish));
        self.settle();
    }

    /// Runs every wanted tool call with this outcome, until none is wanted.
    pub fn run_tools(&mut self, outcome: &Outcome) {
        while let Some(Want::Tool { call, .. }) =
            self.conversation.wants().into_iter().find(|it| matches!(it, Want::Tool { .. }))
        {
            self.push(Event::ToolStart {
                call: call.id.clone(),
                tool: call.tool.clone(),
                args: call.args.clone(),
                iteration: 1,
            });
            self.push(Event::ToolComplete { call: call.id.clone(), tool: call.tool.clone(), outcome: outcome.clone() });
            self.settle();
        }
    }

    /// Answers the wanted checks, the baseline first if both are wanted.
    pub fn check(&mut self, report: CheckReport) {
        let wants = self.conversation.wants();
        let Some(Want::Checks(ox_core::ChecksRun { id, baseline, round, total, .. })) =
            wants.iter().rev().find(|it| matches!(it, Want::Checks(ox_core::ChecksRun { .. })))
        else {
            panic!("no checks are wanted: {wants:?}")
        };
        self.push(Event::CheckResult { want: *id, baseline: *baseline, round: *round, total: *total, report });
        self.settle();
    }

    /// Answers the wanted pruning.
    pub fn prune(&mut self, before: u64, after: u64) {
        let wants = self.conversation.wants();
        let Some(Want::Prune { id, .. }) = wants.iter().find(|it| matches!(it, Want::Prune { .. })) else {
            panic!("no pruning is wanted: {wants:?}")
        };
        let shrunk = if after < before { vec![CallId("old".to_string())] } else { Vec::new() };
        let pruning = ox_protocol::Pruning { shrunk, ..Default::default() };
        let tokens = ox_protocol::Tokens;
        self.push(Event::Pruned { want: *id, pruning, before: tokens(before), after: tokens(after) });
        self.settle();
    }

    /// Answers the wanted hook; it objects where there are words.
    pub fn hook(&mut self, objection: Option<&str>) {
        let wants = self.conversation.wants();
        let Some(Want::Hook { id, at, call }) = wants.iter().find(|it| matches!(it, Want::Hook { .. })) else {
            panic!("no hook is wanted: {wants:?}")
        };
        self.push(hooked(*id, *at, call.as_ref().map(|it| it.id.clone()), objection));
        self.settle();
    }

    pub fn model_want(&self) -> Option<WantId> {
        self.conversation.wants().iter().find_map(|it| match it {
            Want::Model { id, .. } => Some(*id),
            _ => None,
        })
    }

    pub fn fail_model(&mut self, kind: FailureKind) {
        self.settle();
        let want = self.model_want().expect("a model is wanted");
        self.push(Event::ModelFailed { want, failure: failure(kind), jitter: 500 });
    }

    /// The names of what is wanted.
    pub fn wanted(&self) -> Vec<String> {
        let name = |it: &Want| match it {
            Want::Model { choice, attempt, .. } => format!("model {choice:?} {attempt}"),
            Want::Tool { call, .. } => format!("tool {}", call.tool),
            Want::Checks(ox_core::ChecksRun { baseline: true, .. }) => "baseline".to_string(),
            Want::Checks(ox_core::ChecksRun { call: Some(_), .. }) => "checks by call".to_string(),
            Want::Checks(ox_core::ChecksRun { round, .. }) => format!("checks {round}"),
            Want::Hook { at, call, .. } => {
                format!("hook {at:?}{}", call.as_ref().map_or(String::new(), |it| format!(" {}", it.tool)))
            }
            Want::Agent { agent, .. } => format!("agent {}", agent.request.kind),
            Want::Prune { .. } => "prune".to_string(),
            Want::Route { .. } => "route".to_string(),
            Want::Fixers { .. } => "fixers".to_string(),
            Want::Audit { .. } => "audit".to_string(),
            Want::Wake { .. } => "wake".to_string(),
        };
        self.conversation.wants().iter().map(name).collect()
    }

    pub fn stop(&self) -> Option<Stop> {
        self.conversation.stopped()
    }

    pub fn last_event(&self) -> String {
        name(&self.frames.last().expect("a log").event)
    }
}

/// A fixer of the project.
pub fn fixer() -> ox_protocol::Fixer {
    ox_protocol::Fixer {
        name: "tidy".to_string(),
        command: "tidy {files}".to_string(),
        files: Vec::new(),
        limit_ms: 1000,
        source: "config".to_string(),
        lacks: None,
    }
}

/// How a turn starts.
pub struct Start {
    pub mode: Mode,
    pub prompt: String,
    pub rules: Rules,
    pub limits: Limits,
    pub model: ModelFacts,
    pub fallbacks: Vec<ModelFacts>,
    pub checks: Vec<Check>,
    pub fixers: Vec<ox_protocol::Fixer>,
    pub verification: Verification,
    pub continues: bool,
    pub router: Option<String>,
    pub review: ox_protocol::ReviewPolicy,
}

impl Start {
    pub fn new(mode: Mode) -> Start {
        Start {
            mode,
            prompt: "task".to_string(),
            rules: Rules { approval: ApprovalPolicy::AcceptEdits, ..Rules::default() },
            limits: Limits::default(),
            model: ModelFacts { name: "test/model".to_string(), ..ModelFacts::default() },
            fallbacks: Vec::new(),
            checks: Vec::new(),
            verification: Verification::Full,
            continues: false,
            fixers: Vec::new(),
            router: None,
            review: ox_protocol::ReviewPolicy::Off,
        }
    }

    pub fn event(self) -> Event {
        Event::TurnStart {
            turn: 1,
            mode: self.mode,
            prompt: self.prompt,
            images: Vec::new(),
            continues: self.continues,
            branch: None,
            rules: self.rules,
            limits: self.limits,
            model: self.model,
            fallbacks: self.fallbacks,
            verification: self.verification,
            review: self.review,
            checks: self.checks,
            fixers: self.fixers,
            router: self.router,
        }
    }
}

pub fn name(event: &Event) -> String {
    let value = serde_json::to_value(event).expect("events serialise");
    value["event"].as_str().expect("events are tagged").to_string()
}

pub fn reply(want: WantId, text: &str, calls: Vec<Call>, finish: Finish) -> Event {
    Event::StreamComplete {
        want,
        message_id: ox_protocol::MessageId::of(want),
        text: text.to_string(),
        reasoning: Vec::new(),
        images: Vec::new(),
        calls,
        finish,
        usage: Usage { input: ox_protocol::Tokens(10), output: ox_protocol::Tokens(5), ..Usage::default() },
        cost: None,
        order: Vec::new(),
        total_length: text.len() as u64,
        duration_ms: 1,
    }
}

/// What a hook said; it objected where there are words.
pub fn hooked(want: WantId, at: HookPoint, call: Option<CallId>, objection: Option<&str>) -> Event {
    let run = HookRun {
        command: "./hook".to_string(),
        blocked: objection.is_some(),
        message: objection.unwrap_or_default().to_string(),
        exit_code: Some(if objection.is_some() { 2 } else { 0 }),
        timed_out: false,
        duration_ms: 1,
    };
    Event::Hooked(Hooked { want, at, call, runs: vec![run] })
}

/// A hook of every tool, or of these.
pub fn hook(at: HookPoint, tools: &[&str]) -> Hook {
    let tools = tools.iter().map(|it| (*it).to_string()).collect();
    Hook {
        at,
        command: "./hook".to_string(),
        tools,
        limit_ms: 1000,
        source: "user".to_string(),
        format: HookFormat::Ox,
    }
}

pub fn failure(kind: FailureKind) -> Failure {
    Failure { kind, status: None, message: "no".to_string(), retry_after_ms: None, partial: String::new() }
}

fn call(id: &str, tool: &str, args: Value, facts: CallFacts) -> Call {
    Call { id: CallId(id.to_string()), tool: tool.to_string(), args, facts, as_written: None }
}

pub fn read(id: &str) -> Call {
    call(id, "read_file", json!({"path": format!("{id}.rs")}), CallFacts { explores: true, ..CallFacts::default() })
}

pub fn edit(id: &str) -> Call {
    let paths = vec![PathUse { path: "src/lib.rs".to_string(), write: true }];
    call(
        id,
        "edit_file",
        json!({"path": "src/lib.rs", "n": id}),
        CallFacts { kind: CallKind::Mutate, level: Level::Edit, paths, ..CallFacts::default() },
    )
}

pub fn command(id: &str, line: &str) -> Call {
    let facts = CallFacts {
        kind: CallKind::Mutate,
        level: Level::Shell,
        command: Some(line.to_string()),
        explores: true,
        ..CallFacts::default()
    };
    call(id, "run_command", json!({"command": line}), facts)
}

pub fn question(id: &str) -> Call {
    call(
        id,
        "ask_user",
        json!({"question": "Which?", "options": ["a", "b"]}),
        CallFacts {
            kind: CallKind::Question,
            statement: Some(Statement::Question { text: "Which?".into(), options: vec!["a".into(), "b".into()] }),
            ..CallFacts::default()
        },
    )
}

pub fn checks_call(id: &str) -> Call {
    call(
        id,
        "run_checks",
        json!({}),
        CallFacts { kind: CallKind::Checks, level: Level::Shell, explores: true, ..CallFacts::default() },
    )
}

pub fn conclude(id: &str) -> Call {
    concluding(id, "")
}

/// A conclusion that says why nothing had to be changed.
pub fn concluding(id: &str, no_change: &str) -> Call {
    let statement = Statement::Completion {
        result: "done".into(),
        verify: String::new(),
        undone: Vec::new(),
        no_change: no_change.into(),
        claims: Vec::new(),
    };
    let facts = CallFacts { kind: CallKind::Conclude, statement: Some(statement), ..CallFacts::default() };
    call(id, "attempt_completion", json!({"result": "done"}), facts)
}

pub fn edited() -> Outcome {
    Outcome { tree_changed: true, ..Outcome::ok("edited src/lib.rs") }
}

pub fn test_check() -> Check {
    Check::new("test", CheckKind::Test, "make test", 1000, "Makefile")
}

pub fn report(status: CheckStatus, messages: &[&str]) -> CheckReport {
    let diagnostic = |it: &&str| Diagnostic {
        file: "a.rs".to_string(),
        line: 1,
        column: 1,
        code: String::new(),
        message: (*it).to_string(),
    };
    let diagnostics = messages.iter().map(diagnostic).collect();
    let result = CheckResult {
        exit_code: Some(i32::from(status != CheckStatus::Passed)),
        diagnostics,
        duration_ms: 1,
        ..CheckResult::ended(test_check(), status)
    };
    CheckReport { results: vec![result], tree: String::new() }
}

pub fn passing() -> CheckReport {
    report(CheckStatus::Passed, &[])
}

pub fn failing(messages: &[&str]) -> CheckReport {
    report(CheckStatus::Failed, messages)
}

/// Lets checks run unasked.
pub fn with_checks(start: &mut Start) {
    start.checks = vec![test_check()];
    start.rules.rules = vec![ox_protocol::Rule::parse(ox_protocol::RuleAction::Allow, "run_checks").expect("a rule")];
}

/// What the router decided.
pub fn intent(class: ox_protocol::IntentClass, scope: ox_protocol::IntentScope) -> ox_protocol::Intent {
    ox_protocol::Intent { class, scope, paths: Vec::new(), by: ox_protocol::IntentSource::Router }
}

/// The router's answer; none where it could not be asked.
pub fn routed(want: WantId, intent: Option<ox_protocol::Intent>) -> Event {
    let failure = if intent.is_none() { "no network".to_string() } else { String::new() };
    Event::Intent { decision: ox_protocol::IntentDecision { want, intent, failure, ..Default::default() } }
}

/// A call of a sub-agent, which may change something where it `writes`.
pub fn agent(id: &str, writes: bool) -> Call {
    let kind = if writes { "test-writer" } else { "explore" };
    let request = AgentRequest { kind: kind.into(), task: "look".into(), ..AgentRequest::default() };
    let mut call = read(id);
    call.tool = "spawn_subagent".into();
    call.facts.kind = CallKind::Agent;
    call.facts.level = if writes { Level::Edit } else { Level::Read };
    call.facts.statement = Some(Statement::Agent { request });
    call
}
