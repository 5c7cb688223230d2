//! Pairing the lines of a search text with lines of the file. Lines that are not blank must follow one another in
//! both; blank lines are paired where both sides have them and never decide anything.

use std::ops::Range;

use crate::block::Strategy;
use crate::engine::tier::LINE_TIERS;
use crate::text::fold::key;
use crate::text::lines::is_blank;
use crate::text::target::Target;

/// Which line of the file each line of the search text stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alignment {
    /// For each line of the search text, the index of its line in the file.
    pub pairs: Vec<Option<usize>>,
    /// All lines of the file from the first to the last paired one.
    pub region: Range<usize>,
}

/// So many pairs of lines are compared at most, before a text that fits everywhere is given up as ambiguous.
const MOST_PAIRS: usize = 1_000_000;

/// The lines of a search text which are not blank: their indices and keys.
pub(crate) fn needle(search: &[&str]) -> Vec<(usize, u64)> {
    search.iter().enumerate().map(|(at, line)| (at, key(line))).filter(|(_, key)| *key != 0).collect()
}

/// The alignments of a search text whose lines the file has in the eyes of some line tier: those of the strictest tier
/// at which there is any. If one place is better by its lines and another by its blank lines, both are returned.
/// Empty if there is none, or if the text has only blank lines.
pub(crate) fn by_tiers(search: &[&str], target: &Target<'_>) -> Vec<(Strategy, Alignment)> {
    let needle = needle(search);
    if needle.is_empty() {
        return Vec::new();
    }
    let wanted: Vec<u64> = needle.iter().map(|(_, key)| *key).collect();
    let mut found: Vec<(Rank, Alignment)> = Vec::new();
    for (count, at) in runs(&target.keys().keys, &wanted).into_iter().enumerate() {
        if found.len() >= 2 && count * needle.len() > MOST_PAIRS {
            // Two places of whatever rank: whoever chooses will refuse.
            found.truncate(2);
            break;
        }
        let positions: Vec<usize> = (at..at + needle.len()).collect();
        let alignment = align(search, &needle, target, &positions);
        let Some(rank) = rank(search, target, &alignment) else { continue };
        if found.iter().any(|(other, _)| other.beats(rank)) {
            continue;
        }
        found.retain(|(other, _)| !rank.beats(*other));
        found.push((rank, alignment));
    }
    found.into_iter().map(|(rank, alignment)| (rank.strategy(), alignment)).collect()
}

/// Where the needle's keys stand in a row, overlapping rows included (Knuth, Morris and Pratt; linear).
fn runs(keys: &[u64], needle: &[u64]) -> Vec<usize> {
    let mut border = vec![0; needle.len()];
    let mut matched = 0;
    for at in 1..needle.len() {
        while matched > 0 && needle[at] != needle[matched] {
            matched = border[matched - 1];
        }
        matched += usize::from(needle[at] == needle[matched]);
        border[at] = matched;
    }
    let mut found = Vec::new();
    matched = 0;
    for (at, key) in keys.iter().enumerate() {
        while matched > 0 && (matched == needle.len() || *key != needle[matched]) {
            matched = border[matched - 1];
        }
        matched += usize::from(*key == needle[matched]);
        if matched == needle.len() {
            found.push(at + 1 - matched);
        }
    }
    found
}

/// Pairs the lines of the search text with those of the file, given where its lines that are not blank stand: for each
/// of them an index into the file's lines that are not blank, rising.
pub(crate) fn align(search: &[&str], needle: &[(usize, u64)], target: &Target<'_>, positions: &[usize]) -> Alignment {
    let file_at: Vec<usize> = positions.iter().map(|&position| target.keys().at[position]).collect();
    let lines = target.lines();
    let mut pairs = vec![None; search.len()];
    for (index, (own, _)) in needle.iter().enumerate() {
        pairs[*own] = Some(file_at[index]);
        let limit = file_at.get(index + 1).copied().unwrap_or(lines.len());
        let until = needle.get(index + 1).map_or(search.len(), |(at, _)| *at);
        let blanks = (file_at[index] + 1..limit).take_while(|&at| is_blank(lines.get(at)));
        for (pair, at) in pairs[own + 1..until].iter_mut().zip(blanks) {
            *pair = Some(at);
        }
    }
    let mut before = file_at[0];
    for blank in (0..needle[0].0).rev() {
        if before > 0 && is_blank(lines.get(before - 1)) {
            before -= 1;
            pairs[blank] = Some(before);
        }
    }
    let end = pairs.iter().rev().flatten().next().map_or(before, |last| last + 1);
    Alignment { pairs, region: before..end }
}

/// How strictly an alignment fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rank {
    /// The index of the line tier.
    tier: usize,
    /// Whether one side has blank lines which the other lacks.
    blank_lines_differ: bool,
}

impl Rank {
    /// Whether this fits better in one respect and no worse in the other.
    fn beats(self, other: Self) -> bool {
        self != other && self.tier <= other.tier && self.blank_lines_differ <= other.blank_lines_differ
    }

    fn strategy(self) -> Strategy {
        if self.blank_lines_differ { Strategy::BlankLines } else { LINE_TIERS[self.tier].0 }
    }
}

/// The rank of an alignment by the first tier in whose eyes all its lines are equal. None if the keys lied.
fn rank(search: &[&str], target: &Target<'_>, alignment: &Alignment) -> Option<Rank> {
    let lines = target.lines();
    let known = alignment.pairs.iter().zip(search);
    let tier = LINE_TIERS.iter().position(|(_, same)| {
        known.clone().all(|(pair, line)| pair.is_none_or(|at| is_blank(line) || same(line, lines.get(at))))
    })?;
    let paired = alignment.pairs.iter().all(Option::is_some);
    Some(Rank { tier, blank_lines_differ: !paired || alignment.region.len() != search.len() })
}
