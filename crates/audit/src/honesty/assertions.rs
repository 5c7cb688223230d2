//! Assertions that are gone, that accept more than before, or that expect something else.

use std::collections::{BTreeMap, BTreeSet};

use ox_protocol::{AuditFinding, AuditKind};

use super::tests::{Matched, is_failed, mentions};
use crate::diff::Diff;
use crate::pair::{Pair, Removed};
use crate::reading::{Assertion, Strength, Test, is_of_assertions};

/// Assertions so alike are the same one, changed.
const SAME: f32 = 0.5;

pattern!(
    /// Assertions that take a tolerance.
    NEAR,
    r"(?i)almost|close|approx|near|delta|within|allclose|epsilon|tolerance|rtol|atol|\btol\b|<=?\s*§|isCloseTo|float_eq"
);
pattern!(
    /// Those whose number says how many digits count: less is looser.
    DIGITS,
    r"toBeCloseTo|AlmostEqual|decimal=|places="
);

pub(crate) fn findings(
    pairs: &[Pair<'_>],
    matched: &Matched<'_>,
    failed: &BTreeSet<(String, String)>,
    removed: &Removed<'_>,
) -> Vec<AuditFinding> {
    let mut out = Vec::new();
    // What was moved into another test or a function of its own is not gone.
    let everywhere: BTreeSet<&str> = pairs.iter().flat_map(|it| it.diff.added.iter().map(|it| it.1.trim())).collect();
    let lost = lost(pairs);
    // Such as one that went into a test of its own, where it expects something else.
    let moved_on = |it: &Assertion| {
        let inputs =
            |it: &Assertion| it.literals.split_last().map(|(_, rest)| rest.to_vec()).filter(|it| !it.is_empty());
        let new = matched.new.iter().flat_map(|(_, test)| &test.assertions);
        inputs(it).is_some() && new.into_iter().any(|new| new.shape == it.shape && inputs(new) == inputs(it))
    };
    for ((_, before), (number, now)) in &matched.kept {
        let pair = &pairs[*number];
        let has_failed = is_failed(failed, pair.path(), before);
        let (mut gone, mut new) =
            (left(&before.assertions, &now.assertions), left(&now.assertions, &before.assertions));
        for (old, changed) in paired(&mut gone, &mut new) {
            if let Some(kind) = change(old, changed, has_failed) {
                out.push(pair.finding(kind, changed.line, &now.name, &old.text, &changed.text));
            }
        }
        if now.assertions.len() < before.assertions.len() && new.is_empty() && only_loses(before, now) {
            let moved = |it: &&&Assertion| {
                everywhere.iter().any(|line| !line.is_empty() && crate::reading::flat(line).contains(&it.text))
            };
            let is_lost =
                |it: &&&Assertion| lost.contains(it.text.as_str()) && !moved(it) && (has_failed || !moved_on(it));
            let counts = |it: &&&Assertion| it.strength > Strength::None && !mentions(&it.text, removed) && is_lost(it);
            for old in gone.iter().filter(counts) {
                out.push(pair.finding(AuditKind::AssertionRemoved, now.line, &now.name, &old.text, ""));
            }
        }
    }
    out
}

/// The texts of assertions that stand less often in the tests of the change than before: one that another test has now, without
/// any line of its own being changed, is not lost.
fn lost<'a>(pairs: &'a [Pair<'_>]) -> BTreeSet<&'a str> {
    let mut times: BTreeMap<&str, i32> = BTreeMap::new();
    for (tests, by) in pairs.iter().flat_map(|it| [(&it.before.tests, -1), (&it.after.tests, 1)]) {
        tests.iter().flat_map(|it| &it.assertions).for_each(|it| *times.entry(&it.text).or_default() += by);
    }
    times.into_iter().filter(|it| it.1 < 0).map(|it| it.0).collect()
}

/// Those of `some` that `others` do not have, as often as they have them.
fn left<'a>(some: &'a [Assertion], others: &[Assertion]) -> Vec<&'a Assertion> {
    let mut known: Vec<&str> = others.iter().map(|it| it.text.as_str()).collect();
    let is_left = |it: &&Assertion| match known.iter().position(|other| *other == it.text) {
        Some(at) => {
            known.swap_remove(at);
            false
        }
        None => true,
    };
    some.iter().filter(is_left).collect()
}

