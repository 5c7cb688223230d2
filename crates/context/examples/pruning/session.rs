//! Long sessions: made up by a fixed rule, or read from exported conversations.

use std::path::Path;

use ox_protocol::{
    Call, CallFacts, CallId, CallKind, ChangeKind, Event, FileChange, Finish, Frame, Level, MessageId, Mode,
    ModelFacts, Outcome, PathUse, Plan, Section, Seq, Status, Todo, TodoState, Tokens, ToolChoice, Usage, Verification,
    WantId,
};
use serde_json::{Value, json};

/// The conversations in a folder of exports.
pub(crate) fn recorded(folder: &Path) -> Result<Vec<(String, Vec<Frame>)>, String> {
    let mut found = Vec::new();
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).map_err(|it| it.to_string())?.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.sort();
    for path in paths.iter().filter(|it| it.extension().is_some_and(|it| it == "json")) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).map_err(|it| format!("{name}: {it}"))?;
        let value: Value = serde_json::from_str(&text).map_err(|it| format!("{name}: {it}"))?;
        let frames = serde_json::from_value(value["events"].clone()).map_err(|it| format!("{name}: {it}"))?;
        found.push((name, frames));
    }
    Ok(found)
}

/// Numbers that look like chance and are the same in every run (a linear congruential generator).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A session whose texts have about `tokens` in all: tasks of some twenty calls each.
pub(crate) fn made_up(seed: u64, tokens: u64) -> Vec<Frame> {
    let mut it = Made { dice: Dice(seed), events: Vec::new(), bytes: 0, calls: 0 };
    let mut task = 0;
    while it.bytes < tokens * 4 {
        task += 1;
        it.task(task);
    }
    let frame = |(seq, event)| Frame::new(Seq(seq), Default::default(), event);
    (1..).zip(it.events).map(frame).collect()
}

struct Made {
    dice: Dice,
    events: Vec<Event>,
    bytes: u64,
    calls: u64,
}

impl Made {
    fn task(&mut self, number: u32) {
        self.events.push(start(number));
        if number == 1 {
            let rules = "Use tabs. Never touch generated files. Every error names its place.";
            let listing = (0..300).map(|it| format!("src/file_{it}.rs\n")).collect();
            let section = |name: &str, text: String| Section { name: name.into(), tokens: Tokens(0), text };
            let context = vec![section("rules:AGENTS.md", rules.into()), section("files", listing)];
            self.events.push(Event::Prompted { system: Some("You are Ox.".into()), tools: None, context });
        }
        let plan = format!("Plan {number}: read the callers, change the rounding, then prove it with case {number}.");
        self.events.push(Event::Plan { plan: Plan { text: plan, ..Plan::default() } });
        let todo = |id: u32, state| Todo {
            id,
            text: format!("todo {id} of task {number}"),
            state,
            notes: String::new(),
            priority: Default::default(),
        };
        let items = vec![todo(1, TodoState::Completed), todo(2, TodoState::InProgress), todo(3, TodoState::Pending)];
        self.events.push(Event::Todo { items });
        for step in 0..20 {
            self.step(number, step);
        }
        let stop = ox_protocol::Stop::Done;
        self.events.extend([Event::Stopped { stop }, Event::Completion { stop, exit_code: 0 }]);
    }

    fn step(&mut self, task: u32, step: u64) {
        self.events.push(Event::IterationStart {
            iteration: step as u32 + 1,
            total: 100,
            tool_choice: ToolChoice::Auto,
            max_output: None,
        });
        if step == 7 {
            let text = format!("In task {task} keep the public names as they are.");
            self.events.push(Event::Steered { text, images: Vec::new() });
        }
        let edited = format!("src/edited_{task}.rs");
        match step {
            1 => self.call("read_file", &edited, CallKind::Read, Outcome::ok(code(&edited, 60))),
            3 | 9 => {
                let change = FileChange {
                    path: edited.clone(),
                    kind: ChangeKind::Modified,
                    from: None,
                    why: None,
                    diff: "-a\n+b\n".into(),
                    added: 1,
                    removed: 1,
                };
                let outcome = Outcome { changed: vec![change], ..Outcome::ok(format!("edited {edited}")) };
                self.call("edit_file", &edited, CallKind::Mutate, outcome);
            }
            5 => {
                let words = format!("missing_{task}.rs does not exist; the nearest is list_{task}.rs");
                let path = format!("missing_{task}.rs");
                self.call("read_file", &path, CallKind::Read, Outcome::ended(Status::Failed, words));
            }
            _ => {
                let path = format!("src/seen_{}.rs", self.calls);
                let lines = 10 + self.dice.below(180);
                self.call("read_file", &path, CallKind::Read, Outcome::ok(code(&path, lines)));
            }
        }
    }

    fn call(&mut self, tool: &str, path: &str, kind: CallKind, outcome: Outcome) {
        self.calls += 1;
        let id = CallId(format!("call_{}", self.calls));
        let paths = vec![PathUse { path: path.into(), write: kind == CallKind::Mutate }];
        let facts = CallFacts { kind, level: Level::Read, paths, ..CallFacts::default() };
        let call = Call { id: id.clone(), tool: tool.into(), args: json!({ "path": path }), facts, as_written: None };
        let text = format!("Next I look at {path}.");
        self.bytes += (text.len() + outcome.output.len()) as u64;
        self.events.push(Event::StreamComplete {
            want: WantId::default(),
            message_id: MessageId("m".into()),
            order: Vec::new(),
            total_length: text.len() as u64,
            text,
            reasoning: Vec::new(),
            images: Vec::new(),
            calls: vec![call],
            finish: Finish::Calls,
            usage: Usage::default(),
            cost: None,
            duration_ms: 0,
        });
        self.events.push(Event::ToolComplete { call: id, tool: tool.into(), outcome });
    }
}

fn code(path: &str, lines: u64) -> String {
    (1..=lines).map(|it| format!("{it:>4}  let value_{it} = compute(\"{path}\", {it}, options);\n")).collect()
}

fn start(number: u32) -> Event {
    Event::TurnStart {
        turn: number,
        mode: Mode::Build,
        prompt: format!("Task {number}: mend the rounding in src/edited_{number}.rs and leave the tests alone."),
        images: Vec::new(),
        continues: false,
        branch: None,
        rules: Default::default(),
        limits: Default::default(),
        model: ModelFacts::default(),
        fallbacks: Vec::new(),
        verification: Verification::Full,
        review: ox_protocol::ReviewPolicy::Off,
        checks: Vec::new(),
        fixers: Vec::new(),
        router: None,
    }
}
