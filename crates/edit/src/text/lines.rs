//! A text as numbered lines, without copying it. Indices count from 0; what leaves the crate counts from 1.

use std::ops::{Range, RangeInclusive};

/// The lines of a text. A text that ends with a line break has no empty line after it.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 24 + 1);
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            starts.push(at);
            at += line.len();
        }
        Self { text, starts }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// The byte at which a line starts; the end of the text for the index after the last line.
    pub fn start(&self, index: usize) -> usize {
        self.starts.get(index).copied().unwrap_or(self.text.len())
    }

    /// A line without its line break.
    pub fn get(&self, index: usize) -> &'a str {
        let line = &self.text[self.start(index)..self.start(index + 1)];
        line.strip_suffix('\n').unwrap_or(line)
    }

    /// A line, or nothing beyond the last one.
    pub fn get_opt(&self, index: usize) -> Option<&'a str> {
        (index < self.len()).then(|| self.get(index))
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a str> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The lines of a range, joined as they stand.
    pub fn slice(&self, range: Range<usize>) -> &'a str {
        &self.text[self.start(range.start)..self.start(range.end)]
    }

    /// The index of the line which holds a byte.
    pub fn at_byte(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    /// Whether the last line lacks its line break.
    pub fn open_ended(&self) -> bool {
        !self.text.is_empty() && !self.text.ends_with('\n')
    }
}

/// A range of line indices as it is told to the caller: from 1, both ends named.
pub(crate) fn numbered(range: &Range<usize>) -> RangeInclusive<usize> {
    range.start + 1..=range.end
}

/// How many letters and digits a line has.
pub(crate) fn letters(line: &str) -> usize {
    line.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Whether a line has nothing but blanks.
pub(crate) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}
