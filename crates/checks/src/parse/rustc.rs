//! The Rust compiler's output as a person sees it, for checks that do not ask for JSON.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// The errors. Warnings are not what a check failed for.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    (0..lines.len()).filter_map(|at| error(&lines[at..])).collect()
}

fn error(lines: &[&str]) -> Option<Diagnostic> {
    let (head, rest) = lines.split_first()?;
    let (code, message) = match head.strip_prefix("error[") {
        Some(coded) => coded.split_once("]: ")?,
        None => ("", head.strip_prefix("error: ")?),
    };
    let arrow = rest.iter().take(3).position(|it| it.trim_start().starts_with("--> "))?;
    let (file, line, column, _) = place(rest[arrow].trim_start().strip_prefix("--> ")?)?;
    let mut text = message.to_owned();
    let body = rest[arrow + 1..]
        .iter()
        .take_while(|it| !it.is_empty() && !it.starts_with("error") && !it.starts_with("warning"));
    for line in body {
        if let Some(words) = spoken(line) {
            text.push('\n');
            text.push_str(words);
        }
    }
    Some(diagnostic(file, line, column, code, &text))
}

/// The words of a line of the drawing: what stands after the carets, or a note.
fn spoken(line: &str) -> Option<&str> {
    let trimmed = line.trim();
    if let Some(note) = trimmed.strip_prefix("= ") {
        return (!note.contains("for further information")).then_some(note);
    }
    if trimmed.starts_with("help: ") || trimmed.starts_with("note: ") {
        return Some(trimmed);
    }
    let (number, drawing) = trimmed.split_once('|')?;
    let label = drawing.rsplit_once('^')?.1.trim();
    (number.trim().is_empty() && !label.is_empty()).then_some(label)
}
