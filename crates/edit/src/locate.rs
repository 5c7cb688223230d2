//! Finding the one place a block means: tier by tier, the strictest first. The first tier with a hit decides; two
//! hits at it are refused and never handed on to a looser tier.

use std::ops::Range;

use similar::DiffOp;

use crate::align::{Alignment, by_tiers};
use crate::alike::{alike, rival, with_drifted_context, with_more_between};
use crate::block::Strategy;
use crate::bytes::by_bytes;
use crate::claim::already_made;
use crate::clean::Request;
use crate::document::Change;
use crate::elide;
use crate::guide::Guide;
use crate::indent::indent;
use crate::lines::is_blank;
use crate::merge::{Texts, merge};
use crate::nearest::{candidate, nearest};
use crate::ops::ops;
use crate::refusal::{Reason, Refusal};
use crate::target::Target;

/// Places reported of an ambiguous text at most.
pub(crate) const MOST_PLACES: usize = 50;

/// What is said where the changes of an edit are the very differences that were overlooked to find its place.
const NOT_TO_THE_LETTER: &str =
    "What the edit changes there are only such differences; it can be made only where its text is met to the letter.";

/// The place of one block.
#[derive(Debug)]
pub(crate) struct Found {
    pub strategy: Strategy,
    pub similarity: f32,
    /// The lines found, as indices.
    pub lines: Range<usize>,
    /// What to exchange, in order.
    pub changes: Vec<Change>,
}

impl Found {
    /// A place met to the letter.
    pub fn exact(lines: Range<usize>, changes: Vec<Change>) -> Self {
        Self { strategy: Strategy::Exact, similarity: 1.0, lines, changes }
    }
}

/// The place of a request in a text that is not empty.
pub(crate) fn locate(request: &Request<'_>, target: &Target<'_>) -> Result<Found, Refusal> {
    let expanded = elide::expand_replacement(request, target)?;
    let request = expanded.as_ref().unwrap_or(request);
    if request.search == request.replace {
        return Err(Refusal::new(Reason::NothingToChange, ""));
    }
    if let Some(found) = by_bytes(request, target)? {
        return Ok(found);
    }
    let cleaned = request.cleaned();
    let request = cleaned.as_ref().unwrap_or(request);
    if cleaned.is_some()
        && let Some(found) = by_bytes(request, target)?
    {
        return Ok(found);
    }
    if let Some(found) = by_lines(request, target)? {
        return Ok(found);
    }
    if let Some(found) = elide::by_pieces(request, target)? {
        return Ok(found);
    }
    for plain in request.unescaped() {
        let found = match by_bytes(&plain, target)? {
            Some(found) => Some(found),
            None => by_lines(&plain, target)?,
        };
        if let Some(found) = found {
            return Ok(Found { strategy: Strategy::Escapes, similarity: 0.99, ..found });
        }
    }
    if let Some(found) = by_slips(request, target)? {
        return Ok(found);
    }
    Err(missing(request, target))
}

/// The line tiers.
pub(crate) fn by_lines(request: &Request<'_>, target: &Target<'_>) -> Result<Option<Found>, Refusal> {
    let search: Vec<&str> = request.search.lines().collect();
    let mut places = by_tiers(&search, target);
    let Some(chosen) = choose(&places, &search, request.guide, target)? else { return Ok(None) };
    let (strategy, alignment) = places.swap_remove(chosen);
    if let Some(line) = slipped_end(&search, &alignment, target) {
        return Err(unknown_line(line, &alignment, target));
    }
    if strategy != Strategy::TrailingBlanks
        && let Some(other) = rival(&search, &removed(&search, &request.replace), &alignment, target)
        && request.guide.pick(&[alignment.region.start, other]) != Some(0)
    {
        let starts = [(alignment.region.start, 0.99), (other, 0.95)];
        return Err(ambiguous(starts.into_iter(), search.len(), target));
    }
    let replace: Vec<&str> = request.replace.lines().collect();
    merged((&search, &replace, request.script), target, strategy, 0.99, &alignment).map(Some)
}

/// Tier "alike": places whose lines differ from those sought by slips of the pen only.
fn by_slips(request: &Request<'_>, target: &Target<'_>) -> Result<Option<Found>, Refusal> {
    let search: Vec<&str> = request.search.lines().collect();
    let mut places = alike(&search, target);
    if places.is_empty() {
        places = with_more_between(&search, target);
    }
    if places.is_empty() {
        places.extend(with_drifted_context(&search, &removed(&search, &request.replace), target));
    }
    let alignments: Vec<(Strategy, Alignment)> =
        places.iter().map(|place| (Strategy::Fuzzy, place.alignment.clone())).collect();
    let Some(chosen) = choose(&alignments, &search, request.guide, target)? else { return Ok(None) };
    let place = places.swap_remove(chosen);
    let replace: Vec<&str> = request.replace.lines().collect();
    merged((&search, &replace, request.script), target, Strategy::Fuzzy, place.similarity, &place.alignment).map(Some)
}

