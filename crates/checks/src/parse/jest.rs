//! Jest: failing tests and suites, each with its message and the first place in the project's own code.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};
use super::vitest::squeezed;

/// The failures.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut file = "";
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(path) = line.strip_prefix("FAIL ") {
            file = path.trim().split(" (").next().unwrap_or(path);
        }
        let Some(title) = line.strip_prefix("  ● ") else { continue };
        if file.is_empty() || title == "Console" || title.starts_with("Cannot log") {
            continue;
        }
        let body: Vec<&str> = lines[at + 1..].iter().take_while(|it| !is_end(it)).copied().collect();
        found.push(failure(file, title, &body));
    }
    found
}

fn is_end(line: &str) -> bool {
    ["  ● ", "FAIL ", "PASS ", "Test Suites: ", "Summary of all"].iter().any(|it| line.starts_with(it))
}

fn failure(path: &str, title: &str, body: &[&str]) -> Diagnostic {
    let suite = title == "Test suite failed to run";
    // The words about configuration that precede a syntax error are the same for every one.
    let from = if suite { body.iter().position(|it| it.trim() == "Details:").map_or(0, |it| it + 1) } else { 0 };
    let words = body[from..].iter().map(|it| it.trim()).take_while(|it| !is_frame(it) && !it.starts_with("at "));
    let frames = || body.iter().filter_map(|it| it.trim().strip_prefix("at ")).filter_map(at);
    let main = frames().find(|it| it.0 == path).or_else(|| frames().find(|it| !it.0.contains("node_modules")));
    let words = squeezed(words);
    let (words, stated) = if suite { stated(&words) } else { (words.as_str(), None) };
    let (file, line, column) = stated.map(|(line, column)| (path, line, column)).or(main).unwrap_or((path, 0, 0));
    diagnostic(file, line, column, if suite { "" } else { title }, words)
}

/// A syntax error ends in its place: `… Unexpected token (1:21)`.
fn stated(words: &str) -> (&str, Option<(u32, u32)>) {
    let split = words.strip_suffix(')').and_then(|it| it.rsplit_once(" ("));
    let at = split
        .and_then(|(_, at)| at.split_once(':'))
        .and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
    match (split, at) {
        (Some((words, _)), Some(at)) => (words, Some(at)),
        _ => (words, None),
    }
}

/// A line of the drawn source, such as `> 3 | code` or `2 | code`.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start_matches("> ");
    line.split_once(" |").is_some_and(|(number, _)| number.bytes().all(|it| it.is_ascii_digit()))
}

/// The place in `name (file:line:column)` or `file:line:column`.
fn at(text: &str) -> Option<(&str, u32, u32)> {
    let inner = text.rsplit_once('(').map_or(text, |it| it.1.trim_end_matches(')'));
    let (file, line, column, _) = place(inner)?;
    (!file.contains(' ') && !file.starts_with("node:")).then_some((file, line, column))
}
