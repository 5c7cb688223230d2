//! A file cut into pieces at the borders of what it defines. A function stays whole unless it is long, a type is cut at its
//! members unless it is short, and what lies between is gathered. Pieces are whole lines, cover the file and never overlap.

use super::{Chunk, Symbol};
use crate::definitions::SymbolKind;
use crate::parse::{Lines, to_u32};

/// Lines of a function that stays whole.
const MOST: u32 = 80;
/// Lines of a type, module or other gathering that stays whole.
const WHOLE_GATHERING: u32 = 40;
/// Lines that a piece without a symbol of its own gets at most, unless no border is found.
const LEFTOVER: u32 = 60;
/// A definition that is shorter is gathered with its neighbours.
const SMALL: u32 = 5;
/// Bytes of a piece at most, however few its lines are; a single line is never cut.
const MOST_BYTES: usize = 8 * 1024;

/// Lines from the first to the last, both included.
type Span = (u32, u32);

struct Cutter<'a> {
    text: &'a str,
    lines: &'a Lines,
    symbols: &'a [Symbol],
    out: Vec<Chunk>,
}

/// The pieces of a text without known syntax: paragraphs, gathered.
pub(super) fn of_text(text: &str, lines: &Lines) -> Vec<Chunk> {
    of_code(text, lines, &[])
}

/// The pieces of a program.
pub(super) fn of_code(text: &str, lines: &Lines, symbols: &[Symbol]) -> Vec<Chunk> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let mut cutter = Cutter { text, lines, symbols, out: Vec::new() };
    cutter.cut();
    cutter.out
}

impl Cutter<'_> {
    /// Goes through the symbols in their order; a stack of those that were opened takes the place of recursion.
    fn cut(&mut self) {
        let mut at = 1; // The first line that is in no piece yet.
        let mut open: Vec<usize> = Vec::new();
        for index in 0..self.symbols.len() {
            let it = &self.symbols[index];
            while let Some(around) = open.last().copied().filter(|around| it.line > self.symbols[*around].end) {
                at = self.close(around, at);
                open.pop();
            }
            let (from, to) = (it.line.max(at), it.end);
            // Members of what stays whole, and what shares its first line with the one before.
            if to < at || it.line < at || to < from || it.parent.map(|it| it as usize) != open.last().copied() {
                continue;
            }
            let long = to - from + 1;
            let size = self.bytes((from, to));
            let opens = self.opens(index) && (long > WHOLE_GATHERING || size > MOST_BYTES);
            if opens {
                at = self.leftover(open.last().copied(), (at, from.saturating_sub(1)));
                open.push(index);
            } else if long >= SMALL {
                at = self.leftover(open.last().copied(), (at, from.saturating_sub(1)));
                at = self.piece(Some(index), (at, to), if it.kind == SymbolKind::Function { MOST } else { LEFTOVER });
            }
        }
        while let Some(around) = open.pop() {
            at = self.close(around, at);
        }
        self.leftover(None, (at, self.lines.count()));
    }

    /// True for what has members that are pieces of their own.
    fn opens(&self, index: usize) -> bool {
        let has_members = self.symbols.get(index + 1).is_some_and(|it| it.parent == Some(to_u32(index)));
        let long_function = self.symbols[index].kind == SymbolKind::Function
            && self.symbols[index].end - self.symbols[index].line < MOST;
        has_members && !long_function
    }

    /// What is left of a gathering after its last member.
    fn close(&mut self, index: usize, at: u32) -> u32 {
        self.leftover(Some(index), (at, self.symbols[index].end))
    }

    /// Lines between definitions; blank ones join what is before.
    fn leftover(&mut self, symbol: Option<usize>, span: Span) -> u32 {
        if span.1 < span.0 {
            return span.0;
        }
        let words = &self.text[self.lines.start(span.0)..self.lines.start(span.1 + 1)];
        let slight = words.trim_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ')' | ';' | ']')).is_empty();
        match self.out.last_mut() {
            Some(last) if slight => {
                last.end = span.1;
                last.end_byte = to_u32(self.lines.start(span.1 + 1));
                span.1 + 1
            }
            _ => self.piece(symbol, span, LEFTOVER),
        }
    }

    /// Adds lines as one piece, or as several where they are too many.
    fn piece(&mut self, symbol: Option<usize>, span: Span, most: u32) -> u32 {
        let mut from = span.0;
        while span.1 - from + 1 > most || self.bytes((from, span.1)) > MOST_BYTES {
            let to = self.border((from, span.1), most.min(LEFTOVER));
            if to >= span.1 {
                break;
            }
            self.push(symbol, (from, to));
            from = to + 1;
        }
        self.push(symbol, (from, span.1));
        span.1 + 1
    }

    fn push(&mut self, symbol: Option<usize>, span: Span) {
        self.out.push(Chunk {
            symbol: symbol.map(to_u32),
            line: span.0,
            end: span.1,
            start_byte: to_u32(self.lines.start(span.0)),
            end_byte: to_u32(self.lines.start(span.1 + 1)),
        });
    }

    fn bytes(&self, span: Span) -> usize {
        self.lines.start(span.1 + 1) - self.lines.start(span.0)
    }

    /// The last line of a first piece: before a heading or a blank line where the text is least indented, and rather late
    /// than early.
    fn border(&self, span: Span, most: u32) -> u32 {
        let last = (span.0 + most - 1).min(span.1);
        let fits = |to: &u32| self.bytes((span.0, *to)) <= MOST_BYTES;
        let last = (span.0..=last).rev().find(fits).unwrap_or(span.0);
        let first = span.0 + (last - span.0) / 3;
        let best = (first..last).max_by_key(|to| (self.worth(*to), *to));
        best.unwrap_or(last)
    }

    /// How good a border is after a line.
    fn worth(&self, line: u32) -> i32 {
        let (before, after) = (self.line(line), self.line(line + 1));
        let indent = after.len() - after.trim_start().len();
        let heading = after.starts_with('#') && after.trim_start_matches('#').starts_with(' ');
        let blank = before.trim().is_empty();
        let opens = after.trim().is_empty() || after.trim_start().starts_with(['}', ')', ']']);
        let slack = 20 - i32::try_from(indent.min(20)).unwrap_or_default();
        2 * slack + 15 * i32::from(blank) + 30 * i32::from(heading) - 50 * i32::from(opens)
    }

    fn line(&self, line: u32) -> &str {
        &self.text[self.lines.start(line)..self.lines.start(line + 1)]
    }
}
