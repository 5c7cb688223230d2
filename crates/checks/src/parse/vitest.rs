//! Vitest: failed suites and tests, each with its error and the first place in the project's own code.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// The failures.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut heads: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match line.strip_prefix(" FAIL  ") {
            Some(head) => heads.push(head.trim()),
            // Tests that fail in the same way share one error beneath all their names.
            None if !heads.is_empty() => {
                let body: Vec<&str> = lines[at..].iter().take_while(|it| !is_end(it)).copied().collect();
                found.extend(heads.drain(..).map(|head| failure(head, &body)));
            }
            None => {}
        }
    }
    found
}

fn is_end(line: &str) -> bool {
    line.starts_with('⎯') || line.starts_with(" FAIL  ")
}

fn failure(head: &str, body: &[&str]) -> Diagnostic {
    // The name of a project of the workspace may come first.
    let head = match head.strip_prefix('|').and_then(|it| it.split_once("| ")) {
        Some((_, rest)) => rest.trim(),
        None => head,
    };
    let (path, test) = head.split_once(" > ").unwrap_or_else(|| (head.split(" [ ").next().unwrap_or(head), ""));
    let places = || body.iter().filter_map(|it| it.trim_start().strip_prefix("❯ ")).filter_map(at);
    let main = places().find(|it| it.0 == path).or_else(|| places().find(|it| !it.0.contains("node_modules")));
    let (file, line, column) = main.unwrap_or((path, 0, 0));
    let words = body.iter().take_while(|it| !it.trim_start().starts_with("❯ ") && !it.starts_with("Serialized Error"));
    diagnostic(file, line, column, test, &squeezed(words.copied()))
}

/// The place in `function file:line:column` or `file:line:column`.
fn at(text: &str) -> Option<(&str, u32, u32)> {
    let (file, line, column, _) = place(text)?;
    Some((file.rsplit(' ').next().unwrap_or(file), line, column))
}

/// Joins lines without the empty ones.
pub(super) fn squeezed<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.filter(|it| !it.trim().is_empty()).collect::<Vec<_>>().join("\n")
}
