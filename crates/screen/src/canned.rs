//! A canned session with something of everything: what an agent could have said while it repaired a parser.

use ox_client::Update;
use ox_protocol::*;
use serde_json::{Value, json};

/// One step: how long after the step before it happens, and what.
pub struct Step {
    pub pause_ms: u64,
    pub update: Update,
}

/// Writes a session down, frame by frame.
#[derive(Default)]
pub struct Script {
    pub steps: Vec<Step>,
    seq: u64,
    time: u64,
    calls: Vec<Call>,
}

const START: u64 = 1_700_000_000_000;

impl Script {
    pub fn event(&mut self, pause_ms: u64, event: Event) {
        self.seq += 1;
        self.time += pause_ms;
        let frame = Frame::new(Seq(self.seq), Time(START + self.time), event);
        self.steps.push(Step { pause_ms, update: Update::from(frame) });
    }

    fn delta(&mut self, pause_ms: u64, kind: DeltaKind, id: &str, call: Option<&str>, offset: usize, text: &str) {
        self.time += pause_ms;
        let delta = Delta {
            conversation: ox_protocol::ConversationId::default(),
            kind,
            message_id: MessageId(id.to_string()),
            call: call.map(|it| CallId(it.to_string())),
            offset: offset as u64,
            delta: text.to_string(),
        };
        self.steps.push(Step { pause_ms, update: Update::Delta(delta) });
    }

    /// Streams a text word by word.
    pub fn stream(&mut self, kind: DeltaKind, id: &str, text: &str, pause_ms: u64) {
        let mut offset = 0;
        for piece in text.split_inclusive([' ', '\n']) {
            self.delta(pause_ms, kind, id, None, offset, piece);
            offset += piece.len();
        }
    }

    pub fn output(&mut self, id: &str, call: &str, text: &str) {
        let mut offset = 0;
        for piece in text.split_inclusive('\n') {
            self.delta(150, DeltaKind::ToolOutput, id, Some(call), offset, piece);
            offset += piece.len();
        }
    }

    /// A reply: streamed, then complete.
    pub fn reply(&mut self, id: &str, text: &str, calls: &[(&str, &str, Value)]) {
        self.stream(DeltaKind::Text, id, text, 25);
        self.calls = calls
            .iter()
            .map(|(id, tool, args)| Call {
                id: CallId((*id).to_string()),
                tool: (*tool).to_string(),
                args: args.clone(),
                facts: facts(tool),
                as_written: None,
            })
            .collect();
        let usage = Usage {
            input: Tokens(8_525),
            cache_read: Tokens(6_394),
            output: Tokens(300),
            reasoning: Tokens(120),
            ..Usage::default()
        };
        self.event(
            20,
            Event::StreamComplete {
                want: WantId::default(),
                message_id: MessageId(id.to_string()),
                text: text.to_string(),
                reasoning: Vec::new(),
                images: Vec::new(),
                calls: self.calls.clone(),
                finish: if calls.is_empty() { Finish::Stop } else { Finish::Calls },
                usage,
                cost: Some(Money(25_575)),
                order: Vec::new(),
                total_length: text.len() as u64,
                duration_ms: 900,
            },
        );
    }

    pub fn start(&mut self, call: &str) {
        let found = self.calls.iter().find(|it| it.id.0 == call).expect("the call was made").clone();
        self.event(5, Event::ToolStart { call: found.id, tool: found.tool, args: found.args, iteration: 1 });
    }

    pub fn end(&mut self, pause_ms: u64, call: &str, outcome: Outcome) {
        let found = self.calls.iter().find(|it| it.id.0 == call).expect("the call was made").clone();
        let outcome = Outcome { duration_ms: pause_ms, ..outcome };
        self.event(pause_ms, Event::ToolComplete { call: found.id, tool: found.tool, outcome });
    }

    pub fn iteration(&mut self, iteration: u32) {
        self.event(
            10,
            Event::IterationStart { iteration, total: 100, tool_choice: ToolChoice::Auto, max_output: None },
        );
    }

    pub fn used(&mut self, input: u64, output: u64) {
        let turn = Usage {
            input: Tokens(input),
            output: Tokens(output),
            cache_read: Tokens(input / 4 * 3),
            ..Usage::default()
        };
        self.event(
            0,
            Event::TokenUsage {
                turn,
                conversation: turn,
                cost: Some(Money(input * 3)),
                used: input / 2,
                window: 128_000,
            },
        );
    }

