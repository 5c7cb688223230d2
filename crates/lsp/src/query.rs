//! One question to a server, and its answer as data.

use std::collections::BTreeMap;

use lsp_types::Position;
use ox_protocol::Diagnostic;
use serde_json::{Value, json};

use crate::diagnostics;
use crate::error::Error;
use crate::message::{FileEdits, Place, Severity, Symbol, hover};
use crate::position::{Encoding, LineIndex};
use crate::project::Project;
use crate::server::{Client, SERVERS, Server, for_file};
use crate::servers::Servers;

/// Places of a name that are tried until one has an answer: a name in a comment has none.
const TRIED: usize = 8;
/// The same for a renaming.
const TRIED_TO_RENAME: usize = 4;
/// Lines around the given one in which a name is looked for as well.
const AROUND: u32 = 3;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Where a symbol is defined.
    Definition,
    /// Where it is used.
    References,
    /// Its type and documentation.
    Hover,
    /// What is wrong with a file.
    Diagnostics,
    /// Symbols of a name in the whole project.
    Symbols,
}

/// A question.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is asked for.
    pub query: Query,
    /// Relative to the root; none only where symbols are asked for.
    pub path: Option<String>,
    /// From 1.
    pub line: Option<usize>,
    /// A name; empty where none was given.
    pub symbol: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Who gave it.
    pub server: &'static str,
    /// What was found.
    pub found: Found,
    /// How far the server is, where it has not seen the whole project yet.
    pub unsettled: Option<String>,
    /// What the project lacks, where that may have made the answer worse than it might be.
    pub lack: Option<&'static str>,
}

/// What was found.
#[derive(Debug)]
pub enum Found {
    /// Places, in the order of the server.
    Places(Vec<Place>),
    /// Type and documentation.
    Hover(String),
    /// What is wrong with the file, the gravest first; none when the server did not say so in time.
    Diagnostics(Option<Vec<(Severity, Diagnostic)>>),
    /// Symbols of the project, those of that very name first.
    Symbols(Vec<Symbol>),
    /// Nothing, at the places of the name on these lines, from 1.
    Nothing(Vec<u32>),
}

/// What a server proposes for a renaming.
#[derive(Debug)]
pub struct RenameEdits {
    /// Sorted by path.
    pub files: Vec<FileEdits>,
    /// How the server counts within a line.
    pub encoding: Encoding,
    /// The texts that the server has of files that are open there, by their paths relative to the root.
    pub texts: BTreeMap<String, std::sync::Arc<str>>,
}

/// A place in a text: line from 0, byte in it.
type At = (u32, usize);

impl Servers {
    /// Asks and waits for the answer. A server that ends meanwhile is started once more.
    ///
    /// # Errors
    /// There is no server for it, it cannot be started, or it gives no answer.
    pub async fn ask(&self, project: &Project, question: &Question) -> Result<Answer, Error> {
        let server = match &question.path {
            Some(path) => server_for(path)?,
            None => most_used(project).await?,
        };
        self.with_retry(project, server, |client| {
            let (project, question) = (project.clone(), question.clone());
            Box::pin(async move { answer(&project, client, &question).await })
        })
        .await
    }

    /// What renaming the symbol that `question` names would change. Nothing has changed yet.
    ///
    /// # Errors
    /// As of [`Servers::ask`]; the server does not know the whole project; a file changed meanwhile.
    pub async fn rename(&self, project: &Project, question: &Question, new: &str) -> Result<RenameEdits, Error> {
        let path = question.path.as_deref().unwrap_or_default();
        self.with_retry(project, server_for(path)?, |client| {
            let (project, question, new) = (project.clone(), question.clone(), new.to_string());
            Box::pin(async move { renaming(&project, client, &question, &new).await })
        })
        .await
    }
}

fn server_for(path: &str) -> Result<&'static Server, Error> {
    let none = || Error::NoServer { path: Some(path.into()), endings: endings() };
    for_file(path).map(|it| it.0).ok_or_else(none)
}

fn endings() -> Vec<&'static str> {
    SERVERS.iter().flat_map(Server::endings).map(|it| it.0).collect()
}

/// The server of the language that most files are written in.
async fn most_used(project: &Project) -> Result<&'static Server, Error> {
    let stamps = project.stamps().await;
    let mut files = BTreeMap::<&str, usize>::new();
    stamps.keys().filter_map(|it| for_file(it)).for_each(|it| *files.entry(it.0.name).or_default() += 1);
    let most = files.iter().max_by_key(|it| it.1).map(|it| *it.0);
    let server = most.and_then(|name| SERVERS.iter().find(|it| it.name == name));
    server.ok_or_else(|| Error::NoServer { path: None, endings: endings() })
}

