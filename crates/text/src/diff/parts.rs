//! What changed within a line: the words that two lines do not share.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Bytes of a line that is compared with another at most: what is longer was not written by hand.
const LONGEST: usize = 2_000;
/// How much of two lines must be the same, in hundredths of both, for the rest to say anything.
const ALIKE: usize = 40;

/// Places in a line, by bytes.
pub(super) type Places = Vec<Range<usize>>;

/// The places where `old` and `new` differ, in each of them; none where they have too little in common.
pub(super) fn changed(old: &str, new: &str) -> Option<(Places, Places)> {
    if old.len().max(new.len()) > LONGEST {
        return None;
    }
    let (before, after) = (words(old), words(new));
    let texts =
        |of: &[Range<usize>], line: &'_ str| of.iter().map(|it| line[it.clone()].to_string()).collect::<Vec<_>>();
    let ops = capture_diff_slices(Algorithm::Myers, &texts(&before, old), &texts(&after, new));
    let mut same = 0;
    let (mut gone, mut fresh) = (Vec::new(), Vec::new());
    for op in ops {
        let (old_words, new_words) = (&before[op.old_range()], &after[op.new_range()]);
        if let DiffOp::Equal { .. } = op {
            same += old_words.iter().filter(|it| !old[(*it).clone()].trim().is_empty()).map(Range::len).sum::<usize>();
            continue;
        }
        gone.extend(whole(old_words));
        fresh.extend(whole(new_words));
    }
    let letters = |text: &str| text.split_whitespace().map(str::len).sum::<usize>();
    let all = letters(old) + letters(new);
    (all > 0 && same * 200 >= all * ALIKE).then_some((gone, fresh))
}

/// From the first to the last of these.
fn whole(words: &[Range<usize>]) -> Option<Range<usize>> {
    Some(words.first()?.start..words.last()?.end)
}

/// Words, blanks, and single signs.
fn words(line: &str) -> Vec<Range<usize>> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        ' ' => 2,
        _ => 0,
    };
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut last = 0;
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        match out.last_mut() {
            Some(word) if kind(c) != 0 && kind(c) == last => word.end = end,
            _ => out.push(at..end),
        }
        last = kind(c);
    }
    out
}
