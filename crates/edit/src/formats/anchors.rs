//! Lines which a hunk names above its place (`@@ class A`, `@@ def f(self):`). They choose among places, or tell where
//! lines are added that show no line beside them; they are never changed themselves.

use std::ops::Range;

use crate::engine::alike::near;
use crate::engine::guide::nearest;
use crate::engine::tier::fuzzy;
use crate::text::fold::key;
use crate::text::indent::indent;
use crate::text::lines::{Lines, is_blank};
use crate::text::target::Target;
use crate::text::tokens::likeness;

/// An anchor with fewer bytes than this must be a whole line.
const SHORTEST_PART: usize = 4;
/// Below this likeness of its words, no line is what the anchor meant.
const LEAST_ALIKE: f32 = 0.6;
/// Lines that come into question for one anchor, at most.
const MOST: usize = 1000;

/// What the file has for the anchors of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Anchored {
    /// The lines (as indices) which the last anchor may be, rising.
    At(Vec<usize>),
    /// Something like it is there, too unlike to tell a place by.
    Vaguely,
    /// Nothing like it is there: this anchor of the hunk.
    Nowhere(usize),
}

/// Finds the anchors one inside the other.
pub(crate) fn find(anchors: &[&str], target: &Target<'_>) -> Anchored {
    let lines = target.lines();
    let mut scopes: Vec<Range<usize>> = std::iter::once(0..lines.len()).collect();
    let mut at = Vec::new();
    for (index, anchor) in anchors.iter().enumerate() {
        let Some(known) = matches(anchor.trim(), target) else {
            let like = lines.iter().any(|line| near(anchor, line, 60) && likeness(anchor, line) >= LEAST_ALIKE);
            return if like { Anchored::Vaguely } else { Anchored::Nowhere(index) };
        };
        at = known.iter().copied().filter(|line| scopes.iter().any(|scope| scope.contains(line))).collect();
        if at.is_empty() {
            // The inner line is not where indentation says it would be; then it is at least below the outer one.
            let first = scopes.iter().map(|scope| scope.start).min().unwrap_or_default();
            at = known.into_iter().filter(|line| *line >= first).collect();
        }
        if at.is_empty() {
            return Anchored::Nowhere(index);
        }
        scopes = at.iter().map(|&line| line + 1..scope_end(line, lines)).collect();
    }
    Anchored::At(at)
}

/// The lines which an anchor may be, by the strictest comparison that has any.
fn matches(anchor: &str, target: &Target<'_>) -> Option<Vec<usize>> {
    if anchor.is_empty() {
        return None;
    }
    let lines = target.lines();
    let wanted = key(anchor);
    let ways: [&dyn Fn(&str) -> bool; 5] = [
        &|line| line.trim() == anchor,
        &|line| key(line) == wanted,
        &|line| anchor.len() >= SHORTEST_PART && line.trim_start().starts_with(anchor),
        &|line| anchor.len() >= SHORTEST_PART && line.contains(anchor),
        &|line| near(anchor, line, 80) && fuzzy::same(anchor, line, target.text()),
    ];
    ways.iter().find_map(|way| {
        let found: Vec<usize> =
            lines.iter().enumerate().filter(|(_, line)| way(line)).map(|(at, _)| at).take(MOST).collect();
        (!found.is_empty()).then_some(found)
    })
}

/// Where the block that a line opens ends, told by indentation: before the next line that is not indented more.
/// Lines that begin with a bracket go on with the line above.
fn scope_end(line: usize, lines: &Lines<'_>) -> usize {
    let depth = indent(lines.get(line)).len();
    let ends = |text: &str| {
        !is_blank(text) && indent(text).len() <= depth && !text.trim_start().starts_with(['{', '}', ')', ']'])
    };
    (line + 1..lines.len()).find(|&at| ends(lines.get(at))).unwrap_or(lines.len())
}

/// The place which lies in the block of an anchor while no other does, or else the one clearly next below the only
/// line that the anchor may be. `height` is the number of lines of each place.
pub(crate) fn choose(starts: &[usize], height: usize, at: &[usize], target: &Target<'_>) -> Option<usize> {
    let lines = target.lines();
    let inside =
        |start: usize| at.iter().any(|&anchor| start < scope_end(anchor, lines) && start + height.max(1) > anchor);
    let mut chosen = (0..starts.len()).filter(|&index| inside(starts[index]));
    match (chosen.next(), chosen.next()) {
        (Some(one), None) => return Some(one),
        (Some(_), Some(_)) => return None,
        (None, _) => {}
    }
    let [anchor] = at else { return None };
    let below: Vec<usize> = (0..starts.len()).filter(|&index| starts[index] > *anchor).collect();
    let lines_below: Vec<usize> = below.iter().map(|&index| starts[index]).collect();
    let picked = if below.len() == 1 {
        lines_below.first().filter(|&&start| start <= anchor + 50).map(|_| 0)
    } else {
        nearest(&lines_below, *anchor)
    };
    picked.map(|index| below[index])
}

/// Whether a place of so many lines lies wholly above every line which the anchor may be.
pub(crate) fn is_above(region: &Range<usize>, at: &[usize]) -> bool {
    at.iter().all(|&anchor| region.end <= anchor)
}
