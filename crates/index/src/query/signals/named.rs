//! What a task names, looked up: definitions, files, frames of stacks.

use std::collections::HashSet;

use super::rows::Rows;
use crate::query::text::{Task, words};
use crate::query::weights::Signal;
use ox_syntax::SymbolKind;

use crate::{How, Place, Snapshot};

/// A name that more places than this define says nothing.
const PLACES: usize = 60;
/// So far up is looked for what a type is made from.
const LEVELS: usize = 4;
/// What a file counts of which the text names another folder.
const ALONE: f32 = 0.3;
/// What files of modules end in.
const MODULES: &[&str] =
    &[".py", "/__init__.py", ".rs", "/mod.rs", "/lib.rs", ".java", ".kt", ".ts", ".tsx", ".js", ".go", ".h", ".hpp"];

/// Looks up what the task names, and tells the lines that it names.
pub(super) fn gather(snapshot: &Snapshot, task: &Task, rows: &mut Rows) -> Vec<(String, u32)> {
    for name in &task.names {
        let mut places = snapshot.defined(&name.last, How::Exact, PLACES);
        if places.len() >= PLACES {
            continue;
        }
        places.retain(|it| !it.symbol.is_declaration);
        // `Type::method` is that of the type, where the type is the project's own, and `a::b::c` is that of the module.
        let fits = |it: &Place| fitting(it, &name.before);
        let best = places.iter().map(fits).max().unwrap_or(0);
        if best > 0 {
            places.retain(|it| fits(it) == best);
        } else if let Some(owner) = name.before.last() {
            inherited(snapshot, owner, &mut places);
        }
        let paths: HashSet<&str> = places.iter().map(|it| it.path.as_str()).collect();
        for path in &paths {
            rows.add(path, Signal::Defines, name.weight / (paths.len() as f32).sqrt());
        }
    }
    rows.scale(Signal::Defines, 1.0);
    modules(snapshot, task, rows);
    mentions(snapshot, task, rows)
}

fn mentions(snapshot: &Snapshot, task: &Task, rows: &mut Rows) -> Vec<(String, u32)> {
    let mut depth = 0;
    let mut lines = Vec::new();
    for mention in &task.paths {
        let found = resolve(snapshot, &mention.path);
        if found.is_empty() || found.len() > 8 {
            continue;
        }
        let share = 1.0 / found.len() as f32;
        // The file of a library that happens to be called like one of the project's own.
        let folders = mention.path.matches('/').count();
        let alone = found
            .iter()
            .all(|it| !mention.path.ends_with(it.as_str()) && folders > 1 && !shares_folder(it, &mention.path));
        let share = if alone { share * ALONE } else { share };
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

/// True where the folder right above is the same.
fn shares_folder(one: &str, other: &str) -> bool {
    let above = |it: &str| it.rsplit('/').nth(1).map(str::to_owned);
    above(one) == above(other)
}

/// The project's files that a path means: those that end in the longest end of it that any file has.
pub(crate) fn resolve(snapshot: &Snapshot, path: &str) -> Vec<String> {
    let mut rest = path.trim_start_matches('/');
    loop {
        let found = snapshot.by_suffix(rest);
        if !found.is_empty() {
            return found;
        }
        match rest.split_once('/') {
            Some((_, after)) => rest = after,
            None => return Vec::new(),
        }
    }
}

/// How many of the parts before a name stand around a definition: the types and modules that it is in, its file and folders.
/// The one right before the name says as much as all others.
fn fitting(it: &Place, before: &[String]) -> usize {
    let parts: Vec<&str> = it.symbol.qualified.split(['.', ':', '#', '<', ' ']).filter(|it| !it.is_empty()).collect();
    let folders = it.path.rsplit_once('/').map_or("", |it| it.0);
    let around = |part: &str| {
        parts
            .iter()
            .take(parts.len().saturating_sub(1))
            .chain([&stem(&it.path)])
            .any(|it| it.eq_ignore_ascii_case(part))
    };
    let far = |part: &str| folders.split('/').any(|it| it.eq_ignore_ascii_case(part));
    let count = before.iter().filter(|it| around(it)).count() * 2 + before.iter().filter(|it| far(it)).count();
    count + before.last().map_or(0, |it| if around(it) { 100 } else { 0 })
}

/// Keeps the places that stand in a type which `owner` is made from, the nearest of them.
fn inherited(snapshot: &Snapshot, owner: &str, places: &mut Vec<Place>) {
    let mut known = HashSet::from([owner.to_owned()]);
    let mut types = vec![owner.to_owned()];
    for _ in 0..LEVELS {
        let mut bases = Vec::new();
        for it in types
            .iter()
            .flat_map(|it| snapshot.defined(it, How::Exact, 4))
            .filter(|it| it.symbol.kind == SymbolKind::Type)
        {
            let words = words(&it.symbol.signature).filter(|it| it.starts_with(char::is_uppercase));
            bases.extend(words.map(str::to_owned).filter(|it| known.insert(it.clone())));
        }
        if places.iter().any(|it| bases.iter().any(|base| stands_in(it, base))) {
            places.retain(|it| bases.iter().any(|base| stands_in(it, base)));
            return;
        }
        types = bases;
    }
}

fn stands_in(it: &Place, owner: &str) -> bool {
    it.symbol.qualified.rsplit(['.', ':', '#']).filter(|it| !it.is_empty()).nth(1) == Some(owner)
}

/// Dotted names that are the ends of paths: `a.b.c` as `a/b/c.py`, `a::b::C` as `b.rs` in `a`.
fn modules(snapshot: &Snapshot, task: &Task, rows: &mut Rows) {
    for name in task.names.iter().filter(|it| !it.before.is_empty()) {
        let parts: Vec<&str> = name.before.iter().chain([&name.last]).map(String::as_str).collect();
        let ends = (2..=parts.len()).rev().flat_map(|end| [0, 1].map(|start| (start, end)));
        let found = ends.filter(|(start, end)| end - start >= 2).find_map(|(start, end)| {
            let path = parts[start..end].join("/");
            let files = MODULES.iter().flat_map(|it| snapshot.by_suffix(&format!("{path}{it}")));
            let files: Vec<String> = files.take(4).collect();
            (1..4).contains(&files.len()).then_some(files)
        });
        let Some(files) = found else { continue };
        for path in &files {
            rows.add(path, Signal::Module, name.weight / files.len() as f32);
        }
    }
    rows.scale(Signal::Module, 1.0);
}

/// A file's name without its ending.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}
