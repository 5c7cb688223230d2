//! What is selected with the mouse, and its text.
//!
//! Promise: a text is copied as it is, not as it was wrapped; margins (line numbers, indents of output) are not part of it.

use unicode_segmentation::UnicodeSegmentation;

use super::rows::{self, Row};
use super::transcript::Transcript;
use crate::text::width;

/// A place in the transcript: entry, line, byte of the line's text. Places before the text of a line come before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) entry: usize,
    pub(super) line: usize,
    pub(super) at: usize,
    pub(super) in_text: bool,
}

/// What one step of the mouse covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Glyph,
    Word,
    Line,
}

/// A selection: both ends cover what the unit says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    anchor: (Place, Place),
    head: (Place, Place),
    unit: Unit,
}

impl Selection {
    pub(super) fn begin(of: &mut Transcript, at: (Place, Place), unit: Unit) -> Selection {
        let at = grown(of, at, unit);
        Selection { anchor: at, head: at, unit }
    }

    pub(super) fn drag(&mut self, of: &mut Transcript, to: (Place, Place)) {
        self.head = grown(of, to, self.unit);
    }

    /// From where to where.
    pub(super) fn range(&self) -> (Place, Place) {
        (self.anchor.0.min(self.head.0), self.anchor.1.max(self.head.1))
    }

    /// The selected text.
    pub(super) fn text(&self, of: &mut Transcript) -> String {
        let (from, to) = self.range();
        let mut out = Vec::new();
        for entry in from.entry..=to.entry {
            if entry > from.entry && of.is_apart(entry) {
                out.push(String::new());
            }
            let has_margin = of.kind(entry).has_margin();
            for (number, line) in of.lines(entry).iter().enumerate() {
                let (here, text) = ((entry, number), rows::text(line));
                if here < (from.entry, from.line) || here > (to.entry, to.line) {
                    continue;
                }
                let is_first = here == (from.entry, from.line);
                let start = if is_first { from.at } else { 0 };
                let end = if here == (to.entry, to.line) { to.at } else { text.len() };
                let lead: String = line.lead.iter().map(|it| it.text.as_str()).collect();
                // The indent of a block of code is a margin; the mark of a list or a quotation is text.
                let is_margin = has_margin || lead.trim().is_empty() || is_first && (from.in_text || from.at > 0);
                let lead = if is_margin { "" } else { lead.as_str() };
                out.push(format!("{lead}{}", text.get(start..end).unwrap_or_default()).trim_end().to_owned());
            }
        }
        out.join("\n")
    }
}

/// What is under a column of a row: where it begins and where it ends.
pub(super) fn hit(row: &Row, entry: usize, column: usize) -> (Place, Place) {
    let place = |at: usize, in_text: bool| Place { entry, line: row.line, at, in_text };
    let mut left = row.lead_width();
    if row.is_gap || column < left {
        let at = place(row.from, row.from > 0);
        return (at, at);
    }
    let mut at = row.from;
    for glyph in row.spans.iter().flat_map(|it| it.text.graphemes(true)) {
        let right = left + width(glyph);
        if column < right {
            return (place(at, true), place(at + glyph.len(), true));
        }
        (left, at) = (right, at + glyph.len());
    }
    (place(at, true), place(at, true))
}

/// The word or the line around a place.
fn grown(of: &mut Transcript, (from, to): (Place, Place), unit: Unit) -> (Place, Place) {
    let text = of.lines(from.entry).get(from.line).map(rows::text).unwrap_or_default();
    match unit {
        Unit::Glyph => (from, to),
        Unit::Line => (Place { at: 0, in_text: false, ..from }, Place { at: text.len(), in_text: true, ..to }),
        Unit::Word => {
            let (start, end) = word(&text, from.at);
            (Place { at: start, in_text: true, ..from }, Place { at: end, in_text: true, ..to })
        }
    }
}

/// The word at a byte of a text, as a terminal selects it: paths and addresses are words.
fn word(text: &str, at: usize) -> (usize, usize) {
    let is_part = |c: char| c.is_alphanumeric() || "_-./~@+%#".contains(c);
    let Some(first) = text.get(at..).and_then(|it| it.chars().next()) else { return (at, at) };
    if !is_part(first) {
        return (at, at + first.len_utf8());
    }
    let start =
        text[..at].rfind(|c| !is_part(c)).map_or(0, |it| it + text[it..].chars().next().map_or(0, char::len_utf8));
    let end = text[at..].find(|c| !is_part(c)).map_or(text.len(), |it| at + it);
    // A full stop behind a word ends the sentence.
    let kept = text[start..end].trim_end_matches(['.', '/']).len();
    (start, if start + kept > at { start + kept } else { end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_terminals_select() {
        let cases = [
            ("see src/main.rs:12.", 6, "src/main.rs"),
            ("it ends here.", 9, "here"),
            ("a  b", 1, " "),
            ("检查 全部通过", 7, "全部通过"),
            ("f(x)", 1, "("),
            ("", 0, ""),
        ];
        for (text, at, expected) in cases {
            let (from, to) = word(text, at);
            assert_eq!(&text[from..to], expected, "{text}");
        }
    }
}
