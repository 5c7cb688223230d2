//! Lines named by number. The old text, where it is given, has the last word: it may show that the numbers are off by a
//! few lines, and where it fits nowhere or in several places nothing is done. What is written is the new text as given.

use crate::block::Strategy;
use crate::engine::align::by_tiers;
use crate::engine::found::{Found, ambiguous};
use crate::engine::nearest::{candidate, nearest};
use crate::engine::placeholder::standing_for;
use crate::engine::tier::exact;
use crate::refusal::{Candidate, Lines, Reason, Refusal};
use crate::text::document::{Change, to_lf};
use crate::text::target::Target;

/// Lines to exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRange {
    /// The first line, from 1.
    pub from: usize,
    /// The last line. One less than `from` inserts before `from`; there, `from` may be one more than the file has.
    pub to: usize,
    /// The new lines; empty to delete.
    pub new: String,
    /// What the lines are believed to be.
    pub old: Option<String>,
}

/// Where the lines of a range are exchanged.
pub(crate) fn place(range: &LineRange, target: &Target<'_>) -> Result<Found, Refusal> {
    let lines = target.lines();
    let old = range.old.as_deref().map(to_lf).filter(|old| !old.trim().is_empty());
    let (strategy, region) = match &old {
        Some(old) => by_text(old, range.from, target)?,
        None => {
            if range.from == 0
                || range.to.saturating_add(1) < range.from
                || range.to > lines.len()
                || range.from > lines.len() + 1
            {
                let detail = format!("Lines {} to {} were named; the file has {}.", range.from, range.to, lines.len());
                return Err(Refusal::new(Reason::OutOfRange, detail));
            }
            (Strategy::Exact, range.from - 1..range.to)
        }
    };
    let mut new = to_lf(&range.new).into_owned();
    let (there, given): (Vec<&str>, Vec<&str>) = (lines.slice(region.clone()).lines().collect(), new.lines().collect());
    let known = |line: &str| lines.iter().any(|other| other.trim() == line.trim());
    if let Some(&at) = standing_for(&there, &given, false).iter().find(|&&at| !known(given[at])) {
        return Err(Refusal::new(Reason::Placeholder, format!("In the new text: {}", given[at].trim())));
    }
    if !new.is_empty() && !new.ends_with('\n') {
        new.push('\n');
    }
    if region.end == lines.len() && lines.open_ended() && !new.is_empty() {
        new.pop();
        if region.is_empty() {
            new.insert(0, '\n');
        }
    }
    if lines.slice(region.clone()) == new {
        return Err(Refusal::new(Reason::NothingToChange, ""));
    }
    let change = Change { range: lines.start(region.start)..lines.start(region.end), new };
    let similarity = if strategy == Strategy::Exact { 1.0 } else { 0.99 };
    Ok(Found { strategy, similarity, lines: region, changes: vec![change] })
}

/// The one place of the old text, or the one that starts at the very line named.
fn by_text(old: &str, from: usize, target: &Target<'_>) -> Result<(Strategy, std::ops::Range<usize>), Refusal> {
    let whole = if old.ends_with('\n') { old.to_owned() } else { format!("{old}\n") };
    let height = whole.lines().count();
    let here = from.wrapping_sub(1);
    let hits = exact::line_hits(target.text(), &whole, usize::MAX);
    let starts: Vec<usize> = hits.iter().map(|&at| target.line_of(at)).collect();
    if !starts.is_empty() {
        return match only(&starts, here) {
            Some(start) => Ok((Strategy::Exact, start..start + height)),
            None => Err(ambiguous(starts.iter().map(|&start| (start, 1.0)), height, target)),
        };
    }
    let search: Vec<&str> = old.lines().collect();
    let places = by_tiers(&search, target);
    let starts: Vec<usize> = places.iter().map(|(_, place)| place.region.start).collect();
    let chosen = only(&starts, here);
    match places.into_iter().find(|(_, place)| Some(place.region.start) == chosen) {
        Some((strategy, place)) => Ok((strategy, place.region)),
        None if starts.is_empty() => Err(match nearest(&search, target) {
            Some((near, diff)) => Refusal::new(Reason::NotFound, diff).with(vec![near]),
            None => {
                let there = shown(here, height, target);
                let words = |it: &Candidate| format!("What is there, {}:\n{}", Lines(&it.lines), it.excerpt);
                Refusal::new(Reason::NotFound, there.first().map(words).unwrap_or_default()).with(there)
            }
        }),
        None => Err(ambiguous(starts.iter().map(|&start| (start, 0.99)), height, target)),
    }
}

fn only(starts: &[usize], here: usize) -> Option<usize> {
    match starts {
        [one] => Some(*one),
        _ => starts.iter().copied().find(|&start| start == here),
    }
}

/// What the file has at the lines named.
fn shown(from: usize, height: usize, target: &Target<'_>) -> Vec<Candidate> {
    let end = from.saturating_add(height).min(target.lines().len());
    if from < end { vec![candidate(target, from..end, 0.0)] } else { Vec::new() }
}
