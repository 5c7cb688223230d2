//! What a tool is: a row of data and what it does. What others need to know of its calls are fields and facts, so that few
//! places outside its own file know its name.

use std::borrow::Cow;
use std::sync::Arc;

use ox_mcp::Schema;
use ox_protocol::{BoxFuture, CallFacts, CallKind, Event, Level, Mode, Outcome, Presentation, ToolSpec};
use serde_json::{Map, Value, json};

use super::context::CallContext;
use super::error::ToolError;

/// One tool.
pub struct Tool {
    /// Its name, as models call it.
    pub name: Cow<'static, str>,
    /// Names from other agents that are accepted and never offered.
    pub aliases: Vec<Alias>,
    /// What it does, in the words that a model reads.
    pub description: Cow<'static, str>,
    /// JSON Schema of its arguments: an object with `properties`.
    pub schema: Value,
    /// The schema that arguments are held against as a whole, for a tool of somebody else: nothing about them is guessed then,
    /// renamed or dropped.
    pub strict: Option<Schema>,
    /// How the turn treats its calls.
    pub kind: CallKind,
    /// How far its calls reach at least, unless `classify` knows better; the paths that it touches may raise it.
    pub level: Level,
    /// True when its result tells something about the project's code.
    pub explores: bool,
    /// How interfaces show its calls.
    pub presentation: Presentation,
    /// True when its results are decisions or the state of the work, which pruning leaves whole.
    pub pinned: bool,
    /// Where it is part of the request.
    pub availability: Availability,
    /// The operation that it stands for where `ox permit` asks about an operation without a call.
    pub operation: Option<Operation>,
    /// What has to be filled into the context of its calls.
    pub needs: Option<Need>,
    /// True when its call is the call of another tool, with `name` and `args`.
    pub wraps: bool,
    /// True when an `<edit>` block is a call of it, where calls are written as tags.
    pub edit_block: bool,
    /// Other agents' names of its arguments, written like `args/aliases.txt`; they come before the names there.
    pub argument_aliases: &'static str,
    /// Rewrites what other agents' tools of this kind take, before the schema is held against it.
    pub normalize: fn(&mut Map<String, Value>),
    /// What is wrong with arguments that fit the schema and still make no sense; said before anybody is asked for consent.
    pub validate: fn(&Value) -> Option<String>,
    /// The paths that a call touches, as written in its arguments.
    pub paths: fn(&Value) -> Vec<PathAccess>,
    /// What else is known of a call from its arguments: the command that it runs, its effects and hosts, its level.
    pub classify: fn(&CallContext, &Value, &mut CallFacts),
    /// How it is run.
    pub run: Run,
}

/// Another name of a tool, in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The name. Of an editor that does several things with `command`: `editor:` and the command.
    pub name: &'static str,
    /// An argument that the name stands for, with its value.
    pub implies: Option<(&'static str, &'static str)>,
}

/// Where a tool is part of the request. Every other tool is reached through the one that wraps calls, or by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// In every mode.
    Always,
    /// Where edits are allowed.
    Build,
    /// Where a plan is made.
    Plan,
    /// Nowhere.
    OnDemand,
}

/// An operation that permission is asked about by its name, with the tool that is the plain way to do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reading a file.
    Read,
    /// Listing a folder.
    List,
    /// Writing a file.
    Write,
    /// Deleting a file or a folder.
    Delete,
    /// Running a command line.
    Command,
}

/// What is filled into the context of a tool's calls, and of no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// What earlier calls returned.
    Results,
    /// The tools that are no part of the request.
    Directory,
    /// How the last checks ended.
    Checks,
}

/// Runs a call.
pub type RunAsync =
    dyn for<'a> Fn(&'a CallContext, &'a Value) -> BoxFuture<'a, Result<ToolResult, ToolError>> + Send + Sync;

/// How a tool is run.
#[derive(Clone)]
pub enum Run {
    /// At once, on the caller's thread: a few milliseconds at most.
    Sync(fn(&CallContext, &Value) -> Result<ToolResult, ToolError>),
    /// On a thread for blocking work. It looks at `CallContext::cancelled` from time to time.
    Blocking(fn(&CallContext, &Value) -> Result<ToolResult, ToolError>),
    /// Waits for a process.
    Async(for<'a> fn(&'a CallContext, &'a Value) -> BoxFuture<'a, Result<ToolResult, ToolError>>),
    /// By somebody who knows more than a function does, such as a server that has the tool.
    Dynamic(Arc<RunAsync>),
    /// Not here: the core wants what the call asks for (checks, a question, the end of the turn).
    Core,
}

