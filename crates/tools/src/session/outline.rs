//! Definitions as lines of an answer: where, what kind, which signature. It reads files to tell the line of a name from
//! that of the words about it, and never fails for one that is gone.

use ox_syntax::{Symbol, SymbolKind};

use crate::session::code_index::CodeIndex;

/// The kind in the word that a reader knows.
pub(crate) fn kind(it: SymbolKind) -> &'static str {
    match it {
        SymbolKind::Function => "function",
        SymbolKind::Type => "type",
        SymbolKind::Value => "value",
        SymbolKind::Module => "module",
        SymbolKind::Impl => "impl",
    }
}

/// The kinds that a word means; none where it means none.
pub(crate) fn kinds(word: &str) -> Option<&'static [SymbolKind]> {
    let word = word.trim().to_lowercase();
    match word
        .strip_suffix("es")
        .filter(|it| it.ends_with("ss"))
        .or(word.strip_suffix('s').filter(|it| !it.ends_with('s')))
        .unwrap_or(&word)
    {
        "function" | "fn" | "method" | "func" | "def" | "constructor" | "procedure" => Some(&[SymbolKind::Function]),
        "type" | "class" | "struct" | "enum" | "interface" | "trait" | "protocol" | "record" | "union" => {
            Some(&[SymbolKind::Type])
        }
        "value" | "constant" | "const" | "variable" | "field" | "macro" | "static" | "property" => {
            Some(&[SymbolKind::Value])
        }
        "module" | "namespace" | "mod" | "package" => Some(&[SymbolKind::Module]),
        "impl" | "implementation" => Some(&[SymbolKind::Impl]),
        "" | "any" | "all" | "symbol" => {
            Some(&[SymbolKind::Function, SymbolKind::Type, SymbolKind::Value, SymbolKind::Module, SymbolKind::Impl])
        }
        _ => None,
    }
}

/// The lines of a file as it is now; none where it cannot be read.
pub(crate) fn lines_of(code: &CodeIndex, path: &str) -> Vec<String> {
    let bytes = code.read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// The line on which the definition itself begins, behind comments and attributes.
pub(crate) fn own_line(lines: &[String], it: &Symbol) -> u32 {
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let signature = squeezed(&it.signature);
    let range = it.line..=it.end.min(it.line.saturating_add(200));
    let begins = |number: &u32| {
        let line = lines.get(*number as usize - 1).map(|it| squeezed(it)).unwrap_or_default();
        let bare = line.trim_end_matches(['{', ':', ';', '(', ',']);
        bare.len() > 2 && (signature.starts_with(bare) || line.starts_with(signature.as_str()))
    };
    let holds = |number: &u32| {
        let line = lines.get(*number as usize - 1).map(|it| it.trim_start()).unwrap_or_default();
        !line.starts_with(['/', '#', '*', '@', '-', '"', '\'']) && line.contains(it.name.as_str())
    };
    if signature.is_empty() {
        return range.clone().find(holds).unwrap_or(it.line);
    }
    range.clone().find(begins).or_else(|| range.clone().find(holds)).unwrap_or(it.line)
}

/// What is said of a definition behind its place.
pub(crate) fn said(it: &Symbol) -> String {
    let signature = if it.signature.is_empty() { it.name.as_str() } else { it.signature.as_str() };
    signature.to_owned()
}
