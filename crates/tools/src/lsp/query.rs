//! One question to a server, from what a model asked to what it reads.

use serde_json::{Value, json};

use crate::text::{count, plain, with_status};
use crate::{Cx, ToolError};

use super::answer;
use super::client::Client;
use super::fault::Fault;
use super::link::unless;
use super::position::Lines;
use super::shapes::{Spot, Symbol, hover};
use super::table::{self, Server};

/// Places of a name that are tried until one has an answer: a name in a comment has none.
const TRIED: usize = 8;
/// Characters of a hover at most.
const HOVER: usize = 4_000;
/// Lines around the given one in which a name is looked for as well.
const AROUND: u32 = 3;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Definition,
    References,
    Hover,
    Diagnostics,
    Symbols,
}

/// A question.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub kind: Kind,
    /// Relative to the root; none only where symbols are asked for.
    pub path: Option<String>,
    /// From 1.
    pub line: Option<usize>,
    /// A name; empty where none was given.
    pub symbol: String,
    /// Lines of the answer at most.
    pub limit: usize,
}

/// A place in a text: line from 0, byte in it.
pub(super) type At = (u32, usize);

/// Asks and waits for the answer. A server that ends meanwhile is started once more.
pub(crate) async fn run(cx: &Cx, ask: &Ask) -> Result<String, ToolError> {
    let row = row(cx, ask).await?;
    loop {
        let mut turn = cx.servers.take(cx, row).await?;
        match unless(cx.stopped(), answer(cx, turn.client(), ask)).await {
            Ok(words) => return Ok(words),
            Err(fault) if fault.is_end() => {
                if !turn.fall(&fault).await {
                    return Err(fault.told(row.name));
                }
            }
            Err(fault) => return Err(fault.told(row.name)),
        }
    }
}

/// The server that knows about what is asked.
async fn row(cx: &Cx, ask: &Ask) -> Result<&'static Server, ToolError> {
    if let Some(path) = &ask.path {
        return of(path);
    }
    // The language that most files are written in.
    let snapshot = super::client::snapshot(&cx.tree).await;
    let mut files = std::collections::BTreeMap::<&str, usize>::new();
    snapshot.files().iter().filter_map(|it| table::of(&it.0)).for_each(|it| *files.entry(it.0.name).or_default() += 1);
    let most = files.iter().max_by_key(|it| it.1).map(|it| *it.0);
    let row = most.and_then(|name| table::TABLE.iter().find(|it| it.name == name));
    row.ok_or_else(|| ToolError::Wrong("no file of the project has a language server. Use search_code.".into()))
}

/// The server for a file, or words that name the endings there are servers for.
pub(super) fn of(path: &str) -> Result<&'static Server, ToolError> {
    table::of(path).map(|it| it.0).ok_or_else(|| {
        let endings: Vec<&str> = table::TABLE.iter().flat_map(|it| it.endings).map(|it| it.0).collect();
        ToolError::Wrong(format!(
            "`{path}`: there are language servers for {} only. Use search_code.",
            endings.join(", ")
        ))
    })
}

async fn answer(cx: &Cx, client: &mut Client, ask: &Ask) -> Result<String, Fault> {
    let text = match &ask.path {
        Some(path) => client.show(&cx.tree, path)?,
        None => {
            some_file(cx, client);
            "".into()
        }
    };
    let unsettled = client.settled().await?;
    let path = ask.path.as_deref().unwrap_or_default();
    let mut words = match ask.kind {
        Kind::Symbols => symbols(cx, client, ask).await?,
        Kind::Diagnostics => diagnostics(client, path, &text, ask.limit).await?,
        _ => at_places(cx, client, path, &text, ask).await?,
    };
    let name = client.row.name;
    let status = match (unsettled, lack(client, ask, &words)) {
        (Some(doing), _) => {
            Some(format!("{name} has not seen the whole project yet: {}; ask again later", plain(&doing)))
        }
        (None, lack) => lack.map(str::to_string),
    };
    if let Some(status) = status {
        words = with_status(words, &format!("[{status}]"));
    }
    Ok(words)
}

/// What the project lacks, where that may have made the answer `words` worse than it might be.
fn lack(client: &Client, ask: &Ask, words: &str) -> Option<&'static str> {
    let lack = (client.row.lacks)(&client.root)?;
    let matters = match ask.kind {
        Kind::Diagnostics => !words.starts_with("no problems"),
        Kind::References | Kind::Symbols => lack.partial,
        Kind::Definition | Kind::Hover => words.starts_with("no "),
    };
    matters.then_some(lack.words)
}

/// Servers look at a project only once a file of it is open.
fn some_file(cx: &Cx, client: &mut Client) {
    if !client.is_idle() {
        return;
    }
    let ends = |path: &str, ending: &str| path.rsplit_once('.').is_some_and(|it| it.1 == ending);
    for (ending, _) in client.row.endings {
        let all = client.seen.files().iter().map(|it| it.0.clone()).filter(|it| ends(it, ending));
        let first: Vec<String> = all.take(TRIED).collect();
        if first.iter().any(|it| client.show(&cx.tree, it).is_ok()) {
            return;
        }
    }
}

async fn symbols(cx: &Cx, client: &Client, ask: &Ask) -> Result<String, Fault> {
    let found = client.ask("workspace/symbol", json!({"query": ask.symbol}), None).await?;
    let mut found = Symbol::list(&found);
    // Libraries are known to some servers; the project is what was asked about.
    found.retain(|it| it.spot.path.starts_with(&client.root));
    let lower = ask.symbol.to_lowercase();
    found.sort_by_cached_key(|it| (it.name.to_lowercase() != lower, it.spot.clone()));
    if found.is_empty() {
        return Ok(format!("{} knows no symbol `{}` in the project", client.row.name, ask.symbol));
    }
    Ok(answer::symbols(cx, client, &found, ask.limit))
}

