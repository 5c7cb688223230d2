//! What a tool is: a plain row of data with function pointers. No tool is told apart anywhere else.

use ox_protocol::{BoxFuture, CallFacts, CallKind, Event, Level, Mode, Outcome, ToolSpec};
use serde_json::{Map, Value, json};

use crate::{Cx, Surroundings, ToolError};

/// One tool. Its file is the only place that knows anything about it.
pub struct Tool {
    /// Its name, as models call it.
    pub name: &'static str,
    /// Names from other agents that are accepted and never offered, in snake case.
    pub also: &'static [&'static str],
    /// What it does, in the words that a model reads.
    pub words: &'static str,
    /// JSON Schema of its arguments: an object with `properties`.
    pub schema: fn() -> Value,
    /// How the turn treats its calls.
    pub kind: CallKind,
    /// How far its calls reach at least, unless `weigh` knows better; the paths that it touches may raise it.
    pub level: Level,
    /// True when its result tells something about the project's code.
    pub explores: bool,
    /// Where it is part of the request.
    pub offered: Offered,
    /// Rewrites what other agents' tools of this kind take, before the schema is held against it.
    pub adapt: fn(&mut Map<String, Value>),
    /// What is wrong with arguments that fit the schema and still make no sense; said before anybody is asked for consent.
    pub senseless: fn(&Value) -> Option<String>,
    /// The paths that a call touches, as written in its arguments.
    pub touches: fn(&Value) -> Vec<Touch>,
    /// What else is known of a call from its arguments: the command that it runs, its effects and hosts, its level.
    pub weigh: fn(&Surroundings<'_>, &Value, &mut CallFacts),
    /// How it is run.
    pub run: Run,
}

/// Where a tool is part of the request. Every other tool is reached by `use_tool` or by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// In every mode.
    Always,
    /// Where edits are allowed.
    Build,
    /// Where they are not: chat and plan.
    Reading,
    /// Where a plan is made.
    Plan,
    /// Nowhere.
    OnDemand,
}

/// How a tool is run.
#[derive(Clone, Copy)]
pub enum Run {
    /// At once, on the caller's thread: a few milliseconds at most.
    Quick(fn(&Cx, &Value) -> Result<Ran, ToolError>),
    /// On a thread for blocking work. It polls [`Cx::cancelled`].
    Slow(fn(&Cx, &Value) -> Result<Ran, ToolError>),
    /// Waits for a process.
    Waits(for<'a> fn(&'a Cx, &'a Value) -> BoxFuture<'a, Result<Ran, ToolError>>),
    /// Not here: the core wants what the call asks for (checks, a question, the end of the turn).
    Wanted,
}

/// A path as a call's arguments name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Relative to the project root or absolute; not looked at yet.
    pub path: String,
    /// True when it is created, changed or removed.
    pub write: bool,
    /// True when it is removed, with everything beneath it.
    pub removes: bool,
    /// Other ways to read the path, as in a diff; the first under which there is something is meant.
    pub or: Vec<String>,
}

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ran {
    /// What the model reads and what changed.
    pub outcome: Outcome,
    /// Facts to record beside it: the todo list and the plan.
    pub events: Vec<Event>,
}

impl Tool {
    /// A tool that reads nothing and takes no arguments; each file says how its tool differs.
    pub(crate) const BASE: Tool = Tool {
        name: "",
        also: &[],
        words: "",
        schema: no_arguments,
        kind: CallKind::Read,
        level: Level::Read,
        explores: false,
        offered: Offered::OnDemand,
        adapt: |_| {},
        senseless: |_| None,
        touches: |_| Vec::new(),
        weigh: |_, _, _| {},
        run: Run::Wanted,
    };

    /// The tool as a model sees it.
    pub fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.name.into(), description: self.words.into(), schema: (self.schema)() }
    }

    /// True when it is part of the request in `mode`.
    pub fn is_offered(&self, mode: Mode) -> bool {
        match self.offered {
            Offered::Always => true,
            Offered::Build => mode.may_change(),
            Offered::Reading => !mode.may_change(),
            Offered::Plan => mode == Mode::Plan,
            Offered::OnDemand => false,
        }
    }

    /// True when `mode` allows it at all (T1).
    pub fn is_allowed(&self, mode: Mode) -> bool {
        mode.may_change() || (self.level == Level::Read && !matches!(self.kind, CallKind::Mutate | CallKind::Checks))
    }
}

impl Touch {
    /// A path that is read.
    pub(crate) fn read(path: impl Into<String>) -> Touch {
        Touch { path: path.into(), write: false, removes: false, or: Vec::new() }
    }

    /// A path that is written.
    pub(crate) fn write(path: impl Into<String>) -> Touch {
        Touch { path: path.into(), write: true, removes: false, or: Vec::new() }
    }
}

impl From<Outcome> for Ran {
    fn from(outcome: Outcome) -> Ran {
        Ran { outcome, events: Vec::new() }
    }
}

/// The paths a tool reads that takes one `path`, the project root where none is given.
pub(crate) fn reads_path(args: &Value) -> Vec<Touch> {
    vec![Touch::read(crate::args::given(args, "path").unwrap_or("."))]
}

/// The schema of an object with these properties, the first `required` of which must be given.
pub(crate) fn object(required: &[&str], properties: Value) -> Value {
    match required {
        [] => json!({"type": "object", "properties": properties}),
        some => json!({"type": "object", "properties": properties, "required": some}),
    }
}

fn no_arguments() -> Value {
    object(&[], json!({}))
}