async fn answer(project: &Project, client: &mut Client, question: &Question) -> Result<Answer, Error> {
    let text = match &question.path {
        Some(path) => client.show(path)?,
        None => {
            open_some_file(client);
            "".into()
        }
    };
    let unsettled = client.settled().await?;
    let path = question.path.as_deref().unwrap_or_default();
    let found = match question.query {
        Query::Symbols => Found::Symbols(symbols(project, client, &question.symbol).await?),
        Query::Diagnostics => Found::Diagnostics(diagnostics::of_file(client, path).await?),
        _ => at_places(client, path, &text, question).await?,
    };
    let lack = (client.server.missing_setup)(&project.root);
    let lack = lack.filter(|it| match &found {
        Found::Diagnostics(all) => all.as_ref().is_none_or(|it| !it.is_empty()),
        Found::Nothing(_) => it.partial || question.query != Query::References,
        _ => it.partial && matches!(question.query, Query::References | Query::Symbols),
    });
    Ok(Answer { server: client.server.name, found, unsettled, lack: lack.map(|it| it.words) })
}

/// Servers look at a project only once a file of it is open.
fn open_some_file(client: &mut Client) {
    if !client.is_idle() {
        return;
    }
    let ends = |path: &str, ending: &str| path.rsplit_once('.').is_some_and(|it| it.1 == ending);
    for (ending, _) in client.server.endings() {
        let first: Vec<String> = client.files().filter(|it| ends(it, ending)).take(TRIED).map(str::to_string).collect();
        if first.iter().any(|it| client.show(it).is_ok()) {
            return;
        }
    }
}

async fn symbols(project: &Project, client: &Client, name: &str) -> Result<Vec<Symbol>, Error> {
    let found = client.request("workspace/symbol", json!({"query": name}), None).await?;
    let mut found = Symbol::list(&found);
    // Libraries are known to some servers; the project is what was asked about.
    found.retain(|it| it.place.path.starts_with(&project.root));
    let lower = name.to_lowercase();
    found.sort_by_cached_key(|it| (it.name.to_lowercase() != lower, it.place.order()));
    Ok(found)
}

/// Asks about each place that may be meant until one has an answer.
async fn at_places(client: &Client, path: &str, text: &str, question: &Question) -> Result<Found, Error> {
    let lines = LineIndex::of(text);
    let places = places(path, &lines, question)?;
    let mut refused = None;
    for (line, column) in places.iter().take(TRIED) {
        let position = lines.position(*line, *column, client.encoding);
        let mut params = json!({"position": position});
        let method = match question.query {
            Query::Definition => "textDocument/definition",
            Query::References => "textDocument/references",
            _ => "textDocument/hover",
        };
        if question.query == Query::References {
            params["context"] = json!({"includeDeclaration": true});
        }
        match client.request(method, params, Some(path)).await {
            Ok(answer) => {
                if let Some(found) = found(question.query, &answer) {
                    return Ok(found);
                }
            }
            // Some servers refuse where others answer with nothing.
            Err(error @ Error::Refused { .. }) => refused = Some(error),
            Err(other) => return Err(other),
        }
    }
    let nothing = || Found::Nothing(places.iter().take(TRIED).map(|it| it.0 + 1).collect());
    refused.map_or_else(|| Ok(nothing()), Err)
}

fn found(query: Query, answer: &Value) -> Option<Found> {
    if query == Query::Hover {
        return Some(hover(answer)).filter(|it| !it.is_empty()).map(Found::Hover);
    }
    Some(Place::list(answer)).filter(|it| !it.is_empty()).map(Found::Places)
}

async fn renaming(
    project: &Project,
    client: &mut Client,
    question: &Question,
    new: &str,
) -> Result<RenameEdits, Error> {
    let path = question.path.as_deref().unwrap_or_default();
    let (text, server) = (client.show(path)?, client.server.name);
    let refused = |message: String| Error::Refused { server, message };
    if !client.can("renameProvider") {
        return Err(refused("it cannot rename".into()));
    }
    if let Some(progress) = client.settled().await? {
        // A renaming of what was seen so far would be half of one.
        return Err(Error::NotReady { server, progress });
    }
    if let Some(lack) = (client.server.missing_setup)(&project.root).filter(|it| it.partial) {
        return Err(Error::Incomplete { server, lack: lack.words });
    }
    let lines = LineIndex::of(&text);
    let found = places(path, &lines, question)?;
    let mut last = refused("it proposes no edit for this symbol".to_string());
    let mut starts = Vec::new();
    for (line, column) in found.iter().take(TRIED_TO_RENAME) {
        let named = (path.to_string(), lines.position(*line, *column, client.encoding));
        // At an import some servers give the name another one there and leave the rest as it is.
        let defined = definition(project, client, &named, bare_name(&question.symbol)).await?;
        starts.extend(defined.into_iter().chain([named]).filter(|it| !starts.contains(it)).collect::<Vec<_>>());
    }
    for (path, position) in &starts {
        let params = json!({"position": position, "newName": new});
        match client.request("textDocument/rename", params, Some(path)).await {
            Ok(answer) => {
                let files = FileEdits::list(&answer, server)?;
                if !files.is_empty() {
                    return edits(project, client, files).await;
                }
            }
            Err(error @ Error::Refused { .. }) => last = error,
            Err(other) => return Err(other),
        }
    }
    Err(last)
}

