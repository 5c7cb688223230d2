//! From definitions to symbols: what is written about them, whether others can name them, whether they are tests. It adds
//! and drops none, so an index into one list is an index into the other.

use super::{Symbol, text};
use crate::definitions::{Definition, SymbolKind};
use crate::languages::DefinitionContext;
use crate::parse::{Parsed, to_u32};

/// The symbols of a file.
pub(super) fn symbols(path: &str, text: &str, parsed: &Parsed, all: &[Definition]) -> Vec<Symbol> {
    let grammar = parsed.grammar;
    let in_test_file = crate::test_files::is_test(path);
    let mut out: Vec<Symbol> = Vec::with_capacity(all.len());
    for it in all {
        let parent = it.parent.map(|at| (&all[at], out[at].test, out[at].exported));
        let seen = DefinitionContext {
            name: it.path.last().map_or("", AsRef::as_ref),
            kind: it.kind,
            head: &text[it.signature.clone()],
            before: &text[it.span.start..it.signature.start.max(it.span.start)],
            parent: parent.map(|(parent, _, _)| (parent.kind, &text[parent.signature.clone()])),
            via: it.via.is_some(),
            in_test_file,
        };
        let (inside_test, around) = parent.map_or((false, true), |(_, test, exported)| (test, exported));
        let outer = parent.is_none_or(|(parent, _, _)| parent.kind != SymbolKind::Function);
        out.push(Symbol {
            name: seen.name.to_string(),
            qualified: it.name.clone(),
            kind: it.kind,
            line: *it.lines.start(),
            end: *it.lines.end(),
            start_byte: to_u32(it.span.start),
            end_byte: to_u32(it.span.end),
            signature: text::signature(seen.head),
            doc: doc(text, it, parsed),
            parent: it.parent.map(to_u32),
            exported: outer && (around || seen.via) && (grammar.exported)(&seen),
            test: inside_test || (grammar.test)(&seen),
            is_declaration: it.is_declaration,
        });
    }
    out
}

/// What is written before a definition, or as the first words of its body where the language has that.
fn doc(text: &str, it: &Definition, parsed: &Parsed) -> String {
    if let Some(body) = it.body.as_ref().filter(|_| parsed.table.says("docs_in_body").is_some()) {
        let inner = text[body.span.clone()].trim_start().trim_start_matches(['r', 'R', 'u', 'U']);
        for mark in ["\"\"\"", "'''"] {
            if let Some(rest) = inner.strip_prefix(mark) {
                return text::doc(&rest[..rest.find(mark).unwrap_or(rest.len())]);
            }
        }
        let line = inner.lines().next().unwrap_or_default();
        if let Some(rest) = line.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
            return text::doc(rest);
        }
    }
    let before = &text[it.span.start..it.docs_end];
    if !before.trim().is_empty() {
        return text::doc(before);
    }
    // Comments may also stand between attributes and the signature.
    let between = &text[it.docs_end..it.signature.start.max(it.docs_end)];
    match between.find("/**").or_else(|| between.find("///")) {
        Some(at) if parsed.table.says("attribute").is_some() => text::doc(&between[at..]),
        _ => String::new(),
    }
}
