//! Biome: `file:line:column rule ━━━`, and beneath it the message behind a `×`; a warning has a `!` and fails nothing.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// The errors.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    (0..lines.len()).filter_map(|at| error(&lines[at..])).collect()
}

fn error(lines: &[&str]) -> Option<Diagnostic> {
    let head = lines[0].strip_suffix('━')?.trim_end_matches('━').trim_end();
    let (at, rule) = head.split_once(' ')?;
    let (file, line, column) = place(at).map_or((at, 0, 0), |it| (it.0, it.1, it.2));
    let message = lines[1..].iter().take_while(|it| !it.ends_with('━')).find_map(|it| it.strip_prefix("  × "))?;
    let rule = rule.split_whitespace().next().unwrap_or_default();
    Some(diagnostic(file, line, column, rule, message))
}
