//! Lines left out with dots. In a search text they stand for the lines of the file between two pieces, each of
//! which must have one place; in a replacement for lines which the search text has in full. Dots are never written
//! to a file that lacks them: what cannot be expanded is refused.

use std::ops::Range;

use similar::DiffOp;

use crate::block::Strategy;
use crate::engine::align::{Alignment, by_tiers};
use crate::engine::clean::CleanBlock;
use crate::engine::found::{Found, ambiguous, merged};
use crate::engine::nearest::candidate;
use crate::engine::placeholder::{is_placeholder, opens_block, standing_for};
use crate::refusal::{Reason, Refusal};
use crate::text::lines::is_blank;
use crate::text::ops::ops;
use crate::text::target::Target;

/// So many hidden lines at most may go unseen, when the replacement gives none of them.
const MOST_UNSEEN: usize = 40;

/// The request with the dots of its replacement expanded from its search text; none if there is nothing to expand, as
/// when the search text itself has lines with dots which the file has too: then dots are content here.
pub(crate) fn expand_replacement(
    request: &CleanBlock<'_>,
    target: &Target<'_>,
) -> Result<Option<CleanBlock<'static>>, Refusal> {
    let search: Vec<&str> = request.search.lines().collect();
    let replace: Vec<&str> = request.replace.lines().collect();
    let standing = standing_for(&search, &replace, false);
    if standing.is_empty() && !leaves_out(&request.replace) {
        return Ok(None);
    }
    let dots: Vec<usize> = (0..replace.len())
        .filter(|at| is_dots(replace[*at]) || standing.contains(at))
        .filter(|&at| !search.iter().any(|line| line.trim() == replace[at].trim()))
        .filter(|&at| !in_file(replace[at], target))
        .collect();
    let known = search.iter().filter(|line| is_dots(line) && in_file(line, target)).count();
    if dots.len() <= known {
        return Ok(None);
    }
    match expanded(&search, &replace, &dots) {
        Some(lines) => {
            let mut text = lines.join("\n");
            if request.replace.ends_with('\n') {
                text.push('\n');
            }
            let search = request.search.clone().into_owned().into();
            Ok(Some(CleanBlock { search, replace: text.into(), guide: request.guide, script: &[] }))
        }
        None if dots.iter().all(|&at| may_be_code(&replace, at)) => Ok(None),
        None => {
            let line = dots.iter().find(|&&at| !may_be_code(&replace, at)).copied().unwrap_or_default();
            let detail = format!("Line {} of the new text: {}", line + 1, replace[line].trim());
            Err(Refusal::new(Reason::Placeholder, detail))
        }
    }
}

