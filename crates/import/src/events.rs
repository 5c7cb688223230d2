//! A conversation of another agent as the events that Ox would have written, so that everything that reads a log reads it too.
//!
//! The same conversation always gives the same events: that is how one that has grown since is known.

use ox_protocol::{
    Call, CallFacts, CallId, CallKind, ConversationId, Event, Finish, Frame, Image, Level, Limits, MessageId, Mode,
    ModelFacts, Outcome, Presentation, Pruning, Reasoning, ReviewPolicy, Rules, Seq, Status, Stop, Time, Tokens,
    ToolChoice, ToolFormat, Verification, WantId,
};

use crate::foreign::{Call as ForeignCall, Foreign, Item, What};
use crate::{Agent, Stored};

/// Tools that run a command, by their name in lower case, and the argument that holds it.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "command"),
    ("exec_command", "cmd"),
    ("shell", "command"),
    ("shell_command", "command"),
    ("local_shell", "command"),
];
/// Tools that change files, by their name in lower case.
const EDITS: &[&str] = &["apply_patch", "edit", "multiedit", "notebookedit", "patch", "write"];
/// Lines at the beginning of a result that may tell how a command ended.
const SAID: usize = 6;
/// Which window the other agent's model had is not in its files; one that is never full has nothing left out after the fact.
const WINDOW: Tokens = Tokens(u32::MAX as u64);

/// The id under which a conversation of another agent is kept: the same each time that it is read.
pub fn conversation_id(agent: Agent, stored: &Stored) -> ConversationId {
    let id = stored.id.strip_prefix("ses_").unwrap_or(&stored.id);
    let plain: Vec<char> = id.chars().filter(char::is_ascii_alphanumeric).collect();
    let part = |chars: &[char]| chars.iter().collect::<String>();
    let (head, tail) = plain.split_at(plain.len().min(8));
    let tail = &tail[tail.len().saturating_sub(6)..];
    ConversationId(format!("{}-{}-{}", agent.name(), part(head), part(tail)))
}

/// The events of a conversation, for a log of its own. `ox` is the version that writes it.
pub fn frames(foreign: &Foreign, id: &ConversationId, root: &str, ox: &str) -> Vec<Frame> {
    let began = foreign.items.first().map(|it| it.time).unwrap_or_default();
    let mut log = Writer { id: id.clone(), time: began, ..Writer::default() };
    log.push(Event::ConversationId { id: id.clone(), root: root.to_owned(), ox: ox.to_owned(), from: None });
    for (item, after) in foreign.items.iter().zip(afterwards(&foreign.items)) {
        let ends = match item.what {
            What::Prompt { .. } | What::Rewound { .. } => true,
            What::Compacted { .. } => !after.goes_on,
            _ => false,
        };
        if ends {
            // A turn ends with the last thing in it, not with what comes next, which may not be there yet.
            log.close(None);
        }
        log.time = log.time.max(item.time);
        log.take(&item.what, after.model);
    }
    log.close(None);
    log.frames
}

/// What is known of the rest of a conversation at one of its items.
#[derive(Clone, Copy, Default)]
struct Afterwards<'a> {
    /// The model that replies next, with this item or after it; empty where none does.
    model: &'a str,
    /// True where the turn goes on after it.
    goes_on: bool,
}

/// That of each item, read from the end so that each is looked at once.
fn afterwards(items: &[Item]) -> Vec<Afterwards<'_>> {
    let (mut all, mut rest) = (Vec::with_capacity(items.len()), Afterwards::default());
    for item in items.iter().rev() {
        if let What::Reply { model, .. } = &item.what {
            rest.model = model;
        }
        all.push(rest);
        rest.goes_on = match item.what {
            What::Prompt { .. } | What::Rewound { .. } => false,
            What::Compacted { .. } => rest.goes_on,
            _ => true,
        };
    }
    all.reverse();
    all
}

/// A call that has not ended.
struct Open {
    foreign: String,
    id: CallId,
    tool: String,
    since: Time,
}

