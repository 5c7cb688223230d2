//! ESLint's default format: a path, and beneath it indented lines of `line:column  error  message  rule`.

use ox_protocol::Diagnostic;

use super::diagnostic;

/// The errors; warnings do not fail a run by themselves.
pub(super) fn read(output: &str) -> Vec<Diagnostic> {
    let mut file = "";
    let mut found = Vec::new();
    for line in output.lines() {
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

fn error(file: &str, line: &str) -> Option<Diagnostic> {
    let (at, rest) = line.split_once(' ')?;
    let (row, column) = at.split_once(':')?;
    let said = rest.trim_start().strip_prefix("error")?.strip_prefix("  ")?.trim();
    // The rule stands apart; a parsing error has none.
    let (message, rule) = match said.rsplit_once("  ") {
        Some((message, rule)) if !rule.contains(' ') => (message, rule),
        _ => (said, ""),
    };
    Some(diagnostic(file, row.parse().ok()?, column.parse().ok()?, rule, message))
}
