//! Diagnostics as few lines as can be: the same complaint at several places once, long messages cut, all within a
//! number of bytes. What is left out is counted, never silently dropped.

use std::collections::HashMap;
use std::fmt::Write as _;

use ox_protocol::{CheckResult, Diagnostic};

/// The most bytes that one message takes.
const MESSAGE: usize = 700;
/// The most places that one complaint names.
const PLACES: usize = 5;

/// One complaint and everywhere it was made.
struct Group<'a> {
    first: &'a Diagnostic,
    places: Vec<String>,
}

/// The diagnostics of one check in at most about `budget` bytes; the end of its output where it has none.
///
/// Roots come first: what keeps code from being read or found, then what is said of the files `changed`, then the rest.
pub(super) fn listed(check: &CheckResult, diagnostics: &[&Diagnostic], changed: &[String], budget: usize) -> String {
    if diagnostics.is_empty() {
        return tail(&check.tail, budget);
    }
    let mut roots_first = diagnostics.to_vec();
    roots_first.sort_by_key(|it| depth(it, changed));
    let groups = grouped(&roots_first);
    let (mut text, mut shown) = (String::new(), 0);
    for group in &groups {
        let entry = group.text() + &group.source(check, budget.saturating_sub(text.len()));
        if shown > 0 && text.len() + entry.len() > budget {
            break;
        }
        text += &entry;
        shown += 1;
    }
    match groups.len() - shown {
        0 => {}
        more => drop(writeln!(text, "… {more} more")),
    }
    text
}

/// Words of messages about code that cannot be read, or names that cannot be found, of which others then complain.
const ROOTS: [&str; 16] = [
    "syntax error",
    "syntaxerror",
    "indentationerror",
    "parsing error",
    "parse error",
    "unexpected token",
    "cannot find module",
    "no module named",
    "importerror",
    "unresolved import",
    "failed to resolve",
    "cannot find package",
    "no such file",
    "unclosed delimiter",
    "missing terminator",
    "cannot load such file",
];

/// How far a complaint is likely to be from the cause; less is nearer.
fn depth(it: &Diagnostic, changed: &[String]) -> usize {
    let said = it.message.to_lowercase();
    match ROOTS.iter().any(|word| said.contains(word)) {
        true => 0,
        false if changed.contains(&it.file) => 1,
        false => 2,
    }
}

fn grouped<'a>(diagnostics: &[&'a Diagnostic]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for diagnostic in diagnostics {
        let index = *known.entry((&diagnostic.code, &diagnostic.message)).or_insert_with(|| {
            groups.push(Group { first: diagnostic, places: Vec::new() });
            groups.len() - 1
        });
        let place = place(diagnostic);
        if !place.is_empty() && !groups[index].places.contains(&place) {
            groups[index].places.push(place);
        }
    }
    groups
}

impl Group<'_> {
    /// The lines at its first place, where they are known and `room` is left for them.
    fn source(&self, check: &CheckResult, room: usize) -> String {
        let place = format!("{}:{}", self.first.file, self.first.line);
        let Some(lines) = check.source.get(&place).filter(|it| it.len() < room / 2) else { return String::new() };
        lines.lines().map(|it| format!("    {it}\n")).collect()
    }

    fn text(&self) -> String {
        let mut head: Vec<&str> = self.places.first().map(String::as_str).into_iter().collect();
        if !self.first.code.is_empty() {
            head.push(&self.first.code);
        }
        let message = cut(self.first.message.trim(), MESSAGE).replace('\n', "\n  ");
        let mut text = match (head.is_empty(), message.is_empty()) {
            (true, _) => format!("{message}\n"),
            (false, true) => format!("{}\n", head.join(" ")),
            (false, false) => format!("{}: {message}\n", head.join(" ")),
        };
        if let Some(others) = self.places.get(1..).filter(|it| !it.is_empty()) {
            let more = others.len().saturating_sub(PLACES);
            let _ = write!(text, "  also at {}", others[..others.len() - more].join(", "));
            text += &if more == 0 { "\n".to_owned() } else { format!(" and {more} more\n") };
        }
        text
    }
}

/// `file:line:column`, as far as it is known.
pub(super) fn place(it: &Diagnostic) -> String {
    match (it.file.as_str(), it.line, it.column) {
        ("", _, _) => String::new(),
        (file, 0, _) => file.to_owned(),
        (file, line, 0) => format!("{file}:{line}"),
        (file, line, column) => format!("{file}:{line}:{column}"),
    }
}

/// The first lines of `text` that fit, with a mark where something is missing.
fn cut(text: &str, budget: usize) -> String {
    if text.len() <= budget {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(budget);
    let end = text[..end].rfind('\n').filter(|it| *it > budget / 2).unwrap_or(end);
    format!("{} …", text[..end].trim_end())
}

/// The last lines of `text` that fit, with a mark where something is missing.
fn tail(text: &str, budget: usize) -> String {
    let text = text.trim_end();
    if text.is_empty() {
        return String::new();
    }
    if text.len() <= budget {
        return format!("{text}\n");
    }
    let start = text.ceil_char_boundary(text.len() - budget);
    let start = text[start..].find('\n').map_or(start, |it| start + it + 1);
    format!("…\n{}\n", &text[start..])
}
