//! Places that are alike: as many lines in a row as the search text has, each equal to its partner or differing by
//! slips alone (see `tier::fuzzy`); or all its lines, with one or two more of the file's between them. All such places
//! are returned; choosing among them is not done here.

use std::collections::HashMap;

use crate::engine::align::{Alignment, align, needle};
use crate::engine::tier::fuzzy;
use crate::text::lines::letters;
use crate::text::target::Target;
use crate::text::tokens::{likeness, tokens};

/// Places that are looked at closely, at most.
const MOST: usize = 64;
/// Of a line that the search text repeats, so many are looked at.
const MOST_REPEATS: usize = 4;
/// The least likeness, over all lines and of each.
const LEAST: f32 = 0.8;
const LEAST_LINE: f32 = 0.5;
/// A single line with fewer words than this names no place unless it is met exactly.
const FEWEST_WORDS: usize = 3;

/// A search text with fewer lines (blank ones aside) must not leave lines out.
const FEWEST_LINES_AROUND_GAPS: usize = 4;
/// So many lines of the file may be left out, between the first and the last line of the search text.
const MOST_LEFT_OUT: usize = 2;

/// Letters and digits of a line to remove by which alone a place may be told.
const LEAST_LETTERS: usize = 8;
/// Lines of context that must be met where one is not.
const LEAST_MET: usize = 2;

/// One place.
#[derive(Debug, Clone)]
pub(crate) struct Alike {
    pub alignment: Alignment,
    /// Over all lines that are not blank, 0 to 1.
    pub similarity: f32,
}

/// All places alike to the search text.
pub(crate) fn alike(search: &[&str], target: &Target<'_>) -> Vec<Alike> {
    let needle = needle(search);
    let words = search.iter().flat_map(|line| tokens(line)).filter(|token| token.len() > 1).count();
    if words == 0 || needle.len() < 2 && words < FEWEST_WORDS {
        return Vec::new();
    }
    let mut found: Vec<Alike> = Vec::new();
    for at in seeds(search, &needle, target) {
        if let Some(similarity) = similarity(search, &needle, target, at) {
            let positions: Vec<usize> = (at..at + needle.len()).collect();
            found.push(Alike { alignment: align(search, &needle, target, &positions), similarity });
        }
    }
    found
}

/// All places which have every line of the search text in order, with a few more lines between them. None if much of
/// the search text stands in the file more than once: then its lines may well be those of another place.
pub(crate) fn with_more_between(search: &[&str], target: &Target<'_>) -> Vec<Alike> {
    let needle = needle(search);
    let keys = &target.keys().keys;
    if needle.len() < FEWEST_LINES_AROUND_GAPS {
        return Vec::new();
    }
    if repeated(&needle, keys) * 3 > needle.len() {
        return Vec::new();
    }
    let starts = keys.iter().enumerate().filter(|(_, key)| **key == needle[0].1).map(|(at, _)| at);
    let mut found = Vec::new();
    for start in starts.take(MOST * MOST) {
        if let Some(positions) = stepping_over(&needle, keys, start)
            && gaps_are_plain(&needle, target, &positions)
        {
            let left_out = positions[positions.len() - 1] + 1 - start - needle.len();
            let similarity = needle.len() as f32 / (needle.len() + left_out) as f32;
            found.push(Alike { alignment: align(search, &needle, target, &positions), similarity });
        }
    }
    found
}

