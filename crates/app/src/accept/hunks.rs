//! The changes of one text as hunks: found, named, and taken back one by one.
//!
//! A hunk is named by what it changes, so that its name stays when other hunks are taken back. Nothing here reads or
//! writes a file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ox_edit::{line_changes, line_ops};
use ox_repo::Hash;
use similar::DiffOp;

/// Changes with at most this many equal lines between them are one hunk.
const GAP: usize = 2;
/// Equal lines shown around a hunk.
const CONTEXT: usize = 3;

/// Lines that were replaced. Ranges are 0-based lines of the text before and of the text now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// A short name, the same as long as the hunk is.
    pub id: String,
    /// Lines before.
    pub old: Range<usize>,
    /// Lines now.
    pub new: Range<usize>,
    /// True where the lines are not as the run left them: somebody else had a hand in them.
    pub foreign: bool,
}

/// The lines of a text with their endings.
pub fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The hunks between `base` and `now`. `end` is the text as the run left it: what somebody else changed since, away from
/// the run's own lines, is no hunk; where it touches them, the hunk is foreign.
pub fn hunks(path: &str, base: &str, end: Option<&str>, now: &str) -> Vec<Hunk> {
    let (base, now) = (lines(base), lines(now));
    named(path, &base, &now, merged(judged(&base, end, &now).into_iter()))
}

/// The changes from `base` to `now` that the run made or touches, each with whether it is as the run left it.
fn judged(base: &[&str], end: Option<&str>, now: &[&str]) -> Vec<(Edit, bool)> {
    let all = line_changes(base, now);
    let ran = end.map(|end| {
        let end = lines(end);
        line_changes(base, &end).into_iter().map(|it| (it.0, end[it.1].concat())).collect::<Vec<_>>()
    });
    let same = |it: &Edit| match &ran {
        None => Some(true),
        Some(ran) => {
            let text = now[it.1.clone()].concat();
            let own = ran.iter().any(|(old, new)| *old == it.0 && *new == text);
            // An insertion has no lines of its own before, so lines that meet count as touched too.
            let touched = ran.iter().any(|(old, _)| old.start <= it.0.end && it.0.start <= old.end);
            (own || touched).then_some(own)
        }
    };
    all.iter().filter_map(|it| Some((it.clone(), same(it)?))).collect()
}

/// `base` with what the run made of it and what somebody else made of its lines since, without what was changed elsewhere;
/// and whether somebody else did.
pub fn own(base: &str, end: &str, now: &str) -> (String, bool) {
    let (base, now) = (lines(base), lines(now));
    let edits = judged(&base, Some(end), &now);
    let touched = edits.iter().any(|(_, own)| !own);
    (with_edits(&base, edits.into_iter().map(|((old, new), _)| (old, now[new].concat()))), touched)
}

/// What both `ours` and `theirs` made of `base`; none where they changed lines that meet.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let base = lines(base);
    let edits = |text: &str| -> Vec<(Range<usize>, String)> {
        let text = lines(text);
        line_changes(&base, &text).into_iter().map(|(old, new)| (old, text[new].concat())).collect()
    };
    let (ours, mut all) = (edits(ours), edits(theirs));
    let met = |a: &Range<usize>, b: &Range<usize>| a.start <= b.end && b.start <= a.end;
    for edit in ours {
        match all.iter().find(|it| met(&it.0, &edit.0)) {
            Some(same) if *same == edit => {}
            Some(_) => return None,
            None => all.push(edit),
        }
    }
    all.sort_by_key(|it| it.0.start);
    Some(with_edits(&base, all.into_iter()))
}

/// `base` with lines replaced; the edits are in the order of its lines.
fn with_edits(base: &[&str], edits: impl Iterator<Item = (Range<usize>, String)>) -> String {
    let (mut text, mut at) = (String::new(), 0);
    for (old, new) in edits {
        text.extend(base[at..old.start].iter().copied());
        text.push_str(&new);
        at = old.end;
    }
    text.extend(base[at..].iter().copied());
    text
}

/// Lines before and the lines that took their place.
type Edit = (Range<usize>, Range<usize>);

