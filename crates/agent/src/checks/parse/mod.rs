//! From a check's output to diagnostics. The output alone decides which formats are in it, so that `make test` is read as
//! well as the tool behind it.
//!
//! Messages carry no line numbers of their own and no addresses: a diagnostic must look the same after unrelated lines
//! moved, or the comparison with the baseline would call it new.

pub(super) mod cargo_json;
pub(super) mod counts;
mod doctest;
mod eslint;
mod generic;
mod go;
mod jest;
mod jvm;
mod libtest;
mod pytest;
mod rustc;
mod settle;
mod traceback;
mod tsc;
mod unittest;
mod vitest;

use std::collections::HashSet;

use ox_protocol::{Check, Diagnostic};
use ox_repo::Tree;
use settle::Settle;

/// The most diagnostics of one check.
const MOST: usize = 1_000;
/// The most bytes of one message.
const MESSAGE: usize = 2_000;

/// One reader each; a reader finds nothing in what is not its format.
const READERS: [fn(&str) -> Vec<Diagnostic>; 12] = [
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

/// Everything that the readers find. What only looks like `file:line: message` counts where nothing better was found.
fn read(output: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = READERS.iter().flat_map(|it| it(output)).collect();
    if found.is_empty() {
        found = generic::read(output);
    }
    if found.is_empty() {
        found = traceback::read(output);
    }
    for diagnostic in &mut found {
        diagnostic.message = tidy(&diagnostic.message);
    }
    found
}

/// `output` without terminal escapes and carriage returns.
pub(super) fn plain(output: &str) -> String {
    let mut out = String::with_capacity(output.len());
    let mut chars = output.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => skip_escape(&mut chars),
            '\r' | '\u{8}' => {}
            other => out.push(other),
        }
    }
    out
}

fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        // Parameters, then one final letter.
        Some('[') => drop(chars.find(|it| ('@'..='~').contains(it))),
        // A title or a link, up to a bell or another escape.
        Some(']') => {
            let end = chars.find(|it| matches!(it, '\u{7}' | '\u{1b}'));
            let _ = chars.next_if(|it| end == Some('\u{1b}') && *it == '\\');
        }
        _ => {}
    }
}

/// Trims, masks addresses, and cuts what is too long.
fn tidy(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message.trim();
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        out.push_str(&rest[..at + 2]);
        // Short ones are numbers that somebody wrote.
        out.push_str(if digits >= 8 { "…" } else { &rest[at + 2..at + 2 + digits] });
        rest = &rest[at + 2 + digits..];
    }
    out.push_str(rest);
    if out.len() > MESSAGE {
        let end = (0..=MESSAGE).rev().find(|it| out.is_char_boundary(*it)).unwrap_or(0);
        out.truncate(end);
        out.push('…');
    }
    out
}

/// Splits `path:line:column` or `path:line`, as a prefix of `text` when more follows after a colon.
fn place(text: &str) -> Option<(&str, u32, u32, &str)> {
    let mut from = 0;
    loop {
        let colon = from + text[from..].find(':')?;
        let (path, after) = (&text[..colon], &text[colon + 1..]);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let ends = after[digits..].is_empty() || after[digits..].starts_with(':') || after[digits..].starts_with(' ');
        if digits > 0 && ends && !path.is_empty() {
            let line = after[..digits].parse().ok()?;
            let rest = after[digits..].strip_prefix(':').unwrap_or(&after[digits..]);
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let next = &rest[digits..];
            let is_column = digits > 0 && (next.is_empty() || next.starts_with([':', ' ']));
            return match is_column.then(|| rest[..digits].parse().ok()).flatten() {
                Some(column) => Some((path, line, column, next.strip_prefix(':').unwrap_or(next))),
                None => Some((path, line, 0, rest)),
            };
        }
        from = colon + 1;
    }
}

fn diagnostic(file: &str, line: u32, column: u32, code: &str, message: &str) -> Diagnostic {
    Diagnostic { file: file.to_owned(), line, column, code: code.to_owned(), message: message.trim().to_owned() }
}

#[cfg(test)]
mod tests;
