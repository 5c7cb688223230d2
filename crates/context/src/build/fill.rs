//! What gets its room, and in which order: required things first, then high, medium and low ones, each within its section's
//! budget and within what there is in all.
//!
//! No line is sent twice and none is cut. A piece that is too long is cut to its signatures and the definitions that fit,
//! and left out where there is too little room even for that.

use std::collections::BTreeMap;

use ox_protocol::{Section, Tokens};
use ox_syntax::Symbol;

use super::picked::{Item, OmitReason, Picked, Rank};
use super::shorten::shorten;
use crate::budget::{Budget, estimate};
use crate::section::section;

/// Below so much room a piece that does not fit whole is left out.
pub(crate) const LEAST_ROOM: Tokens = Tokens(500);
/// What is named of what had no room.
const NAMED: usize = 6;
/// Tokens that are kept for naming it, and of so many shares of the whole not more than one.
const REPORTED: u64 = 60;
const REPORTED_SHARE: u64 = 10;

/// In which order things of the same rank get their room.
const ORDER: [&str; 8] = ["map", "beside", "active", "related", "symbols", "tests", "docs", "recent"];

/// What stands above the list of files.
const MAP_HEAD: &str = "Likely places, best first, by Ox's index (a guess: verify). `line name`; tests by name.";

/// The sections that are lists, with what stands above each.
const LISTS: [(&str, &str); 4] = [
    ("map", MAP_HEAD),
    ("symbols", "Signatures in the best files and in those one step from them."),
    ("beside", ""),
    ("recent", ""),
];

/// Something that a source has to offer.
pub(super) struct Offer {
    pub item: Item,
    pub body: Body,
}

pub(super) enum Body {
    /// An entry of a list, its line break in front.
    Line(String),
    /// Definitions of a file, each with its line and how it is written. Those in pieces that are sent are not told again.
    Signatures(Vec<(u32, String)>),
    /// Lines of a file from `item.lines` on, with the definitions in them; `wanted` are the lines that count most.
    Piece { text: String, symbols: Vec<Symbol>, wanted: Vec<(u32, u32)> },
}

/// What has its room already.
pub(super) struct Fill<'a> {
    budget: &'a Budget,
    left: u64,
    /// Kept for telling what had no room.
    kept: u64,
    used: BTreeMap<&'static str, u64>,
    lists: BTreeMap<&'static str, String>,
    pieces: Vec<(Item, String, bool)>,
    picked: Picked,
}

