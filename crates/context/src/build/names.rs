//! Which definitions of a file tell most about it for a task, and how they are written in one line.

use std::collections::HashSet;

use ox_index::tokens;
use ox_syntax::{Facts, Symbol, SymbolKind};

use super::pick_context::PickContext;

/// Bytes of a signature.
const SIGNATURE: usize = 110;
/// What speaks for a definition: its very name in the task, its being what the best pieces are about.
const SAID: f32 = 3.0;
const IN_PIECE: f32 = 1.5;
const IS_PIECE: f32 = 0.7;
/// A name of the task that is as rare is meant as a name.
const RARE: f32 = 0.4;

/// The definitions of a file that bear on the task, at most `limit`, in the order of their lines. `any` takes others too,
/// where too few do.
pub(super) fn telling(context: &PickContext<'_>, path: &str, limit: usize, any: bool) -> Vec<Symbol> {
    let Some(facts) = context.known.snapshot.facts(path) else { return Vec::new() };
    let mut all: Vec<(f32, usize)> = Vec::new();
    for (at, symbol) in facts.symbols.iter().enumerate() {
        if symbol.name.is_empty() || is_local(&facts, symbol) {
            continue;
        }
        let (said, quoted) = (said(context, symbol), quoted(context, path, symbol));
        if (said + quoted > 0.0 || (any && symbol.exported && !symbol.test)) && is_worth(context, &facts, symbol) {
            all.push((said + quoted + form(symbol), at));
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // Overloads, constructors and prototypes of one name are told once.
    let mut names = HashSet::new();
    all.retain(|(_, at)| names.insert(once(&facts, &facts.symbols[*at])));
    all.truncate(limit);
    all.sort_by_key(|it| it.1);
    all.into_iter().map(|(_, at)| facts.symbols[at].clone()).collect()
}

/// Functions and types are worth a line; values only if the task names them, and what is of one line within another
/// definition (members of a type, types that an implementation sets) only then too.
fn is_worth(context: &PickContext<'_>, facts: &Facts, symbol: &Symbol) -> bool {
    let named = context.rarity(&symbol.name.to_lowercase()) > RARE;
    let within = symbol.parent.and_then(|it| facts.symbols.get(it as usize)).map(|it| it.kind);
    match symbol.kind {
        SymbolKind::Function => true,
        SymbolKind::Type => {
            named || symbol.end > symbol.line || !matches!(within, Some(SymbolKind::Impl | SymbolKind::Type))
        }
        SymbolKind::Value => named,
        SymbolKind::Module | SymbolKind::Impl => false,
    }
}

/// How far the task says the name, or rare parts of it.
fn said(context: &PickContext<'_>, symbol: &Symbol) -> f32 {
    let whole = symbol.name.to_lowercase();
    if whole.len() > 2 && context.says(&whole) {
        return SAID * (0.3 + context.rarity(&whole));
    }
    let parts: HashSet<String> = tokens(&symbol.name).into_iter().filter(|it| it.len() > 2 && *it != whole).collect();
    let sum: f32 = parts.iter().map(|it| context.rarity(it)).filter(|it| *it > 0.25).sum();
    sum.min(2.0)
}

/// How far the best pieces of its file are about it.
fn quoted(context: &PickContext<'_>, path: &str, symbol: &Symbol) -> f32 {
    let top = context.answer.snippets.iter().map(|it| it.score).fold(f32::EPSILON, f32::max);
    let of = |it: &ox_index::Snippet| {
        let inside = it.start <= symbol.line && symbol.line <= it.end;
        let own = it.symbol.as_deref() == Some(symbol.qualified.as_str());
        let share = (it.score / top).max(0.0);
        match (own, inside) {
            (true, _) => share * (IN_PIECE + IS_PIECE),
            (false, true) => share * IN_PIECE,
            _ => 0.0,
        }
    };
    context.answer.snippets.iter().filter(|it| it.path == path).map(of).fold(0.0, f32::max)
}

/// What is called and what has members tells more than a value.
fn form(symbol: &Symbol) -> f32 {
    let kind = match symbol.kind {
        SymbolKind::Function => 0.6,
        SymbolKind::Type => 0.5,
        SymbolKind::Impl => 0.0,
        SymbolKind::Module => -0.2,
        SymbolKind::Value => -1.2,
    };
    kind + if symbol.exported { 0.2 } else { 0.0 }
        - if symbol.test { 0.8 } else { 0.0 }
        - if symbol.is_declaration { 0.5 } else { 0.0 }
}

/// What a definition is known by: its qualified name, that of its type for a constructor.
fn once<'a>(facts: &'a Facts, symbol: &'a Symbol) -> (bool, &'a str) {
    let around = symbol.parent.and_then(|it| facts.symbols.get(it as usize));
    let own = around.filter(|it| it.name == symbol.name && it.kind == SymbolKind::Type).unwrap_or(symbol);
    (own.kind == SymbolKind::Impl, &own.qualified)
}

/// The name of a definition where the file is known: without that of a type that the file is called by.
pub(super) fn name<'a>(path: &str, symbol: &'a Symbol) -> &'a str {
    let stem = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
    let rest = symbol.qualified.strip_prefix(stem).and_then(|it| it.strip_prefix(['.', '#']));
    rest.unwrap_or(&symbol.qualified)
}

/// True for what only the function around it sees.
fn is_local(facts: &Facts, symbol: &Symbol) -> bool {
    let mut around = symbol.parent.and_then(|it| facts.symbols.get(it as usize));
    while let Some(it) = around {
        if it.kind == SymbolKind::Function {
            return true;
        }
        around = it.parent.and_then(|it| facts.symbols.get(it as usize));
    }
    false
}

/// A signature in one short line; its name where there is none, or where the signature does not say it.
pub(super) fn short(symbol: &Symbol) -> String {
    let line = symbol.signature.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.as_str() {
        line if !line.contains(symbol.name.as_str()) => symbol.qualified.clone(),
        line if line.len() <= SIGNATURE => line.to_owned(),
        line => format!("{}…", &line[..line.floor_char_boundary(SIGNATURE)]),
    }
}
