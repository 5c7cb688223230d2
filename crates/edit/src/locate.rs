//! Finding the one place a block means: tier by tier, the strictest first. The first tier with a hit decides; two
//! hits at it are refused and never handed on to a looser tier.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use crate::block::Strategy;
use crate::clean::Request;
use crate::document::{Change, Document};
use crate::fold::key;
use crate::lines::{Lines, is_blank};
use crate::merge::{Alignment, merge};
use crate::nearest::{candidate, nearest};
use crate::refusal::{Reason, Refusal};
use crate::tier::{LINE_TIERS, exact};

/// Places reported of an ambiguous text at most.
const MOST_PLACES: usize = 20;

/// A text that blocks are looked for in; what is costly is worked out once, when first needed.
pub(crate) struct Target<'a> {
    pub document: &'a Document<'a>,
    lines: OnceCell<Lines<'a>>,
    keys: OnceCell<Keys>,
}

/// The loosest form of each line that is not blank.
pub(crate) struct Keys {
    /// The lines which are not blank, as indices.
    pub at: Vec<usize>,
    /// Their keys, in the same order.
    pub keys: Vec<u64>,
    by_key: OnceCell<HashMap<u64, Vec<usize>>>,
}

impl Keys {
    /// The lines with a key, as indices.
    pub fn lines_with(&self, key: u64) -> impl Iterator<Item = usize> + '_ {
        let map = self.by_key.get_or_init(|| {
            let mut map: HashMap<u64, Vec<usize>> = HashMap::new();
            for (line, key) in self.at.iter().zip(&self.keys) {
                map.entry(*key).or_default().push(*line);
            }
            map
        });
        map.get(&key).into_iter().flatten().copied()
    }
}

impl<'a> Target<'a> {
    pub fn new(document: &'a Document<'a>) -> Self {
        Self { document, lines: OnceCell::new(), keys: OnceCell::new() }
    }

    pub fn text(&self) -> &'a str {
        &self.document.text
    }

    pub fn lines(&self) -> &Lines<'a> {
        self.lines.get_or_init(|| Lines::new(&self.document.text))
    }

    pub fn keys(&self) -> &Keys {
        self.keys.get_or_init(|| {
            let (mut at, mut keys) = (Vec::new(), Vec::new());
            for (index, line) in self.lines().iter().enumerate() {
                let key = key(line);
                if key != 0 {
                    at.push(index);
                    keys.push(key);
                }
            }
            Keys { at, keys, by_key: OnceCell::new() }
        })
    }
}

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

/// The place of a request in a text that is not empty.
pub(crate) fn locate(request: &Request<'_>, target: &Target<'_>) -> Result<Found, Refusal> {
    if let Some(found) = by_bytes(request, target)? {
        return Ok(found);
    }
    let cleaned = request.cleaned();
    let request = cleaned.as_ref().unwrap_or(request);
    if cleaned.is_some()
        && let Some(found) = by_bytes(request, target)?
    {
        return Ok(found);
    }
    if let Some(found) = by_lines(request, target)? {
        return Ok(found);
    }
    for plain in request.unescaped() {
        let found = match by_bytes(&plain, target)? {
            Some(found) => Some(found),
            None => by_lines(&plain, target)?,
        };
        if let Some(found) = found {
            return Ok(Found { strategy: Strategy::Escapes, similarity: 0.99, ..found });
        }
    }
    Err(missing(request, target))
}

/// Tier "exact".
fn by_bytes(request: &Request<'_>, target: &Target<'_>) -> Result<Option<Found>, Refusal> {
    let (text, search) = (target.text(), &*request.search);
    let hits = exact::hits(text, search, MOST_PLACES);
    let at = match hits.as_slice() {
        [] => return Ok(None),
        [at] => *at,
        _ => {
            let starts: Vec<usize> = hits.iter().map(|&at| target.lines().at_byte(at)).collect();
            match pick(&starts, request.hint) {
                Some(index) => hits[index],
                None => return Err(ambiguous(starts.iter().map(|&s| (s, 1.0)), search.lines().count(), target)),
            }
        }
    };
    let first = text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count();
    let lines = first..first + search.trim_end_matches('\n').matches('\n').count() + 1;
    if already_there(text, at, search, &request.replace) {
        return Err(Refusal::new(Reason::AlreadyApplied, "").with(vec![candidate(target, lines, 1.0)]));
    }
    let change = trimmed(at, search, &request.replace);
    Ok(Some(Found { strategy: Strategy::Exact, similarity: 1.0, lines, changes: vec![change] }))
}

/// Whether the text around a hit already is the replacement, so that the edit would be made a second time.
fn already_there(text: &str, at: usize, search: &str, replace: &str) -> bool {
    replace.len() > search.len()
        && exact::hits(replace, search, MOST_PLACES)
            .iter()
            .any(|&offset| offset <= at && text.as_bytes()[at - offset..].starts_with(replace.as_bytes()))
}

/// The change without the whole lines which both texts share at their ends, so that two blocks may show the same
/// unchanged line.
fn trimmed(at: usize, search: &str, replace: &str) -> Change {
    let shared_head: usize = search
        .split_inclusive('\n')
        .zip(replace.split_inclusive('\n'))
        .take_while(|(a, b)| a == b && a.ends_with('\n'))
        .map(|(a, _)| a.len())
        .sum();
    let (old, new) = (&search[shared_head..], &replace[shared_head..]);
    let mut tail = 0;
    for (a, b) in old.split_inclusive('\n').rev().zip(new.split_inclusive('\n').rev()) {
        if a != b {
            break;
        }
        tail += a.len();
    }
    let range = at + shared_head..at + search.len() - tail;
    Change { range, new: new[..new.len() - tail].to_owned() }
}

