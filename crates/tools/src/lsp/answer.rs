//! What a server answered, in lines for a model: `path:line: text`. What is outside the project is named and not shown.

use std::collections::BTreeMap;
use std::path::Path;

use ox_protocol::Diagnostic;

use crate::Cx;
use crate::text::{count, name, plain, with_status};

use super::client::Client;
use super::position::{Encoding, Lines};
use super::query::cut;
use super::shapes::{Problem, Severity, Spot, Symbol};

/// Characters of a line at most.
const WIDEST: usize = 200;

/// The lines of the files that an answer names, each file read once.
struct Texts<'a> {
    cx: &'a Cx,
    client: &'a Client,
    known: BTreeMap<String, Option<std::sync::Arc<str>>>,
}

impl Texts<'_> {
    /// A line, from 0; empty where it cannot be shown.
    fn line(&mut self, rel: &str, number: u32) -> String {
        let text = self.known.entry(rel.to_string()).or_insert_with(|| {
            let open = self.client.has(rel).map(|it| it.0);
            open.or_else(|| self.cx.tree.read(rel).ok().map(|it| it.text.into()))
        });
        let line = text.as_deref().and_then(|text| Lines::of(text).line(number)).unwrap_or_default();
        plain(line.trim()).chars().take(WIDEST).collect()
    }
}

/// The path as the project names it; none where it is outside.
pub(super) fn rel(client: &Client, path: &Path) -> Option<String> {
    let inside = path.strip_prefix(&client.root).ok()?;
    Some(inside.to_str()?.to_string()).filter(|it| !it.is_empty())
}

fn place(texts: &mut Texts<'_>, spot: &Spot) -> (String, String) {
    let line = spot.range.start.line;
    match rel(texts.client, &spot.path) {
        Some(rel) => (format!("{}:{}", name(&rel), line + 1), texts.line(&rel, line)),
        None => (format!("{}:{}", name(&spot.path.to_string_lossy()), line + 1), String::new()),
    }
}

/// One line for each place; `sorted` by path and line, what is outside last.
pub(super) fn spots(cx: &Cx, client: &Client, mut spots: Vec<Spot>, sorted: bool, limit: usize) -> String {
    if sorted {
        spots.sort_by_cached_key(|it| (!it.path.starts_with(&client.root), it.clone()));
    }
    let mut texts = Texts { cx, client, known: BTreeMap::new() };
    let mut lines: Vec<String> = Vec::new();
    for spot in spots.iter().take(limit) {
        let (place, text) = place(&mut texts, spot);
        let line = if text.is_empty() { place } else { format!("{place}: {text}") };
        // Two places on one line are one line.
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    let words = lines.join("\n");
    if spots.len() > limit { with_status(words, &cut(limit, spots.len(), "place")) } else { words }
}

/// One line for each symbol.
pub(super) fn symbols(cx: &Cx, client: &Client, symbols: &[Symbol], limit: usize) -> String {
    let mut texts = Texts { cx, client, known: BTreeMap::new() };
    let one = |it: &Symbol| {
        let within = if it.within.is_empty() { String::new() } else { format!(" in {}", plain(&it.within)) };
        let (place, text) = place(&mut texts, &it.spot);
        format!("{place}: {} {}{within}: {text}", it.kind, plain(&it.name))
    };
    let words = symbols.iter().take(limit).map(one).collect::<Vec<_>>().join("\n");
    if symbols.len() > limit { with_status(words, &cut(limit, symbols.len(), "symbol")) } else { words }
}

/// One entry for each problem, errors first; hints are only counted.
pub(super) fn problems(client: &Client, path: &str, text: &str, problems: &[Problem], limit: usize) -> String {
    let mut grave: Vec<&Problem> = problems.iter().filter(|it| it.severity < Severity::Hint).collect();
    grave.sort_by_key(|it| (it.severity, it.range));
    let hints = problems.len() - grave.len();
    let lines = Lines::of(text);
    let one = |it: &&Problem| shown(&diagnostic(path, &lines, it, client.encoding), it.severity);
    let words = grave.iter().take(limit).map(one).collect::<Vec<_>>().join("\n");
    let server = client.row.name;
    match (grave.len(), hints) {
        (0, 0) => format!("no problems in {} [{server}]", name(path)),
        (0, hints) => format!("no errors or warnings in {} [{server}; {} left out]", name(path), count(hints, "hint")),
        (all, _) if all > limit => with_status(words, &cut(limit, all, "problem")),
        _ => words,
    }
}

/// A problem as the checks tell it. Its column counts characters.
pub(super) fn diagnostic(path: &str, lines: &Lines<'_>, problem: &Problem, encoding: Encoding) -> Diagnostic {
    let start = problem.range.start;
    let before = lines.line(start.line).map_or("", |it| &it[..lines.column(start, encoding)]);
    Diagnostic {
        file: path.to_string(),
        line: start.line.saturating_add(1),
        column: u32::try_from(before.chars().count()).unwrap_or(u32::MAX).saturating_add(1),
        code: plain(&problem.code),
        message: plain(problem.message.trim()),
    }
}

fn shown(it: &Diagnostic, severity: Severity) -> String {
    let grade = if severity == Severity::Error { "error" } else { "warning" };
    let code = if it.code.is_empty() { String::new() } else { format!(" [{}]", it.code) };
    let message = it.message.replace('\n', "\n    ");
    format!("{}:{}:{}: {grade}: {message}{code}", name(&it.file), it.line, it.column)
}
