//! A conversation as every agent has it: prompts, replies with calls, results, and where the memory of it was made shorter.

use std::collections::BTreeMap;

use ox_protocol::{Image, Money, Time, Usage};
use serde_json::Value;

/// A conversation of another agent, in the order in which it happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Foreign {
    /// The other agent's id of it.
    pub id: String,
    /// The folder that it was held in.
    pub folder: String,
    /// Its name, where it has one.
    pub title: Option<String>,
    /// What happened.
    pub items: Vec<Item>,
    /// What was not understood.
    pub unread: Unread,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// When.
    pub time: Time,
    /// What.
    pub what: What,
}

/// What can happen in a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The user asked something; a turn begins.
    Prompt {
        /// The words.
        text: String,
        /// Pictures with them.
        images: Vec<Image>,
    },
    /// The user said something while a turn ran.
    Steer {
        /// The words.
        text: String,
    },
    /// The model replied.
    Reply {
        /// The provider's id of the reply; empty where it is not known.
        id: String,
        /// `provider/model`.
        model: String,
        /// The words.
        text: String,
        /// Its reasoning, as far as it can be read.
        reasoning: Vec<String>,
        /// Its calls.
        calls: Vec<Call>,
        /// What it used, where that is stated.
        usage: Usage,
        /// What it cost, where that is stated.
        cost: Option<Money>,
    },
    /// A call ended.
    Result {
        /// The other agent's id of the call.
        call: String,
        /// False where it failed.
        ok: bool,
        /// What the model read.
        text: String,
        /// Pictures beside it.
        images: Vec<Image>,
    },
    /// From here on the model knew everything before by this text alone.
    Compacted {
        /// The text.
        digest: String,
    },
    /// The user stopped the turn.
    Interrupted,
    /// The last turns were taken back.
    Rewound {
        /// How many.
        turns: usize,
    },
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The other agent's id of it.
    pub id: String,
    /// The tool, by the other agent's name.
    pub tool: String,
    /// The arguments.
    pub args: Value,
}

/// What was not understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Lines or files that are no JSON or break off, as `file:line`.
    pub broken: Vec<String>,
    /// Kinds of records that are not known, with their number.
    pub kinds: BTreeMap<String, usize>,
}

impl Unread {
    pub(crate) fn kind(&mut self, kind: &str) {
        *self.kinds.entry(kind.to_owned()).or_default() += 1;
    }

    /// Adds what was not understood elsewhere.
    pub fn add(&mut self, other: &Unread) {
        self.broken.extend(other.broken.iter().cloned());
        for (kind, count) in &other.kinds {
            *self.kinds.entry(kind.clone()).or_default() += count;
        }
    }
}

impl Foreign {
    pub(crate) fn push(&mut self, time: Time, what: What) {
        self.items.push(Item { time, what });
    }

    /// A prompt, unless it says nothing.
    pub(crate) fn prompt(&mut self, time: Time, text: &str, images: Vec<Image>) {
        if !text.trim().is_empty() || !images.is_empty() {
            self.push(time, What::Prompt { text: text.trim().to_owned(), images });
        }
    }

    pub(crate) fn result(&mut self, time: Time, call: &str, ok: bool, (text, images): (String, Vec<Image>)) {
        self.push(time, What::Result { call: call.to_owned(), ok, text, images });
    }
}
