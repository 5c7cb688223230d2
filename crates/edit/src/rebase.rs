//! A text that two sides changed: the lines of both where they differ from the common base in different places, and a
//! refusal where they meet. Nothing is chosen between two versions of a line, nor an order for lines that both add.

use std::ops::{Range, RangeInclusive};

use similar::DiffOp;

use crate::block::Place;
use crate::text::ops::ops;

/// Both sides changed the same lines, or one added some just where the other changed something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The lines of their text, from 1, at which the two meet; empty (end before start) where they only removed some.
    pub theirs: RangeInclusive<usize>,
}

/// My changes made on their text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebased {
    /// The text with the changes of both sides, in their line endings.
    pub text: String,
    /// The lines of the text before my changes, from 1, that they have changed or added; an empty range (end before
    /// start) where they removed some.
    pub theirs: Vec<RangeInclusive<usize>>,
    hunks: Vec<Hunk>,
}

/// Lines of the base, and what one side has in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk {
    base: Range<usize>,
    new: Range<usize>,
}

impl Hunk {
    /// Whether all of it is before the other. Exchanged lines may be next to each other; where one of the two only adds
    /// lines, there would be two orders.
    fn is_before(&self, other: &Hunk) -> bool {
        let apart = !self.base.is_empty() && !other.base.is_empty();
        self.base.end < other.base.start || self.base.end == other.base.start && apart
    }
}

impl Rebased {
    /// A place of my edit of the base as a place of the edit of their text.
    #[must_use]
    pub fn moved(&self, place: &Place) -> Place {
        let above = |hunk: &&Hunk| hunk.base.end < *place.before.start();
        let shift: isize = self.hunks.iter().filter(above).map(growth).sum();
        let moved = |lines: &RangeInclusive<usize>| {
            lines.start().saturating_add_signed(shift)..=lines.end().saturating_add_signed(shift)
        };
        Place { before: moved(&place.before), after: moved(&place.after), ..place.clone() }
    }
}

/// Makes the changes from `base` to `mine` on `theirs`.
///
/// # Errors
/// [`Conflict`] at the first place where both sides changed something and not to the same.
pub fn rebase(base: &str, mine: &str, theirs: &str) -> Result<Rebased, Conflict> {
    let (base_lines, my_lines, their_lines) = (bare(base), bare(mine), bare(theirs));
    let (my_hunks, their_hunks) = (hunks(&base_lines, &my_lines), hunks(&base_lines, &their_lines));
    let kept: Vec<&str> = theirs.split_inclusive('\n').collect();
    let ending = if theirs.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = String::with_capacity(theirs.len() + mine.len().saturating_sub(base.len()));
    let (mut next, mut grown) = (0, 0isize);
    let mut others = their_hunks.iter().peekable();
    for hunk in &my_hunks {
        while let Some(other) = others.next_if(|it| it.is_before(hunk)) {
            grown += growth(other);
        }
        if let Some(other) = others.peek().filter(|it| !hunk.is_before(it)) {
            if other.base == hunk.base && their_lines[other.new.clone()] == my_lines[hunk.new.clone()] {
                continue;
            }
            return Err(Conflict { theirs: other.new.start + 1..=other.new.end });
        }
        let at = |line: usize| line.saturating_add_signed(grown);
        text.extend(kept[next..at(hunk.base.start)].iter().copied());
        open_line(&mut text, ending);
        my_lines[hunk.new.clone()].iter().for_each(|line| text.extend([line, ending]));
        next = at(hunk.base.end);
    }
    open_line(&mut text, ending);
    text.extend(kept[next..].iter().copied());
    end(&mut text, [base, mine, theirs].map(|it| it.ends_with('\n')), ending);
    let changed = their_hunks.iter().map(|hunk| hunk.new.start + 1..=hunk.new.end).collect();
    Ok(Rebased { text, theirs: changed, hunks: their_hunks })
}

/// The lines without their ends: a change of line endings alone is no change of every line.
fn bare(text: &str) -> Vec<&str> {
    text.lines().collect()
}

fn growth(hunk: &Hunk) -> isize {
    hunk.new.len() as isize - hunk.base.len() as isize
}

/// Ends a last line that was the last of its file and no longer is.
fn open_line(text: &mut String, ending: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(ending);
    }
}

/// Whether the text ends with a line break: as in mine where I changed that, otherwise as in theirs.
fn end(text: &mut String, [base, mine, theirs]: [bool; 3], ending: &str) {
    let wanted = if mine == base { theirs } else { mine };
    if wanted {
        open_line(text, ending);
    } else if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
}

