//! The conversation as a list: what was said, called, checked, asked and noticed, in order.

use ox_protocol::{
    CallId, CheckReport, ConversationId, Decision, Event, FileChange, Finish, Level, MessageId, Seq, Status, Stop,
    Summary, Time,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest output and the longest diff of an entry, in characters; the whole is in the log.
const LONGEST: usize = 4_000;
/// The longest text among a call's arguments, in characters.
const ARGUMENT: usize = 400;

/// One thing that a person would point at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The event that began it.
    pub seq: Seq,
    /// When.
    pub time: Time,
    /// What it is.
    #[serde(flatten)]
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "entry", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)] // Most entries are calls; boxes would only obscure them.
pub enum EntryKind {
    /// A turn began with these words of the user; none where it continues the turn before.
    Prompt {
        /// 1-based number of the turn.
        turn: u32,
        /// The words.
        text: String,
        /// How many pictures came with them.
        images: usize,
    },
    /// The user said something while the turn ran.
    Steering {
        /// The words.
        text: String,
        /// How many pictures came with them.
        images: usize,
    },
    /// The model replied.
    Reply {
        /// Under this id it was streamed.
        message: MessageId,
        /// The text; empty where the reply was calls alone.
        text: String,
        /// The reasoning, as far as the provider shows it.
        thinking: String,
        /// How many pictures it made.
        images: usize,
        /// Why it ended.
        finish: Finish,
    },
    /// The model called a tool.
    Call(CallEntry),
    /// The project's checks ran.
    Checks {
        /// True for the state before the first edit.
        baseline: bool,
        /// Round of verification, 1-based; 0 for a baseline and for the model's own runs.
        round: u32,
        /// The limit of rounds.
        total: u32,
        /// The results; none while they run.
        report: Option<CheckReport>,
    },
    /// The agent asked the user something.
    Question {
        /// The call.
        call: CallId,
        /// The question.
        text: String,
        /// Answers to choose from.
        options: Vec<String>,
        /// What the user said.
        answer: Option<String>,
    },
    /// Something else happened; the event itself.
    Notice {
        /// The event.
        event: Event,
    },
    /// What the turn did.
    Summary {
        /// The summary.
        summary: Summary,
    },
    /// The turn ended.
    End {
        /// Why.
        stop: Stop,
    },
    /// An event of a kind that this version does not know.
    Unknown {
        /// Its kind.
        kind: String,
    },
}

/// A call of a tool and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallEntry {
    /// The call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// Its arguments; long texts are cut.
    pub args: Value,
    /// How far it reaches.
    pub level: Level,
    /// Where it is.
    pub state: CallState,
    /// What was said about its consent.
    pub decision: Option<Decision>,
    /// How it ended; none before.
    pub status: Option<Status>,
    /// The end of what it returned.
    pub output: Clipped,
    /// The files that it changed; long diffs are cut.
    pub changed: Vec<FileChange>,
    /// The exit code of its command.
    pub exit_code: Option<i32>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// A sub-agent that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunningAgent {
    /// Its conversation.
    pub conversation: ConversationId,
    /// The call that it answers.
    pub call: CallId,
    /// Its kind.
    pub kind: String,
    /// Iteration and limit.
    pub iteration: (u32, u32),
    /// The tool that it called last.
    pub tool: String,
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// The model asked for it.
    Proposed,
    /// It waits for consent.
    Asking,
    /// It runs.
    Running,
    /// It has ended.
    Settled,
}

/// The end of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clipped {
    /// The last 4,000 characters at most.
    pub text: String,
    /// How many characters were before them.
    pub left_out: usize,
}

impl Clipped {
    /// The end of `text`.
    pub fn end_of(text: &str) -> Clipped {
        let left_out = text.chars().count().saturating_sub(LONGEST);
        Clipped { text: text.chars().skip(left_out).collect(), left_out }
    }
}

/// A change with the beginning of its diff.
pub(super) fn change(it: &FileChange) -> FileChange {
    FileChange { diff: cut(&it.diff, LONGEST), ..it.clone() }
}

/// The arguments with long texts cut, at any depth.
pub(super) fn arguments(args: &Value) -> Value {
    match args {
        Value::String(text) => Value::String(cut(text, ARGUMENT)),
        Value::Array(items) => Value::Array(items.iter().map(arguments).collect()),
        Value::Object(fields) => fields.iter().map(|(name, it)| (name.clone(), arguments(it))).collect(),
        other => other.clone(),
    }
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
