//! What a server answered, in lines for a model: `path:line: text`. What is outside the project is named and not shown.

use std::collections::BTreeMap;

use ox_lsp::{Answer, Error, Found, LineIndex, Place, Query, Question, Severity, Symbol};
use ox_protocol::Diagnostic;
use ox_repo::RepoError;

use crate::call::context::CallContext;
use crate::call::error::ToolError;
use crate::text::{count, name, plain, with_status};

/// Characters of a line at most.
const WIDEST: usize = 200;
/// Characters of a hover at most.
const HOVER: usize = 4_000;

/// The answer to `question` in at most `limit` lines.
pub(super) fn words(cx: &CallContext, question: &Question, answer: Answer, limit: usize) -> String {
    let (path, server) = (question.path.as_deref().unwrap_or_default(), answer.server);
    let words = match answer.found {
        Found::Places(found) => places(cx, found, question.query == Query::References, limit),
        Found::Hover(text) => hover(&plain(&text)),
        Found::Symbols(found) if found.is_empty() => {
            format!("{server} knows no symbol `{}` in the project", question.symbol)
        }
        Found::Symbols(found) => symbols(cx, &found, limit),
        Found::Diagnostics(None) => format!("{server} said nothing about {path} in time; ask again"),
        Found::Diagnostics(Some(found)) => diagnostics(server, path, &found, limit),
        Found::Nothing(lines) => nothing(question, path, &lines),
    };
    let unsettled = answer
        .unsettled
        .map(|progress| format!("{server} has not seen the whole project yet: {}; ask again later", plain(&progress)));
    match unsettled.or(answer.lack.map(str::to_string)) {
        Some(status) => with_status(words, &format!("[{status}]")),
        None => words,
    }
}

/// The lines of the files that an answer names, each file read once.
struct Texts<'a> {
    cx: &'a CallContext,
    known: BTreeMap<String, String>,
}

impl Texts<'_> {
    /// A line, from 0; empty where it cannot be shown.
    fn line(&mut self, rel: &str, number: u32) -> String {
        let read = || self.cx.tree.read(rel).map(|it| it.text).unwrap_or_default();
        let text = self.known.entry(rel.to_string()).or_insert_with(read);
        plain(LineIndex::of(text).line(number).unwrap_or_default().trim()).chars().take(WIDEST).collect()
    }

    /// Where a place is, and its line; no line where it is outside.
    fn place(&mut self, place: &Place) -> (String, String) {
        let line = place.range.start.line;
        let root = self.cx.tree.root();
        match place.path.strip_prefix(root).ok().and_then(|it| it.to_str()) {
            Some(rel) => (format!("{}:{}", name(rel), line + 1), self.line(rel, line)),
            None => (format!("{}:{}", name(&place.path.to_string_lossy()), line + 1), String::new()),
        }
    }
}

