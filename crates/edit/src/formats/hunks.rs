//! All hunks of one file, against the text as it was. Hunks with one place come first; what they tell (by how much the
//! numbers are off, in which order the hunks stand) then chooses for those that fit several places, or nothing does.

use std::borrow::Cow;

use super::addition;
use super::anchors::{self, Anchored};
use super::hunk::{Hunk, LastBreak, Reading, Sign};
use crate::block::{Applied, Strategy};
use crate::engine::apply::finish;
use crate::engine::clean::CleanBlock;
use crate::engine::found::Found;
use crate::engine::guide::{Guide, nearest};
use crate::engine::locate::locate;
use crate::engine::nearest::candidate;
use crate::refusal::{Reason, Refusal};
use crate::text::document::Document;
use crate::text::fold::key;
use crate::text::lines::is_blank;
use crate::text::target::Target;

/// Applies the hunks to a text.
pub(crate) fn apply_hunks(text: &str, hunks: &[Hunk<'_>]) -> Result<Applied, Refusal> {
    let (text, was_open) = closed(text);
    let document = Document::new(&text);
    let target = Target::new(&document);
    let mut found: Vec<Option<Found>> = Vec::with_capacity(hunks.len());
    let mut open: Vec<(usize, Refusal)> = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        match seek(hunk, &target, None) {
            Ok(place) => found.push(Some(place)),
            Err(refusal) if refusal.reason == Reason::Ambiguous && !hunk.is_addition() => {
                open.push((index, refusal));
                found.push(None);
            }
            Err(refusal) => return Err(refusal.of_block(index, hunks.len())),
        }
    }
    let mut chosen = Vec::new();
    for (index, refusal) in &open {
        let starts: Vec<usize> = refusal.candidates.iter().map(|place| place.lines.start() - 1).collect();
        let Some(start) = choose(*index, &starts, hunks, &found, &open, &target) else {
            return Err(refusal.clone().of_block(*index, hunks.len()));
        };
        let place = seek(&hunks[*index], &target, Some(start + 1));
        chosen.push((*index, place.map_err(|refusal| refusal.of_block(*index, hunks.len()))?));
    }
    for (index, place) in chosen {
        found[index] = Some(place);
    }
    let found: Vec<Found> = found.into_iter().flatten().collect();
    let mut applied = finish(&found, &target)?;
    if stays_open(was_open, hunks, &found, target.lines().len()) {
        let body = applied.text.strip_suffix('\n').map(|body| body.strip_suffix('\r').unwrap_or(body).len());
        applied.text.truncate(body.unwrap_or(applied.text.len()));
    }
    Ok(applied)
}

/// The place of one hunk.
fn seek(hunk: &Hunk<'_>, target: &Target<'_>, hint: Option<usize>) -> Result<Found, Refusal> {
    if hunk.is_addition() {
        return addition::place(hunk, target);
    }
    if let Some(found) = only_the_last_break(hunk, target) {
        return Ok(found);
    }
    let anchored = match hunk.anchors.as_slice() {
        [] => None,
        _ if hunk.headings => None,
        anchors => Some(anchors::find(anchors, target)),
    };
    if let Some(Anchored::Nowhere(index)) = anchored {
        return Err(addition::missing(index, hunk));
    }
    let found = in_either_reading(hunk, target, hint)?;
    if let Some(Anchored::At(at)) = &anchored
        && anchors::is_above(&found.lines, at)
    {
        let detail =
            format!("These lines are above `{}`, which the hunk names.", hunk.anchors[hunk.anchors.len() - 1].trim());
        return Err(Refusal::new(Reason::Weak, detail).with(vec![candidate(target, found.lines, found.similarity)]));
    }
    Ok(found)
}

/// The place in the reading that is met more strictly.
fn in_either_reading(hunk: &Hunk<'_>, target: &Target<'_>, hint: Option<usize>) -> Result<Found, Refusal> {
    let script: Vec<Sign> = hunk.lines.iter().map(|line| line.sign).collect();
    let attempt = |reading| {
        let (search, replace) = hunk.texts(reading);
        let guide = Guide { hint, whole_lines: true };
        locate(&CleanBlock { search: search.into(), replace: replace.into(), guide, script: &script }, target)
    };
    let first = attempt(Reading::Signed);
    let settled = match &first {
        Ok(found) => found.strategy == Strategy::Exact,
        Err(refusal) => refusal.reason == Reason::Ambiguous && refusal.candidates.iter().all(|c| c.similarity >= 1.0),
    };
    if settled || !looks_bare(hunk, target) {
        return first;
    }
    match (first, attempt(Reading::Bare)) {
        (Ok(signed), Ok(bare)) if bare.strategy < signed.strategy => Ok(bare),
        (Err(signed), Ok(bare)) if signed.reason != Reason::Ambiguous || bare.strategy <= Strategy::TrailingBlanks => {
            Ok(bare)
        }
        (Err(_), Err(bare)) if bare.reason == Reason::Ambiguous => Err(bare),
        (first, _) => first,
    }
}