impl<'a> Fill<'a> {
    pub fn new(budget: &'a Budget) -> Fill<'a> {
        let (used, lists) = (BTreeMap::new(), BTreeMap::new());
        let kept = REPORTED.min(budget.picked.0 / REPORTED_SHARE);
        Fill { budget, left: budget.picked.0 - kept, kept, used, lists, pieces: Vec::new(), picked: Picked::default() }
    }

    /// A section that stands first and is paid for by nobody.
    pub fn head(&mut self, name: &str, text: &str) {
        self.picked.sections.push(section(name, text.to_owned()));
    }

    pub fn leave_out(&mut self, item: Item, because: OmitReason) {
        self.picked.left_out.push((item, because));
    }

    /// Gives each offer its room, if there is as much.
    pub fn take(&mut self, mut offers: Vec<Offer>) {
        let order = |it: &Item| ORDER.iter().position(|name| *name == it.section);
        offers.sort_by(|a, b| {
            let score = b.item.score.total_cmp(&a.item.score);
            let rank = (a.item.rank, order(&a.item)).cmp(&(b.item.rank, order(&b.item)));
            rank.then(score).then_with(|| (&a.item.path, a.item.lines).cmp(&(&b.item.path, b.item.lines)))
        });
        self.in_order(offers);
    }

    /// The same for offers that come in their order already.
    pub fn in_order(&mut self, offers: Vec<Offer>) {
        for Offer { item, body } in offers {
            let refused = match body {
                Body::Line(line) => self.line(&item, &line),
                Body::Signatures(all) => self.signatures(&item, &all),
                Body::Piece { text, symbols, wanted } => self.piece(&item, &text, &symbols, &wanted),
            };
            if let Err(because) = refused {
                self.leave_out(item, because);
            }
        }
    }

    /// Tokens that a section may still take.
    fn room(&self, of: &'static str) -> u64 {
        let bound = self.budget.of_section(of).map_or(self.left, |it| it.0);
        bound.saturating_sub(self.used.get(of).copied().unwrap_or(0)).min(self.left)
    }

    fn pay(&mut self, of: &'static str, cost: Tokens) {
        self.left -= cost.0;
        *self.used.entry(of).or_default() += cost.0;
    }

    fn line(&mut self, item: &Item, line: &str) -> Result<(), OmitReason> {
        let of = item.section;
        let head = LISTS.iter().find(|it| it.0 == of).map_or("", |it| it.1);
        let head = if self.lists.contains_key(of) { Tokens(0) } else { estimate(head) };
        let cost = Tokens(estimate(line).0 + head.0);
        if cost.0 > self.room(of) {
            return Err(OmitReason::Room);
        }
        self.pay(of, cost);
        *self.lists.entry(of).or_default() += line;
        self.picked.items.push(Item { tokens: cost, ..item.clone() });
        Ok(())
    }

    fn signatures(&mut self, item: &Item, all: &[(u32, String)]) -> Result<(), OmitReason> {
        let is_sent = |line: u32| {
            let holds = |it: &Item| it.lines.is_some_and(|(from, to)| (from..=to).contains(&line));
            self.pieces.iter().any(|(it, _, _)| it.path == item.path && holds(it))
        };
        let new: Vec<&(u32, String)> = all.iter().filter(|it| !is_sent(it.0)).collect();
        if new.is_empty() {
            return Err(OmitReason::Overlap);
        }
        let lines: String = new.iter().map(|(line, text)| format!("\n  {line} {text}")).collect();
        let text = format!("\n{}{lines}", item.path);
        self.line(item, &text)
    }

    fn piece(&mut self, item: &Item, text: &str, symbols: &[Symbol], wanted: &[(u32, u32)]) -> Result<(), OmitReason> {
        let (from, to) = item.lines.unwrap_or_default();
        let overlaps = |(other, _, _): &(Item, String, bool)| {
            let (first, last) = other.lines.unwrap_or_default();
            other.path == item.path && first <= to && from <= last
        };
        if self.pieces.iter().any(overlaps) {
            return Err(OmitReason::Overlap);
        }
        let room = self.room(item.section);
        let whole = estimate(text);
        if whole.0 <= room {
            self.pay(item.section, whole);
            self.pieces.push((Item { tokens: whole, ..item.clone() }, text.to_owned(), true));
            return Ok(());
        }
        if room < LEAST_ROOM.0 {
            return Err(OmitReason::Room);
        }
        let short = shorten(text, from, symbols, wanted, Tokens(room));
        let cost = estimate(&short);
        if cost.0 > room {
            return Err(OmitReason::Room);
        }
        self.pay(item.section, cost);
        self.pieces.push((Item { tokens: cost, ..item.clone() }, short, false));
        Ok(())
    }

    /// The sections in the order in which they are sent: lists, then pieces by file and line, then what had no room.
    pub fn done(mut self) -> Picked {
        for (name, head) in LISTS {
            if let Some(text) = self.lists.remove(name) {
                let text =
                    if head.is_empty() { text.trim_start_matches('\n').to_owned() } else { format!("{head}{text}") };
                self.picked.sections.push(section(name, text));
            }
        }
        for (item, text) in joined(std::mem::take(&mut self.pieces)) {
            let (from, to) = item.lines.unwrap_or_default();
            self.picked.sections.push(section(&format!("{}:{}:{from}-{to}", tag(item.section), item.path), text));
            self.picked.items.push(item);
        }
        if let Some(reported) = self.reported() {
            self.picked.sections.push(reported);
        }
        self.picked
    }

    /// What would have been sent, had there been room.
    fn reported(&self) -> Option<Section> {
        let listed = |path: &str| self.picked.items.iter().any(|it| it.section == "map" && it.path == path);
        // Unasked, what stands in the list has been told of there.
        let is_reported = |(item, because): &&(Item, OmitReason)| {
            *because == OmitReason::Room && (self.budget.asked || (item.rank <= Rank::High && !listed(&item.path)))
        };
        let mut names: Vec<String> = Vec::new();
        for (item, _) in self.picked.left_out.iter().filter(is_reported) {
            let place = item.lines.map_or_else(String::new, |(from, to)| format!(":{from}-{to}"));
            let name = format!("{}{place}", item.path);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let text = |count: usize| {
            let more = names.len() - count;
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("No room here for: {}{more}", names[..count].join(", "))
        };
        let fits = |count: &usize| estimate(&text(*count)).0 <= self.left + self.kept;
        let count = (1..=names.len().min(NAMED)).rev().find(fits)?;
        Some(section("left_out", text(count)))
    }
}

/// How a piece is marked for the model.
fn tag(of: &'static str) -> &'static str {
    match of {
        "tests" => "test",
        "docs" => "doc",
        _ => "code",
    }
}

/// Pieces of one file together, in the order of their lines, and neighbours as one.
fn joined(pieces: Vec<(Item, String, bool)>) -> Vec<(Item, String)> {
    let key = |it: &Item| (ORDER.iter().position(|name| *name == it.section), it.path.clone());
    let mut order: Vec<_> = pieces.iter().map(|it| key(&it.0)).collect();
    order.dedup();
    let mut pieces = pieces;
    pieces.sort_by_key(|(it, _, _)| {
        let (of, path) = key(it);
        (of, order.iter().position(|(_, other)| *other == path), it.lines)
    });
    let mut all: Vec<(Item, String, bool)> = Vec::new();
    for (item, text, whole) in pieces {
        if let Some((last, before, true)) = all.last_mut()
            && whole
            && (last.section, last.path.as_str()) == (item.section, item.path.as_str())
            && let (Some((from, to)), Some((next, end))) = (last.lines, item.lines)
            && to + 1 == next
        {
            *before += "\n";
            *before += &text;
            last.lines = Some((from, end));
            last.tokens = estimate(before);
            last.score = last.score.max(item.score);
            last.rank = last.rank.min(item.rank);
            continue;
        }
        all.push((item, text, whole));
    }
    all.into_iter().map(|(item, text, _)| (item, text)).collect()
}
