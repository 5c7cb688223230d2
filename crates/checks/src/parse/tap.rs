//! Tests that Node's own runner tells of: as TAP with a block of YAML beneath each failure, or as a list at the end.

use ox_protocol::Diagnostic;

use super::line::{bare_frame, diagnostic, frame, place};

/// The failures. One whose parts failed says nothing itself.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let blocks = (0..lines.len()).filter_map(|at| block(&lines[at..]));
    blocks.chain(listed(lines)).collect()
}

fn block(lines: &[&str]) -> Option<Diagnostic> {
    let name = lines[0].trim_start().strip_prefix("not ok ")?;
    let name = name.split_once(" - ").map_or(name, |it| it.1);
    if lines.get(1)?.trim() != "---" {
        return None;
    }
    let body: Vec<&str> = lines[2..].iter().map(|it| it.trim()).take_while(|it| *it != "...").collect();
    let value = |key: &str| {
        let at = body.iter().position(|it| it.split_once(':').is_some_and(|it| it.0 == key))?;
        Some((at, body[at].split_once(':')?.1.trim().trim_matches('\'')))
    };
    if value("failureType").is_some_and(|it| it.1 == "subtestsFailed") {
        return None;
    }
    let (at, error) = value("error")?;
    // A text of several lines goes on until the next key.
    let is_key =
        |it: &&&str| ["code", "name", "stack", "expected"].iter().any(|key| it.starts_with(&format!("{key}:")));
    let message = match error {
        "|-" => body[at + 1..]
            .iter()
            .take_while(|it| !is_key(it))
            .filter(|it| !it.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join("\n"),
        one => one.to_owned(),
    };
    let stack = value("stack").map_or(&[][..], |it| &body[it.0 + 1..]);
    let own = stack.iter().find_map(|it| bare_frame(it));
    let location = value("location").and_then(|it| place(it.1)).map(|it| (it.0, it.1, it.2));
    let (file, line, column) = own.or(location).unwrap_or(("", 0, 0));
    Some(diagnostic(file, line, column, name, &message))
}

/// `✖ failing tests:`, and beneath it `test at file:line:column`, `✖ name (1ms)`, and the error with its frames.
fn listed(lines: &[&str]) -> Vec<Diagnostic> {
    let Some(start) = lines.iter().position(|it| *it == "✖ failing tests:") else { return Vec::new() };
    let lines = &lines[start + 1..];
    let heads: Vec<usize> = (0..lines.len()).filter(|it| lines[*it].starts_with("test at ")).collect();
    let ends = heads.iter().skip(1).copied().chain([lines.len()]);
    let failure = |(at, end): (&usize, usize)| {
        let (file, line, column, _) = place(lines[*at].strip_prefix("test at ")?)?;
        let name = lines.get(at + 1)?.strip_prefix("✖ ")?;
        let name = name.rsplit_once(" (").map_or(name, |it| it.0);
        let body = &lines[(at + 2).min(end)..end];
        let own = body.iter().find_map(|it| frame(it)).unwrap_or((file, line, column));
        let words = body.iter().map(|it| it.trim()).take_while(|it| !it.starts_with("at ")).filter(|it| !it.is_empty());
        Some(diagnostic(own.0, own.1, own.2, name, &words.collect::<Vec<_>>().join("\n")))
    };
    heads.iter().zip(ends).filter_map(failure).collect()
}
