//! Lines to add that show no line beside them. They go exactly where a number, an anchor or the end of the file says,
//! and nowhere else: never to the end of the file because no place was named.

use super::anchors::{self, Anchored};
use super::hunk::Hunk;
use crate::engine::found::{Found, ambiguous};
use crate::engine::nearest::candidate;
use crate::refusal::{Reason, Refusal};
use crate::text::document::Change;
use crate::text::indent::indent;
use crate::text::lines::is_blank;
use crate::text::target::Target;

/// The place of a hunk that only adds lines.
pub(crate) fn place(hunk: &Hunk<'_>, target: &Target<'_>) -> Result<Found, Refusal> {
    let total = target.lines().len();
    if target.text().trim().is_empty() {
        return Ok(found(hunk, total, target));
    }
    let at = match (hunk.start, hunk.count) {
        _ if hunk.at_end => total,
        (Some(line), Some(0)) if line <= total => line,
        (Some(line), Some(0)) => {
            let detail = format!("The lines are to follow line {line}; the file has {total}.");
            return Err(Refusal::new(Reason::OutOfRange, detail));
        }
        _ if hunk.headings || hunk.anchors.is_empty() => return Err(nowhere()),
        _ => below_anchor(hunk, target)?,
    };
    if already_there(hunk, at, target) {
        let lines = at..at + hunk.lines.len();
        return Err(Refusal::new(Reason::AlreadyApplied, "").with(vec![candidate(target, lines, 1.0)]));
    }
    Ok(found(hunk, at, target))
}

fn nowhere() -> Refusal {
    Refusal::new(
        Reason::Weak,
        "The hunk adds lines and shows none of the file's lines beside them, so where they belong is not said.",
    )
}

/// The line below the anchor, if the anchor is one line and the new lines can stand there.
fn below_anchor(hunk: &Hunk<'_>, target: &Target<'_>) -> Result<usize, Refusal> {
    let lines = target.lines();
    let at = match anchors::find(&hunk.anchors, target) {
        Anchored::At(at) => at,
        Anchored::Vaguely => return Err(missing(hunk.anchors.len() - 1, hunk)),
        Anchored::Nowhere(index) => return Err(missing(index, hunk)),
    };
    let [anchor] = at.as_slice() else {
        return Err(ambiguous(at.iter().map(|&line| (line, 1.0)), 1, target));
    };
    let above = lines.get(*anchor);
    let first = hunk.lines.iter().map(|line| line.text).find(|line| !is_blank(line)).unwrap_or_default();
    let opens = above.trim_end().ends_with(['{', ':']);
    let fits = !opens || indent(first).len() > indent(above).len();
    if fits && closes_what_it_opens(above) {
        return Ok(anchor + 1);
    }
    let detail = format!("Right below `{}` the new lines would not stand by themselves.", above.trim());
    Err(Refusal::new(Reason::Weak, detail).with(vec![candidate(target, *anchor..anchor + 1, 1.0)]))
}

/// The refusal of an anchor that the file lacks.
pub(crate) fn missing(index: usize, hunk: &Hunk<'_>) -> Refusal {
    let anchor = hunk.anchors.get(index).copied().unwrap_or_default();
    Refusal::new(Reason::NotFound, format!("The line `@@ {}` names none of the file's lines.", anchor.trim()))
}

/// Whether no round or square bracket stays open at the end of the line: below one, a list goes on.
fn closes_what_it_opens(line: &str) -> bool {
    let count = |signs: &[char]| line.chars().filter(|c| signs.contains(c)).count();
    count(&['(', '[']) <= count(&[')', ']']) && !line.trim_end().ends_with(',')
}

fn already_there(hunk: &Hunk<'_>, at: usize, target: &Target<'_>) -> bool {
    let lines = target.lines();
    let same = |(offset, line): (usize, &super::hunk::Line<'_>)| {
        lines.get_opt(at + offset).is_some_and(|old| old.trim_end() == line.text.trim_end())
    };
    hunk.lines.iter().enumerate().all(same)
}

fn found(hunk: &Hunk<'_>, at: usize, target: &Target<'_>) -> Found {
    let lines = target.lines();
    let new: String = hunk.lines.iter().flat_map(|line| [line.text, "\n"]).collect();
    let byte = lines.start(at);
    Found::exact(at..at, vec![Change { range: byte..byte, new }])
}
