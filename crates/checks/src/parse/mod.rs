//! From a check's output to diagnostics. The output alone decides which formats are in it, so that `make test` is read as
//! well as the tool behind it.
//!
//! Messages carry no line numbers of their own and no addresses: a diagnostic must look the same after unrelated lines
//! moved, or the comparison with the baseline would call it new.

mod biome;
mod bun;
pub(super) mod cargo_json;
pub(super) mod counts;
mod ctest;
mod doctest;
mod dotnet;
mod elixir;
mod eslint;
mod generic;
mod go;
mod jest;
mod jvm;
mod libtest;
mod line;
mod mocha;
mod php;
mod pytest;
mod ruby;
mod rustc;
mod settle;
mod swift;
mod tap;
mod traceback;
mod tsc;
mod unittest;
mod vitest;

use std::collections::HashSet;
use std::sync::LazyLock;

use line::regex;
use ox_protocol::{Check, Diagnostic};
use ox_repo::Tree;
use regex::Regex;
use settle::Settle;

/// The most diagnostics of one check.
const MOST: usize = 1_000;
/// The most bytes of one message.
const MESSAGE: usize = 2_000;

/// Reads the lines of an output.
type Reader = fn(&[&str]) -> Vec<Diagnostic>;

/// One reader each; a reader finds nothing in what is not its format.
const READERS: [Reader; 22] = [
    cargo_json::read,
    rustc::read,
    libtest::read,
    tsc::read,
    eslint::read,
    vitest::read,
    jest::read,
    pytest::read,
    unittest::read,
    doctest::read,
    go::read,
    jvm::read,
    mocha::read,
    tap::read,
    bun::read,
    biome::read,
    ruby::read,
    php::read,
    elixir::read,
    ctest::read,
    dotnet::read,
    swift::read,
];

/// What `output` of `check` complains about: deduplicated, with paths relative to the tree's root where they are in it.
pub fn parse(output: &str, check: &Check, tree: &Tree) -> Vec<Diagnostic> {
    let mut settle = Settle::new(tree, check);
    let mut seen = HashSet::new();
    let mut found = read(&plain(output));
    for diagnostic in &mut found {
        diagnostic.file = settle.path(&diagnostic.file);
        diagnostic.message = settle.message(&diagnostic.message);
    }
    found.retain(|it| seen.insert(it.clone()));
    found.truncate(MOST);
    found
}

/// Everything that the readers find; they are handed the lines without blanks at their ends. What only looks like `file:line: message` counts where nothing better was found.
fn read(output: &str) -> Vec<Diagnostic> {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let mut found: Vec<Diagnostic> = READERS.iter().flat_map(|it| it(&lines)).collect();
    if found.is_empty() {
        found = generic::read(&lines);
    }
    if found.is_empty() {
        found = traceback::read(&lines);
    }
    for diagnostic in &mut found {
        diagnostic.message = tidy(&diagnostic.message);
    }
    found
}

/// `output` without terminal escapes and carriage returns.
pub(super) fn plain(output: &str) -> String {
    // Parameters and one final letter; a title or a link up to a bell or another escape; a character.
    static UNSEEN: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\x1b(?:\[[^@-~]*[@-~]?|\][^\x07\x1b]*(?:\x07|\x1b\\?)?|(?s:.))?|[\r\x08]"));
    UNSEEN.replace_all(output, "").into_owned()
}

/// Trims, masks addresses, and cuts what is too long.
fn tidy(message: &str) -> String {
    // Short ones are numbers that somebody wrote.
    static ADDRESS: LazyLock<Regex> = LazyLock::new(|| regex(r"0x[0-9a-fA-F]{8,}"));
    let mut out = ADDRESS.replace_all(message.trim(), "0x…").into_owned();
    if out.len() > MESSAGE {
        out.truncate(out.floor_char_boundary(MESSAGE));
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests;
