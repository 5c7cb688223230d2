//! From a text to its syntax tree, in bounded time and memory. A grammar is not looked at before a file of its language
//! is parsed, and a text that is too large or that keeps the parser busy for too long is not parsed at all.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use super::embedded;
use crate::languages::{self, Grammar, Table};

/// Bytes of a text that is parsed at most: a tree takes some hundred times as much memory as its text.
pub(crate) const MOST_BYTES: usize = 1024 * 1024;
/// How often a parser may report that it is at work on any text.
const FEWEST_STEPS: usize = 1_000;
/// Bytes of a text for each time more that it may. Sources of all kinds, broken ones among them, need one report for
/// 45 bytes at most.
const BYTES_PER_STEP: usize = 25;

/// What a C header does not have.
const OTHER_MARKS: [&str; 8] =
    ["\nnamespace ", "\ntemplate", "\nclass ", "public:", "private:", "\nusing ", "std::", "constexpr "];

/// A text that was parsed, perhaps with errors in it.
pub(crate) struct Parsed {
    /// The tree.
    pub tree: Tree,
    /// The language that it was read in.
    pub grammar: &'static Grammar,
    /// What its nodes mean.
    pub table: &'static Table,
}

/// Reads a text in the language that its path tells of; none for an unknown language and for a text that is too large.
pub(crate) fn parse(path: &str, text: &str) -> Option<Parsed> {
    if let Some((grammar, script)) = embedded::script(path, text) {
        return parse_as(grammar, &script);
    }
    let grammar = languages::of(path)?;
    // A header may be of either language; the one that reads it without an error is right. What looks like the other one
    // is tried as that first, because recovering from errors takes long.
    let Some(other) = grammar.fallback else { return parse_as(grammar, text) };
    let looks_other = OTHER_MARKS.iter().any(|it| text.contains(it));
    let (first, second) = if looks_other { (other, grammar) } else { (grammar, other) };
    let parsed = parse_as(first, text);
    match parsed {
        Some(it) if !it.tree.root_node().has_error() => Some(it),
        _ if looks_other => parsed.or_else(|| parse_as(second, text)),
        _ => parse_as(second, text).filter(|it| !it.tree.root_node().has_error()).or(parsed),
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
    Some(Parsed { tree, grammar, table: Table::of(grammar) })
}