/// Which lines of a search text the replacement does not have in the same order.
fn removed(search: &[&str], replace: &str) -> Vec<bool> {
    let old: Vec<&str> = search.iter().map(|line| line.trim_end()).collect();
    let new: Vec<&str> = replace.lines().map(str::trim_end).collect();
    let goes = |op: &DiffOp| vec![!matches!(op, DiffOp::Equal { .. }); op.old_range().len()];
    ops(&old, &new).iter().flat_map(goes).collect()
}

/// The only place, the one which the hint picks, or none if there is none; several are refused.
fn choose(
    places: &[(Strategy, Alignment)],
    search: &[&str],
    guide: Guide,
    target: &Target<'_>,
) -> Result<Option<usize>, Refusal> {
    if places.is_empty() {
        return Ok(None);
    }
    let starts: Vec<usize> = places.iter().map(|(_, alignment)| alignment.region.start).collect();
    match guide.pick(&starts) {
        Some(index) => Ok(Some(index)),
        None => Err(ambiguous(starts.iter().map(|&start| (start, 0.99)), search.len(), target)),
    }
}

/// A line left out before the last one: the last line fits only re-indented, while just below stands the very line.
fn slipped_end(search: &[&str], alignment: &Alignment, target: &Target<'_>) -> Option<usize> {
    let lines = target.lines();
    let paired = || alignment.pairs.iter().zip(search).filter(|(pair, line)| pair.is_some() && !is_blank(line));
    let (last, text) = paired().next_back()?;
    let last = (*last)?;
    let same = |at: usize, line: &str| indent(lines.get(at)) == indent(line);
    let others_fit = paired().rev().skip(1).all(|(pair, line)| pair.is_some_and(|at| same(at, line)));
    let below = (last + 1..lines.len()).find(|&at| !is_blank(lines.get(at)))?;
    let slipped = paired().count() > 1 && !same(last, text) && others_fit && lines.get(below) == *text;
    slipped.then_some(last)
}

/// Carries the request out on an aligned region.
pub(crate) fn merged(
    texts: Texts<'_>,
    target: &Target<'_>,
    strategy: Strategy,
    similarity: f32,
    alignment: &Alignment,
) -> Result<Found, Refusal> {
    let lines = alignment.region.clone();
    let there = target.lines().slice(lines.clone()).lines().map(str::trim_end);
    if there.eq(texts.1.iter().map(|line| line.trim_end())) {
        return Err(Refusal::new(Reason::AlreadyApplied, "").with(vec![candidate(target, lines, 1.0)]));
    }
    let changes = merge(texts, target, alignment).map_err(|conflict| unknown_line(conflict.line, alignment, target))?;
    if changes.is_empty() {
        // Only blanks or slips would have changed, and these were overlooked to find the place.
        return Err(Refusal::new(Reason::Weak, NOT_TO_THE_LETTER).with(vec![candidate(target, lines, 0.9)]));
    }
    Ok(Found { strategy, similarity, lines, changes })
}

fn unknown_line(line: usize, alignment: &Alignment, target: &Target<'_>) -> Refusal {
    let detail = format!("Line {} of the file is not in the search text.", line + 1);
    Refusal::new(Reason::Weak, detail).with(vec![candidate(target, alignment.region.clone(), 0.9)])
}

pub(crate) fn ambiguous(starts: impl Iterator<Item = (usize, f32)>, len: usize, target: &Target<'_>) -> Refusal {
    let total = target.lines().len();
    let places = starts.take(MOST_PLACES).map(|(start, similarity)| {
        let shown = start..(start + len.max(1)).min(total);
        candidate(target, shown, similarity)
    });
    Refusal::new(Reason::Ambiguous, "").with(places.collect())
}

/// The refusal of a text that is not there.
fn missing(request: &Request<'_>, target: &Target<'_>) -> Refusal {
    if let Some(lines) = already_made(request, target) {
        return Refusal::new(Reason::AlreadyApplied, "").with(vec![candidate(target, lines, 1.0)]);
    }
    let search: Vec<&str> = request.search.lines().collect();
    match nearest(&search, target) {
        Some((candidate, diff)) => Refusal::new(Reason::NotFound, diff).with(vec![candidate]),
        None => Refusal::new(Reason::NotFound, ""),
    }
}
