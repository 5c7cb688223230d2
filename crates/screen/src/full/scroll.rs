//! Which rows of the transcript are seen.
//!
//! Promise: rows are laid out from the place that is looked at; the length of what is before it does not matter.

use super::transcript::Transcript;

/// Where the view stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Scroll {
    /// At the end, and it follows it.
    #[default]
    End,
    /// With this row of this entry at the top.
    At(usize, usize),
}

impl Scroll {
    /// The rows that are seen, from the top: entry and row. A view that reaches the end follows it.
    pub(super) fn visible(&mut self, of: &mut Transcript, height: usize) -> Vec<(usize, usize)> {
        if let Scroll::At(entry, row) = *self {
            let entry = entry.min(of.len() - 1);
            let row = row.min(of.rows(entry).len().saturating_sub(1));
            let rows = down(of, entry, row, height + 1);
            if rows.len() > height {
                *self = Scroll::At(entry, row);
                return rows[..height].to_vec();
            }
            *self = Scroll::End;
        }
        up(of, of.len(), 0, height)
    }

    /// Goes up (negative) or down by rows.
    pub(super) fn go(&mut self, of: &mut Transcript, height: usize, rows: isize) {
        let visible = self.visible(of, height);
        let Some(&(entry, row)) = visible.first() else { return };
        if rows < 0 {
            let above = up(of, entry, row, rows.unsigned_abs());
            let (entry, row) = above.first().copied().unwrap_or((entry, row));
            *self = Scroll::At(entry, row);
        } else if *self != Scroll::End {
            let below = down(of, entry, row, rows.unsigned_abs() + 1);
            *self = below.last().map_or(Scroll::End, |(entry, row)| Scroll::At(*entry, *row));
        }
        self.visible(of, height);
    }

    /// Keeps what is at the top there while the rows are laid out anew by `change`.
    pub(super) fn keep(&mut self, of: &mut Transcript, height: usize, change: impl FnOnce(&mut Transcript)) {
        let top = if let Scroll::At(entry, row) = *self {
            of.rows(entry).get(row).map(|it| (entry, it.line, it.from, it.is_gap))
        } else {
            None
        };
        change(of);
        if let Some((entry, line, from, is_gap)) = top {
            let rows = of.rows(entry);
            let at = rows.iter().rposition(|it| !it.is_gap && it.line == line && it.from <= from).unwrap_or(0);
            *self = Scroll::At(entry, if is_gap { 0 } else { at });
            self.visible(of, height);
        }
    }

    /// Makes a place be seen: where it is not, it comes into the upper third.
    pub(super) fn show(&mut self, of: &mut Transcript, height: usize, (entry, line, at): (usize, usize, usize)) {
        let rows = of.rows(entry);
        let row = rows.iter().rposition(|it| !it.is_gap && it.line == line && it.from <= at).unwrap_or(0);
        if !self.visible(of, height).contains(&(entry, row)) {
            let above = up(of, entry, row, height / 3);
            let (entry, row) = above.first().copied().unwrap_or((entry, row));
            *self = Scroll::At(entry, row);
            self.visible(of, height);
        }
    }
}

/// At most `count` rows before this one, from the top.
fn up(of: &mut Transcript, entry: usize, row: usize, count: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::with_capacity(count);
    let (mut entry, mut row) = (entry, row);
    while out.len() < count {
        if row == 0 {
            let Some(before) = entry.checked_sub(1) else { break };
            entry = before;
            row = of.rows(entry).len();
        } else {
            row -= 1;
            out.push((entry, row));
        }
    }
    out.reverse();
    out
}

/// At most `count` rows from this one on.
fn down(of: &mut Transcript, entry: usize, row: usize, count: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::with_capacity(count);
    let mut first = row;
    for entry in entry..of.len() {
        let rows = of.rows(entry).len();
        out.extend((first..rows).take(count - out.len()).map(|row| (entry, row)));
        first = 0;
        if out.len() == count {
            break;
        }
    }
    out
}