    /// A request for consent and, for when nobody is asked in earnest, its answer.
    pub fn ask(&mut self, call: &str, level: Level, commands: &[&str], always: &str) {
        let found = self.calls.iter().find(|it| it.id.0 == call).cloned();
        let (tool, args) = found.map_or(("run_checks".to_string(), json!({})), |it| (it.tool, it.args));
        self.event(
            30,
            Event::ApprovalRequest {
                call: CallId(call.to_string()),
                tool,
                args,
                level,
                commands: commands.iter().map(|it| (*it).to_string()).collect(),
                effects: Vec::new(),
                hosts: Vec::new(),
                why: Problem::new("approval.why.checks"),
                always: Rule::parse(RuleAction::Allow, always).expect("a rule"),
                further: Vec::new(),
                changes: Vec::new(),
            },
        );
        self.event(
            600,
            Event::Approval { call: CallId(call.to_string()), decision: Decision::Allow, by: "user".to_string() },
        );
    }
}

pub fn check(name: &str, kind: CheckKind) -> Check {
    Check::new(name, kind, name, 60_000, "Cargo.toml")
}

pub fn result(name: &str, status: CheckStatus, ms: u64, diagnostics: Vec<Diagnostic>) -> CheckResult {
    CheckResult {
        exit_code: Some(0),
        diagnostics,
        duration_ms: ms,
        ..CheckResult::ended(check(name, CheckKind::Test), status)
    }
}

pub fn change(path: &str, why: &str, diff: &str) -> FileChange {
    let count = |mark: &str| diff.lines().filter(|line| line.starts_with(mark)).count() as u32;
    FileChange {
        path: path.to_string(),
        kind: ChangeKind::Modified,
        from: None,
        why: Some(why.to_string()),
        diff: diff.to_string(),
        added: count("+"),
        removed: count("-"),
    }
}

pub const DIFF: &str = "@@ -41,6 +41,9 @@ impl Parser {\n     fn unit(&mut self) -> Result<u64, ParseError> {\n         match self.next() {\n             Some('s') => Ok(1),\n-            Some('m') => Ok(60),\n+            Some('m') if self.peek() == Some('s') => {\n+                self.next();\n+                Ok(0)\n+            }\n             Some('h') => Ok(3600),\n";

const DIFF_2: &str = "@@ -44,7 +44,7 @@\n             Some('m') if self.peek() == Some('s') => {\n                 self.next();\n-                Ok(0)\n+                Ok(1)\n             }\n+            Some('m') => Ok(60_000),\n";

fn opening(script: &mut Script) {
    let id = ConversationId("20261120-7f3k".to_string());
    script.event(0, Event::ConversationId { id, root: "/home/u/app".to_string(), ox: "0.1.0".to_string(), from: None });
    script.event(
        5,
        Event::TurnStart {
            turn: 1,
            mode: Mode::Build,
            prompt: "fix the failing test".to_string(),
            images: Vec::new(),
            continues: false,
            branch: None,
            rules: Rules::default(),
            limits: Limits::default(),
            model: ModelFacts { name: "demo/recorded".to_string(), ..ModelFacts::default() },
            fallbacks: Vec::new(),
            verification: Verification::Full,
            review: ox_protocol::ReviewPolicy::Off,
            fixers: Vec::new(),
            router: None,
            checks: vec![check("cargo check", CheckKind::Types), check("cargo test", CheckKind::Test)],
        },
    );
    for (stage, ms) in [(Stage::Claim, 2), (Stage::LoadContext, 18), (Stage::AssemblePrompt, 3)] {
        script.event(0, Event::StageEnter { stage });
        script.event(ms, Event::StageExit { stage, duration_ms: ms, success: true });
    }
    script.event(0, Event::StageEnter { stage: Stage::AgentLoop });
}