/// Takes out those that are the same assertion, changed, the likest first.
fn paired<'a>(gone: &mut Vec<&'a Assertion>, new: &mut Vec<&'a Assertion>) -> Vec<(&'a Assertion, &'a Assertion)> {
    let mut out = Vec::new();
    loop {
        let mut best: Option<(f32, usize, usize)> = None;
        for (i, old) in gone.iter().enumerate() {
            for (j, changed) in new.iter().enumerate() {
                let score = if old.shape == changed.shape { 1.0 } else { overlap(&old.text, &changed.text) };
                if score >= SAME && best.is_none_or(|it| score > it.0) {
                    best = Some((score, i, j));
                }
            }
        }
        // What asserts nothing stands for whatever is gone.
        let empty = || new.iter().position(|it| it.strength == Strength::None).filter(|_| !gone.is_empty());
        let Some((_, i, j)) = best.or_else(|| Some((0.0, 0, empty()?))) else { return out };
        out.push((gone.remove(i), new.remove(j)));
    }
}

/// The share of words that two texts have in common.
fn overlap(a: &str, b: &str) -> f32 {
    let words = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        // The word for the assertion itself says nothing about what it is about, nor does a number.
        let telling =
            parts.filter(|it| it.starts_with(|c: char| c.is_alphabetic() || c == '_') && !is_of_assertions(it));
        telling.map(str::to_owned).collect()
    };
    let (a, b) = (words(a), words(b));
    let both = a.intersection(&b).count() as f32;
    both / a.len().min(b.len()).max(1) as f32
}

/// What the change of one assertion is.
fn change(old: &Assertion, now: &Assertion, has_failed: bool) -> Option<AuditKind> {
    // What says all that it said before, and more, is no weaker.
    let words = |it: &Assertion| -> BTreeSet<String> {
        it.text.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    if old.text != now.text && words(old).is_subset(&words(now)) && !adds_a_way_out(&old.shape, &now.shape) {
        return None;
    }
    // Before, `None` was nothing to lose.
    let known =
        old.strength != Strength::Unknown && now.strength != Strength::Unknown || now.strength == Strength::None;
    if now.strength < old.strength && known {
        return Some(AuditKind::AssertionWeakened);
    }
    let expected = if has_failed { AuditKind::FailingTestChanged } else { AuditKind::ExpectationChanged };
    if old.shape != now.shape {
        // What a failing test demands in another way is to be looked at; of others this is mostly a matter of style.
        let other = has_failed.then_some(AuditKind::FailingTestChanged);
        return if adds_a_way_out(&old.shape, &now.shape) { Some(AuditKind::AssertionWeakened) } else { other };
    }
    if NEAR.is_match(&old.shape) {
        let numbers = |it: &Assertion| it.literals.iter().map(|it| it.parse::<f64>().ok()).collect::<Vec<_>>();
        let changed: Vec<(f64, f64)> = numbers(old)
            .into_iter()
            .zip(numbers(now))
            .filter_map(|(a, b)| Some((a?, b?)))
            .filter(|(a, b)| a != b)
            .collect();
        let digits = DIGITS.is_match(&old.shape);
        if let [(a, b)] = changed[..]
            && (digits && b < a || !digits && b > a && b < 1e6)
            && numbers(old).last() == Some(&Some(a))
        {
            return Some(AuditKind::AssertionWeakened);
        }
    }
    Some(expected)
}

/// `assert(a)` that became `assert(a || b)`.
fn adds_a_way_out(old: &str, now: &str) -> bool {
    let inner = old.trim_end_matches([')', ';', ' ']);
    [" || ", " or "].iter().any(|it| now.contains(it) && !old.contains(it))
        && now.starts_with(inner)
        && !now.ends_with("|| false")
}

/// True where nothing was added to a test: it only lost something.
fn only_loses(before: &Test, now: &Test) -> bool {
    let diff = Diff::of(&before.plain, &now.plain);
    diff.added.iter().all(|(_, line)| line.trim().len() <= 1 || matches!(line.trim(), "pass" | "});" | "end"))
}
