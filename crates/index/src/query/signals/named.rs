//! What a task names, looked up: definitions, files, frames of stacks.

use std::collections::HashSet;

use super::{Rows, Signal};
use crate::query::corpus::Corpus;
use crate::query::text::{Task, parts};

/// A name that more places than this define says nothing.
const PLACES: usize = 60;

pub(super) fn gather(corpus: &dyn Corpus, task: &Task, rows: &mut Rows) -> Vec<(String, u32)> {
    for name in &task.names {
        let mut places = corpus.defined(&name.last, PLACES);
        places.retain(|it| !it.symbol.announces);
        let paths: HashSet<&str> = places.iter().map(|it| it.path.as_str()).collect();
        if paths.is_empty() || places.len() >= PLACES {
            continue;
        }
        let rarity = 1.0 / (paths.len() as f32).sqrt();
        for path in &paths {
            rows.add(path, Signal::Defines, name.weight * rarity);
            if name.titled {
                rows.add(path, Signal::TitleDefines, rarity);
            }
        }
        let Some(owner) = name.before.last() else { continue };
        let fitting: HashSet<&str> = places
            .iter()
            .filter(|it| fits(&it.symbol.qualified, owner) || stem(&it.path).eq_ignore_ascii_case(owner))
            .map(|it| it.path.as_str())
            .collect();
        for path in &fitting {
            rows.add(path, Signal::Qualified, name.weight / (fitting.len() as f32).sqrt());
        }
    }
    // Each part of a qualified name may itself be a type or a file.
    let mut stems: std::collections::HashMap<String, f32> = std::collections::HashMap::new();
    for name in &task.names {
        for part in name.before.iter().chain([&name.last]) {
            let at = stems.entry(part.to_lowercase()).or_default();
            *at = at.max(name.weight);
        }
    }
    for term in &task.terms {
        let at = stems.entry(term.word.clone()).or_default();
        *at = at.max(term.weight * if term.titled { 0.7 } else { 0.3 });
    }
    let known: Vec<String> = rows.rows.keys().cloned().collect();
    for path in known {
        let stem = stem(&path);
        let folded = stem.to_lowercase();
        let mut best = stems.get(&folded).copied().unwrap_or(0.0);
        if matches!(folded.as_str(), "mod" | "index" | "__init__" | "lib" | "main") {
            let folder = path.rsplit('/').nth(1).unwrap_or_default().to_lowercase();
            best = best.max(stems.get(&folder).copied().unwrap_or(0.0) * 0.7);
        }
        let inner = parts(stem);
        if inner.len() > 1 {
            let held = inner.iter().filter(|it| stems.contains_key(*it)).count();
            if held == inner.len() {
                let least = inner.iter().map(|it| stems[it]).fold(f32::MAX, f32::min);
                best = best.max(least);
            }
        }
        if best > 0.0 {
            rows.raise(&path, Signal::Stem, best);
        }
    }
    let lines = mentions(corpus, task, rows);
    for signal in [Signal::Defines, Signal::Qualified, Signal::TitleDefines, Signal::Stem] {
        rows.scale(signal, 1.0);
    }
    lines
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

/// A file's name without its ending.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}
