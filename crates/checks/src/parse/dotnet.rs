//! .NET: errors of the compilers as MSBuild prints them, and failing tests.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use ox_protocol::Diagnostic;
use regex::Regex;

use super::line::{diagnostic, regex};

/// Lines that one failing test may take.
const LINES: usize = 60;

/// `file(line,column): error CS0103: message [project]`, and `  Failed Name [1 ms]` with message and stack.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    static ERROR: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^ *(?:(.+?)\((\d+),(\d+)\)|(\S.*?)) ?: error ([A-Z]+\d+): (.*?)(?: \[[^\]]+\])?$"));
    // What is built for several targets is complained about for each.
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.contains("error ")
            && let Some(it) = ERROR.captures(line).filter(|it| !it[5].starts_with("TS"))
        {
            let number = |at: usize| it.get(at).and_then(|it| it.as_str().parse().ok()).unwrap_or(0);
            let file = it.get(1).or(it.get(4)).map_or("", |it| it.as_str());
            if seen.insert((file.to_owned(), number(2), number(3), it[6].to_owned())) {
                found.push(diagnostic(file, number(2), number(3), &it[5], &it[6]));
            }
        }
        found.extend(failed(line, &lines[at + 1..]));
    }
    found
}

fn failed(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let name = head.strip_prefix("  Failed ")?.rsplit_once(" [")?.0;
    let start = rest.iter().take(4).position(|it| it.trim() == "Error Message:")?;
    let body = || {
        rest[start + 1..]
            .iter()
            .take(LINES)
            .take_while(|it| !it.starts_with("  Failed ") && !it.starts_with("  Passed "))
    };
    let message: Vec<&str> =
        body().map(|it| it.trim()).take_while(|it| *it != "Stack Trace:").filter(|it| !it.is_empty()).collect();
    let at = body().filter_map(|it| it.rsplit_once(" in ")?.1.rsplit_once(":line ")).next();
    let (file, line) = at.map_or(("", 0), |(file, line)| (file, line.parse().unwrap_or(0)));
    Some(diagnostic(file, line, 0, name, &message.join("\n")))
}
