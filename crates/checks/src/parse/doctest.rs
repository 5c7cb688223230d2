//! Examples in docstrings that do not give what they say: Python's own `doctest`, alone or under `unittest`.
//!
//! A message holds the example, what was expected and what came; where an exception came, its last line only, since
//! the frames carry line numbers.

use ox_protocol::Diagnostic;

use super::line::diagnostic;
use super::traceback;

/// The examples that failed.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let heads =
        lines.windows(2).enumerate().filter(|(_, it)| it[0].starts_with("File \"") && it[1] == "Failed example:");
    heads.filter_map(|(at, it)| failure(it[0], &lines[at + 2..])).collect()
}

fn failure(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let (file, line) = traceback::frame(head)?;
    let name = head.rsplit_once(", in ").map_or("", |it| it.1);
    let inside = |it: &&&str| {
        it.is_empty()
            || it.starts_with(' ')
            || matches!(**it, "Expected:" | "Expected nothing" | "Got:" | "Got nothing" | "Exception raised:")
    };
    let body: Vec<&str> = rest.iter().take_while(inside).copied().collect();
    Some(diagnostic(file, line, 0, name, &reported(&body)))
}

/// The body without the frames of an exception.
fn reported(body: &[&str]) -> String {
    let shown = match body.iter().position(|it| *it == "Exception raised:") {
        Some(at) => {
            [&body[..=at], &body[at + 1..].iter().rfind(|it| !it.is_empty()).map_or(vec![], |it| vec![*it])].concat()
        }
        None => body.to_vec(),
    };
    shown.join("\n")
}
