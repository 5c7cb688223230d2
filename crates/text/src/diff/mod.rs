//! Unified diffs: numbered, in the colours of their language, with what changed within a line.
//!
//! Promise: what is shown of a line is all of it. Long lines are wrapped beside their numbers, and what a terminal would
//! obey, hide or reorder is shown by name.

pub mod data;
mod hunks;
mod parts;

use std::ops::Range;

use ox_syntax::{Classes, highlighter_of_file};

use crate::{Ground, Line, Role, Span, visible};
use hunks::{Kind, Row};

/// The role of one line of a unified diff.
pub fn role(line: &str) -> Role {
    match line.as_bytes().first() {
        _ if line.starts_with("+++") || line.starts_with("---") => Role::Dim,
        Some(b'+') => Role::Added,
        Some(b'-') => Role::Removed,
        Some(b'@') => Role::Hunk,
        _ => Role::Dim,
    }
}

/// A diff as lines, at most `limit` of them; the second value is the number left out. Its language is that of the file
/// which its headers name.
pub fn lines(diff: &str, limit: usize) -> (Vec<Line>, usize) {
    lines_of_file(hunks::path(diff), diff, limit)
}

/// The same for a diff of the file at `path`.
pub fn lines_of_file(path: Option<&str>, diff: &str, limit: usize) -> (Vec<Line>, usize) {
    let diff = visible(&with_line_ends(diff));
    let all = hunks::rows(&diff);
    let rows = &all[..all.len().min(limit)];
    let digits = rows.iter().map(|it| it.number).max().unwrap_or(0).to_string().len();
    let classes = classes(path, rows);
    let changed = changed(rows);
    let shown = rows.iter().zip(classes.iter().zip(&changed));
    (shown.map(|(row, (classes, parts))| line(row, classes.as_ref(), parts, digits)).collect(), all.len() - rows.len())
}

/// The 1-based line where the first hunk begins in the new file.
pub fn first_line(diff: &str) -> Option<u64> {
    let hunk = diff.lines().find(|line| line.starts_with("@@"))?;
    let plus = hunk.split('+').nth(1)?;
    let digits: String = plus.chars().take_while(char::is_ascii_digit).collect();
    let start: u64 = digits.parse().ok()?;
    // The hunk begins with context; the change itself is what the reader looks for.
    let context = diff.lines().skip_while(|line| !line.starts_with("@@")).skip(1);
    Some(start + context.take_while(|line| line.starts_with(' ')).count() as u64)
}

/// The diff with its carriage returns made visible where only some of its lines end with one: that is a change, too.
fn with_line_ends(diff: &str) -> String {
    let lines = diff.split('\n').skip_while(|it| !it.starts_with("@@")).filter(|it| it.starts_with([' ', '+', '-']));
    let mut ends = lines.map(|it| it.ends_with('\r'));
    let first = ends.next();
    let mixed = ends.any(|it| Some(it) != first);
    if mixed { diff.replace("\r\n", "␍\n") } else { diff.to_string() }
}

fn line(row: &Row<'_>, classes: Option<&Classes>, parts: &[Range<usize>], digits: usize) -> Line {
    let (sign, grounds, role) = match row.kind {
        Kind::Context => (" ", [Ground::Plain; 2], Role::Dim),
        Kind::Removed => ("-", [Ground::Removed, Ground::RemovedPart], Role::Plain),
        Kind::Added => ("+", [Ground::Added, Ground::AddedPart], Role::Plain),
        Kind::Gap => return Line::of(&format!("{:>width$} ", "⋮", width = INDENT + digits), Role::Dim),
        Kind::Note => return Line::of(row.text, Role::Dim).indented(INDENT + digits + 1, 2),
    };
    let ground = |text: &str, role: Role, ground: Ground| Span { ground, ..Span::new(text, role) };
    let number = if row.number > 0 { row.number.to_string() } else { String::new() };
    let number = format!("{number:>width$} ", width = INDENT + digits);
    let mut line = Line {
        lead: vec![Span::new(&number, Role::Dim), ground(&format!("{sign} "), Role::Plain, grounds[0])],
        follow: vec![Span::new(&" ".repeat(number.len()), Role::Plain), ground("  ", Role::Plain, grounds[0])],
        spans: Vec::new(),
    };
    // What each byte is, and whether it changed within the line.
    let plain = if classes.is_some() { Role::Plain } else { role };
    let mut looks = vec![(plain, grounds[0]); row.text.len()];
    for (range, class) in classes.into_iter().flatten() {
        looks[range.clone()].iter_mut().for_each(|it| it.0 = Role::Syntax(*class));
    }
    for range in parts {
        looks[range.clone()].iter_mut().for_each(|it| it.1 = grounds[1]);
    }
    let mut at = 0;
    for run in looks.chunk_by(|a, b| a == b) {
        let (role, on) = run[0];
        line.spans.extend(row.text.get(at..at + run.len()).map(|text| ground(text, role, on)));
        at += run.len();
    }
    line
}

/// Columns in front of the numbers.
const INDENT: usize = 4;

/// The classes of each row, read hunk by hunk in the old and in the new file; none where the language is not known.
fn classes(path: Option<&str>, rows: &[Row<'_>]) -> Vec<Option<Classes>> {
    let mut out = vec![None; rows.len()];
    for side in [Kind::Removed, Kind::Added] {
        let mut from = 0;
        for hunk in rows.split(|it| it.kind == Kind::Gap) {
            let own = |row: &Row<'_>| row.kind == side || row.kind == Kind::Context;
            let places: Vec<usize> = (0..hunk.len()).filter(|at| own(&hunk[*at])).collect();
            let text: String = places.iter().map(|at| format!("{}\n", hunk[*at].text)).collect();
            if let Some(reader) = path.and_then(highlighter_of_file) {
                for (place, classes) in places.iter().zip(reader.lines(&text)) {
                    out[from + place] = Some(classes);
                }
            }
            from += hunk.len() + 1;
        }
    }
    out
}

/// What changed within each row: removed lines are compared with the added ones behind them, one by one.
fn changed(rows: &[Row<'_>]) -> Vec<parts::Places> {
    let mut out = vec![Vec::new(); rows.len()];
    let mut at = 0;
    while at < rows.len() {
        let run = |from: usize, kind: Kind| rows[from..].iter().take_while(|it| it.kind == kind).count();
        let removed = run(at, Kind::Removed);
        let added = run(at + removed, Kind::Added);
        for index in 0..removed.min(added) {
            let (old, new) = (at + index, at + removed + index);
            if let Some((gone, fresh)) = parts::changed(rows[old].text, rows[new].text) {
                (out[old], out[new]) = (gone, fresh);
            }
        }
        at += (removed + added).max(1);
    }
    out
}

#[cfg(test)]
mod tests;
