//! Markdown that arrives in pieces: finished blocks are given out once, the unfinished rest can be looked at.
//!
//! Promise: a block is given out only when nothing that may follow can change it. Code is given out line by line.

use super::code::Code;
use super::render::{render, sketch};
use crate::Line;

/// A reply being streamed.
#[derive(Debug, Default)]
pub struct Stream {
    source: String,
    /// Bytes of `source` given out.
    done: usize,
    fence: Option<(Fence, Code)>,
    last: Option<Kind>,
    /// True where a link can be followed by its words.
    links: bool,
}

#[derive(Clone, Debug)]
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    language: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Item,
    Other,
}

impl Stream {
    /// An empty one; with `links` a link's address is not spelled out behind its words.
    pub fn new(links: bool) -> Stream {
        Stream { links, ..Stream::default() }
    }

    /// Bytes received so far.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// True when nothing was received.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// What was received so far.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Adds a piece and returns the lines that are final now.
    pub fn push(&mut self, piece: &str, width: usize) -> Vec<Line> {
        self.source += piece;
        self.advance(width, false)
    }

    /// Ends the stream with its whole text, whether or not all of it was streamed, and returns the lines not yet given out.
    pub fn finish(&mut self, whole: &str, width: usize) -> Vec<Line> {
        if whole.len() >= self.done && whole.is_char_boundary(self.done) {
            whole.clone_into(&mut self.source);
        }
        let lines = self.advance(width, true);
        *self = Stream::new(self.links);
        lines
    }

    /// The lines that were given out so far, made for another width.
    pub fn given_out(&self, width: usize) -> Vec<Line> {
        let mut again = Stream::new(self.links);
        let mut lines = again.push(&self.source[..self.done], width);
        lines.extend(again.advance(width, self.fence.is_none()));
        lines
    }

    /// The unfinished rest as it would look if it ended here.
    pub fn tail(&self, width: usize) -> Vec<Line> {
        let rest = &self.source[self.done..];
        match &self.fence {
            // Its colours come with its end: a line that grows would be read again with each piece.
            Some((fence, code)) if !rest.is_empty() => vec![code.plain(fence.content(rest))],
            Some(_) => Vec::new(),
            None => {
                let mut lines = sketch(whole_rows(rest), width, self.links);
                let blank = blank_prefix(rest);
                let gap = blank > 0 || self.source[..self.done].ends_with("\n\n");
                let item = rest[blank..].lines().next().is_some_and(is_item);
                // As it will stand once it is given out.
                if !lines.is_empty() && self.is_apart(if item { Kind::Item } else { Kind::Other }, gap) {
                    lines.insert(0, Line::empty());
                }
                lines
            }
        }
    }

    fn advance(&mut self, width: usize, last: bool) -> Vec<Line> {
        let mut out = Vec::new();
        loop {
            let before = self.done;
            if self.fence.is_some() {
                self.code_lines(&mut out, last);
            } else {
                self.blocks(&mut out, width, last);
            }
            if self.done == before {
                return out;
            }
        }
    }

    /// Gives out complete lines of code up to the closing fence.
    fn code_lines(&mut self, out: &mut Vec<Line>, last: bool) {
        while let Some((fence, code)) = &mut self.fence {
            let Some((line, length)) = next_line(&self.source[self.done..], last) else { return };
            if fence.closes(line) {
                self.fence = None;
            } else {
                out.push(code.line(fence.content(line)));
            }
            self.done += length;
        }
    }

    /// Gives out finished blocks up to a fence.
    fn blocks(&mut self, out: &mut Vec<Line>, width: usize, last: bool) {
        let rest = &self.source[self.done..];
        let blank = blank_prefix(rest);
        let block = &rest[blank..];
        let Some((first, length)) = next_line(block, last) else { return };
        if let Some(fence) = Fence::open(first) {
            self.separate(out, Kind::Other, true);
            self.done += blank + length;
            let code = Code::new(&fence.language);
            self.fence = Some((fence, code));
            return;
        }
        let Some(end) = block_end(block, last) else { return };
        let kind = if is_item(first) { Kind::Item } else { Kind::Other };
        let text = block[..end].to_string();
        self.separate(out, kind, blank > 0 || self.source[..self.done].ends_with("\n\n"));
        out.extend(render(&text, width, self.links));
        self.done += blank + end;
    }

