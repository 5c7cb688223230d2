//! Whether a text can be read in its language, and where not.
//!
//! The answer is about grammar alone: no name is looked up and no type is checked. A language that is not known, a text
//! that is too large and a clean text all give none, so a fault is always something that was seen.

use std::cell::OnceCell;

use tree_sitter::Node;

use super::parser::{MOST_BYTES, Parsed, parse};
use super::{data, markup, to_u32};

/// Characters of the text that are shown from a fault on.
const NEAR: usize = 40;

/// The first place of a text that does not fit its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: u32,
    /// The character within the line, from 1.
    pub column: u32,
    /// What stands there, up to the end of the line; what is missing, where something is.
    pub near: String,
}

/// The first fault of a text by the language that its path tells of. None where there is none, and none where that cannot
/// be told.
pub fn check(path: &str, text: &str) -> Option<SyntaxError> {
    let parsed = OnceCell::new();
    fault(path, text, || parsed.get_or_init(|| parse(path, text)).as_ref())
}

/// The same of a text that `parsed` gives the tree of; it is asked only where the language needs one.
pub(crate) fn fault<'p>(path: &str, text: &str, parsed: impl FnOnce() -> Option<&'p Parsed>) -> Option<SyntaxError> {
    if text.len() > MOST_BYTES {
        return None;
    }
    let at = match path.rsplit('.').next() {
        Some("json" | "jsonc" | "code-workspace" | "webmanifest" | "ipynb") => data::json(path, text),
        Some("toml") => data::toml(text),
        Some("yaml" | "yml") => data::yaml(text).filter(|_| !markup::is_template(path, text)),
        Some("css") => markup::css(text).filter(|_| !markup::is_template(path, text)),
        Some("html" | "htm") => markup::html(text).filter(|_| !markup::is_template(path, text)),
        _ => return check_code(text, parsed()?),
    };
    at.map(|it| error_at(text, it))
}

fn check_code(text: &str, parsed: &Parsed) -> Option<SyntaxError> {
    if parsed.table.says("unchecked").is_some() {
        return None;
    }
    if let Some(node) = first_error(parsed.tree.root_node()) {
        let open = unclosed(node);
        let mut found = error_at(text, open.unwrap_or(node).start_byte());
        if node.is_missing() {
            found.near = format!("{} is missing", node.kind());
        } else if let Some(open) = open {
            found.near = format!("{} is not closed", open.kind());
        }
        return Some(found);
    }
    let node = (parsed.grammar.fault)(&parsed.tree, text)?;
    Some(error_at(text, node.start_byte()))
}

/// The first node in the text that is an error or stands for something missing, the innermost where they nest.
fn first_error(root: Node<'_>) -> Option<Node<'_>> {
    let mut found = None;
    let mut node = root;
    while node.has_error() {
        if node.is_error() || node.is_missing() {
            found = Some(node);
        }
        let mut cursor = node.walk();
        let Some(child) = node.children(&mut cursor).find(|it| it.has_error() || it.is_missing()) else { break };
        node = child;
    }
    found
}

/// The last bracket of an error over several lines that nothing closes: the error itself starts long before it.
fn unclosed(error: Node<'_>) -> Option<Node<'_>> {
    if error.start_position().row == error.end_position().row {
        return None;
    }
    let mut open = Vec::new();
    let mut cursor = error.walk();
    for child in error.children(&mut cursor) {
        match child.kind() {
            "{" | "(" | "[" => open.push(child),
            "}" | ")" | "]" => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

/// A fault at a byte of the text; blanks before what is wrong are passed over.
fn error_at(text: &str, at: usize) -> SyntaxError {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let blanks = text[at..].len() - text[at..].trim_start().len();
    if at + blanks < text.len() {
        at += blanks;
    }
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let rest = text[at..].lines().next().unwrap_or_default();
    SyntaxError {
        line: to_u32(text[..start].matches('\n').count() + 1),
        column: to_u32(text[start..at].chars().count() + 1),
        near: rest.trim_end().chars().take(NEAR).collect(),
    }
}
