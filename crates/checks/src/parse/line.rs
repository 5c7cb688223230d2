//! What several readers of check output share: places in files, regular expressions, diagnostics.

use std::sync::LazyLock;

use ox_protocol::Diagnostic;
use regex::Regex;

/// Splits `path:line:column` or `path:line`, as a prefix of `text` when more follows after a colon.
pub(super) fn place(text: &str) -> Option<(&str, u32, u32, &str)> {
    static PLACE: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(?<path>.+?):(?<line>\d+)(?::(?<column>\d+))?(?<rest>$|[: ].*)"));
    // Most lines have no place, and this is asked of every one.
    if !text.as_bytes().windows(2).any(|it| it[0] == b':' && it[1].is_ascii_digit()) {
        return None;
    }
    let found = PLACE.captures(text)?;
    let group = |name: &str| found.name(name).map_or("", |it| it.as_str());
    let rest = group("rest");
    let column = group("column").parse().unwrap_or(0);
    Some((group("path"), group("line").parse().ok()?, column, rest.strip_prefix(':').unwrap_or(rest)))
}

/// The place in a frame of JavaScript, `at name (file:line:column)` or `at file:line:column`, of the project's own code.
pub(super) fn frame(text: &str) -> Option<(&str, u32, u32)> {
    bare_frame(text.trim().strip_prefix("at ")?)
}

/// The same without the word in front.
pub(super) fn bare_frame(text: &str) -> Option<(&str, u32, u32)> {
    let inner = text.rsplit_once('(').map_or(text, |it| it.1.trim_end_matches(')'));
    let (file, line, column, _) = place(inner.trim_start_matches("async "))?;
    let file = file.strip_prefix("file://").unwrap_or(file);
    let own =
        !file.contains(' ') && !file.contains("node_modules") && !file.contains("node:") && !file.contains("ext:");
    own.then_some((file, line, column))
}

/// One of the expressions of this module.
pub(super) fn regex(text: &str) -> Regex {
    Regex::new(text).expect("the samples try every expression")
}

/// A diagnostic with its message trimmed.
pub(super) fn diagnostic(file: &str, line: u32, column: u32, code: &str, message: &str) -> Diagnostic {
    Diagnostic { file: file.to_owned(), line, column, code: code.to_owned(), message: message.trim().to_owned() }
}