    /// An empty line between blocks; items of a tight list stand together.
    fn separate(&mut self, out: &mut Vec<Line>, kind: Kind, gap: bool) {
        if self.is_apart(kind, gap) {
            out.push(Line::empty());
        }
        self.last = Some(kind);
    }

    fn is_apart(&self, kind: Kind, gap: bool) -> bool {
        let together = kind == Kind::Item && self.last == Some(Kind::Item) && !gap;
        self.last.is_some() && !together
    }
}

impl Fence {
    fn open(line: &str) -> Option<Fence> {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = text.chars().take_while(|c| *c == mark).count();
        let info = text[length..].trim();
        if indent > 3 || length < 3 || (mark == '`' && info.contains('`')) {
            return None;
        }
        let language = info.split_whitespace().next().unwrap_or("").to_string();
        Some(Fence { mark, length, indent, language })
    }

    fn closes(&self, line: &str) -> bool {
        let text = line.trim();
        text.len() >= self.length && text.chars().all(|c| c == self.mark)
    }

    /// A line of it without the indentation of the fence.
    fn content<'a>(&self, line: &'a str) -> &'a str {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        &line[spaces.min(self.indent)..]
    }
}

/// The first line without its break and its length with it; a line without a break counts only at the end.
fn next_line(text: &str, last: bool) -> Option<(&str, usize)> {
    match text.find('\n') {
        Some(at) => Some((text[..at].trim_end_matches('\r'), at + 1)),
        None if last && !text.is_empty() => Some((text, text.len())),
        None => None,
    }
}

/// A table up to its last whole row; any other text as it is.
fn whole_rows(text: &str) -> &str {
    let delimiter = |line: &str| line.contains('-') && line.contains('|') && !line.contains(|c| !"|-: \t".contains(c));
    match text.rfind('\n') {
        Some(at) if text.trim_start().lines().nth(1).is_some_and(delimiter) => &text[..=at],
        _ => text,
    }
}

/// Bytes of blank lines at the beginning.
fn blank_prefix(text: &str) -> usize {
    let mut length = 0;
    while let Some((line, bytes)) = next_line(&text[length..], false) {
        if !line.trim().is_empty() {
            break;
        }
        length += bytes;
    }
    length
}

/// Where the block at the beginning of `text` ends, once that is certain.
fn block_end(text: &str, last: bool) -> Option<usize> {
    let (first, mut at) = next_line(text, last)?;
    if is_heading(first) {
        return Some(at);
    }
    let list = is_item(first);
    let mut inner: Option<Fence> = None;
    let mut after_blank = false;
    while let Some((line, length)) = next_line(&text[at..], last) {
        if let Some(fence) = &inner {
            inner = if fence.closes(line) { None } else { inner };
        } else if line.trim().is_empty() {
            if !list {
                return Some(at + length);
            }
            after_blank = true;
        } else if ends_block(line, list, after_blank) {
            return Some(at);
        } else {
            after_blank = false;
            inner = Fence::open(line.trim_start()).filter(|_| list);
        }
        at += length;
    }
    last.then_some(text.len())
}

/// True when `line` cannot belong to the block before it.
fn ends_block(line: &str, list: bool, after_blank: bool) -> bool {
    let set_in = line.starts_with([' ', '\t']);
    if list {
        !set_in && (after_blank || is_item(line) || is_heading(line) || Fence::open(line).is_some())
    } else {
        is_heading(line) || Fence::open(line).is_some()
    }
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    (1..=6).contains(&level) && (text.is_empty() || text.starts_with(' '))
}

/// True for the first line of a list item that is not set in.
fn is_item(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix(['-', '*', '+']) {
        return rest.starts_with(' ') || rest.is_empty();
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "))
}