fn exploring(script: &mut Script) {
    script.iteration(1);
    let thought = "The user wants the failing test fixed. I should find the test first, then the code it exercises, before I change anything at all.";
    script.stream(DeltaKind::Thinking, "m1", thought, 40);
    script.reply(
        "m1",
        "I'll look at the **failing test** and at `Parser::unit` first.\n",
        &[
            ("c1", "read_file", json!({"path": "src/parser.rs", "from": 30, "to": 60})),
            ("c2", "search_code", json!({"query": "parse_duration", "path": "tests"})),
            ("c3", "read_file", json!({"path": "src/parsr.rs"})),
        ],
    );
    for call in ["c1", "c2", "c3"] {
        script.start(call);
    }
    script.end(3, "c1", Outcome::ok("…"));
    script.end(12, "c2", Outcome::ok("…"));
    script.end(1, "c3", Outcome::failed("src/parsr.rs does not exist; did you mean src/parser.rs?\nmore"));
    script.used(8_200, 210);
    let step = |id, text: &str| PlanStep { id, ..PlanStep::new(text) };
    let steps = vec![step(1, "Accept the unit `ms`"), step(2, "Run the tests")];
    script.event(10, Event::Plan { plan: Plan { steps, ..Plan::default() } });
    let todo = |id, text: &str, state| Todo {
        id,
        text: text.to_string(),
        state,
        priority: String::new(),
        notes: String::new(),
    };
    let items = vec![todo(1, "Accept `ms`", TodoState::InProgress), todo(2, "Run the tests", TodoState::Pending)];
    script.event(10, Event::Todo { items });
}

fn trouble(script: &mut Script) {
    script.iteration(2);
    script.stream(DeltaKind::Text, "m2", "The unit `ms` is read as ", 30);
    let failure = Failure {
        kind: FailureKind::RateLimited,
        status: Some(429),
        message: "Rate limit reached for requests".to_string(),
        retry_after_ms: Some(1_500),
        partial: String::new(),
    };
    script.event(10, Event::ModelFailed { want: WantId::default(), failure, jitter: 0 });
    let until = Time(START + script.time + 1_500);
    let kind = FailureKind::RateLimited;
    script.event(0, Event::Retry { attempt: 2, total: 6, kind, wait_ms: 1_500, until });
    script.event(1_500, Event::Woken { at: until });
}

fn editing(script: &mut Script) {
    let words = "The unit `ms` is read as minutes, because `m` matches first:\n\n```rust\nSome('m') => Ok(60),   // \"5ms\" ends here\n```\n\nTwo things follow:\n\n1. `m` must look at the **next** character,\n2. the result needs milliseconds.\n\n| input | before | after |\n|-------|-------:|------:|\n| `5ms` | 300 s | 5 ms |\n| `2m` | 120 s | 120 s |\n\n";
    script.reply("m3", words, &[("c4", "edit_file", json!({"path": "src/parser.rs", "old": "a", "new": "b"}))]);
    script.ask("c4", Level::Edit, &[], "edit_file(src/**)");
    script.start("c4");
    script.end(3, "c4", Outcome { changed: vec![change("src/parser.rs", "accept ms", DIFF)], ..Outcome::ok("ok") });
    script.used(17_800, 640);
    script.iteration(3);
    script.reply("m4", "", &[("c5", "run_command", json!({"command": "cargo test --workspace"}))]);
    script.ask("c5", Level::Shell, &["cargo test --workspace"], "run_command(cargo test*)");
    script.start("c5");
    script.output(
        "m4",
        "c5",
        "   Compiling app v0.1.0\n    Finished test profile\nrunning 12 tests\ntest five_ms ... FAILED\n",
    );
    let printed = "running 12 tests\ntest five_ms ... FAILED\n\nfailures:\n    five_ms\n\nassertion `left == right` failed\n  left: 0\n right: 5\ntest result: FAILED. 11 passed; 1 failed\n";
    script.end(2_300, "c5", Outcome { exit_code: Some(101), ..Outcome::ok(printed) });
}

