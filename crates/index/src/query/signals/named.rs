//! What a task names, looked up: definitions, files, frames of stacks.

use std::collections::HashSet;

use super::{Rows, Signal};
use crate::query::corpus::{Corpus, Defined};
use crate::query::text::Task;

/// A name that more places than this define says nothing.
const PLACES: usize = 60;

/// Looks up what the task names, and tells the lines that it names.
pub(super) fn gather(corpus: &dyn Corpus, task: &Task, rows: &mut Rows) -> Vec<(String, u32)> {
    for name in &task.names {
        let mut places = corpus.defined(&name.last, PLACES);
        if places.len() >= PLACES {
            continue;
        }
        places.retain(|it| !it.symbol.announces);
        // `Type::method` is that of the type, where the type is the project's own.
        let owner = name.before.last();
        let fitting =
            |it: &Defined| owner.is_some_and(|owner| fits(&it.symbol.qualified, owner) || is_called(&it.path, owner));
        if places.iter().any(fitting) {
            places.retain(fitting);
        }
        let paths: HashSet<&str> = places.iter().map(|it| it.path.as_str()).collect();
        for path in &paths {
            rows.add(path, Signal::Defines, name.weight / (paths.len() as f32).sqrt());
        }
    }
    rows.scale(Signal::Defines, 1.0);
    mentions(corpus, task, rows)
}

fn mentions(corpus: &dyn Corpus, task: &Task, rows: &mut Rows) -> Vec<(String, u32)> {
    let mut depth = 0;
    let mut lines = Vec::new();
    for mention in &task.paths {
        let found = resolve(corpus, &mention.path);
        if found.is_empty() || found.len() > 8 {
            continue;
        }
        let share = 1.0 / found.len() as f32;
        let value = if mention.frame.is_some() { 1.0 / (1.0 + depth as f32 * 0.6) } else { 1.0 };
        for path in &found {
            let signal = if mention.frame.is_some() { Signal::Frame } else { Signal::Mention };
            rows.raise(path, signal, value * share);
            lines.extend(mention.line.map(|line| (path.clone(), line)));
        }
        depth += u32::from(mention.frame.is_some());
    }
    lines
}

/// The project's files that a path means: those that end in the longest end of it that any file has.
pub(crate) fn resolve(corpus: &dyn Corpus, path: &str) -> Vec<String> {
    let mut rest = path.trim_start_matches('/');
    loop {
        let found = corpus.ending(rest);
        if !found.is_empty() {
            return found;
        }
        match rest.split_once('/') {
            Some((_, after)) => rest = after,
            None => return Vec::new(),
        }
    }
}

/// True if the definition stands in one of that name.
fn fits(qualified: &str, owner: &str) -> bool {
    let parts: Vec<&str> = qualified.split(['.', ':', '#', '<', ' ']).filter(|it| !it.is_empty()).collect();
    parts.len() > 1 && parts[..parts.len() - 1].iter().any(|it| it.eq_ignore_ascii_case(owner))
}

/// True for a file of that name, whatever its ending.
fn is_called(path: &str, name: &str) -> bool {
    stem(path).eq_ignore_ascii_case(name)
}

/// A file's name without its ending.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}