/// The replacement with each line of dots exchanged for the lines of the search text which it leaves out.
fn expanded<'a>(search: &[&'a str], replace: &[&'a str], dots: &[usize]) -> Option<Vec<&'a str>> {
    let trim = |lines: &[&'a str]| -> Vec<&'a str> { lines.iter().map(|line| line.trim_end()).collect() };
    let (old, new) = (trim(search), trim(replace));
    let once = |at: Option<usize>| match at.and_then(|at| new.get(at)) {
        // A blank neighbour would leave open where the lines left out begin.
        Some(line) => !is_blank(line) && old.iter().filter(|other| *other == line).count() == 1,
        None => true,
    };
    let mut out = Vec::new();
    let mut expanded = 0;
    for op in ops(&old, &new) {
        let range = op.new_range();
        if !range.clone().any(|at| dots.contains(&at)) {
            out.extend_from_slice(&replace[range]);
            continue;
        }
        let DiffOp::Replace { old_index, old_len, .. } = op else { return None };
        if range.len() != 1 || new.len() == 1 || !once(range.start.checked_sub(1)) || !once(Some(range.end)) {
            return None;
        }
        out.extend_from_slice(&search[old_index..old_index + old_len]);
        expanded += 1;
    }
    (expanded == dots.len()).then_some(out)
}

/// The place of a search text with dots.
pub(crate) fn by_pieces(request: &CleanBlock<'_>, target: &Target<'_>) -> Result<Option<Found>, Refusal> {
    if !leaves_out(&request.search) {
        return Ok(None);
    }
    let search: Vec<&str> = request.search.lines().collect();
    let replace: Vec<&str> = request.replace.lines().collect();
    let dots: Vec<usize> = (0..search.len()).filter(|&at| is_dots(search[at])).collect();
    let Some(ranges) = pieces(&search, &dots) else { return Ok(None) };
    let mut alignments: Vec<Alignment> = Vec::new();
    for range in &ranges {
        let from = alignments.last().map_or(0, |last| last.region.end);
        let mut places = by_tiers(&search[range.clone()], target);
        places.retain(|(_, place)| place.region.start >= from);
        match places.len() {
            0 => return Ok(None),
            1 => alignments.extend(places.pop().map(|(_, place)| place)),
            _ => {
                let starts = places.iter().map(|(_, place)| (place.region.start, 0.99));
                return Err(ambiguous(starts, range.len(), target));
            }
        }
    }
    let kept = dots.iter().filter(|&&at| replace.iter().any(|line| line.trim() == search[at].trim())).count();
    let hidden: usize = alignments.windows(2).map(|two| two[1].region.start - two[0].region.end).sum();
    let seen = hidden <= MOST_UNSEEN || kept > 0 || gives_hidden_line(&alignments, &replace, target);
    if !seen || kept != 0 && kept != dots.len() {
        let region = alignments[0].region.start..alignments[alignments.len() - 1].region.end;
        let detail = "What the dots stand for is not clear enough to be replaced unseen.";
        return Err(Refusal::new(Reason::Weak, detail).with(vec![candidate(target, region, 0.9)]));
    }
    joined(&search, &replace, &ranges, &alignments, target).map(Some)
}

/// Carries the request out on the pieces and the lines between them.
fn joined(
    search: &[&str],
    replace: &[&str],
    ranges: &[Range<usize>],
    alignments: &[Alignment],
    target: &Target<'_>,
) -> Result<Found, Refusal> {
    let file = target.lines();
    let mut full = Vec::new();
    let mut pairs = Vec::new();
    let mut new = Vec::new();
    let mut rest = replace;
    for (index, (range, alignment)) in ranges.iter().zip(alignments).enumerate() {
        if index > 0 {
            let hidden = alignments[index - 1].region.end..alignment.region.start;
            let dots = search[ranges[index - 1].end].trim();
            if let Some(at) = rest.iter().position(|line| line.trim() == dots) {
                new.extend_from_slice(&rest[..at]);
                new.extend(hidden.clone().map(|line| file.get(line)));
                rest = &rest[at + 1..];
            }
            full.extend(hidden.clone().map(|line| file.get(line)));
            pairs.extend(hidden.map(Some));
        }
        full.extend_from_slice(&search[range.clone()]);
        pairs.extend_from_slice(&alignment.pairs);
    }
    new.extend_from_slice(rest);
    let region = alignments[0].region.start..alignments[alignments.len() - 1].region.end;
    merged((&full, &new, &[]), target, Strategy::Elision, 0.95, &Alignment { pairs, region })
}

fn gives_hidden_line(alignments: &[Alignment], replace: &[&str], target: &Target<'_>) -> bool {
    alignments.windows(2).flat_map(|two| two[0].region.end..two[1].region.start).any(|at| {
        let line = target.lines().get(at).trim();
        line.len() > 3 && replace.iter().any(|new| new.trim() == line)
    })
}

/// The lines between the dots, if there are dots and something to hold on to on each side of each.
fn pieces(search: &[&str], dots: &[usize]) -> Option<Vec<Range<usize>>> {
    let mut out = Vec::new();
    let mut from = 0;
    for &at in dots.iter().chain(std::iter::once(&search.len())) {
        if search[from..at].iter().all(|line| is_blank(line)) {
            return None;
        }
        out.push(from..at);
        from = at + 1;
    }
    (!dots.is_empty()).then_some(out)
}

fn leaves_out(text: &str) -> bool {
    text.lines().any(is_dots)
}

fn is_dots(line: &str) -> bool {
    matches!(line.trim(), "..." | "\u{2026}") || is_placeholder(line)
}

fn in_file(line: &str, target: &Target<'_>) -> bool {
    target.lines().iter().any(|other| other.trim() == line.trim())
}

/// Whether a line of bare dots may be meant: in Python it is a statement, the body of what ends with a colon or a
/// docstring just above, or all there is of the new text.
fn may_be_code(replace: &[&str], at: usize) -> bool {
    let alone = replace.iter().filter(|line| !is_blank(line)).count() == 1;
    replace[at].trim() == "..." && (alone || opens_block(replace, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_of_a_replacement_stand_for_lines_of_the_search_text() {
        let search = ["fn f() {", "    a();", "    b();", "    c();", "    d();", "}"];
        let replace = ["fn f() {", "    // ...", "    d(1);", "}"];
        assert_eq!(expanded(&search, &replace, &[1]), None, "the dots stand beside a change");
        let replace = ["fn f(x: u8) {", "    a();", "    // ...", "    d();", "}"];
        let full = ["fn f(x: u8) {", "    a();", "    b();", "    c();", "    d();", "}"];
        assert_eq!(expanded(&search, &replace, &[2]).unwrap(), full);
        let repeated = ["a", "b", "a", "c", "a"];
        assert_eq!(expanded(&repeated, &["a", "...", "a"], &[1]), None, "either a may be meant");
    }
}
