//! What a file says: its symbols, what it refers to, what it imports, and the pieces it is cut into.
//!
//! One parse serves everything. Nothing is resolved here and no other file is looked at; a text that is too large for
//! the parser, or whose language is not known, still has its pieces. No path, text or time makes this recurse or fail.

use super::{Facts, RefKind, chunks, symbols, walk};
use crate::languages;
use crate::parse::{self, Lines, Parsed, parse};

/// Reads a file. The path tells the language and whether the file is a test; it is never opened.
pub fn facts(path: &str, text: &str) -> Facts {
    facts_or_given_up(path, text).0
}

/// The same; and true where the language is known and yet nothing was parsed, for it would have taken too long.
pub fn facts_or_given_up(path: &str, text: &str) -> (Facts, bool) {
    extract(path, text, parse(path, text).as_ref())
}

/// The same of a text that was parsed to this.
pub(crate) fn extract(path: &str, text: &str, parsed: Option<&Parsed>) -> (Facts, bool) {
    let language = crate::language(path).unwrap_or_default();
    let lines = Lines::of(text);
    let Some(parsed) = parsed else {
        let given_up = languages::of(path).is_some();
        return (Facts { language, chunks: chunks::of_text(text, &lines), ..Facts::default() }, given_up);
    };
    let mut found = walk::everything(parsed, text, &lines);
    let is_component = parse::holds_script(path);
    for (name, at) in is_component.then(|| parse::components(text)).into_iter().flatten() {
        found.names.add(name, lines.at(at), RefKind::Call, false, None);
    }
    let symbols = symbols::symbols(path, text, parsed, &found.definitions);
    let chunks = chunks::of_code(text, &lines, &symbols);
    let references = found.names.into_references(&symbols, &found.imports);
    let package = (parsed.grammar.package)(parsed.tree.root_node(), text);
    let language = if is_component { language } else { parsed.grammar.name };
    (Facts { language, package, symbols, references, imports: found.imports, chunks }, false)
}