async fn diagnostics(client: &Client, path: &str, text: &str, limit: usize) -> Result<String, Fault> {
    match client.problems(path).await? {
        None => Ok(format!("{} said nothing about {path} in time; ask again", client.row.name)),
        Some(problems) => Ok(answer::problems(client, path, text, &problems, limit)),
    }
}

/// Asks about each place that may be meant until one has an answer.
async fn at_places(cx: &Cx, client: &Client, path: &str, text: &str, ask: &Ask) -> Result<String, Fault> {
    let lines = Lines::of(text);
    let places = places(path, &lines, ask)?;
    let mut refused = None;
    for (line, column) in places.iter().take(TRIED) {
        let position = lines.position(*line, *column, client.encoding);
        let mut params = json!({"position": {"line": position.line, "character": position.character}});
        let method = match ask.kind {
            Kind::Definition => "textDocument/definition",
            Kind::References => "textDocument/references",
            _ => "textDocument/hover",
        };
        if ask.kind == Kind::References {
            params["context"] = json!({"includeDeclaration": true});
        }
        let answer = match client.ask(method, params, Some(path)).await {
            Ok(answer) => answer,
            // Some servers refuse where others answer with nothing.
            Err(Fault::Refused(words)) => {
                refused = Some(words);
                continue;
            }
            Err(other) => return Err(other),
        };
        if let Some(words) = told(cx, client, ask, &answer) {
            return Ok(words);
        }
    }
    match refused {
        Some(words) => Err(Fault::Refused(words)),
        None => Ok(nothing(path, &places, ask)),
    }
}

fn told(cx: &Cx, client: &Client, ask: &Ask, answer: &Value) -> Option<String> {
    if ask.kind == Kind::Hover {
        let words = plain(&hover(answer));
        let cut: String = words.chars().take(HOVER).collect();
        let status = "[the rest is left out]";
        return (!words.is_empty()).then(|| if cut.len() < words.len() { with_status(cut, status) } else { words });
    }
    let spots = Spot::list(answer);
    (!spots.is_empty()).then(|| answer::spots(cx, client, spots, ask.kind == Kind::References, ask.limit))
}

fn nothing(path: &str, places: &[At], ask: &Ask) -> String {
    let what = match ask.kind {
        Kind::Definition => "definition of",
        Kind::References => "references to",
        _ => "information about",
    };
    let lines: Vec<String> = places.iter().take(TRIED).map(|it| (it.0 + 1).to_string()).collect();
    format!("no {what} `{}` at {path}:{}", ask.symbol, lines.join(", "))
}

/// The places of the text that may be meant, or words that say where the name is.
pub(super) fn places(path: &str, lines: &Lines<'_>, ask: &Ask) -> Result<Vec<At>, ToolError> {
    let name = bare(&ask.symbol);
    let all = occurrences(lines, name);
    if all.is_empty() {
        return Err(ToolError::Wrong(format!(
            "`{name}` does not occur in `{path}`. Read the file, or use search_code."
        )));
    }
    let Some(line) = ask.line else { return Ok(all) };
    let line = u32::try_from(line.saturating_sub(1)).unwrap_or(u32::MAX);
    let distance = |it: &At| it.0.abs_diff(line);
    let nearest = all.iter().map(distance).min().unwrap_or_default();
    if nearest > AROUND {
        let known: Vec<String> = all.iter().take(20).map(|it| (it.0 + 1).to_string()).collect();
        let words = format!(
            "`{name}` is not on line {} of `{path}`; it is on {} {}.",
            line + 1,
            lines_word(all.len()),
            known.join(", ")
        );
        return Err(ToolError::Wrong(words));
    }
    Ok(all.into_iter().filter(|it| distance(it) == nearest).collect())
}

fn lines_word(number: usize) -> &'static str {
    if number == 1 { "line" } else { "lines" }
}

/// The name itself, of one that says in what it is.
pub(super) fn bare(symbol: &str) -> &str {
    let symbol = symbol.trim().trim_matches('`').trim_end_matches("()");
    symbol.rsplit(['.', ':', '#', '>']).next().filter(|it| !it.is_empty()).unwrap_or(symbol)
}

/// Every place where the name stands as a whole word.
fn occurrences(lines: &Lines<'_>, name: &str) -> Vec<At> {
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

/// How many of how many were shown.
pub(super) fn cut(shown: usize, all: usize, one: &str) -> String {
    format!("[{shown} of {} shown; `limit` shows more]", count(all, one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, symbol: &str, line: Option<usize>) -> Result<Vec<At>, String> {
        let ask = Ask { kind: Kind::Hover, path: None, line, symbol: symbol.into(), limit: 9 };
        places("f", &Lines::of(text), &ask).map_err(|it| it.to_string())
    }

    #[test]
    fn a_name_is_found_as_a_whole_word_near_the_line_that_was_given() {
        let text = "add(); readd(); add\nx\n日本.add()\n\n\n\n\n_add $add\n";
        assert_eq!(found(text, "add", None).unwrap(), [(0, 0), (0, 16), (2, 7)]);
        assert_eq!(found(text, "`a::b.add()`", Some(3)).unwrap(), [(2, 7)]);
        assert_eq!(found(text, "add", Some(2)).unwrap(), [(0, 0), (0, 16), (2, 7)]);
        assert_eq!(found(text, "add", Some(8)).unwrap_err(), "`add` is not on line 8 of `f`; it is on lines 1, 1, 3.");
        assert_eq!(found(text, "日本", None).unwrap(), [(2, 0)]);
        assert!(found(text, "gone", None).unwrap_err().contains("does not occur"));
        assert!(found(text, "", None).is_err());
    }
}
