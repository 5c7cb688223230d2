//! How far a definition can be named: in its own file, beneath its module, in its package, or everywhere. It goes by what
//! languages and habits say about names; where it cannot tell, the answer is everywhere.

use super::paths::{ending, folder, name, stem};
use ox_syntax::Symbol;
use ox_syntax::SymbolKind;

/// Where a definition can be named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Range {
    /// In its file alone.
    Own,
    /// In the files of this folder and below.
    Below(String),
    /// In the files of this folder alone.
    Folder(String),
    /// In files whose folder is called like this, as packages are that have a folder among the tests too.
    Package(String),
    /// Where its file is imported.
    Everywhere,
}

impl Range {
    /// True for a file in which the definition of `path` can be named.
    pub(super) fn has(&self, path: &str, user: &str) -> bool {
        path == user
            || match self {
                Range::Own => false,
                Range::Below(above) => {
                    above.is_empty() || user.strip_prefix(above).is_some_and(|it| it.starts_with('/'))
                }
                Range::Folder(here) => folder(user) == here,
                Range::Package(last) => name(folder(user)) == last,
                Range::Everywhere => true,
            }
    }
}

/// Where a symbol of `path` can be named. `handed_on` is true where the file uses its name outside of all definitions, as a
/// list of exports does.
pub(super) fn range(path: &str, symbols: &[Symbol], symbol: &Symbol, handed_on: bool) -> Range {
    match ending(path) {
        _ if is_local(symbols, symbol) => Range::Own,
        "rs" if !symbol.exported => Range::Below(module(path)),
        "go" if !symbol.exported => Range::Folder(folder(path).to_owned()),
        "java" if !symbol.exported => Range::Own,
        "java" if is_of_package(symbols, symbol) => Range::Package(name(folder(path)).to_owned()),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" if !symbol.exported => {
            if handed_on || is_inside(symbols, symbol) && !symbol.name.starts_with('#') {
                Range::Everywhere
            } else {
                Range::Own
            }
        }
        "kt" | "kts" | "scala" | "swift" | "php" | "lua" | "c" | "cc" | "cpp" | "cxx" if !symbol.exported => Range::Own,
        _ => Range::Everywhere,
    }
}

/// True for what is defined inside of a function.
fn is_local(symbols: &[Symbol], symbol: &Symbol) -> bool {
    let parent = symbol.parent.and_then(|it| symbols.get(it as usize));
    parent.is_some_and(|it| it.kind == SymbolKind::Function)
}

/// True for a member of something that others can get hold of: privacy there is by words, which are few in scripts.
fn is_inside(symbols: &[Symbol], symbol: &Symbol) -> bool {
    let parent = symbol.parent.and_then(|it| symbols.get(it as usize));
    let words = |word: &str| symbol.signature.split_whitespace().any(|it| it == word);
    parent.is_some_and(|it| it.exported) && !words("private")
}

/// True in Java for what has no word about who may see it and is no member of an interface.
fn is_of_package(symbols: &[Symbol], symbol: &Symbol) -> bool {
    let has = |it: &Symbol, word: &str| it.signature.split_whitespace().any(|it| it == word);
    let parent = symbol.parent.and_then(|it| symbols.get(it as usize));
    let open = parent.is_some_and(|it| ["interface", "enum", "@interface", "record"].iter().any(|word| has(it, word)));
    !open && !has(symbol, "public") && !has(symbol, "protected")
}

/// The folder of what is beneath a Rust module; that of the crate's root for a root.
fn module(path: &str) -> String {
    match stem(path) {
        "mod" | "lib" | "main" => folder(path).to_owned(),
        stem if folder(path).is_empty() => stem.to_owned(),
        stem => format!("{}/{stem}", folder(path)),
    }
}
