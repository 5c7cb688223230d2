//! All blocks of one call, all or nothing: every one is located against the original text before any is applied,
//! so their order does not matter and a later block never finds the text of an earlier one.

use crate::block::{Applied, Block, Place};
use crate::engine::clean::CleanBlock;
use crate::engine::found::Found;
use crate::engine::guard::marker_guard;
use crate::engine::locate::locate;
use crate::engine::nearest::candidate;
use crate::refusal::{Reason, Refusal};
use crate::text::document::{Change, Document};
use crate::text::target::Target;

/// Applies the blocks to a text.
///
/// # Errors
/// A [`Refusal`] for the first block that has no certain place, or that gets in the way of another. The text is
/// then to be left as it is.
pub fn apply(text: &str, blocks: &[Block]) -> Result<Applied, Refusal> {
    carry_out(text, blocks, one)
}

/// Finds the place of each part of an edit in the text as it was, then carries out all of them.
pub(crate) fn carry_out<T>(
    text: &str,
    parts: &[T],
    place: impl Fn(&T, &Target<'_>) -> Result<Found, Refusal>,
) -> Result<Applied, Refusal> {
    let document = Document::new(text);
    let target = Target::new(&document);
    let placed = |(index, part)| place(part, &target).map_err(|refusal| refusal.of_block(index, parts.len()));
    let found: Vec<Found> = parts.iter().enumerate().map(placed).collect::<Result<_, _>>()?;
    finish(&found, &target)
}

/// Carries out what was found for all blocks of a call.
pub(crate) fn finish(found: &[Found], target: &Target<'_>) -> Result<Applied, Refusal> {
    let changes = in_order(found, target).map_err(|(at, refusal)| refusal.of_block(at, found.len()))?;
    Ok(Applied { text: target.document.splice(&changes), places: places(found, target) })
}

fn one(block: &Block, target: &Target<'_>) -> Result<Found, Refusal> {
    marker_guard(target.text(), &block.search)?;
    marker_guard(target.text(), &block.replace)?;
    let request = CleanBlock::new(block);
    if request.search.is_empty() && target.text().trim().is_empty() && !request.replace.is_empty() {
        let change = Change { range: 0..target.text().len(), new: request.replace.into_owned() };
        return Ok(Found::exact(0..0, vec![change]));
    }
    if request.search == request.replace {
        return Err(Refusal::new(Reason::NothingToChange, ""));
    }
    if request.search.is_empty() {
        return Err(Refusal::new(Reason::EmptySearch, ""));
    }
    locate(&request, target)
}

/// The changes of all blocks by position, unless two of them touch the same text.
fn in_order(found: &[Found], target: &Target<'_>) -> Result<Vec<Change>, (usize, Refusal)> {
    let mut all: Vec<(usize, &Change)> =
        found.iter().enumerate().flat_map(|(at, found)| found.changes.iter().map(move |change| (at, change))).collect();
    all.sort_by_key(|(_, change)| (change.range.start, change.range.end));
    for pair in all.windows(2) {
        let ((first, a), (second, b)) = (pair[0], pair[1]);
        let same_point = a.range.start == b.range.start;
        if first != second && (a.range.end > b.range.start || same_point) {
            let (early, late) = (first.min(second), first.max(second));
            let detail = format!("Blocks {} and {} meet here.", early + 1, late + 1);
            let places = [early, late].map(|at| candidate(target, found[at].lines.clone(), found[at].similarity));
            return Err((late, Refusal::new(Reason::Overlap, detail).with(places.to_vec())));
        }
    }
    Ok(all.into_iter().map(|(_, change)| change.clone()).collect())
}

/// Where each block landed, before and after.
fn places(found: &[Found], target: &Target<'_>) -> Vec<Place> {
    let grown = |found: &Found| -> isize {
        let breaks = |text: &str| text.bytes().filter(|&byte| byte == b'\n').count() as isize;
        found.changes.iter().map(|c| breaks(&c.new) - breaks(&target.text()[c.range.clone()])).sum()
    };
    let growth: Vec<isize> = found.iter().map(grown).collect();
    let place = |(at, one): (usize, &Found)| {
        let earlier = |(other, _): &(usize, &Found)| found[*other].lines.start < one.lines.start && *other != at;
        let before: isize = found.iter().enumerate().filter(earlier).map(|(other, _)| growth[other]).sum();
        let start = one.lines.start.saturating_add_signed(before);
        let end = one.lines.end.saturating_add_signed(before + growth[at]).max(start);
        Place {
            strategy: one.strategy,
            similarity: one.similarity,
            before: one.lines.start + 1..=one.lines.end,
            after: start + 1..=end,
        }
    };
    found.iter().enumerate().map(place).collect()
}
