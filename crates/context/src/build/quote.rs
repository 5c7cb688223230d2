//! Pieces of code in full, where the match is so good that they save a call.
//!
//! Lines are never sent twice, nothing is cut within a line, and a piece for which there is too little room is left out
//! rather than crippled.

use ox_index::{Answer, Snippet};
use ox_protocol::Tokens;

use super::cut::cut;
use super::{Because, Item, Known, Picked, Rank, Room, best, section};
use crate::budget::Budget;

/// Below so much room a piece that does not fit whole is left out.
const LEAST_ROOM: Tokens = Tokens(500);
/// A piece must have so much of the best piece's score to be quoted.
const HIGH: f32 = 0.8;
/// The best file is quoted where the next one has at most so much of its score: of two that are as good one is wrong, and
/// to read the right one costs less than to carry the wrong one through all requests.
const NEXT: f32 = 0.7;
/// Pieces that are quoted.
const PIECES: usize = 2;

pub(super) fn add(
    known: &Known<'_>,
    answer: &Answer,
    named: &[String],
    budget: &Budget,
    room: &mut Room,
    picked: &mut Picked,
) {
    room.left = Tokens(room.left.0.min(budget.related.0));
    let top = answer.snippets.iter().map(|it| it.score).fold(f32::EPSILON, f32::max);
    let mut pieces: Vec<(Item, &Snippet)> =
        answer.snippets.iter().map(|it| (item(it, named, it.score / top), it)).collect();
    pieces.sort_by_key(|it| it.0.rank);
    let mut quoted: Vec<(Item, String)> = Vec::new();
    for (mut item, snippet) in pieces {
        match text(known, answer, snippet, &item, &quoted, room) {
            Ok(text) => {
                item.tokens = crate::budget::estimate(&text);
                quoted.push((item, text));
            }
            Err(because) => picked.left_out.push((item, because)),
        }
    }
    // Pieces of one file stand together, in the order of their lines.
    let first = |path: &str| quoted.iter().position(|(it, _)| it.path == path);
    let mut order: Vec<usize> = (0..quoted.len()).collect();
    order.sort_by_key(|at| (first(&quoted[*at].0.path), quoted[*at].0.lines));
    for at in order {
        let (item, text) = &quoted[at];
        let (from, to) = item.lines.unwrap_or_default();
        picked.sections.push(section(&format!("code:{}:{from}-{to}", item.path), text.clone()));
        picked.items.push(item.clone());
    }
}

fn item(snippet: &Snippet, named: &[String], share: f32) -> Item {
    let rank = match share {
        _ if named.contains(&snippet.path) => Rank::Required,
        HIGH.. => Rank::High,
        _ => Rank::Medium,
    };
    Item {
        section: "code",
        path: snippet.path.clone(),
        lines: Some((snippet.start, snippet.end)),
        symbol: snippet.symbol.clone(),
        rank,
        score: share,
        tokens: Tokens(0),
        sources: snippet.sources.clone(),
    }
}

/// True for the best file, where it is clearly that.
fn leads(answer: &Answer, path: &str) -> bool {
    let next = answer.files.get(1).map_or(0.0, |it| it.score) / best(answer);
    next <= NEXT && answer.files.first().is_some_and(|it| it.path == path)
}

/// The text of a piece as it is sent, or why it is not.
fn text(
    known: &Known<'_>,
    answer: &Answer,
    snippet: &Snippet,
    item: &Item,
    quoted: &[(Item, String)],
    room: &mut Room,
) -> Result<String, Because> {
    let overlaps = |(other, _): &(Item, String)| {
        let (from, to) = other.lines.unwrap_or_default();
        other.path == snippet.path && from <= snippet.end && snippet.start <= to
    };
    if snippet.text.trim().is_empty() {
        return Err(Because::Unreadable);
    }
    if (known.has_read)(&snippet.path) {
        return Err(Because::Read);
    }
    if quoted.iter().any(overlaps) {
        return Err(Because::Overlap);
    }
    let is_good = item.rank == Rank::Required || (item.score >= HIGH && leads(answer, &snippet.path));
    if !is_good || quoted.len() >= PIECES {
        return Err(Because::Score);
    }
    if room.take(&snippet.text).is_some() {
        return Ok(snippet.text.clone());
    }
    if room.left < LEAST_ROOM {
        return Err(Because::Room);
    }
    let facts = known.snapshot.facts(&snippet.path).unwrap_or_default();
    let short = cut(&snippet.text, snippet.start, &facts.symbols, room.left);
    room.take(&short).ok_or(Because::Room)?;
    Ok(short)
}
