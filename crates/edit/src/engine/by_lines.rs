//! Places that are found line by line: by the tiers of lines that are equal, and by lines that differ by slips only.

use similar::DiffOp;

use super::align::{Alignment, by_tiers};
use super::alike::{alike, rival, with_drifted_context, with_more_between};
use super::clean::CleanBlock;
use super::found::{Found, ambiguous, merged, unknown_line};
use super::guide::Guide;
use crate::block::Strategy;
use crate::refusal::Refusal;
use crate::text::indent::indent;
use crate::text::lines::is_blank;
use crate::text::ops::ops;
use crate::text::target::Target;

/// The line tiers.
pub(crate) fn by_lines(request: &CleanBlock<'_>, target: &Target<'_>) -> Result<Option<Found>, Refusal> {
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
pub(crate) fn by_slips(request: &CleanBlock<'_>, target: &Target<'_>) -> Result<Option<Found>, Refusal> {
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
