//! Tool calls, the facts about them that permission is decided from, and what came of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{AgentRequest, CallId, Claim, Effect, EffectKind, Image, Level, Plan, Rule, RuleAction};

/// One tool call that a model asked for, with the facts that the agent computed when it recorded the reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// Our id, unique in the conversation.
    pub id: CallId,
    /// The tool's own name (an accepted alias is already replaced by it).
    pub tool: String,
    /// Arguments as an object, aliases already renamed.
    pub args: Value,
    /// What the core decides from.
    pub facts: CallFacts,
    /// The call as the model wrote it, where `tool` or `args` differ from that (an alias, `use_tool`); sent back to it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_written: Option<Written>,
}

/// A call in the model's own words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Written {
    /// The name it used.
    pub tool: String,
    /// The arguments it gave; `{"unparsed": "…"}` where they were not JSON.
    pub args: Value,
}

/// Facts about a call: what it touches and how far it reaches. Computed from the arguments, the tree, git and, for a command, its parsed line; never by the core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallFacts {
    /// How the turn treats the call.
    pub kind: CallKind,
    /// How far the call reaches.
    pub level: Level,
    /// Paths that it reads or writes, relative to the project root where they are inside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathUse>,
    /// True when its result tells something about the project's code (reading, searching, running).
    #[serde(default)]
    pub explores: bool,
    /// The exact command line, for calls that run one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What that line consists of, in the order of the text: each simple command without redirections and assignments, each
    /// redirection that writes as `> PATH`, each assignment that matters as `NAME=VALUE`. Rules are held against them one by
    /// one. Empty where the line could not be parsed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<SimpleCommand>,
    /// What the call does, as far as it is known before it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Hosts that it speaks to, without ports, in lower case; `*` where they are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// How interfaces show it.
    #[serde(default, skip_serializing_if = "Presentation::is_default")]
    pub presentation: Presentation,
    /// True when its result is a decision or the state of the work, which pruning leaves whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// What a call says that the turn itself answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Statement>,
    /// Set where the call cannot run at all (unknown tool, schema violation): the words that the model gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
}

impl CallFacts {
    /// How far the call reaches where its command runs in the sandbox. What the sandbox contains counts as running code;
    /// what it would refuse, and what nobody could bring back, stays at level system.
    pub fn level_in_sandbox(&self) -> Level {
        let mut far = self.effects.iter().filter(|it| it.level == Level::System).peekable();
        let held = self.command.is_some() && far.peek().is_some() && far.all(|it| it.kind.is_contained_by_sandbox());
        if held { self.level.min(Level::Shell) } else { self.level }
    }
}

impl Call {
    /// The rules that together let the call run unasked, as `--allow` takes them; none where no rule can. `isolated`:
    /// commands run in the sandbox.
    pub fn rules_that_allow(&self, isolated: bool) -> Vec<Rule> {
        let facts = &self.facts;
        let allow =
            |tool: &str, pattern: Option<String>| Rule { action: RuleAction::Allow, tool: tool.to_owned(), pattern };
        let whole = || allow(&self.tool, facts.command.clone());
        if facts.level < Level::System || isolated && facts.level_in_sandbox() < Level::System {
            return vec![whole()];
        }
        let held = |it: &Effect| isolated && facts.command.is_some() && it.kind.is_contained_by_sandbox();
        let mut far = facts.effects.iter().filter(|it| it.level == Level::System && !held(it)).peekable();
        if far.peek().is_none()
            || !far.all(|it| it.kind == EffectKind::Network)
            || facts.hosts.iter().any(|it| it == "*")
        {
            return Vec::new();
        }
        let hosts = facts.hosts.iter().cloned().map(Some);
        match (&facts.command, facts.hosts.is_empty()) {
            (None, true) => vec![whole()],
            (None, false) => hosts.map(|it| allow(&self.tool, it)).collect(),
            (Some(_), _) => hosts.map(|it| allow("network", it)).chain([whole()]).collect(),
        }
    }
}

/// One part of a command line, see `CallFacts::commands`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimpleCommand {
    /// Its words, joined by one blank, quoted where they need it.
    pub text: String,
    /// How far it alone reaches.
    pub level: Level,
    /// The words at its beginning that a rule may cover it by, whatever follows them; none where what follows decides what is
    /// run, as with shells, interpreters and wrappers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

