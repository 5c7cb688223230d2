//! What edits break, as running servers see it: errors that a file has afterwards and did not have before.
//!
//! No server is started for this, nobody waits long for it, and without an answer nothing is said. What was wrong before
//! the first edit is remembered, so that a round of checks can ask the same about all edits together.

use std::collections::BTreeMap;
use std::time::Duration;

use ox_protocol::Diagnostic;

use crate::error::Error;
use crate::message::{ServerDiagnostic, Severity};
use crate::position::{Encoding, LineIndex};
use crate::project::Project;
use crate::server::{Client, Server, for_file};
use crate::servers::Servers;

/// How long a call waits for it before it acts, and again afterwards.
const PATIENCE: Duration = Duration::from_millis(900);
/// How long a round of checks waits for one server.
const ROUND: Duration = Duration::from_secs(20);
/// Files of one call that are looked at.
const FILES: usize = 8;

/// The errors of the files that a call is about to change.
#[derive(Debug, Default)]
pub struct Before {
    files: BTreeMap<String, Vec<Diagnostic>>,
}

/// The errors of `after` that are not in `before`. Lines and columns do not count, because an edit moves what is below it;
/// of two equal errors where there was one, one is new.
fn introduced(before: &[Diagnostic], after: &[Diagnostic]) -> Vec<Diagnostic> {
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

impl Servers {
    /// The errors that running servers find in files that are about to be written.
    pub async fn before(&self, project: &Project, written: impl Iterator<Item = &str>) -> Before {
        let mut before = Before::default();
        for path in written.take(FILES) {
            let Some((server, _)) = for_file(path).filter(|(server, _)| self.is_free(server)) else { continue };
            let found = match project.root.join(path).is_file() {
                true => tokio::time::timeout(PATIENCE, self.errors(project, server, path)).await.unwrap_or(None),
                false => Some(Vec::new()),
            };
            if let Some(found) = found {
                // What was wrong before the first edit stays.
                self.baseline().entry(path.to_string()).or_insert_with(|| found.clone());
                before.files.insert(path.to_string(), found);
            }
        }
        before
    }

    /// The errors in those files that are new, as far as they are known in time, with the server that found the last ones.
    pub async fn after(&self, project: &Project, before: Before) -> (&'static str, Vec<Diagnostic>) {
        let (mut name, mut new) = ("", Vec::new());
        let look = async {
            for (path, known) in &before.files {
                let Some((server, _)) = for_file(path) else { continue };
                let Some(found) = self.errors(project, server, path).await else { continue };
                let more = introduced(known, &found);
                if !more.is_empty() {
                    name = server.name;
                }
                new.extend(more);
            }
        };
        // What was found by then is told.
        let _ = tokio::time::timeout(PATIENCE, look).await;
        (name, new)
    }

    /// For a round of checks: the errors of all files edited so far that were not there before the first edit, by the
    /// server that finds them. Only servers that run are asked, and files are read as they are now. Where nothing is new,
    /// the next edit begins a new count.
    pub async fn since_first_edit(&self, project: &Project) -> Vec<(&'static str, Vec<Diagnostic>)> {
        let known = self.baseline().clone();
        let mut by_server = BTreeMap::<&'static str, Vec<Diagnostic>>::new();
        for (path, before) in &known {
            let Some((server, _)) = for_file(path).filter(|_| project.root.join(path).is_file()) else { continue };
            let found = tokio::time::timeout(ROUND, self.errors(project, server, path)).await;
            if let Ok(Some(found)) = found {
                by_server.entry(server.name).or_default().extend(introduced(before, &found));
            }
        }
        if by_server.values().all(Vec::is_empty) {
            self.baseline().retain(|path, _| !known.contains_key(path));
        }
        by_server.into_iter().collect()
    }

    /// The errors that a running server finds in a file as it is now; none where it does not say.
    async fn errors(&self, project: &Project, server: &'static Server, path: &str) -> Option<Vec<Diagnostic>> {
        if !self.is_free(server) {
            return None;
        }
        let mut lease = self.take(project, server).await.ok()?;
        let found = of_file(lease.client(), path).await.ok()??;
        let errors = found.into_iter().filter(|(severity, _)| *severity == Severity::Error);
        Some(errors.map(|(_, it)| it).collect())
    }
}

/// What is wrong with a file as it is now, the gravest first; none where the server does not say.
pub(crate) async fn of_file(client: &mut Client, path: &str) -> Result<Option<Vec<(Severity, Diagnostic)>>, Error> {
    let text = client.show(path)?;
    let Some(mut all) = client.diagnostics(path).await? else { return Ok(None) };
    all.sort_by_key(|it| (it.severity, it.range.start, it.range.end));
    let lines = LineIndex::of(&text);
    Ok(Some(all.iter().map(|it| (it.severity, diagnostic(path, &lines, it, client.encoding))).collect()))
}

/// A diagnostic as the checks tell it. Its column counts characters.
fn diagnostic(path: &str, lines: &LineIndex<'_>, found: &ServerDiagnostic, encoding: Encoding) -> Diagnostic {
    let start = found.range.start;
    let before = lines.line(start.line).map_or("", |it| &it[..lines.column(start, encoding)]);
    Diagnostic {
        file: path.to_string(),
        line: start.line.saturating_add(1),
        column: u32::try_from(before.chars().count()).unwrap_or(u32::MAX).saturating_add(1),
        code: found.code.clone(),
        message: found.message.trim().to_string(),
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