fn hunks(base: &[&str], new: &[&str]) -> Vec<Hunk> {
    let mut out: Vec<Hunk> = Vec::new();
    for op in ops(base, new).iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        match out.last_mut().filter(|last| last.base.end == op.old_range().start) {
            Some(last) => (last.base.end, last.new.end) = (op.old_range().end, op.new_range().end),
            None => out.push(Hunk { base: op.old_range(), new: op.new_range() }),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    // An empty range stands for lines that were removed.
    #![allow(clippy::reversed_empty_ranges)]

    use super::*;
    use crate::{Block, apply};

    #[test]
    fn changes_in_different_places_are_both_made() {
        let cases = [
            // base, mine, theirs, both
            ("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nD\n"),
            ("a\nb\nc\nd\n", "a\nb\nc\nd\ne\n", "z\na\nb\nc\nd\n", "z\na\nb\nc\nd\ne\n"),
            ("a\nb\nc\nd\n", "a\nd\n", "x\na\nb\nc\nd\n", "x\na\nd\n"),
            ("a\nb\nc\nd\n", "a\nb\nc\n", "b\nc\nd\n", "b\nc\n"),
            ("a\nb\nc\n", "a\nX\nc\n", "z\na\nb\nY\nW\n", "z\na\nX\nY\nW\n"),
            // The same change on both sides is made once.
            ("a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nB\nc\n"),
            ("a\nb\nc\nd\n", "a\nB\nc\nD\n", "a\nB\nc\nd\n", "a\nB\nc\nD\n"),
            // Line endings and the last line break are theirs, unless I changed that.
            ("a\nb\nc\n", "a\nb\nC\n", "a\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n"),
            ("a\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "a\nb\nc\n", "a\nb\nC\n"),
            ("a\nb\nc", "a\nb\nc\nd", "z\na\nb\nc", "z\na\nb\nc\nd"),
            ("a\nb\nc", "a\nb\nc\n", "z\na\nb\nc", "z\na\nb\nc\n"),
            ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nc", "A\nb\nc"),
            ("a\nb\nc\n", "a\nb\nc\n", "x\n", "x\n"),
            ("", "", "x\n", "x\n"),
        ];
        for (base, mine, theirs, both) in cases {
            assert_eq!(
                rebase(base, mine, theirs).map(|it| it.text).as_deref(),
                Ok(both),
                "{base:?} {mine:?} {theirs:?}"
            );
        }
    }

    #[test]
    fn changes_that_meet_are_refused_with_their_lines() {
        let cases = [
            ("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", 2..=2),
            ("a\nb\nc\n", "a\nX\nX2\n", "z\na\nb\nY\nW\n", 4..=5),
            ("a\nb\nc\n", "a\nb\nm\nc\n", "a\nb\nt\n", 3..=3),
            ("a\nb\nc\n", "a\nX\nc\n", "a\nc\n", 2..=1),
            ("a\nb\n", "a\nm\nb\n", "a\nt\nb\n", 2..=2),
            ("", "m\n", "t\n", 1..=1),
        ];
        for (base, mine, theirs, lines) in cases {
            assert_eq!(rebase(base, mine, theirs), Err(Conflict { theirs: lines }), "{base:?} {mine:?} {theirs:?}");
        }
    }

    #[test]
    fn places_move_with_what_was_added_above() {
        let base = "a\nb\nc\nd\ne\n";
        let applied = apply(base, &[Block::new("d\n", "D1\nD2\n")]).unwrap();
        let rebased = rebase(base, &applied.text, "x\ny\na\nc\nd\ne\nf\n");
        // Removing `b` next to `c` leaves one line between the two changes.
        let rebased = rebased.unwrap();
        assert_eq!(rebased.text, "x\ny\na\nc\nD1\nD2\ne\nf\n");
        assert_eq!(rebased.theirs, [1..=2, 4..=3, 7..=7]);
        let place = rebased.moved(&applied.places[0]);
        assert_eq!((place.before, place.after), (5..=5, 5..=6));
    }

    #[test]
    fn either_side_alone_comes_out_as_it_is() {
        let texts = ["", "a", "a\n", "a\nb", "b\na\n", "a\n\nb\n", "\n\n"];
        for base in texts {
            for other in texts {
                assert_eq!(
                    rebase(base, base, other).map(|it| it.text).as_deref(),
                    Ok(other),
                    "{base:?}, theirs {other:?}"
                );
                assert_eq!(
                    rebase(base, other, base).map(|it| it.text).as_deref(),
                    Ok(other),
                    "{base:?}, mine {other:?}"
                );
            }
        }
    }
}