/// Puts near changes of the run together; a foreign one stays alone, so that it does not make its neighbours foreign.
fn merged(edits: impl Iterator<Item = (Edit, bool)>) -> Vec<(Edit, bool)> {
    let mut all: Vec<(Edit, bool)> = Vec::new();
    for ((old, new), own) in edits {
        match all.last_mut() {
            // Equal lines between them are as many before as now, unless somebody else changed something there.
            Some(((before, after), true))
                if own && old.start - before.end <= GAP && old.start - before.end == new.start - after.end =>
            {
                before.end = old.end;
                after.end = new.end;
            }
            _ => all.push(((old, new), own)),
        }
    }
    all
}

fn named(path: &str, base: &[&str], now: &[&str], edits: Vec<(Edit, bool)>) -> Vec<Hunk> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let name = |((old, new), own): (Edit, bool)| {
        let content = format!("{path}\0{}\0{}", base[old.clone()].concat(), now[new.clone()].concat());
        let number = seen.entry(content.clone()).or_default();
        *number += 1;
        Hunk { id: id(&format!("{content}\0{number}")), old, new, foreign: !own }
    };
    edits.into_iter().map(name).collect()
}

/// A short name for what a text says.
pub fn id(content: &str) -> String {
    let mut id = Hash::of(content.as_bytes()).to_string();
    id.truncate(8);
    id
}

/// `now` without the hunks in `rejected`: their lines are again what they were in `base`.
pub fn without(base: &str, now: &str, hunks: &[Hunk], rejected: &BTreeSet<String>) -> String {
    let (base, now) = (lines(base), lines(now));
    let (mut text, mut at) = (String::new(), 0);
    for hunk in hunks.iter().filter(|it| rejected.contains(&it.id)) {
        text.extend(now[at..hunk.new.start].iter().copied());
        text.extend(base[hunk.old.clone()].iter().copied());
        at = hunk.new.end;
    }
    text.extend(now[at..].iter().copied());
    text
}

/// The hunk as a unified diff with lines around it.
pub fn shown(base: &str, now: &str, hunk: &Hunk) -> String {
    let (base, now) = (lines(base), lines(now));
    let before = CONTEXT.min(hunk.old.start).min(hunk.new.start);
    let after = CONTEXT.min(base.len() - hunk.old.end).min(now.len() - hunk.new.end);
    let (old, new) = (hunk.old.start - before..hunk.old.end + after, hunk.new.start - before..hunk.new.end + after);
    let mut text = format!("@@ -{} +{} @@\n", place(&old), place(&new));
    let mut push = |sign: char, line: &str| {
        text.push(sign);
        text.push_str(line.trim_end_matches('\n'));
        text.push('\n');
        if !line.ends_with('\n') {
            text.push_str("\\ No newline at end of file\n");
        }
    };
    now[new.start..hunk.new.start].iter().for_each(|it| push(' ', it));
    let (from, to) = (&base[hunk.old.clone()], &now[hunk.new.clone()]);
    for op in line_ops(from, to) {
        if let DiffOp::Equal { .. } = op {
            to[op.new_range()].iter().for_each(|it| push(' ', it));
            continue;
        }
        from[op.old_range()].iter().for_each(|it| push('-', it));
        to[op.new_range()].iter().for_each(|it| push('+', it));
    }
    now[hunk.new.end..new.end].iter().for_each(|it| push(' ', it));
    text
}

