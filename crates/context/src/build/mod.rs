//! What the index has for a task, picked by value for its tokens: the best files by name, the signatures that count in them,
//! and the pieces that are so good a match that they save a call.
//!
//! A function of what it is handed; it asks no clock, no git and no model, and reads files only through the reader. The
//! same things give the same sections in the same order. What is not about code gets nothing, and whatever is left out
//! has its reason.

mod about;
mod beside;
mod cut;
mod map;
mod quote;

use ox_index::{Answer, Options, Read, Snapshot, query};
use ox_protocol::{Section, Tokens};

use crate::budget::{Budget, estimate};

/// Files and pieces that are looked at.
const LOOKED_AT: usize = 12;

/// What a builder is handed.
pub struct Known<'a> {
    /// The index.
    pub snapshot: &'a Snapshot,
    /// Reads a file of the project.
    pub read: &'a Read<'a>,
    /// What the user asked.
    pub task: &'a str,
    /// True for a file that the model has read whole and that is unchanged since.
    pub has_read: &'a dyn Fn(&str) -> bool,
    /// True where files have changed that the index does not have yet.
    pub behind: bool,
}

/// How soon an item gets its room (C2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// The user named it.
    Required,
    /// Its score is at least 0.8 of the best.
    High,
    /// It is one of the best files.
    Medium,
    /// It belongs to one of these.
    Low,
}

impl Rank {
    /// In one word, for tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Rank::Required => "required",
            Rank::High => "high",
            Rank::Medium => "medium",
            Rank::Low => "low",
        }
    }
}

/// Something that may be in a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The section that it is for, without what comes after a colon: `code`, `map`, `beside`.
    pub section: &'static str,
    /// Relative to the root.
    pub path: String,
    /// First and last line, where it is a piece.
    pub lines: Option<(u32, u32)>,
    /// The definition that it is or is part of.
    pub symbol: Option<String>,
    /// How soon it gets its room.
    pub rank: Rank,
    /// Its score as a share of the best.
    pub score: f32,
    /// What it costs as it is sent, by an estimate.
    pub tokens: Tokens,
    /// What speaks for it, the strongest first, each with its share in the score.
    pub sources: Vec<(String, f32)>,
}

/// Why something that was looked at is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// Others are so much better that it would not be worth its tokens.
    Score,
    /// There was no room, and too little to cut it to.
    Room,
    /// The model has read the file already.
    Read,
    /// Its lines are in another piece.
    Overlap,
    /// The file cannot be read.
    Unreadable,
}

impl Because {
    /// In one word, for tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Because::Score => "score",
            Because::Room => "room",
            Because::Read => "read",
            Because::Overlap => "overlap",
            Because::Unreadable => "unreadable",
        }
    }
}

/// What was picked and what was not.
#[derive(Clone, Debug, Default)]
pub struct Picked {
    /// As they are sent, in their order.
    pub sections: Vec<Section>,
    /// What is in them.
    pub items: Vec<Item>,
    /// What was looked at and left out.
    pub left_out: Vec<(Item, Because)>,
}

/// Picks what the prompt of a task should have of the code, within `budget.picked`.
pub fn build(known: &Known<'_>, budget: &Budget) -> Picked {
    let mut picked = Picked::default();
    if budget.picked.0 == 0 {
        return picked;
    }
    if known.behind {
        picked.sections.push(section("index", BEHIND.to_owned()));
    }
    if !about::is_about_code(known.snapshot, known.task) {
        return picked;
    }
    let options = Options { limit: LOOKED_AT, ..Options::default() };
    let answer = query(known.snapshot, known.read, known.task, &options);
    let named = about::named(known.snapshot, known.task);
    let mut room = Room { left: budget.picked };
    map::add(known, &answer, &named, &mut room, &mut picked);
    beside::add(known, &answer, &mut room, &mut picked);
    quote::add(known, &answer, &named, budget, &mut room, &mut picked);
    picked
}

/// What the model is told where the index lags behind.
const BEHIND: &str = "Ox is still indexing this project: matches may be missing.";

/// Tokens that are still to be had.
struct Room {
    left: Tokens,
}

impl Room {
    /// Takes what `text` costs, if there is as much.
    fn take(&mut self, text: &str) -> Option<Tokens> {
        let cost = estimate(text);
        let left = self.left.0.checked_sub(cost.0)?;
        self.left = Tokens(left);
        Some(cost)
    }
}

fn section(name: &str, text: String) -> Section {
    Section { name: name.to_owned(), tokens: estimate(&text), text }
}

/// The best score, by which the others are measured; at least a trace, so that dividing by it means something.
fn best(answer: &Answer) -> f32 {
    answer.files.first().map_or(0.0, |it| it.score).max(f32::EPSILON)
}
