//! Differences between two sequences (lines of a text, words of a line) at a bounded price. Where the two have little
//! in common and are long, the exact answer would cost the product of their lengths; then the whole middle counts as
//! exchanged, which is true though not minimal.

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::Range;

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, histogram, myers};

/// Sequences up to this length in all are always compared exactly.
const SMALL: usize = 1_000;
/// Steps which a comparison of longer ones may take, by estimate.
const MOST_STEPS: usize = 20_000_000;

/// What turns `old` into `new`, in order; equal runs included.
pub(crate) fn ops<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    bounded(old, new, exact)
}

/// What turns the lines `old` into `new`, as a person would tell it: lines that are rare hold the others in their places (the
/// histogram algorithm of git).
pub fn line_ops(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    bounded(old, new, |old, new| {
        let mut found = Compact::new(Replace::new(Capture::new()), old, new);
        let Ok(()) = histogram::diff_deadline(&mut found, old, 0..old.len(), new, 0..new.len(), None);
        found.into_inner().into_inner().into_ops()
    })
}

/// The lines of `old` that are gone, and the lines of `new` in their place, by [`line_ops`]; what touches is one change.
pub fn line_changes(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let changes = line_ops(old, new).into_iter().filter(|it| !matches!(it, DiffOp::Equal { .. }));
    let mut all: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (old, new) in changes.map(|it| (it.old_range(), it.new_range())) {
        match all.last_mut() {
            Some(last) if last.0.end == old.start && last.1.end == new.start => {
                last.0.end = old.end;
                last.1.end = new.end;
            }
            _ => all.push((old, new)),
        }
    }
    all
}

fn bounded<T: Eq + Hash>(old: &[T], new: &[T], compare: impl Fn(&[T], &[T]) -> Vec<DiffOp>) -> Vec<DiffOp> {
    let total = old.len() + new.len();
    if total <= SMALL {
        return compare(old, new);
    }
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_mid, new_mid) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if least_changes(old_mid, new_mid).saturating_mul(old_mid.len() + new_mid.len()) <= MOST_STEPS {
        return compare(old, new);
    }
    let mut out = Vec::new();
    if head > 0 {
        out.push(DiffOp::Equal { old_index: 0, new_index: 0, len: head });
    }
    out.push(DiffOp::Replace { old_index: head, old_len: old_mid.len(), new_index: head, new_len: new_mid.len() });
    if tail > 0 {
        out.push(DiffOp::Equal { old_index: old.len() - tail, new_index: new.len() - tail, len: tail });
    }
    out
}

/// The shortest way from one to the other. The algorithm is named in the code, for one that is named by a value brings all the
/// others along, once for each type.
fn exact<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff_deadline(&mut found, old, 0..old.len(), new, 0..new.len(), None);
    found.into_inner().into_inner().into_ops()
}

/// How much two sequences share, 0 to 1.
pub(crate) fn share<T: Eq + Hash>(old: &[T], new: &[T]) -> f32 {
    let equal = |op: &DiffOp| if let DiffOp::Equal { len, .. } = op { *len } else { 0 };
    let shared: usize = ops(old, new).iter().map(equal).sum();
    2.0 * shared as f32 / (old.len() + new.len()).max(1) as f32
}

/// How many items at least are only in one of the two: twice, for safety, what is seen without regard to order.
fn least_changes<T: Eq + Hash>(old: &[T], new: &[T]) -> usize {
    let foreign = |items: &[T], known: &[T]| {
        let known: HashSet<&T> = known.iter().collect();
        items.iter().filter(|item| !known.contains(item)).count()
    };
    2 * (foreign(old, new) + foreign(new, old)) + old.len().abs_diff(new.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_unlike_sequences_are_exchanged_as_a_whole() {
        let old: Vec<usize> = (0..20_000).collect();
        let mut new: Vec<usize> = (0..20_000).map(|n| n + 1_000_000).collect();
        (new[0], new[19_999]) = (0, 19_999);
        let found = ops(&old, &new);
        assert_eq!(found.len(), 3);
        assert!(matches!(found[1], DiffOp::Replace { old_index: 1, old_len: 19_998, new_index: 1, new_len: 19_998 }));
    }

    #[test]
    fn long_and_like_sequences_are_compared_exactly() {
        let old: Vec<usize> = (0..50_000).collect();
        let mut new = old.clone();
        (new[10], new[40_000]) = (1_000_000, 1_000_001);
        assert_eq!(ops(&old, &new).len(), 5);
    }
}