/// A path as a call's arguments name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathAccess {
    /// Relative to the project root or absolute; not looked at yet.
    pub path: String,
    /// True when it is created, changed or removed.
    pub write: bool,
    /// True when it is removed, with everything beneath it.
    pub removes: bool,
    /// Other ways to read the path, as in a diff; the first under which there is something is meant.
    pub alternatives: Vec<String>,
}

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// What the model reads and what changed.
    pub outcome: Outcome,
    /// Facts to record beside it: the todo list and the plan.
    pub events: Vec<Event>,
}

impl Alias {
    /// Names with blanks between; one that stands for an argument as `name[key=value]`.
    pub fn list(names: &'static str) -> Vec<Alias> {
        let one = |word: &'static str| match word.strip_suffix(']').and_then(|it| it.split_once('[')) {
            Some((name, implies)) => Alias { name, implies: implies.split_once('=') },
            None => Alias { name: word, implies: None },
        };
        names.split(' ').filter(|it| !it.is_empty()).map(one).collect()
    }
}

impl Tool {
    /// A tool that reads nothing, takes no arguments and is answered by the core; each file says how its tool differs.
    pub fn base() -> Tool {
        Tool {
            name: Cow::Borrowed(""),
            aliases: Vec::new(),
            description: Cow::Borrowed(""),
            schema: object(&[], json!({})),
            strict: None,
            kind: CallKind::Read,
            level: Level::Read,
            explores: false,
            presentation: Presentation::default(),
            pinned: false,
            availability: Availability::OnDemand,
            operation: None,
            needs: None,
            wraps: false,
            edit_block: false,
            argument_aliases: "",
            normalize: |_| {},
            validate: |_| None,
            paths: |_| Vec::new(),
            classify: |_, _, _| {},
            run: Run::Core,
        }
    }

    /// The tool as a model sees it.
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_string(),
            description: self.description.to_string(),
            schema: self.schema.clone(),
            edit_block: self.edit_block,
        }
    }

    /// True when it is part of the request in `mode`; where nobody can answer, none that asks is.
    pub(crate) fn is_offered(&self, mode: Mode, headless: bool) -> bool {
        let offered = match self.availability {
            Availability::Always => true,
            Availability::Build => mode.may_change(),
            Availability::Plan => mode == Mode::Plan,
            Availability::OnDemand => false,
        };
        offered && !(headless && self.kind == CallKind::Question)
    }

    /// True when `mode` allows it at all; `isolated`: commands run in the sandbox, which can keep them from changing anything.
    pub(crate) fn is_allowed(&self, mode: Mode, isolated: bool) -> bool {
        let held = isolated && self.operation == Some(Operation::Command);
        held || mode.may_change()
            || (self.level == Level::Read && !matches!(self.kind, CallKind::Mutate | CallKind::Checks))
    }
}

impl PathAccess {
    /// A path that is read.
    pub(crate) fn read(path: impl Into<String>) -> PathAccess {
        PathAccess { path: path.into(), write: false, removes: false, alternatives: Vec::new() }
    }

    /// A path that is written.
    pub(crate) fn write(path: impl Into<String>) -> PathAccess {
        PathAccess { write: true, ..PathAccess::read(path) }
    }
}

impl From<Outcome> for ToolResult {
    fn from(outcome: Outcome) -> ToolResult {
        ToolResult { outcome, events: Vec::new() }
    }
}

/// The paths a tool reads that takes one `path`, the project root where none is given.
pub(crate) fn reads_path(args: &Value) -> Vec<PathAccess> {
    vec![PathAccess::read(crate::args::given(args, "path").unwrap_or("."))]
}

/// The schema of an object with these properties, the first `required` of which must be given.
pub fn object(required: &[&str], properties: Value) -> Value {
    match required {
        [] => json!({"type": "object", "properties": properties}),
        some => json!({"type": "object", "properties": properties, "required": some}),
    }
}