/// The line tiers.
fn by_lines(request: &Request<'_>, target: &Target<'_>) -> Result<Option<Found>, Refusal> {
    let search: Vec<&str> = request.search.lines().collect();
    let needle: Vec<(usize, u64)> =
        search.iter().enumerate().map(|(at, line)| (at, key(line))).filter(|(_, key)| *key != 0).collect();
    if needle.is_empty() {
        return Ok(None);
    }
    let wanted: Vec<u64> = needle.iter().map(|(_, key)| *key).collect();
    let mut ranked: Vec<(usize, Strategy, Alignment)> = Vec::new();
    for at in runs(&target.keys().keys, &wanted) {
        let alignment = align(&search, &needle, target, at);
        if let Some((rank, strategy)) = rank(&search, target, &alignment) {
            ranked.push((rank, strategy, alignment));
        }
    }
    let Some(best) = ranked.iter().map(|(rank, ..)| *rank).min() else { return Ok(None) };
    ranked.retain(|(rank, ..)| *rank == best);
    let starts: Vec<usize> = ranked.iter().map(|(_, _, alignment)| alignment.region.start).collect();
    let chosen = match pick(&starts, request.hint) {
        Some(index) => index,
        None => return Err(ambiguous(starts.iter().map(|&s| (s, 0.99)), search.len(), target)),
    };
    let (_, strategy, alignment) = ranked.swap_remove(chosen);
    merged(request, &search, target, strategy, &alignment).map(Some)
}

/// Carries the request out on an aligned region.
fn merged(
    request: &Request<'_>,
    search: &[&str],
    target: &Target<'_>,
    strategy: Strategy,
    alignment: &Alignment,
) -> Result<Found, Refusal> {
    let replace: Vec<&str> = request.replace.lines().collect();
    let lines = alignment.region.clone();
    let place = |similarity| vec![candidate(target, lines.clone(), similarity)];
    let changes = merge(search, &replace, target.lines(), alignment).map_err(|conflict| {
        let detail = format!("Line {} of the file is not in the search text.", conflict.line + 1);
        Refusal::new(Reason::Weak, detail).with(place(0.9))
    })?;
    if changes.is_empty() {
        return Err(Refusal::new(Reason::AlreadyApplied, "").with(place(1.0)));
    }
    Ok(Found { strategy, similarity: 0.99, lines, changes })
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

/// Pairs the lines of the search text with those of the file, given where its lines that are not blank stand.
fn align(search: &[&str], needle: &[(usize, u64)], target: &Target<'_>, at: usize) -> Alignment {
    let file_at = &target.keys().at[at..at + needle.len()];
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

/// The tier of an alignment: the first in whose eyes all its lines are equal. None if the keys lied.
fn rank(search: &[&str], target: &Target<'_>, alignment: &Alignment) -> Option<(usize, Strategy)> {
    let lines = target.lines();
    let known = alignment.pairs.iter().zip(search);
    let rank = LINE_TIERS.iter().position(|(_, same)| {
        known.clone().all(|(pair, line)| pair.is_none_or(|at| is_blank(line) || same(line, lines.get(at))))
    })?;
    if alignment.pairs.iter().all(Option::is_some) && alignment.region.len() == search.len() {
        Some((rank, LINE_TIERS[rank].0))
    } else {
        Some((LINE_TIERS.len() + rank, Strategy::BlankLines))
    }
}

/// The only place, or the one which the hint clearly picks.
fn pick(starts: &[usize], hint: Option<usize>) -> Option<usize> {
    if starts.len() == 1 {
        return Some(0);
    }
    let wanted = hint?.checked_sub(1)?;
    let mut by_distance: Vec<(usize, usize)> =
        starts.iter().enumerate().map(|(index, start)| (start.abs_diff(wanted), index)).collect();
    by_distance.sort_unstable();
    let (nearest, second) = (by_distance.first()?, by_distance.get(1)?);
    let clear = nearest.0 == 0 && second.0 > 0 || nearest.0 <= 10 && second.0 >= 3 * nearest.0 + 3;
    clear.then_some(nearest.1)
}

fn ambiguous(starts: impl Iterator<Item = (usize, f32)>, len: usize, target: &Target<'_>) -> Refusal {
    let total = target.lines().len();
    let places = starts.map(|(start, similarity)| {
        let shown = start..(start + len.max(1)).min(total);
        candidate(target, shown, similarity)
    });
    Refusal::new(Reason::Ambiguous, "").with(places.collect())
}

/// The refusal of a text that is not there.
fn missing(request: &Request<'_>, target: &Target<'_>) -> Refusal {
    let new = Request { search: request.replace.clone(), replace: Cow::Borrowed(""), hint: None };
    if !is_blank(&new.search)
        && let Some(lines) = whereabouts(&new, target)
    {
        return Refusal::new(Reason::AlreadyApplied, "").with(vec![candidate(target, lines, 1.0)]);
    }
    let search: Vec<&str> = request.search.lines().collect();
    match nearest(&search, target) {
        Some((candidate, diff)) => Refusal::new(Reason::NotFound, diff).with(vec![candidate]),
        None => Refusal::new(Reason::NotFound, ""),
    }
}

/// Where a text stands, at the strict tiers, if anywhere.
fn whereabouts(request: &Request<'_>, target: &Target<'_>) -> Option<Range<usize>> {
    if let Some(at) = target.text().find(&*request.search) {
        let first = target.lines().at_byte(at);
        return Some(first..first + request.search.lines().count());
    }
    by_lines(request, target).ok().flatten().map(|found| found.lines)
}
