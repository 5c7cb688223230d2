//! What an edit breaks, as a running server sees it: problems that a file has after a call and did not have before.
//!
//! No server is started for this, nobody waits long for it, and without an answer nothing is said. What was wrong before
//! the first edit is remembered, so that a round of checks can ask the same about all edits together.

use std::collections::BTreeMap;
use std::time::Duration;

use ox_protocol::{Diagnostic, PathUse};

use crate::Cx;
use crate::text::{count, plain};

use super::Servers;
use super::answer::diagnostic;
use super::client::Client;
use super::fault::Fault;
use super::position::Lines;
use super::shapes::Severity;
use super::table::{self, Server};

/// How long a call waits for it before it acts, and again afterwards.
const PATIENCE: Duration = Duration::from_millis(900);
/// How long a round of checks waits for one server.
const ROUND: Duration = Duration::from_secs(20);
/// Files of one call that are looked at.
const FILES: usize = 8;
/// Problems that are told at most.
const TOLD: usize = 8;

/// The errors of the files that a call is about to change.
#[derive(Debug, Default)]
pub struct Before {
    files: BTreeMap<String, Vec<Diagnostic>>,
}

/// The errors of `after` that are not in `before`. Lines and columns do not count, because an edit moves what is below it;
/// of two equal errors where there was one, one is new.
pub fn introduced(before: &[Diagnostic], after: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut known = BTreeMap::<(&str, &str, &str), usize>::new();
    for it in before {
        *known.entry((&it.file, &it.code, &it.message)).or_default() += 1;
    }
    let mut new = Vec::new();
    for it in after {
        match known.get_mut(&(it.file.as_str(), it.code.as_str(), it.message.as_str())) {
            Some(left) if *left > 0 => *left -= 1,
            _ => new.push(it.clone()),
        }
    }
    new
}

/// Asks the servers that run about the files that a call is about to write.
pub(crate) async fn before(cx: &Cx, paths: &[PathUse]) -> Before {
    let mut before = Before::default();
    for used in paths.iter().filter(|it| it.write).take(FILES) {
        let Some((row, _)) = table::of(&used.path).filter(|(row, _)| cx.servers.is_free(row)) else { continue };
        let found = match cx.tree.root().join(&used.path).is_file() {
            true => tokio::time::timeout(PATIENCE, errors(cx, row, &used.path)).await.unwrap_or(None),
            false => Some(Vec::new()),
        };
        if let Some(found) = found {
            cx.servers.remember(&used.path, &found);
            before.files.insert(used.path.clone(), found);
        }
    }
    before
}

/// What the call broke in the files it has changed, in words; none where nothing is new or nothing is known in time.
pub(crate) async fn after(cx: &Cx, before: Before) -> Option<String> {
    let mut new = Vec::new();
    let mut name = "";
    let look = async {
        for (path, known) in &before.files {
            let Some((row, _)) = table::of(path) else { continue };
            let Some(found) = errors(cx, row, path).await else { continue };
            let more = introduced(known, &found);
            if !more.is_empty() {
                name = row.name;
            }
            new.extend(more);
        }
    };
    // What was found by then is told.
    let _ = tokio::time::timeout(PATIENCE, look).await;
    let all = new.len();
    let mut words = format!(
        "[{name} finds {} that {} not there before]",
        count(all, "error"),
        if all == 1 { "was" } else { "were" }
    );
    for it in new.iter().take(TOLD) {
        words.push_str(&format!(
            "\n{}:{}:{}: {} [{}]",
            it.file,
            it.line,
            it.column,
            it.message.replace('\n', "\n    "),
            it.code
        ));
    }
    (all > 0).then(|| plain(&words))
}

/// The errors that a running server finds in a file as it is now; none where it does not say.
async fn errors(cx: &Cx, row: &'static Server, path: &str) -> Option<Vec<Diagnostic>> {
    if !cx.servers.is_free(row) {
        return None;
    }
    let mut turn = cx.servers.take(cx, row).await.ok()?;
    of_client(cx, turn.client(), path).await.ok().flatten()
}

async fn of_client(cx: &Cx, client: &mut Client, path: &str) -> Result<Option<Vec<Diagnostic>>, Fault> {
    let text = client.show(&cx.tree, path)?;
    let Some(problems) = client.problems(path).await? else { return Ok(None) };
    let lines = Lines::of(&text);
    let grave = problems.iter().filter(|it| it.severity == Severity::Error);
    Ok(Some(grave.map(|it| diagnostic(path, &lines, it, client.encoding)).collect()))
}

impl Servers {
    /// Notes what was wrong with a file before the first edit of it.
    fn remember(&self, path: &str, found: &[Diagnostic]) {
        self.baseline().entry(path.to_string()).or_insert_with(|| found.to_vec());
    }

    /// For a round of checks: the errors of all files edited so far that were not there before the first edit, by the
    /// server that finds them. Only servers that run are asked, and files are read as they are in the tree of `cx` now.
    /// Where nothing is new, the next edit begins a new count.
    pub async fn diagnostics_after(&self, cx: &Cx) -> Vec<(&'static str, Vec<Diagnostic>)> {
        let known = self.baseline().clone();
        let mut by_server = BTreeMap::<&'static str, Vec<Diagnostic>>::new();
        for (path, before) in &known {
            let Some((row, _)) = table::of(path) else { continue };
            if !cx.tree.root().join(path).is_file() {
                continue;
            }
            let found = tokio::time::timeout(ROUND, errors(cx, row, path)).await;
            if let Ok(Some(found)) = found {
                by_server.entry(row.name).or_default().extend(introduced(before, &found));
            }
        }
        if by_server.values().all(Vec::is_empty) {
            self.baseline().retain(|path, _| !known.contains_key(path));
        }
        by_server.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: u32, message: &str) -> Diagnostic {
        Diagnostic { file: "f".into(), line, column: 1, code: "c".into(), message: message.into() }
    }

    #[test]
    fn what_moved_is_not_new_and_what_came_twice_is_new_once() {
        let before = [found(1, "a"), found(2, "b")];
        let after = [found(11, "a"), found(12, "b"), found(13, "b"), found(1, "c")];
        assert_eq!(introduced(&before, &after), [found(13, "b"), found(1, "c")]);
        assert_eq!(introduced(&after, &before), []);
        assert_eq!(introduced(&[], &before), before);
    }
}
