//! ESLint's default format: a path, and beneath it indented lines of `line:column  error  message  rule`.

use std::sync::LazyLock;

use ox_protocol::Diagnostic;
use regex::Regex;

use super::line::{diagnostic, regex};

/// The errors; warnings do not fail a run by themselves.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut file = "";
    let mut found = Vec::new();
    for line in lines.iter().copied() {
        if line.is_empty() {
            file = "";
        } else if !line.starts_with(' ') {
            file = line;
        } else if !file.is_empty() {
            found.extend(error(file, line.trim()));
        }
    }
    found
}

/// The rule stands apart; a parsing error has none.
fn error(file: &str, line: &str) -> Option<Diagnostic> {
    static ERROR: LazyLock<Regex> = LazyLock::new(|| regex(r"^(\d+):(\d+) +error  +(.+?)(?:  +(\S+))?$"));
    let found = ERROR.captures(line)?;
    let rule = found.get(4).map_or("", |it| it.as_str());
    Some(diagnostic(file, found[1].parse().ok()?, found[2].parse().ok()?, rule, &found[3]))
}