fn finishing(script: &mut Script) {
    script.iteration(4);
    script.reply(
        "m5",
        "One more change: milliseconds count as 1.",
        &[("c6", "edit_file", json!({"path": "src/parser.rs"}))],
    );
    script.start("c6");
    script.end(2, "c6", Outcome { changed: vec![change("src/parser.rs", "count ms", DIFF_2)], ..Outcome::ok("ok") });
    script.event(0, Event::ChecksStart { want: WantId::default(), baseline: false, round: 1, total: 5 });
    let complaint = Diagnostic {
        file: "tests/duration.rs".to_string(),
        line: 12,
        column: 5,
        code: "five_ms".to_string(),
        message: "assertion `left == right` failed: left: 0, right: 5".to_string(),
    };
    let results = vec![
        result("cargo check", CheckStatus::Passed, 800, Vec::new()),
        result("cargo test", CheckStatus::Failed, 3_100, vec![complaint]),
    ];
    let report = CheckReport { results, tree: String::new() };
    script.event(900, Event::CheckResult { want: WantId::default(), baseline: false, round: 1, total: 5, report });
    script.event(0, Event::Refusal { gate: Gate::ChecksFail, call: None, retry: 1, total: 5, message: String::new() });
    script.event(0, Event::ChecksStart { want: WantId::default(), baseline: false, round: 2, total: 5 });
    let results = vec![
        result("cargo check", CheckStatus::Passed, 300, Vec::new()),
        result("cargo test", CheckStatus::Passed, 2_900, Vec::new()),
    ];
    let report = CheckReport { results, tree: String::new() };
    script.event(900, Event::CheckResult { want: WantId::default(), baseline: false, round: 2, total: 5, report });
    script.event(0, Event::StageExit { stage: Stage::AgentLoop, duration_ms: 12_000, success: true });
}

fn proof() -> RedGreenLine {
    let test =
        ChangedTest { file: "tests/duration.rs".to_string(), name: "five_ms".to_string(), line: 10, is_new: true };
    let run = |exit_code| Evidence {
        command: "cargo test --test duration".to_string(),
        exit_code: Some(exit_code),
        duration_ms: 900,
        ..Evidence::default()
    };
    RedGreenLine { tests: vec![test], dependence: Dependence::Shown, before: run(101), after: run(0) }
}

fn ending(script: &mut Script) {
    script.used(34_100, 1_200);
    let summary = Summary {
        text: "`5ms` is five milliseconds now; `m` alone still means minutes.".to_string(),
        files: vec![
            change("src/parser.rs", "accept the unit ms", DIFF),
            FileChange { kind: ChangeKind::Created, ..change("tests/duration.rs", "cover ms and m", "+a\n+b\n") },
        ],
        checks: vec![
            CheckLine::new("cargo check", CheckStatus::Passed),
            CheckLine::new("cargo test", CheckStatus::Passed),
        ],
        seen: Vec::new(),
        review: None,
        red_green: vec![proof()],
        claims: vec![
            Claim {
                claim: "`5ms` is read as 5 milliseconds".to_string(),
                command: "cargo test".to_string(),
                evidence: Some(Evidence { command: "cargo test".to_string(), ..Evidence::default() }),
            },
            Claim { claim: "the command line accepts it too".to_string(), ..Claim::default() },
        ],
        findings: Vec::new(),
        verify: "Run `cargo run -- 5ms`; it prints `5`.".to_string(),
        steps: Vec::new(),
        undone: vec!["The README still says that only s, m and h are known.".to_string()],
        iterations: 4,
        usage: Usage::default(),
        cost: None,
        duration_ms: 12_000,
    };
    for (stage, event) in
        [(Stage::FinalResponse, Some(Event::Summary { summary })), (Stage::WriteResult, None), (Stage::Cleanup, None)]
    {
        script.event(0, Event::StageEnter { stage });
        if let Some(event) = event {
            script.event(0, event);
        }
        script.event(1, Event::StageExit { stage, duration_ms: 1, success: true });
    }
    script.event(0, Event::Completion { stop: Stop::Done, exit_code: 0 });
}

/// The whole session.
pub fn session() -> Script {
    let mut script = Script::default();
    opening(&mut script);
    exploring(&mut script);
    trouble(&mut script);
    editing(&mut script);
    finishing(&mut script);
    ending(&mut script);
    script
}

/// What a tool says of its calls, as far as it decides how they are shown.
fn facts(tool: &str) -> CallFacts {
    let presentation = match tool {
        "run_command" => Presentation::Command,
        "todo_write" | "todo_read" => Presentation::Separate,
        _ => Presentation::Named,
    };
    let kind = match tool {
        "run_checks" => CallKind::Checks,
        "ask_user" => CallKind::Question,
        "attempt_completion" | "plan_respond" => CallKind::Conclude,
        _ => CallKind::Read,
    };
    CallFacts { kind, presentation, ..CallFacts::default() }
}