/// How the turn treats a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// Changes nothing; runs beside its neighbours.
    #[default]
    Read,
    /// May change the world; a barrier.
    Mutate,
    /// The project's checks, wanted by the core.
    Checks,
    /// A question to the user, wanted by the core.
    Question,
    /// Ends the turn when it stands alone (`attempt_completion`, `plan_respond`).
    Conclude,
    /// A sub-agent, wanted by the core: one that only reads runs beside its neighbours, any other is a barrier.
    Agent,
}

/// How interfaces show a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Presentation {
    /// By its tool and what it is about, when it has ended.
    #[default]
    Named,
    /// By its command line, also while it runs, with its exit code and the end of what it printed.
    Command,
    /// By what other events say of it; it has no line of its own where it ends well.
    Separate,
}

impl Presentation {
    fn is_default(&self) -> bool {
        *self == Presentation::default()
    }
}

/// What a call says that the turn itself answers, read from its arguments by its tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Statement {
    /// A question to the user.
    Question {
        /// The question.
        text: String,
        /// Answers to choose from.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
    },
    /// A plan.
    Plan {
        /// The plan.
        plan: Plan,
    },
    /// The end of the task.
    Completion {
        /// What was done, in words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        result: String,
        /// How to see it work.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        verify: String,
        /// What is left undone.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        undone: Vec<String>,
        /// Why nothing had to be changed; empty where something was.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        no_change: String,
        /// What is said to work.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        claims: Vec<Claim>,
    },
    /// A part of the task for a sub-agent.
    Agent {
        /// What it is to do.
        request: AgentRequest,
    },
}

impl CallFacts {
    /// True when the call may change the world: a command that only reads counts, a sub-agent that only reads does not.
    pub fn may_change(&self) -> bool {
        self.kind == CallKind::Mutate || self.kind == CallKind::Agent && self.level > Level::Read
    }
}

/// A path and whether it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathUse {
    /// Relative to the project root, with `/` separators; absolute when outside.
    pub path: String,
    /// True when the call creates, changes or removes it.
    pub write: bool,
}

/// What came of a call, and what the model reads of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The text that the model reads; raw, with at most one trailing status line.
    pub output: String,
    /// Files that the call changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<FileChange>,
    /// Files that the model has seen by this call, as they were then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<ReadFile>,
    /// True when the working tree changed, also where single files are not known (a command).
    #[serde(default)]
    pub tree_changed: bool,
    /// Images that the model sees beside the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Exit code of a command that ran to its end. A non-zero one is a result, not a failed call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub duration_ms: u64,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It did what it was asked.
    #[default]
    Ok,
    /// It could not do what it was asked; nothing changed.
    Failed,
    /// Permission was refused.
    Denied,
    /// Not run because an earlier mutating call of the same reply failed or was denied.
    Skipped,
    /// Started before a crash; whether it took effect is unknown.
    Lost,
    /// The turn stopped before it settled.
    Interrupted,
}

/// A file that the model has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadFile {
    /// Relative to the project root.
    pub path: String,
    /// Hash of its bytes, in hexadecimal digits.
    pub hash: String,
    /// True when it has seen all of it.
    pub whole: bool,
}

/// One file that a call changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// Relative to the project root.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// The path it had before, for a rename.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The model's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// A short unified diff to show.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// Lines added.
    #[serde(default)]
    pub added: u32,
    /// Lines removed.
    #[serde(default)]
    pub removed: u32,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It did not exist before.
    Created,
    /// Its content changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path.
    Renamed,
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, in the words the model reads.
    pub description: String,
    /// JSON Schema of its arguments: an object.
    pub schema: Value,
    /// True when an `<edit>` block is a call of it, where calls are written as tags.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edit_block: bool,
}

impl Outcome {
    /// A success with this text.
    pub fn ok(output: impl Into<String>) -> Outcome {
        Outcome { output: output.into(), ..Outcome::default() }
    }

    /// An end other than success, with the words that the model reads.
    pub fn ended(status: Status, output: impl Into<String>) -> Outcome {
        Outcome { status, output: output.into(), ..Outcome::default() }
    }

    /// A failure with the words that the model reads.
    pub fn failed(output: impl Into<String>) -> Outcome {
        Outcome::ended(Status::Failed, output)
    }

    /// True when the call did not do what it was asked.
    pub fn is_failure(&self) -> bool {
        self.status != Status::Ok
    }

    /// True when the working tree may have changed.
    pub fn mutated(&self) -> bool {
        self.tree_changed || !self.changed.is_empty()
    }
}