/// A log that is being written.
#[derive(Default)]
struct Writer {
    id: ConversationId,
    frames: Vec<Frame>,
    time: Time,
    /// The number of the last turn.
    turn: u32,
    /// Numbers of the turns that were not taken back.
    standing: Vec<u32>,
    running: bool,
    iteration: u32,
    replied: bool,
    called: bool,
    open: Vec<Open>,
    /// Tokens of what the model remembers, by bytes.
    size: u64,
}

impl Writer {
    fn push(&mut self, event: Event) -> Seq {
        let seq = Seq(self.frames.len() as u64 + 1);
        self.frames.push(Frame { conversation: self.id.clone(), ..Frame::new(seq, self.time, event) });
        seq
    }

    fn count(&mut self, text: &str) {
        self.size += Tokens::estimate(text).0;
    }

    /// Takes in what happened; `model` is the one that replies next.
    fn take(&mut self, what: &What, model: &str) {
        match what {
            What::Prompt { text, images } => self.begin(text, images, model),
            What::Steer { text } if self.running => {
                self.count(text);
                self.push(Event::Steered { text: text.clone(), images: Vec::new() });
            }
            What::Steer { text } => self.begin(text, &[], model),
            What::Reply { .. } => self.reply(what, model),
            What::Result { call, ok, text, images } => {
                let status = if *ok { Status::Ok } else { Status::Failed };
                if let Some(at) = self.open.iter().position(|it| it.foreign == *call) {
                    self.count(text);
                    let exit_code = exit_code(&self.open[at].tool, *ok, text);
                    let outcome = Outcome { images: images.clone(), exit_code, ..Outcome::ended(status, text) };
                    self.end_call(at, outcome);
                }
            }
            What::Compacted { digest } => self.compacted(digest),
            What::Interrupted if self.running => self.close(Some(Stop::Interrupted)),
            What::Interrupted => {}
            What::Rewound { turns } => {
                self.close(None);
                let kept = self.standing.len().saturating_sub(*turns);
                if let Some(turn) = self.standing.split_off(kept).first() {
                    self.push(Event::Rewound { turn: *turn });
                }
            }
        }
    }

    fn begin(&mut self, prompt: &str, images: &[Image], model: &str) {
        self.close(None);
        self.turn += 1;
        self.standing.push(self.turn);
        (self.running, self.iteration, self.replied, self.called) = (true, 0, false, false);
        self.count(prompt);
        self.push(Event::TurnStart {
            turn: self.turn,
            mode: Mode::Auto,
            prompt: prompt.to_owned(),
            images: images.to_vec(),
            continues: false,
            branch: None,
            rules: Rules::default(),
            limits: Limits::default(),
            model: facts(model),
            fallbacks: Vec::new(),
            verification: Verification::Off,
            review: ReviewPolicy::Off,
            checks: Vec::new(),
            fixers: Vec::new(),
            router: None,
        });
        self.push(Event::Prompted { system: None, tools: None, context: Vec::new() });
    }

    fn reply(&mut self, what: &What, model: &str) {
        let What::Reply { text, reasoning, calls, usage, cost, .. } = what else { return };
        if !self.running {
            self.begin("", &[], model);
        }
        self.end_calls();
        self.iteration += 1;
        let (iteration, started) = (self.iteration, self.time);
        let tool_choice = ToolChoice::Auto;
        let seq = self.push(Event::IterationStart { iteration, total: iteration, tool_choice, max_output: None });
        let want = WantId { seq, index: 0 };
        self.count(text);
        let calls: Vec<(String, Call)> = calls.iter().enumerate().map(|(at, it)| self.call(want, at, it)).collect();
        (self.replied, self.called) = (true, self.called || !calls.is_empty());
        self.push(Event::StreamComplete {
            want,
            message_id: MessageId::of(want),
            text: text.clone(),
            reasoning: reasoning.iter().map(|it| Reasoning { text: it.clone(), opaque: None }).collect(),
            images: Vec::new(),
            calls: calls.iter().map(|it| it.1.clone()).collect(),
            order: Vec::new(),
            finish: if calls.is_empty() { Finish::Stop } else { Finish::Calls },
            usage: *usage,
            cost: *cost,
            total_length: text.len() as u64,
            duration_ms: 0,
        });
        for (foreign, Call { id, tool, args, .. }) in calls {
            self.push(Event::ToolStart { call: id.clone(), tool: tool.clone(), args, iteration });
            self.open.push(Open { foreign, id, tool, since: started });
        }
    }

