//! The region which a text that was not found may have meant, for the words of a refusal. Never a place to edit.

use std::collections::HashMap;
use std::ops::Range;

use crate::refusal::Candidate;
use crate::text::diff::{cut, short_diff};
use crate::text::fold::key;
use crate::text::indent::indent;
use crate::text::lines::{is_blank, numbered};
use crate::text::ops::share;
use crate::text::target::Target;
use crate::text::tokens;

/// Lines of an excerpt at most.
const EXCERPT: usize = 12;
/// So many lines above a place are searched for what it is in.
const FARTHEST_OPENING: usize = 2000;
/// Lines of the small diff at most.
const DIFF: usize = 40;
/// Of a line that the search text repeats, so many are looked at.
const MOST_REPEATS: usize = 8;
/// Below this likeness a region says nothing.
const WORTH_SHOWING: f32 = 0.3;

/// The nearest region and a small diff from the text sought to it; nothing if all is unlike.
pub(crate) fn nearest(search: &[&str], target: &Target<'_>) -> Option<(Candidate, String)> {
    let region = by_votes(search, target).or_else(|| by_best_line(search, target))?;
    let found = target.lines().slice(region.clone());
    let sought: String = search.iter().flat_map(|line| [line, "\n"]).collect();
    let by_lines = share(search, &found.lines().collect::<Vec<_>>());
    let similarity = by_lines.max(likeness(&sought, found));
    if similarity < WORTH_SHOWING {
        return None;
    }
    let diff = short_diff(&sought, found, 1, DIFF);
    let shift = format!("What was sought (-) and what {} (+):\n", "the file has there");
    Some((candidate(target, region, similarity), format!("{shift}{}", renumbered(&diff))))
}

/// A candidate with its first lines as the excerpt.
pub(crate) fn candidate(target: &Target<'_>, region: Range<usize>, similarity: f32) -> Candidate {
    let shown = region.start..region.end.min(region.start + EXCERPT);
    let excerpt = shown.map(|line| cut(target.lines().get(line)) + "\n").collect();
    Candidate { lines: numbered(&region), similarity, excerpt, within: opening_line(target, region.start) }
}

/// The line above which opens the block that a line is in: the first that is indented less.
fn opening_line(target: &Target<'_>, at: usize) -> Option<String> {
    let lines = target.lines();
    let own = (at..lines.len()).map(|line| lines.get(line)).find(|line| !is_blank(line))?;
    let depth = indent(own).len();
    let above = (0..at).rev().take(FARTHEST_OPENING).map(|line| lines.get(line));
    above.filter(|line| !is_blank(line)).find(|line| indent(line).len() < depth).map(|line| cut(line.trim()))
}

/// Hunk headers number the two excerpts, which would mislead; the line numbers stand above the diff.
fn renumbered(diff: &str) -> String {
    let mut hunks = 0;
    let mut out = String::new();
    for line in diff.lines() {
        if line.starts_with("@@") {
            hunks += 1;
            if hunks > 1 {
                out.push_str("  …\n");
            }
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The offset at which most lines of the search text stand as they would have to.
fn by_votes(search: &[&str], target: &Target<'_>) -> Option<Range<usize>> {
    let mut wanted: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, line) in search.iter().enumerate().filter(|(_, line)| line.trim().len() >= 4) {
        wanted.entry(key(line)).or_default().push(at);
    }
    let mut votes: HashMap<isize, usize> = HashMap::new();
    let keys = target.keys();
    for (line, key) in keys.at.iter().zip(&keys.keys) {
        for at in wanted.get(key).into_iter().flatten().take(MOST_REPEATS) {
            *votes.entry(*line as isize - *at as isize).or_default() += 1;
        }
    }
    let (&offset, _) = votes.iter().max_by_key(|(offset, count)| (**count, -**offset))?;
    Some(window(offset, search.len(), target))
}

/// The line most like the longest line of the search text, by the pairs of letters they share.
fn by_best_line(search: &[&str], target: &Target<'_>) -> Option<Range<usize>> {
    let (at, longest) = search.iter().enumerate().max_by_key(|(_, line)| line.trim().len())?;
    let wanted = signature(longest);
    if wanted.iter().all(|&bits| bits == 0) {
        return None;
    }
    let length = longest.trim().len();
    let score = |line: &str| {
        let own = line.trim().len();
        if own * 2 < length || own > length * 2 {
            return 0;
        }
        let own = signature(line);
        let shared: u32 = own.iter().zip(&wanted).map(|(a, b)| (a & b).count_ones()).sum();
        let all: u32 = own.iter().zip(&wanted).map(|(a, b)| (a | b).count_ones()).sum();
        shared * 1000 / all.max(1)
    };
    let (line, best) = target.lines().iter().map(score).enumerate().max_by_key(|&(line, s)| (s, usize::MAX - line))?;
    (best >= 300).then(|| window(line as isize - at as isize, search.len(), target))
}

fn window(offset: isize, len: usize, target: &Target<'_>) -> Range<usize> {
    let total = target.lines().len();
    let start = offset.max(0) as usize;
    let end = usize::try_from(offset + len as isize).unwrap_or(0).clamp(start, total);
    start.min(end)..end
}

/// Which pairs of neighbouring letters a line has, as a bit set.
fn signature(line: &str) -> [u64; 4] {
    let mut bits = [0; 4];
    for pair in line.trim().as_bytes().windows(2) {
        let hash = (u32::from(pair[0]) * 31 + u32::from(pair[1])).wrapping_mul(0x9e37_79b1) >> 24;
        bits[(hash >> 6) as usize] |= 1 << (hash & 63);
    }
    bits
}

/// Letter by letter for a line or two, word by word for a few more, and not at all for long texts: it costs the product
/// of the lengths at worst.
fn likeness(a: &str, b: &str) -> f32 {
    match a.len() + b.len() {
        0..=300 => share(&a.chars().collect::<Vec<char>>(), &b.chars().collect::<Vec<char>>()),
        301..=1200 => tokens::likeness(a, b),
        _ => 0.0,
    }
}
