//! What the parts of a text are, for colours: keywords, strings, comments and so on, by the queries that the grammars bring along.
//!
//! Promise: nothing fails. What is not known, too long or too slow to read has no classes. A query is compiled when its
//! language is met for the first time, and never again.

mod class;
mod data;
mod languages;
mod open;

use std::ops::{ControlFlow, Range};

use tree_sitter::{InputEdit, ParseOptions, Parser, Point, QueryCursor, StreamingIterator, Tree};

pub use class::{Class, Classes};
use data::Data;
use languages::Language;
use open::Open;

/// Bytes of a text beyond which the rest gets no classes: more than anybody reads on a screen.
const MOST_BYTES: usize = 256 * 1024;
/// How often a parser may report that it is at work on one line, and for each further [`BYTES_PER_STEP`] of a text at once.
const STEPS: usize = 400;
const BYTES_PER_STEP: usize = 25;
/// Matches of a query that may be open at the same time; faulty texts could make it many.
const OPEN_MATCHES: u32 = 256;

/// Reads a text line by line.
pub struct Highlighter {
    language: Reader,
    /// What was read.
    text: String,
    open: Open,
}

enum Reader {
    Data(Data),
    Grammar {
        language: &'static Language,
        parser: Parser,
        read: Option<(Tree, usize)>,
    },
    /// Given up.
    Nothing,
}

/// A reader of the language of that name, as it stands behind the fence of a code block: `rust`, `sh`, `ts`.
pub fn highlighter(name: &str) -> Option<Highlighter> {
    let name = name.split([',', ' ', ':']).next().unwrap_or_default();
    let name = name.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#' | '-'))).to_ascii_lowercase();
    Highlighter::new(languages::named(&name).map(Known::Grammar).or_else(|| Data::named(&name).map(Known::Data))?)
}

/// A reader for the file of that name.
pub fn highlighter_of_file(path: &str) -> Option<Highlighter> {
    let (_, ending) = crate::language::parts(path)?;
    highlighter(&ending)
}

enum Known {
    Grammar(&'static Language),
    Data(Data),
}

impl Highlighter {
    fn new(known: Known) -> Option<Highlighter> {
        let (language, open) = match known {
            Known::Data(data) => (Reader::Data(data), Open::default()),
            Known::Grammar(language) => {
                let mut parser = Parser::new();
                parser.set_language(&language.grammar()).ok()?;
                (Reader::Grammar { language, parser, read: None }, Open::new(language.quotes))
            }
        };
        Some(Highlighter { language, text: String::new(), open })
    }

    /// The classes of the next line, by what was read up to its end. What is still open there is taken for closed.
    pub fn line(&mut self, line: &str) -> Classes {
        if let Reader::Data(data) = &self.language {
            return data.line(line);
        }
        let from = self.begin(line);
        self.text += line;
        self.text.push('\n');
        self.open.read(line);
        self.classes(from, STEPS).pop().unwrap_or_default()
    }

    /// The classes of each line of a whole text.
    pub fn lines(mut self, text: &str) -> Vec<Classes> {
        if let Reader::Data(data) = &self.language {
            return text.lines().map(|line| data.line(line)).collect();
        }
        let from = self.begin(text);
        self.text += text;
        text.lines().for_each(|line| self.open.read(line));
        self.classes(from, STEPS + text.len() / BYTES_PER_STEP)
    }

    /// What a language wants in front of a part of its files, once; returns where the next text begins.
    fn begin(&mut self, text: &str) -> usize {
        if let (Reader::Grammar { language, .. }, true) = (&self.language, self.text.is_empty())
            && !text.trim_start().starts_with('<')
        {
            self.text += language.before;
        }
        self.text.len()
    }

    /// The classes of each line from there on.
    fn classes(&mut self, from: usize, steps: usize) -> Vec<Classes> {
        let Reader::Grammar { language, parser, read } = &mut self.language else { return Vec::new() };
        if self.text.len() > MOST_BYTES {
            self.language = Reader::Nothing;
            return Vec::new();
        }
        let length = self.text.len();
        self.open.close(&mut self.text);
        let before = read.take().map(|(mut tree, end)| {
            tree.edit(&appended(from, end, self.text.len()));
            tree
        });
        let tree = parse(parser, self.text.as_bytes(), before.as_ref(), steps);
        let classes = match &tree {
            Some(tree) => by_line(&self.text[from..length], &painted(language, tree, &self.text, from..length)),
            None => Vec::new(),
        };
        match tree {
            Some(tree) => *read = Some((tree, self.text.len())),
            None => self.language = Reader::Nothing,
        }
        self.text.truncate(length);
        classes
    }
}

/// The change by which the text from `from` on became another one. Points are not asked for by any query, so bytes stand
/// for columns of one long row.
fn appended(from: usize, old: usize, new: usize) -> InputEdit {
    let point = |at| Point::new(0, at);
    InputEdit {
        start_byte: from,
        old_end_byte: old,
        new_end_byte: new,
        start_position: point(from),
        old_end_position: point(old),
        new_end_position: point(new),
    }
}

fn parse(parser: &mut Parser, bytes: &[u8], before: Option<&Tree>, mut steps: usize) -> Option<Tree> {
    let mut progress = |_: &_| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), before, Some(options))
}

/// The class of each byte of `range`: of captures that lie in each other the inner one counts, of those of one node the later.
fn painted(language: &Language, tree: &Tree, text: &str, range: Range<usize>) -> Vec<Option<Class>> {
    let mut out = vec![None; range.len()];
    let Some((query, classes)) = language.query() else { return out };
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(OPEN_MATCHES);
    cursor.set_byte_range(range.clone());
    let mut found = Vec::new();
    let mut captures = cursor.captures(query, tree.root_node(), text.as_bytes());
    while let Some((it, index)) = captures.next() {
        let capture = it.captures()[*index];
        if let Some(class) = classes.get(capture.index as usize).copied().flatten() {
            let bytes = capture.node.byte_range();
            found.push((bytes.start, std::cmp::Reverse(bytes.end), it.pattern_index, class));
        }
    }
    found.sort_by_key(|(start, end, pattern, _)| (*start, *end, *pattern));
    for (start, end, _, class) in found {
        let from = start.clamp(range.start, range.end) - range.start;
        let to = end.0.clamp(range.start, range.end) - range.start;
        out[from..to].fill(class);
    }
    out
}

/// Runs of one class, line by line.
fn by_line(text: &str, classes: &[Option<Class>]) -> Vec<Classes> {
    let mut at = 0;
    let mut out = Vec::new();
    for line in text.split_inclusive('\n') {
        let bytes = line.trim_end_matches(['\n', '\r']).len();
        let mut runs: Classes = Vec::new();
        for (index, class) in classes[at..at + bytes].iter().enumerate() {
            let Some(class) = *class else { continue };
            match runs.last_mut() {
                Some((range, last)) if range.end == index && *last == class => range.end = index + 1,
                _ => runs.push((index..index + 1, class)),
            }
        }
        at += line.len();
        out.push(runs);
    }
    out
}