    fn call(&mut self, want: WantId, at: usize, call: &ForeignCall) -> (String, Call) {
        self.count(&call.args.to_string());
        let id = CallId::of(&self.id, want, at);
        let facts = facts_of(call);
        (call.id.clone(), Call { id, tool: call.tool.clone(), args: call.args.clone(), facts, as_written: None })
    }

    fn end_call(&mut self, at: usize, outcome: Outcome) {
        let Open { id, tool, since, .. } = self.open.remove(at);
        let outcome = Outcome { duration_ms: self.time.0.saturating_sub(since.0), ..outcome };
        self.push(Event::ToolComplete { call: id, tool, outcome });
    }

    /// Calls whose result is not in the files.
    fn end_calls(&mut self) {
        while !self.open.is_empty() {
            self.end_call(0, Outcome::ended(Status::Interrupted, ""));
        }
    }

    /// Everything so far is known by the digest alone.
    fn compacted(&mut self, digest: &str) {
        let (before, until) = (Tokens(self.size), Seq(self.frames.len() as u64));
        let after = Tokens::estimate(digest);
        self.size = after.0;
        let pruning = Pruning { until: Some(until), digest: digest.to_owned(), ..Pruning::default() };
        self.push(Event::Pruned { want: WantId { seq: until, index: 0 }, pruning, before, after });
    }

    /// Ends the turn that runs.
    fn close(&mut self, stop: Option<Stop>) {
        if !std::mem::take(&mut self.running) {
            return;
        }
        let cut = !self.open.is_empty() || !self.replied;
        self.end_calls();
        let stop = stop.unwrap_or(match (cut, self.called) {
            (true, _) => Stop::Interrupted,
            // What it changed was checked by nobody here.
            (false, true) => Stop::DoneUnchecked,
            (false, false) => Stop::Answered,
        });
        if stop == Stop::Interrupted {
            self.push(Event::Interrupted);
        }
        self.push(Event::Stopped { stop });
        self.push(Event::Completion { stop, exit_code: stop.exit_code() });
    }
}

fn facts(model: &str) -> ModelFacts {
    ModelFacts {
        name: model.to_owned(),
        window: WINDOW,
        max_output: Tokens(0),
        reasons: false,
        effort: None,
        can_require: true,
        tools: ToolFormat::default(),
        input_price: None,
        cached_price: None,
        output_price: None,
    }
}

/// The exit code of a command, where its result says it.
fn exit_code(tool: &str, ok: bool, text: &str) -> Option<i32> {
    let said = text.lines().take(SAID).find_map(|line| {
        let after = ["exited with code ", "Exit code: ", "Exit code "].iter().find_map(|it| line.split_once(it))?.1;
        after.trim().parse().ok()
    });
    // Claude Code says it of failed commands alone.
    said.or((ok && tool == "Bash").then_some(0))
}

/// What is known of a call by its tool, so that it is shown as what it is.
fn facts_of(call: &ForeignCall) -> CallFacts {
    let name = call.tool.to_ascii_lowercase();
    if let Some((_, field)) = SHELLS.iter().find(|it| it.0 == name) {
        let words = |it: &serde_json::Value| -> Option<String> {
            let words: Vec<&str> = it.as_array()?.iter().filter_map(serde_json::Value::as_str).collect();
            Some(words.join(" "))
        };
        let command = call.args[*field].as_str().map(str::to_owned).or_else(|| words(&call.args[*field]));
        let presentation = if command.is_some() { Presentation::Command } else { Presentation::Named };
        return CallFacts {
            kind: CallKind::Mutate,
            level: Level::Shell,
            command,
            presentation,
            ..CallFacts::default()
        };
    }
    match EDITS.contains(&name.as_str()) {
        true => CallFacts { kind: CallKind::Mutate, level: Level::Edit, ..CallFacts::default() },
        false => CallFacts::default(),
    }
}