/// Whether a line of context stands in the file as it was written, blank at its start and all, rather than without it.
fn looks_bare(hunk: &Hunk<'_>, target: &Target<'_>) -> bool {
    let keys = target.keys();
    let unclear = hunk.lines.iter().filter(|line| line.text.len() != line.bare.len() && !is_blank(line.bare));
    let mut stands = unclear.map(|line| {
        let wanted = key(line.text);
        let there = keys.at.iter().zip(&keys.keys).filter(|(_, key)| **key == wanted);
        there.map(|(at, _)| target.lines().get(*at).trim_end()).fold((false, false), |(signed, bare), old| {
            (signed || old == line.text.trim_end(), bare || old == line.bare.trim_end())
        })
    });
    stands.any(|(signed, bare)| bare && !signed)
}

/// A hunk whose only request is a line break more or less at the end of the file.
fn only_the_last_break(hunk: &Hunk<'_>, target: &Target<'_>) -> Option<Found> {
    if hunk.last_break == LastBreak::AsIs || hunk.old_len() != hunk.new_len() {
        return None;
    }
    let (old, new) = hunk.texts(Reading::Signed);
    let lines = target.lines();
    let from = lines.len().checked_sub(hunk.old_len())?;
    let ends = old == new && lines.slice(from..lines.len()).trim_end_matches('\n') == old.trim_end_matches('\n');
    ends.then(|| Found::exact(from..lines.len(), Vec::new()))
}

/// Which of several places a hunk means, as the index of a line.
fn choose(
    index: usize,
    starts: &[usize],
    hunks: &[Hunk<'_>],
    found: &[Option<Found>],
    open: &[(usize, Refusal)],
    target: &Target<'_>,
) -> Option<usize> {
    let hunk = &hunks[index];
    if hunk.at_end {
        let total = target.lines().len();
        return starts.iter().copied().find(|start| start + hunk.old_len() >= total);
    }
    if !hunk.anchors.is_empty()
        && let Anchored::At(at) = anchors::find(&hunk.anchors, target)
        && let Some(chosen) = anchors::choose(starts, hunk.old_len(), &at, target)
    {
        return Some(starts[chosen]);
    }
    if let Some(line) = hunk.start {
        let wanted = line.saturating_sub(1).saturating_add_signed(drift(index, hunks, found));
        if let Some(chosen) = nearest(starts, wanted) {
            return Some(starts[chosen]);
        }
    }
    by_order(index, starts, found).or_else(|| all_of_them(index, starts, hunks, open))
}

/// By how many lines the numbers of the nearest hunk with a place are off.
fn drift(index: usize, hunks: &[Hunk<'_>], found: &[Option<Found>]) -> isize {
    let known = hunks.iter().zip(found).enumerate().filter_map(|(other, (hunk, place))| {
        let (line, place) = (hunk.start?.checked_sub(1)?, place.as_ref()?);
        Some((other.abs_diff(index), place.lines.start as isize - line as isize))
    });
    known.min_by_key(|(distance, _)| *distance).map_or(0, |(_, off)| off)
}

/// The only place between the neighbours, where at least two other hunks show which way the hunks run.
fn by_order(index: usize, starts: &[usize], found: &[Option<Found>]) -> Option<usize> {
    let at = |place: &Option<Found>| place.as_ref().map(|place| place.lines.start);
    let known: Vec<usize> = found.iter().filter_map(at).collect();
    let rising = known.windows(2).all(|two| two[0] < two[1]);
    let falling = known.windows(2).all(|two| two[0] > two[1]);
    if known.len() < 2 || !(rising || falling) {
        return None;
    }
    let (before, after) = (found[..index].iter().rev().find_map(at), found[index + 1..].iter().find_map(at));
    let (low, high) = if rising { (before, after) } else { (after, before) };
    let mut between = starts
        .iter()
        .copied()
        .filter(|&start| low.is_none_or(|low| start > low) && high.is_none_or(|high| start < high));
    between.next().filter(|_| between.next().is_none())
}

/// As many equal hunks as there are places: each place gets one, and which gets which makes no difference.
fn all_of_them(index: usize, starts: &[usize], hunks: &[Hunk<'_>], open: &[(usize, Refusal)]) -> Option<usize> {
    let equal: Vec<usize> =
        open.iter().map(|(other, _)| *other).filter(|&other| hunks[other].lines == hunks[index].lines).collect();
    let apart = starts.windows(2).all(|two| two[0] + hunks[index].old_len() <= two[1]);
    if equal.len() != starts.len()
        || !apart
        || hunks.iter().filter(|hunk| hunk.lines == hunks[index].lines).count() != equal.len()
    {
        return None;
    }
    equal.iter().position(|&other| other == index).map(|rank| starts[rank])
}

/// The text with a line break at its end, and whether it lacked one: hunks are made of whole lines.
fn closed(text: &str) -> (Cow<'_, str>, bool) {
    if text.is_empty() || text.ends_with('\n') {
        return (Cow::Borrowed(text), false);
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    (Cow::Owned(format!("{text}{end}")), true)
}

/// Whether the new text is to have a line break at its end: as the hunk says that reaches the end of the file, or as
/// the old text had it.
fn stays_open(was_open: bool, hunks: &[Hunk<'_>], found: &[Found], total: usize) -> bool {
    let last = hunks.iter().zip(found).filter(|(_, place)| place.lines.end >= total).map(|(hunk, _)| hunk.last_break);
    last.fold(was_open, |open, said| match said {
        LastBreak::AsIs => open,
        LastBreak::Present => false,
        LastBreak::Absent => true,
    })
}