/// Where what stands at a place is defined under the same name, in the project; none where that is not known.
async fn definition(
    project: &Project,
    client: &mut Client,
    (path, position): &(String, Position),
    name: &str,
) -> Result<Option<(String, Position)>, Error> {
    let params = json!({"position": position});
    let answer = match client.request("textDocument/definition", params, Some(path)).await {
        Ok(answer) => answer,
        Err(Error::Refused { .. }) => return Ok(None),
        Err(other) => return Err(other),
    };
    let [place] = &Place::list(&answer)[..] else { return Ok(None) };
    let Some(rel) = project.relative(&place.path) else { return Ok(None) };
    let Ok(text) = client.show(&rel) else { return Ok(None) };
    let there = LineIndex::of(&text).bytes(place.range, client.encoding);
    Ok(text.get(there).is_some_and(|it| it == name).then_some((rel, place.range.start)))
}

/// The edits with the texts that they are for. Refused where a file changed since the server was told of the tree.
async fn edits(project: &Project, client: &Client, files: Vec<FileEdits>) -> Result<RenameEdits, Error> {
    let changed = client.changed().await;
    let mut texts = BTreeMap::new();
    for file in &files {
        let rel = project.relative(&file.path).unwrap_or_default();
        let open = client.open_text(&rel);
        let other = file.version.is_some_and(|of| open.as_ref().is_some_and(|it| it.1 != i64::from(of)));
        if changed.contains(&rel) || other {
            return Err(Error::Stale { path: rel });
        }
        texts.extend(open.map(|it| (rel, it.0)));
    }
    Ok(RenameEdits { files, encoding: client.encoding, texts })
}

/// The places of the text that may be meant.
fn places(path: &str, lines: &LineIndex<'_>, question: &Question) -> Result<Vec<At>, Error> {
    let name = bare_name(&question.symbol);
    let all = occurrences(lines, name);
    if all.is_empty() {
        return Err(Error::NoOccurrence { symbol: name.into(), path: path.into() });
    }
    let Some(line) = question.line else { return Ok(all) };
    let line = u32::try_from(line.saturating_sub(1)).unwrap_or(u32::MAX);
    let distance = |it: &At| it.0.abs_diff(line);
    let nearest = all.iter().map(distance).min().unwrap_or_default();
    if nearest > AROUND {
        let lines = all.iter().map(|it| it.0 + 1).collect();
        return Err(Error::NotOnLine { symbol: name.into(), path: path.into(), line: line + 1, lines });
    }
    Ok(all.into_iter().filter(|it| distance(it) == nearest).collect())
}

/// The name itself, of one that says in what it is.
pub fn bare_name(symbol: &str) -> &str {
    let symbol = symbol.trim().trim_matches('`').trim_end_matches("()");
    symbol.rsplit(['.', ':', '#', '>']).next().filter(|it| !it.is_empty()).unwrap_or(symbol)
}

/// Every place where the name stands as a whole word.
fn occurrences(lines: &LineIndex<'_>, name: &str) -> Vec<At> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut all = Vec::new();
    for number in 0..u32::try_from(lines.count()).unwrap_or(u32::MAX) {
        let line = lines.line(number).unwrap_or_default();
        for (column, _) in line.match_indices(name).filter(|_| !name.is_empty()) {
            let (before, after) = (line[..column].chars().next_back(), line[column + name.len()..].chars().next());
            let joined =
                |neighbour: Option<char>, own: Option<char>| neighbour.is_some_and(is_word) && own.is_some_and(is_word);
            if !joined(before, name.chars().next()) && !joined(after, name.chars().next_back()) {
                all.push((number, column));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, symbol: &str, line: Option<usize>) -> Result<Vec<At>, Error> {
        let question = Question { query: Query::Hover, path: None, line, symbol: symbol.into() };
        places("f", &LineIndex::of(text), &question)
    }

    #[test]
    fn a_name_is_found_as_a_whole_word_near_the_line_that_was_given() {
        let text = "add(); readd(); add\nx\n日本.add()\n\n\n\n\n_add $add\n";
        assert_eq!(at(text, "add", None).unwrap(), [(0, 0), (0, 16), (2, 7)]);
        assert_eq!(at(text, "`a::b.add()`", Some(3)).unwrap(), [(2, 7)]);
        assert_eq!(at(text, "add", Some(2)).unwrap(), [(0, 0), (0, 16), (2, 7)]);
        assert!(matches!(at(text, "add", Some(8)), Err(Error::NotOnLine { lines, .. }) if lines == [1, 1, 3]));
        assert_eq!(at(text, "日本", None).unwrap(), [(2, 0)]);
        assert!(matches!(at(text, "gone", None), Err(Error::NoOccurrence { .. })));
        assert!(at(text, "", None).is_err());
    }
}