/// The place at which every line that goes away stands to the letter, one of them nowhere else in the file, while a single
/// line of context, itself nowhere to be found, now says something else: that one is the file's own business.
pub(crate) fn with_drifted_context(search: &[&str], removed: &[bool], target: &Target<'_>) -> Option<Alike> {
    let needle = needle(search);
    let keys = &target.keys().keys;
    let standing = |key: u64| keys.iter().enumerate().filter(move |(_, other)| **other == key).map(|(at, _)| at);
    let start = needle.iter().enumerate().find_map(|(index, (own, key))| {
        let mut places = standing(*key);
        let at = places.next().filter(|_| removed[*own] && letters(search[*own]) >= LEAST_LETTERS)?;
        if places.next().is_some() { None } else { at.checked_sub(index) }
    })?;
    let (mut drifted, mut met, mut sum) = (0, 0, 0.0);
    for (index, (own, key)) in needle.iter().enumerate() {
        let there = *keys.get(start + index)?;
        if there == *key {
            met += usize::from(!removed[*own] && letters(search[*own]) > 1);
            sum += 1.0;
            continue;
        }
        let likeness = letters_alike(search[*own], target.lines().get(target.keys().at[start + index]));
        if removed[*own] || likeness < LEAST_LINE || standing(*key).next().is_some() {
            return None;
        }
        drifted += 1;
        sum += likeness;
    }
    let positions: Vec<usize> = (start..start + needle.len()).collect();
    let similarity = (sum / needle.len() as f32).min(0.99);
    let certain = drifted == 1 && met >= LEAST_MET && similarity >= LEAST;
    certain.then(|| Alike { alignment: align(search, &needle, target, &positions), similarity })
}

/// A place beside one whose lines that go away are indented otherwise: here they stand to the letter, and the context does
/// but for one line. Which of the two is meant, nobody can say.
pub(crate) fn rival(search: &[&str], removed: &[bool], found: &Alignment, target: &Target<'_>) -> Option<usize> {
    let needle = needle(search);
    let lines = target.lines();
    let same = |own: usize, at: usize| search[own].trim_end() == lines.get(at).trim_end();
    let goes = needle.iter().filter(|(own, _)| removed[*own]);
    let to_the_letter = goes.clone().all(|(own, _)| found.pairs[*own].is_some_and(|at| same(*own, at)));
    if to_the_letter || needle.len() < goes.count() + LEAST_MET + 1 {
        return None;
    }
    let rivals = |place: &&[usize]| {
        let mut others = needle.iter().zip(*place).filter(|((own, _), at)| !same(*own, **at));
        let drifted = others.next();
        drifted.is_none_or(|((own, _), _)| !removed[*own]) && others.next().is_none()
    };
    target.keys().at.windows(needle.len()).find(rivals).map(|place| place[0])
}

/// How many of the needle's lines stand in the file more than once.
fn repeated(needle: &[(usize, u64)], keys: &[u64]) -> usize {
    let mut counts: HashMap<u64, usize> = needle.iter().map(|(_, key)| (*key, 0)).collect();
    for key in keys {
        if let Some(count) = counts.get_mut(key) {
            *count += 1;
        }
    }
    needle.iter().filter(|(_, key)| counts[key] > 1).count()
}

/// Where the needle's lines stand from `start` on, if the file has no more than a few lines between them.
fn stepping_over(needle: &[(usize, u64)], keys: &[u64], start: usize) -> Option<Vec<usize>> {
    let mut positions = Vec::with_capacity(needle.len());
    let mut left = MOST_LEFT_OUT;
    let mut at = start;
    for (_, key) in needle {
        while *keys.get(at)? != *key {
            left = left.checked_sub(1)?;
            at += 1;
        }
        positions.push(at);
        at += 1;
    }
    Some(positions)
}

/// Whether each line left out stands by itself, without blank lines around it and with words of its own: only then is
/// it certain where it belongs among the lines of the replacement.
fn gaps_are_plain(needle: &[(usize, u64)], target: &Target<'_>, positions: &[usize]) -> bool {
    let file_at = &target.keys().at;
    needle.windows(2).zip(positions.windows(2)).filter(|(_, at)| at[1] > at[0] + 1).all(|(own, at)| {
        let blanks_here = own[1].0 > own[0].0 + 1 || file_at[at[1]] - file_at[at[0]] > at[1] - at[0];
        let has_words = |line: usize| letters(target.lines().get(line)) > 1;
        !blanks_here && (at[0] + 1..at[1]).all(|index| has_words(file_at[index]))
    })
}

