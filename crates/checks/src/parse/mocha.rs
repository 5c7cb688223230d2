//! Mocha: the numbered failures at the end, each with its titles, its error and the first place in the project's own code.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, frame};

/// The failures.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let Some(start) = lines.iter().position(|it| is_sum(it)) else { return Vec::new() };
    let lines = &lines[start..];
    let heads: Vec<usize> = (0..lines.len()).filter(|it| title(lines[*it]).is_some()).collect();
    let ends = heads.iter().skip(1).copied().chain([lines.len()]);
    heads.iter().zip(ends).map(|(at, end)| failure(&lines[*at..end])).collect()
}

fn is_sum(line: &str) -> bool {
    line.trim().strip_suffix(" failing").is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
}

/// The outermost title behind a number: `  1) math`.
fn title(line: &str) -> Option<&str> {
    let (number, title) = line.strip_prefix("  ")?.split_once(") ")?;
    (!number.is_empty() && number.bytes().all(|it| it.is_ascii_digit())).then_some(title)
}

fn failure(lines: &[&str]) -> Diagnostic {
    // Titles grow deeper line by line, the last one ends in a colon.
    let end = lines.iter().position(|it| it.ends_with(':')).unwrap_or(0);
    let titles = std::iter::once(title(lines[0]).unwrap_or_default()).chain(lines[1..=end].iter().map(|it| it.trim()));
    let name = titles.collect::<Vec<_>>().join(" > ");
    let body = &lines[end + 1..];
    let words = body.iter().map(|it| it.trim()).take_while(|it| !it.starts_with("at ") && *it != "+ expected - actual");
    let words: Vec<&str> = words.filter(|it| !it.is_empty()).collect();
    let (file, line, column) = body.iter().find_map(|it| frame(it)).or_else(|| named(&words)).unwrap_or(("", 0, 0));
    diagnostic(file, line, column, name.trim_end_matches(':'), &words.join("\n"))
}

/// A test that took too long has its file at the end of its message, in parentheses.
fn named<'a>(words: &[&'a str]) -> Option<(&'a str, u32, u32)> {
    let file = words.iter().find_map(|it| it.strip_suffix(')')?.rsplit_once('(').map(|it| it.1))?;
    (file.contains('/') && !file.contains(' ')).then_some((file, 0, 0))
}
