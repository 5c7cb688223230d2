//! From a text to its syntax tree, in bounded time and memory. A grammar is not looked at before a file of its language
//! is parsed, and a text that is too large or that keeps the parser busy for too long is not parsed at all.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::languages::{self, Grammar};

/// Bytes of a text that is parsed at most: a tree takes some hundred times as much memory as its text.
pub(crate) const MOST_BYTES: usize = 1024 * 1024;
/// How often a parser may report that it is at work on any text.
const FEWEST_STEPS: usize = 1_000;
/// Bytes of a text for each time more that it may. Sources of all kinds, broken ones among them, need one report for
/// 45 bytes at most.
const BYTES_PER_STEP: usize = 25;

/// A text that was parsed, perhaps with errors in it.
pub(crate) struct Parsed {
    /// The tree.
    pub tree: Tree,
    /// The language that it was read in.
    pub grammar: &'static Grammar,
}

/// Reads a text in the language that its path tells of; none for an unknown language and for a text that is too large.
pub(crate) fn parse(path: &str, text: &str) -> Option<Parsed> {
    let grammar = languages::of(path)?;
    let parsed = parse_as(grammar, text)?;
    // A header may be of either language; the one that reads it without an error is right.
    match grammar.otherwise {
        Some(other) if parsed.tree.root_node().has_error() => {
            let second = parse_as(other, text).filter(|it| !it.tree.root_node().has_error());
            Some(second.unwrap_or(parsed))
        }
        _ => Some(parsed),
    }
}

fn parse_as(grammar: &'static Grammar, text: &str) -> Option<Parsed> {
    if text.len() > MOST_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&(grammar.language)()).ok()?;
    let bytes = text.as_bytes();
    // Error recovery can take far longer than reading; the number of steps is the same on every machine.
    let mut steps = FEWEST_STEPS + bytes.len() / BYTES_PER_STEP;
    let mut progress = |_: &_| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))?;
    Some(Parsed { tree, grammar })
}