/// How alike the lines from `at` (an index of the file's lines that are not blank) on are; none if a line differs by
/// more than slips.
fn similarity(search: &[&str], needle: &[(usize, u64)], target: &Target<'_>, at: usize) -> Option<f32> {
    let keys = target.keys();
    let mut sum = 0.0;
    for (index, (own, key)) in needle.iter().enumerate() {
        if keys.keys[at + index] == *key {
            sum += 1.0;
            continue;
        }
        let (search, line) = (search[*own], target.lines().get(keys.at[at + index]));
        let alike = letters_alike(search, line);
        if alike < LEAST_LINE || !fuzzy::same(search, line, target.text()) {
            return None;
        }
        sum += alike;
    }
    let similarity = sum / needle.len() as f32;
    (similarity >= LEAST).then_some(similarity.min(0.99))
}

/// How alike two lines are: word by word, a misspelt word counting for half.
fn letters_alike(a: &str, b: &str) -> f32 {
    let by_words = likeness(a, b);
    by_words + (1.0 - by_words) / 2.0
}

/// Where the search text may start, as indices of the file's lines that are not blank: where most of its lines
/// stand as they would have to; or, if none does, where its longest line is nearly met.
fn seeds(search: &[&str], needle: &[(usize, u64)], target: &Target<'_>) -> Vec<usize> {
    let keys = &target.keys().keys;
    let Some(last) = keys.len().checked_sub(needle.len()) else { return Vec::new() };
    let mut wanted: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, (_, key)) in needle.iter().enumerate() {
        wanted.entry(*key).or_default().push(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        for index in wanted.get(key).into_iter().flatten().take(MOST_REPEATS) {
            if let Some(start) = at.checked_sub(*index).filter(|start| *start <= last) {
                *votes.entry(start).or_default() += 1;
            }
        }
    }
    let enough = needle.len() / 3;
    let mut ranked: Vec<(usize, usize)> = votes.into_iter().filter(|(_, count)| *count >= enough.max(1)).collect();
    ranked.sort_unstable_by_key(|(start, count)| (usize::MAX - count, *start));
    let mut starts: Vec<usize> = ranked.into_iter().take(MOST).map(|(start, _)| start).collect();
    if needle.len() <= 2 || starts.is_empty() {
        starts.extend(by_longest_line(search, needle, target).filter(|start| *start <= last));
        starts.sort_unstable();
        starts.dedup();
    }
    starts
}

/// Starts at which the longest line of the search text has nearly as many equal words as it has words.
fn by_longest_line(
    search: &[&str],
    needle: &[(usize, u64)],
    target: &Target<'_>,
) -> impl Iterator<Item = usize> + use<> {
    let longest = needle.iter().enumerate().max_by_key(|(_, (own, _))| search[*own].trim().len());
    let (index, line) = longest.map_or((0, ""), |(index, (own, _))| (index, search[*own]));
    let starts: Vec<usize> = (target.keys().at.iter().enumerate())
        .filter(|(_, at)| near(line, target.lines().get(**at), 80))
        .filter_map(|(at, _)| at.checked_sub(index))
        .take(MOST)
        .collect();
    starts.into_iter()
}

/// Whether two lines are worth comparing: about as long, and with so many letters in a hundred in common.
pub(crate) fn near(line: &str, other: &str, percent: usize) -> bool {
    let (line, other) = (line.trim(), other.trim());
    let length = line.len();
    other.len().abs_diff(length) <= 8 + length / 4 && shared_letters(line, other) * 100 >= length * percent
}

/// How many bytes two lines have in common, wherever they stand; cheap, and never less than what is really shared.
fn shared_letters(a: &str, b: &str) -> usize {
    let mut counts = [0_i32; 256];
    for byte in a.bytes() {
        counts[usize::from(byte)] += 1;
    }
    b.bytes()
        .filter(|byte| {
            let left = &mut counts[usize::from(*byte)];
            *left -= 1;
            *left >= 0
        })
        .count()
}
