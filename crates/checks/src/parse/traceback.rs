//! A Python program that ended with an exception.

use ox_protocol::Diagnostic;

use super::line::diagnostic;

/// The exceptions that were printed with a traceback.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let starts = lines.iter().enumerate().filter(|(_, it)| it.starts_with("Traceback (most recent call last):"));
    starts
        .filter_map(|(at, _)| reported(&lines[at + 1..]))
        .map(|(file, line, said)| diagnostic(file, line, 0, "", &said))
        .collect()
}

/// Place and words of the traceback whose frames start at `lines`.
pub(super) fn reported<'a>(lines: &[&'a str]) -> Option<(&'a str, u32, String)> {
    let frames = lines.iter().take_while(|it| it.starts_with(' ') || it.is_empty());
    let own = |it: &&(&str, u32)| {
        !it.0.contains("/lib/python") && !it.0.contains("/site-packages/") && !it.0.starts_with('<')
    };
    let places: Vec<(&str, u32)> = frames.clone().filter_map(|it| frame(it.trim())).collect();
    let (file, line) = places.iter().rev().find(own).or(places.last()).copied()?;
    let said: Vec<&str> = lines[frames.count()..].iter().take_while(|it| !it.is_empty()).copied().collect();
    Some((file, line, said.join("\n")))
}

/// The place in `File "path", line 3, in name`.
pub(super) fn frame(line: &str) -> Option<(&str, u32)> {
    let (path, rest) = line.trim().strip_prefix("File \"")?.split_once("\", line ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((path, rest[..digits].parse().ok()?))
}
