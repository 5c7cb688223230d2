//! Places in a text as servers count them: lines from 0, and in a line bytes, UTF-16 units or characters.
//!
//! Pure. A place that is not in the text is taken to the nearest one that is.

use std::ops::Range;

use lsp_types::{Position, Range as Span};

/// What a server counts within a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// What a server counts that says nothing.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The one of that name; none for a name that is not known.
    pub(crate) fn named(name: &str) -> Option<Encoding> {
        match name {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// A text with the bounds of its lines.
pub struct LineIndex<'a> {
    text: &'a str,
    /// Without their ends.
    lines: Vec<Range<usize>>,
}

impl<'a> LineIndex<'a> {
    /// Finds the lines of `text`, whichever way they end.
    pub fn of(text: &'a str) -> LineIndex<'a> {
        let (mut lines, mut start) = (Vec::new(), 0);
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' if at > 0 && bytes[at - 1] == b'\r' => start = at + 1,
                b'\n' | b'\r' => {
                    lines.push(start..at);
                    start = at + 1;
                }
                _ => {}
            }
        }
        lines.push(start..text.len());
        LineIndex { text, lines }
    }

    /// The line `number`, from 0.
    pub fn line(&self, number: u32) -> Option<&'a str> {
        self.lines.get(number as usize).map(|it| &self.text[it.clone()])
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.lines.len()
    }

    /// The place of byte `column` in line `line`.
    pub(crate) fn position(&self, line: u32, column: usize, encoding: Encoding) -> Position {
        let before = self.line(line).map_or("", |it| &it[..it.floor_char_boundary(column.min(it.len()))]);
        let units: usize = before.chars().map(|it| encoding.width(it)).sum();
        Position { line, character: u32::try_from(units).unwrap_or(u32::MAX) }
    }

    /// The byte at a place.
    pub(crate) fn byte(&self, at: Position, encoding: Encoding) -> usize {
        let Some(range) = self.lines.get(at.line as usize) else { return self.text.len() };
        range.start + self.column(at, encoding)
    }

    /// The byte at a place, counted within its line.
    pub(crate) fn column(&self, at: Position, encoding: Encoding) -> usize {
        let line = self.line(at.line).unwrap_or_default();
        let mut left = at.character as usize;
        for (byte, c) in line.char_indices() {
            let width = encoding.width(c);
            // A place within a character is its beginning.
            if left < width {
                return byte;
            }
            left -= width;
        }
        line.len()
    }

    /// The bytes of a range; empty where it ends before it starts.
    pub fn bytes(&self, range: Span, encoding: Encoding) -> Range<usize> {
        let start = self.byte(range.start, encoding);
        start..self.byte(range.end, encoding).max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_found_again_in_every_encoding() {
        let text = "let 日本 = \"👩‍🚀é\";\r\nx\rß = 1\n\n";
        let lines = LineIndex::of(text);
        assert_eq!(lines.count(), 5);
        assert_eq!([0, 1, 2, 3].map(|it| lines.line(it).unwrap()), ["let 日本 = \"👩‍🚀é\";", "x", "ß = 1", ""]);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for number in 0..lines.count() as u32 {
                let line = lines.line(number).unwrap();
                for (column, _) in line.char_indices() {
                    let place = lines.position(number, column, encoding);
                    assert_eq!(lines.column(place, encoding), column, "{encoding:?} {place:?}");
                }
            }
        }
    }

    #[test]
    fn the_three_ways_to_count_differ_behind_wide_characters() {
        let lines = LineIndex::of("日🚀x");
        let count = |encoding| lines.position(0, 7, encoding).character;
        assert_eq!([Encoding::Utf8, Encoding::Utf16, Encoding::Utf32].map(count), [7, 3, 2]);
    }

    #[test]
    fn a_place_outside_is_taken_to_the_nearest_one() {
        let lines = LineIndex::of("日🚀x\ny");
        let at = |line, character| lines.byte(Position { line, character }, Encoding::Utf16);
        assert_eq!([at(0, 2), at(0, 99), at(1, 0), at(9, 0)], [3, 8, 9, 10], "the middle of a pair is its beginning");
        let range = Span { start: Position { line: 1, character: 1 }, end: Position { line: 0, character: 0 } };
        assert_eq!(lines.bytes(range, Encoding::Utf8), 10..10);
    }
}
