//! Names in a text: what is written like code, and the parts that a name is made of.

use std::sync::LazyLock;

use regex::Regex;

use crate::search::subwords;

/// A stretch of a line without blanks inside, or a quoted sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece<'a> {
    pub text: &'a str,
    /// It stands between backticks.
    pub ticked: bool,
    /// A parenthesis or exclamation mark follows, as behind a function or macro.
    pub called: bool,
    /// A sentence in quotes of which the words come as pieces of their own.
    pub quote: bool,
}

/// The pieces of a line, in order.
pub(super) fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    for (at, part) in line.split('`').enumerate() {
        let ticked = at % 2 == 1;
        found.extend(quoted(part).map(|text| Piece { text, ticked, called: false, quote: true }));
        if ticked && part.split_whitespace().count() >= 3 {
            found.push(Piece { text: part, ticked, called: false, quote: true });
        }
        let mut from = None;
        for (place, it) in part.char_indices().chain([(part.len(), ' ')]) {
            let inside = it.is_alphanumeric() || matches!(it, '_' | '$' | ':' | '.' | '#' | '-' | '>' | '/' | '\\');
            match (from, inside) {
                (None, true) => from = Some(place),
                (Some(start), false) => {
                    let rest = &part[place..];
                    let called = rest.starts_with('(') || rest.starts_with("!(") || rest.starts_with('<');
                    found.push(Piece { text: &part[start..place], ticked, called, quote: false });
                    from = None;
                }
                _ => {}
            }
        }
    }
    found
}

/// What stands between double quotes and is a sentence.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2).filter(|it| {
        let words = it.split_whitespace().count();
        (2..40).contains(&words) && it.chars().filter(|it| it.is_alphabetic()).count() * 2 > it.len()
    })
}

/// What an error says, behind its kind: `ValueError: no such thing`, `error: ...`, `panicked at '...'`.
pub(super) fn said(line: &str) -> Option<&str> {
    static SAID: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:\b[\w.$]*(?:Error|Exception|Warning|Failure)|^\W*(?i:error(?:\[\w+\])?|fatal|panic|warning)): (?P<said>.+)$|panicked at '(?P<panic>[^']+)'")
            .expect("the expression is tested")
    });
    let found = SAID.captures(line)?;
    let said = found.name("said").or_else(|| found.name("panic"))?.as_str();
    (said.split_whitespace().count() >= 2 && said.len() < 400).then_some(said)
}

/// The names that a line of Python imports from a module, and that module.
pub(super) fn bound(line: &str) -> Vec<(&str, &str)> {
    static FROM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\W*(?:In \[\d+\]: )?from\s+([\w.]+)\s+import\s+\(?([\w, ]+)").expect("the expression is tested")
    });
    let Some((_, [module, names])) = FROM.captures(line).map(|it| it.extract()) else { return Vec::new() };
    let all = names.split(',').filter_map(|it| it.split_whitespace().next());
    all.map(|it| (it, module)).collect()
}

/// The identifiers of a piece, as they are written.
pub(crate) fn words(piece: &str) -> impl Iterator<Item = &str> {
    piece.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| it.chars().any(char::is_alphabetic))
}

/// The parts of an identifier in lower case: `readLine2` is `read`, `line`; digits are no part.
pub(crate) fn parts(word: &str) -> Vec<String> {
    let runs = word.split(|it: char| !it.is_alphabetic());
    runs.flat_map(subwords).map(str::to_lowercase).filter(|it| it.chars().nth(1).is_some()).collect()
}

/// The name that a piece is, if it looks like code: what stands before, and its last part.
pub(super) fn name(piece: &str, called: bool, codelike: bool) -> Option<(Vec<String>, String)> {
    let piece = piece.trim_matches(|it: char| !it.is_alphanumeric() && it != '_' && it != '$');
    if piece.contains(['/', '\\']) || piece.len() > 160 {
        return None;
    }
    let flag = piece.contains('-') && !piece.contains("->");
    let joined = piece.replace("::", ".").replace("->", ".").replace(['#', ':', '$'], ".");
    let parts: Vec<&str> = joined.split(['.', '-', '>']).filter(|it| !it.is_empty()).collect();
    let last = *parts.last()?;
    let is_word = |it: &str| {
        it.chars().all(|it| it.is_alphanumeric() || it == '_') && !it.starts_with(|it: char| it.is_numeric())
    };
    if flag || !parts.iter().all(|it| is_word(it)) || last.chars().count() < 2 {
        return None;
    }
    let qualified = parts.len() > 1 && !is_sentence_end(&parts) && !is_host(&parts);
    if !(qualified || called || codelike || is_shaped(last)) {
        return None;
    }
    let before =
        if qualified { parts[..parts.len() - 1].iter().map(|it| (*it).to_owned()).collect() } else { Vec::new() };
    Some((before, last.to_owned()))
}

/// True for `camelCase`, `snake_case`, `SHOUTED_CASE` and `TypeName`.
pub(super) fn is_shaped(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let turns = inner.as_bytes().windows(2).any(|it| it[0].is_ascii_lowercase() && it[1].is_ascii_uppercase());
    let joined = inner.contains('_');
    let typed = inner.len() > 3
        && inner
            .as_bytes()
            .windows(3)
            .any(|it| it[0].is_ascii_uppercase() && it[1].is_ascii_uppercase() && it[2].is_ascii_lowercase());
    turns || joined || typed
}

/// True for two words around a missing blank, as in `end.Next`.
fn is_sentence_end(parts: &[&str]) -> bool {
    matches!(parts, [first, last] if last.starts_with(char::is_uppercase) && last.len() > 1
        && last[1..].chars().all(char::is_lowercase) && first.chars().all(char::is_lowercase) && super::stop::is_common(&last.to_lowercase()))
}

fn is_host(parts: &[&str]) -> bool {
    parts.last().is_some_and(|it| ["com", "org", "io", "net", "dev"].contains(it))
        || ["i.e", "e.g"].contains(&parts.join(".").as_str())
}
