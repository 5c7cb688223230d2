//! What is written beside the code about a module (`.ac.mod.md`), held against the code: names that nothing has any more.

use std::collections::BTreeSet;

use crate::{How, Snapshot};

/// The name of a module's document.
pub const MODULE_DOC: &str = ".ac.mod.md";
/// Names of one document that are looked up.
const MOST: usize = 500;

/// A name in a module's document that stands for nothing in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// As it is written.
    pub name: String,
    /// The line in the document, from 1.
    pub line: u32,
    /// True for a path, false for the name of a symbol.
    pub is_path: bool,
}

/// Days by which a document may be older than the last change of its code before it counts as out of date.
pub const PATIENCE: u32 = 30;

/// A module's document, held against the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleDoc {
    /// Where it is.
    pub path: String,
    /// What it says first.
    pub says: String,
    /// What it names that the project does not have.
    pub missing: Vec<Missing>,
    /// Days by which it is older than the last change of the code beside and below it.
    pub behind: u32,
}

impl ModuleDoc {
    /// True where it names what is gone, or is older than its code by more than [`PATIENCE`].
    pub fn is_stale(&self) -> bool {
        !self.missing.is_empty() || self.behind > PATIENCE
    }
}

/// Holds the document `path` with this text against the code.
pub fn module_doc(snapshot: &Snapshot, path: &str, text: &str) -> ModuleDoc {
    ModuleDoc {
        path: path.to_owned(),
        says: first_line(text).to_owned(),
        missing: missing(snapshot, path, text),
        behind: behind(snapshot, path),
    }
}

/// Days from the last change of the document to that of the newest code that it is about: files of a known language in its
/// folder and below, but for those below another document. Both by git where its history knows them, else by their times on
/// disk. Zero where the document is the newer one.
fn behind(snapshot: &Snapshot, path: &str) -> u32 {
    let folder = path.strip_suffix(MODULE_DOC).unwrap_or(path);
    let inner: Vec<String> = module_docs(snapshot)
        .into_iter()
        .filter(|it| it != path && it.starts_with(folder))
        .map(|it| it.strip_suffix(MODULE_DOC).unwrap_or(&it).to_owned())
        .collect();
    let about = |it: &&str| {
        it.starts_with(folder)
            && ox_syntax::language(it).is_some()
            && !inner.iter().any(|below| it.starts_with(below.as_str()))
    };
    let code: Vec<&str> = snapshot.paths().filter(about).collect();
    if let Some(own) = snapshot.recent(path) {
        let newest = code.iter().filter_map(|it| snapshot.recent(it)).min();
        return newest.map_or(0, |it| own.saturating_sub(it));
    }
    let time = |it: &str| snapshot.state(it).map(|it| it.mtime);
    let (own, newest) = (time(path), code.iter().filter_map(|it| time(it)).max());
    let gap = newest.zip(own).map_or(0, |(newest, own)| newest.saturating_sub(own));
    u32::try_from(gap / DAY).unwrap_or(0)
}

/// In nanoseconds.
const DAY: i64 = 86_400_000_000_000;

/// The paths of all module documents, sorted.
pub fn module_docs(snapshot: &Snapshot) -> Vec<String> {
    let mut all = snapshot.by_name(MODULE_DOC);
    all.sort();
    all
}

/// What a module's document says first beside its heading: the purpose; the heading where there is nothing else.
pub fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
    let first = lines.next().unwrap_or_default();
    let second = if first.starts_with('#') { lines.next().unwrap_or_default() } else { "" };
    if second.is_empty() { first.trim_start_matches('#').trim() } else { second }
}

/// The names in the document `path` that the project does not have. Only what stands between back-ticks is held against
/// it, and only what can be nothing else: paths of files, and names with two words or a mark of code in them that no
/// definition, use or file has.
pub fn missing(snapshot: &Snapshot, path: &str, text: &str) -> Vec<Missing> {
    let folder = path.rsplit_once('/').map_or("", |it| it.0);
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    let mut fenced = false;
    for (number, line) in (1u32..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        for quoted in line.split('`').skip(1).step_by(2) {
            let Some((name, is_path)) = claim(quoted) else { continue };
            if seen.len() >= MOST || !seen.insert(name.to_owned()) {
                continue;
            }
            let there = if is_path { has_path(snapshot, folder, name) } else { has_symbol(snapshot, name) };
            if !there {
                out.push(Missing { name: name.to_owned(), line: number, is_path });
            }
        }
    }
    out
}

/// What a piece of code in a sentence claims to be there, and whether it is a path; none where that cannot be told.
fn claim(quoted: &str) -> Option<(&str, bool)> {
    let text = quoted.trim();
    // A call or a signature names what stands before its arguments.
    let name = text.split(['(', '<', '{', '!', '=']).next().unwrap_or_default().trim_end_matches([':', '.']).trim();
    if name.len() < 3 || name.contains(char::is_whitespace) || text.starts_with(['-', '/', '~', '$', '@', '.']) {
        return None;
    }
    if name.contains(['*', '?', '[', '|', ',', ';', '"', '\'', '%', '+', '&', '#']) || text.contains("://") {
        return None;
    }
    let is_name = |it: &str| it.chars().all(|c| c.is_alphanumeric() || c == '_');
    if name == text && name.contains('/') {
        let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let dotted =
            last.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && (1..=5).contains(&ending.len()));
        return dotted.then_some((name, true));
    }
    if name == text && ox_syntax::language(name).is_some() {
        return Some((name, true));
    }
    let last = name.rsplit("::").next().unwrap_or_default().rsplit('.').next().unwrap_or_default();
    let marked =
        last.contains('_') || last.chars().skip(1).any(char::is_uppercase) && last.chars().any(char::is_lowercase);
    let called = text.len() > name.len() && text[name.len()..].starts_with('(');
    let pure = name.split("::").all(is_name) || name.split('.').all(is_name);
    (pure && (marked || called || name.contains("::"))).then_some((name, false))
}

fn has_path(snapshot: &Snapshot, folder: &str, name: &str) -> bool {
    let name = name.trim_start_matches("./");
    let beside = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    snapshot.has(name) || snapshot.has(&beside) || !snapshot.by_suffix(name).is_empty()
}

/// True where the last part of the name is defined or used anywhere, or is a word of the code's text, such as a field of a
/// configuration. A path may go through modules and foreign packages that are not known here, so its head counts for nothing.
fn has_symbol(snapshot: &Snapshot, name: &str) -> bool {
    let last = name.rsplit("::").next().unwrap_or(name).rsplit('.').next().unwrap_or(name);
    !snapshot.defined(last, How::Exact, 1).is_empty()
        || !snapshot.referenced(last, 1).is_empty()
        || crate::tokens(last).first().is_some_and(|it| stands_in_code(snapshot, it))
}

/// True where a word stands in the text of code, not only in documents that may be as old as this one.
fn stands_in_code(snapshot: &Snapshot, word: &str) -> bool {
    let fields = crate::Fields { path: 0.0, name: 0.0, signature: 0.0, body: 1.0, strings: 0.0, doc: 0.0 };
    let hits = snapshot.search(&[(word.to_owned(), 1.0)], &fields, crate::Scope::Files, 50);
    hits.iter().any(|it| super::form(&it.path).is_none())
}
