//! A place that was found, and the refusals that belong to it.

use std::ops::Range;

use super::align::Alignment;
use super::merge::{Texts, merge};
use super::nearest::candidate;
use crate::block::Strategy;
use crate::refusal::{Reason, Refusal};
use crate::text::document::Change;
use crate::text::target::Target;

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

pub(crate) fn unknown_line(line: usize, alignment: &Alignment, target: &Target<'_>) -> Refusal {
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