/// A range as unified diffs write it: an empty one names the line before.
fn place(range: &Range<usize>) -> String {
    let start = if range.is_empty() { range.start } else { range.start + 1 };
    format!("{start},{}", range.len())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    const BASE: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";

    fn ids(hunks: &[Hunk]) -> BTreeSet<String> {
        hunks.iter().map(|it| it.id.clone()).collect()
    }

    #[test]
    fn each_hunk_is_taken_back_alone_and_keeps_its_name_beside_the_others() {
        let now = "a\nB\nc\nd\ne\nnew\nf\ng\nh\ni\n";
        let found = hunks("x", BASE, Some(now), now);
        assert_eq!(found.len(), 3, "{found:?}");
        for hunk in &found {
            let text = without(BASE, now, &found, &BTreeSet::from([hunk.id.clone()]));
            let left = hunks("x", BASE, Some(now), &text);
            assert_eq!(ids(&left), &ids(&found) - &ids(std::slice::from_ref(hunk)));
            assert!(left.iter().all(|it| !it.foreign));
        }
        assert_eq!(without(BASE, now, &found, &ids(&found)), BASE);
        assert_eq!(without(BASE, now, &found, &BTreeSet::new()), now);
        let shown: String = found.iter().map(|it| shown(BASE, now, it)).collect();
        expect![[r#"
            @@ -1,5 +1,5 @@
             a
            -b
            +B
             c
             d
             e
            @@ -3,6 +3,7 @@
             c
             d
             e
            +new
             f
             g
             h
            @@ -7,4 +8,3 @@
             g
             h
             i
            -j
        "#]]
        .assert_eq(&shown);
    }

    #[test]
    fn near_changes_are_one_hunk() {
        let now = "a\nB\nc\nD\ne\nf\ng\nh\ni\nj\n";
        let found = hunks("x", BASE, None, now);
        assert_eq!(found.len(), 1);
        expect![[r#"
            @@ -1,7 +1,7 @@
             a
            -b
            +B
             c
            -d
            +D
             e
             f
             g
        "#]]
        .assert_eq(&shown(BASE, now, &found[0]));
    }

    #[test]
    fn what_somebody_else_changed_since_is_no_hunk_and_where_it_touches_one_the_hunk_is_foreign() {
        let end = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\n";
        let elsewhere = "a\nB\nc\nd\ne\nf\ng\nh\nI\nj\n";
        let found = hunks("x", BASE, Some(end), elsewhere);
        assert_eq!(found.iter().map(|it| it.foreign).collect::<Vec<_>>(), [false]);
        assert_eq!(without(BASE, elsewhere, &found, &ids(&found)), "a\nb\nc\nd\ne\nf\ng\nh\nI\nj\n");
        let upon = "a\nBB\nc\nd\ne\nf\ng\nh\ni\nj\n";
        let found = hunks("x", BASE, Some(end), upon);
        assert_eq!(found.iter().map(|it| it.foreign).collect::<Vec<_>>(), [true]);
        let beside = "a\nB\nmine\nc\nd\ne\nf\ng\nh\ni\nj\n";
        let found = hunks("x", BASE, Some(end), beside);
        assert_eq!(found.iter().map(|it| it.foreign).collect::<Vec<_>>(), [true]);
    }

    #[test]
    fn equal_changes_in_several_places_have_names_of_their_own() {
        let base = "x\n1\n2\n3\n4\n5\nx\n";
        let now = "y\n1\n2\n3\n4\n5\ny\n";
        let found = hunks("x", base, None, now);
        assert_eq!((found.len(), ids(&found).len()), (2, 2));
        assert_eq!(without(base, now, &found, &BTreeSet::from([found[1].id.clone()])), "y\n1\n2\n3\n4\n5\nx\n");
    }

    #[test]
    fn endings_and_the_last_line_are_kept_byte_for_byte() {
        for (base, now) in [("a\r\nb\r\n", "a\r\nc"), ("a", "a\n"), ("", "a\n"), ("a\n", "")] {
            let found = hunks("x", base, None, now);
            assert_eq!(found.len(), 1, "{base:?} {now:?}");
            assert_eq!(without(base, now, &found, &ids(&found)), base);
        }
        let found = hunks("x", "a", None, "a\n");
        assert!(shown("a", "a\n", &found[0]).contains("-a\n\\ No newline at end of file\n+a\n"));
    }

    /// Any text, any change, any choice of hunks: taking all back gives the text before, taking none the text now, and
    /// what is left after some were taken back is the others.
    #[test]
    fn random_texts_and_choices() {
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut below = |limit: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % limit as u64) as usize
        };
        for _ in 0..3000 {
            let old: Vec<String> = (0..below(24)).map(|_| format!("{}\n", ["a", "b", "c", "}"][below(4)])).collect();
            let mut new = old.clone();
            for _ in 0..below(5) {
                let at = below(new.len() + 1);
                if below(2) == 0 || at == new.len() {
                    new.insert(at, format!("{}\n", ["a", "b", "n"][below(3)]));
                } else {
                    new.remove(at);
                }
            }
            let (base, now) = (old.concat(), new.concat());
            let found = hunks("x", &base, Some(&now), &now);
            assert!(found.iter().all(|it| !it.foreign));
            assert_eq!(ids(&found).len(), found.len());
            assert_eq!(without(&base, &now, &found, &ids(&found)), base);
            let some: BTreeSet<String> = found.iter().filter(|_| below(2) == 0).map(|it| it.id.clone()).collect();
            let text = without(&base, &now, &found, &some);
            if some.is_empty() {
                assert_eq!(text, now);
            }
            let rest = &ids(&found) - &some;
            assert_eq!(without(&base, &now, &found, &rest).len() + text.len(), base.len() + now.len());
        }
    }
}
