//! The TypeScript compiler, plain or pretty.

use std::sync::LazyLock;

use ox_protocol::Diagnostic;
use regex::Regex;

use super::line::{diagnostic, regex};

/// `file(line,column): error TS1234: message`, or `file:line:column - error TS1234: message`.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    (0..lines.len()).filter_map(|at| error(&lines[at..])).collect()
}

fn error(lines: &[&str]) -> Option<Diagnostic> {
    static ERROR: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(?:(.+?)[(:](\d+)[,:](\d+)(?:\):| -) )?error (TS\d+): (.*)"));
    let (head, rest) = lines.split_first()?;
    let found = if head.contains("error TS") { ERROR.captures(head)? } else { return None };
    let number = |at: usize| found.get(at).and_then(|it| it.as_str().parse().ok()).unwrap_or(0);
    // What follows indented explains; in the pretty form an empty line ends it.
    let more = rest.iter().take_while(|it| it.starts_with("  ") && !it.contains("error TS")).take(6);
    let text = more.fold(found[5].to_owned(), |text, it| text + "\n" + it.trim_end());
    Some(diagnostic(found.get(1).map_or("", |it| it.as_str()), number(2), number(3), &found[4], &text))
}