/// One line for each place; `sorted` by path and line, what is outside last.
fn places(cx: &CallContext, mut places: Vec<Place>, sorted: bool, limit: usize) -> String {
    if sorted {
        let start = |it: &Place| (it.range.start, it.range.end);
        places.sort_by_cached_key(|it| (!it.path.starts_with(cx.tree.root()), it.path.clone(), start(it)));
    }
    let mut texts = Texts { cx, known: BTreeMap::new() };
    let mut lines: Vec<String> = Vec::new();
    for place in places.iter().take(limit) {
        let (place, text) = texts.place(place);
        let line = if text.is_empty() { place } else { format!("{place}: {text}") };
        // Two places on one line are one line.
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    cut(lines, places.len(), limit, "place")
}

/// One line for each symbol.
fn symbols(cx: &CallContext, symbols: &[Symbol], limit: usize) -> String {
    let mut texts = Texts { cx, known: BTreeMap::new() };
    let one = |it: &Symbol| {
        let within = if it.container.is_empty() { String::new() } else { format!(" in {}", plain(&it.container)) };
        let (place, text) = texts.place(&it.place);
        format!("{place}: {} {}{within}: {text}", it.kind, plain(&it.name))
    };
    cut(symbols.iter().take(limit).map(one).collect(), symbols.len(), limit, "symbol")
}

/// One entry for each problem, errors first; hints are only counted.
fn diagnostics(server: &str, path: &str, found: &[(Severity, Diagnostic)], limit: usize) -> String {
    let grave: Vec<_> = found.iter().filter(|it| it.0 < Severity::Hint).collect();
    match (grave.len(), found.len() - grave.len()) {
        (0, 0) => format!("no problems in {} [{server}]", name(path)),
        (0, hints) => format!("no errors or warnings in {} [{server}; {} left out]", name(path), count(hints, "hint")),
        (all, _) => {
            let one = |(severity, it): &&(Severity, Diagnostic)| {
                let grade = if *severity == Severity::Error { "error" } else { "warning" };
                let code = if it.code.is_empty() { String::new() } else { format!(" [{}]", plain(&it.code)) };
                let message = plain(&it.message).replace('\n', "\n    ");
                format!("{}:{}:{}: {grade}: {message}{code}", name(&it.file), it.line, it.column)
            };
            cut(grave.iter().copied().take(limit).map(|it| one(&it)).collect(), all, limit, "problem")
        }
    }
}

fn hover(text: &str) -> String {
    let cut: String = text.chars().take(HOVER).collect();
    if cut.len() < text.len() { with_status(cut, "[the rest is left out]") } else { cut }
}

fn nothing(question: &Question, path: &str, lines: &[u32]) -> String {
    let what = match question.query {
        Query::Definition => "definition of",
        Query::References => "references to",
        _ => "information about",
    };
    format!("no {what} `{}` at {path}:{}", question.symbol, joined(lines))
}

fn joined(lines: &[u32]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The lines, and how many of how many were shown where some were not.
fn cut(lines: Vec<String>, all: usize, limit: usize, one: &str) -> String {
    let words = lines.join("\n");
    match all > limit {
        true => with_status(words, &format!("[{limit} of {} shown; `limit` shows more]", count(all, one))),
        false => words,
    }
}

/// Why there is no answer, in words that name another way.
pub(crate) fn failed(error: Error) -> ToolError {
    ToolError::Wrong(match error {
        Error::NoServer { path: None, .. } => "no file of the project has a language server. Use search_code.".into(),
        Error::NoServer { path: Some(path), endings } => {
            format!("`{path}`: there are language servers for {} only. Use search_code.", endings.join(", "))
        }
        Error::NotIsolated { server } => {
            format!("{server} runs only in the sandbox, and no sandbox works on this machine. Use search_code.")
        }
        Error::NotInstalled { server, program, install } => format!(
            "{server} is not installed (`{program}` was not found on PATH). `{install}` installs it, if the user agrees; meanwhile use search_code."
        ),
        Error::Untrusted { server, file } => format!(
            "{server} obeys `{file}` of the project, which nobody has trusted; it was not started. The user can trust the project with `ox trust`; search_code works without."
        ),
        Error::NotStarted { server, why } => format!("{server} was not started: {why}."),
        Error::NotGreeted { server, why, install } => format!(
            "{server} {}\nIt could not be started. If it is not installed whole, `{install}` does that. Else use search_code.",
            plain(&why)
        ),
        Error::GivenUp { server, why } => {
            format!("{server} is not started again, because it {} twice. Use search_code.", plain(&why))
        }
        Error::Ended { server, why } => format!("{server} {}. Use search_code instead.", plain(&why)),
        Error::TimedOut { server, method, after, .. } => {
            format!("{server} did not answer {method} within {} s. Ask again, or use search_code.", after.as_secs_f32())
        }
        Error::Refused { server, message } => format!("{server} refused: {}", plain(&message)),
        Error::FileOperation { server, operation } => format!(
            "{server} refused: it would {operation} a file, which only move_file, write_file and delete_file do"
        ),
        Error::NotReady { server, progress } => format!(
            "{server} has not seen the whole project yet ({}); ask again later. Nothing was changed.",
            plain(&progress)
        ),
        Error::Incomplete { server, lack } => {
            format!("{server} cannot rename in the whole project: {lack}. Nothing was changed.")
        }
        Error::NoOccurrence { symbol, path } => {
            format!("`{symbol}` does not occur in `{path}`. Read the file, or use search_code.")
        }
        Error::NotOnLine { symbol, path, line, lines } => {
            let word = if lines.len() == 1 { "line" } else { "lines" };
            let known = joined(&lines[..lines.len().min(20)]);
            format!("`{symbol}` is not on line {line} of `{path}`; it is on {word} {known}.")
        }
        Error::TooLarge { path, bytes } => {
            format!("`{path}` is too large for a language server ({bytes} bytes); use search_code")
        }
        Error::Stale { path } => return ToolError::Stale { path },
        Error::File(error) => match error.downcast::<RepoError>() {
            Ok(error) => return ToolError::Repo(*error),
            Err(error) => error.to_string(),
        },
        Error::Run(error) => return ToolError::Run(error),
        Error::Cancelled => return ToolError::Cancelled,
    })
}
