//! Elixir: failing tests of ExUnit, and errors of the compiler.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// The failures and errors.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let each = (0..lines.len()).filter_map(|at| test(lines[at], &lines[at + 1..]).or_else(|| compile(&lines[at..])));
    each.collect()
}

/// `  1) test math adds (ExTest)`, its place, the message, and after `stacktrace:` the frames.
fn test(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let (number, name) = head.trim_start().split_once(") test ").filter(|_| head.starts_with("  "))?;
    let at = place(rest.first()?.trim()).filter(|it| it.0.ends_with(".exs"))?;
    if !number.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let (name, module) = name.rsplit_once(" (").map_or((name, ""), |it| (it.0, it.1.trim_end_matches(')')));
    let body: Vec<&str> = rest[1..].iter().take_while(|it| !it.is_empty()).map(|it| it.trim()).collect();
    let end = body.iter().position(|it| *it == "stacktrace:").unwrap_or(body.len());
    // Frames within a library have its name and version in front.
    let frames = body[end..].iter().filter_map(|it| place(it.rsplit_once(") ").map_or(*it, |it| it.1)));
    let own = frames.filter(|it| it.0.ends_with(".ex") || it.0.ends_with(".exs")).find(|it| !it.0.contains("deps/"));
    let (file, line) = own.map_or((at.0, at.1), |it| (it.0, it.1));
    Some(diagnostic(file, line, 0, &format!("{module} {name}"), &body[..end].join("\n")))
}

/// `** (CompileError) lib/a.ex:2: message`, and since 1.15 `error: message` with ` └─ lib/a.ex:2:18: Mod.f/1` beneath.
fn compile(lines: &[&str]) -> Option<Diagnostic> {
    let (head, rest) = lines.split_first()?;
    if let Some((error, said)) = head.strip_prefix("** (").and_then(|it| it.split_once(") ")) {
        let (file, line, column, message) = place(said).filter(|it| it.0.ends_with(".ex") || it.0.ends_with(".exs"))?;
        return Some(diagnostic(file, line, column, error, message));
    }
    let message = head.trim_start().strip_prefix("error: ")?;
    let at = rest.iter().take(8).take_while(|it| !it.is_empty()).find_map(|it| it.trim_start().strip_prefix("└─ "))?;
    let (file, line, column, _) = place(at)?;
    Some(diagnostic(file, line, column, "", message))
}
