//! What the index knew at one moment: files, facts, names, words and edges that belong together.
//!
//! A snapshot never changes, whoever writes meanwhile, and costs nothing to clone. It never reads the working tree.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use super::facts_cache::FactsCache;
use super::history::Past;
use super::live::{Live, content_at};
use super::paths::Paths;
use crate::store::contents::Content;
use crate::store::files::Key;
use crate::store::files::Rule;
use crate::store::files::{At, Changed, Listing, View};
use crate::store::segment::{Segment, Segments, StoredFacts};
use ox_syntax::Facts;

/// A consistent view of the index.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) state: Arc<State>,
}

/// What a snapshot shows. What is worked out from it when it is first asked for goes on into those that come after it, as far
/// as it still holds.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Sorted by path.
    pub(crate) files: Listing,
    pub(crate) segments: Segments,
    pub(crate) history: Arc<Past>,
    /// What is found by names and words of paths; shared while no path comes or goes.
    pub(crate) paths: Arc<Paths>,
    live: OnceLock<Arc<Live>>,
    recall: Arc<FactsCache>,
    /// Files that declare a name, as they were looked up: resolving imports asks for the same ones again and again.
    pub(crate) declared: Mutex<HashMap<Box<str>, Arc<[u32]>>>,
}

/// What the index knows of a file beside its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Its programming language.
    pub language: Option<&'static str>,
    /// In bytes.
    pub size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub mtime: i64,
    /// The first half of the SHA-256 of its bytes; none where it was not read.
    pub hash: Option<[u8; 16]>,
    /// Why its contents are not indexed, if they are not.
    pub rule: Option<Rule>,
}

impl State {
    pub(crate) fn new(files: Listing, segments: Segments, history: Arc<Past>) -> State {
        State { files, segments, history, ..State::default() }
    }

    /// What follows with these files and segments; only what holds for any others is taken over.
    fn after(&self, files: Listing, segments: Segments) -> State {
        State { recall: self.recall.clone(), ..State::new(files, segments, self.history.clone()) }
    }

    /// The same with some files changed, and segments behind its own.
    pub(crate) fn with(&self, changed: Changed, segments: Segments) -> State {
        let gone = |it: &(Arc<str>, _)| self.files.find(&it.0);
        let numbers: Vec<usize> = changed.iter().filter_map(gone).collect();
        let (files, same) = self.files.with(changed);
        let next = self.after(files, segments);
        if !same {
            return next;
        }
        let live = self.live.get().map(|it| Arc::new(it.with(&self.files, &next.files, &next.segments, &numbers)));
        State { paths: self.paths.clone(), live: live.map(OnceLock::from).unwrap_or_default(), ..next }
    }

    /// The same files with their contents in other segments: those that are the same one, and those that have them now.
    pub(crate) fn moved(&self, segments: Segments) -> State {
        let same: Vec<Option<u32>> = self.segments.iter().map(|old| position(&segments, old)).collect();
        let fresh: Vec<bool> = segments.iter().map(|it| position(&self.segments, it).is_none()).collect();
        let to = |at: At, key: &dyn Fn() -> Key| {
            if let Some(number) = same.get(at.0 as usize).copied().flatten() {
                return Some((number, at.1));
            }
            let (key, find) = (key(), |new: bool, key: &Key| {
                let all = (0u32..).zip(&segments).zip(&fresh).filter(|it| *it.1 == new);
                all.map(|it| it.0).find_map(|(number, it)| Some((number, it.find(key)?)))
            });
            find(true, &key).or_else(|| find(false, &key))
        };
        let files = self.files.moved(&to);
        let live = self.live.get().and_then(|it| it.moved(&self.segments, &segments, &to)).map(Arc::new);
        let live = live.map(OnceLock::from).unwrap_or_default();
        State { paths: self.paths.clone(), live, ..self.after(files, segments) }
    }

    /// The same with its files as they lie in a manifest that was made of them.
    pub(crate) fn with_listing(self, files: Listing) -> State {
        State { files, ..self }
    }

    /// The same with another history.
    pub(crate) fn with_history(&self, history: Past) -> State {
        let next = self.after(self.files.clone(), self.segments.clone());
        State { history: Arc::new(history), paths: self.paths.clone(), live: self.live.clone(), ..next }
    }

    pub(crate) fn content(&self, entry: View<'_>) -> Option<&Content> {
        content_at(&self.segments, entry.at)
    }

    pub(crate) fn kept(&self, entry: View<'_>) -> Option<StoredFacts> {
        let segment = self.segments.get(entry.at?.0 as usize)?;
        // What is damaged is found and replaced by the next update; until then it is as if it were not there.
        segment.kept(self.content(entry)?).ok()
    }

    pub(crate) fn facts(&self, entry: View<'_>) -> Option<Arc<Facts>> {
        let (segment, content) = entry.at?;
        let place = (self.segments.get(segment as usize)?.number, content);
        self.recall.get(place, || Some((self.kept(entry)?.facts, self.content(entry)?.len)))
    }

    pub(crate) fn live(&self) -> &Live {
        self.live.get_or_init(|| Arc::new(Live::of(&self.files, &self.segments)))
    }
}

/// Where a segment is among others.
fn position(segments: &Segments, sought: &Segment) -> Option<u32> {
    segments.iter().position(|it| it.number == sought.number).and_then(|it| u32::try_from(it).ok())
}

impl Snapshot {
    /// The paths of all files, sorted, relative to the project root.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.state.files.paths()
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.state.files.len()
    }

    /// True without any file: nothing was indexed yet.
    pub fn is_empty(&self) -> bool {
        self.state.files.len() == 0
    }

    /// True for a file of the project.
    pub fn has(&self, path: &str) -> bool {
        self.state.files.find(path).is_some()
    }

    /// What is known of a file.
    pub fn state(&self, path: &str) -> Option<FileInfo> {
        let entry = self.entry(path)?;
        let hash = (entry.hash != [0; 16]).then_some(entry.hash);
        let (size, mtime) = (entry.stamp.size, entry.stamp.mtime);
        Some(FileInfo { language: ox_syntax::language(path), size, mtime, hash, rule: entry.rule })
    }

    /// The facts of a file; none where its contents are not indexed.
    pub fn facts(&self, path: &str) -> Option<Arc<Facts>> {
        self.state.facts(self.entry(path)?)
    }

    /// The files with this name, whatever their folder.
    pub fn by_name(&self, file_name: &str) -> Vec<String> {
        self.named(file_name).map(str::to_owned).collect()
    }

    /// The files whose path is `suffix` or ends in `/` and it.
    pub fn by_suffix(&self, suffix: &str) -> Vec<String> {
        let suffix = suffix.trim_start_matches('/');
        let name = suffix.rsplit('/').next().unwrap_or(suffix);
        let fits =
            |path: &str| path.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        self.named(name).filter(|it| fits(it)).map(str::to_owned).collect()
    }

    /// The paths of the files directly in a folder; that of the root is empty.
    pub fn folder(&self, folder: &str) -> Vec<String> {
        let folder = folder.trim_end_matches('/');
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let files = &self.state.files;
        let mut at = files.from(&prefix);
        let mut found = Vec::new();
        while at < files.len() {
            let path = files.path(at);
            let Some(rest) = path.strip_prefix(&prefix) else { break };
            match rest.split_once('/') {
                None => {
                    found.push(path.to_owned());
                    at += 1;
                }
                // `0` is the character after the slash: the first path behind the folder.
                Some((below, _)) => at = files.from(&format!("{prefix}{below}0")),
            }
        }
        found
    }

    /// The text of a manifest: `Cargo.toml`, `go.mod`, `package.json`, `tsconfig.json` and the like. None for other files.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.state.kept(self.entry(path)?)?.text
    }

    /// Days since the history last changed `path`.
    pub fn recent(&self, path: &str) -> Option<u32> {
        self.state.history.recent(path, seconds())
    }

    /// How much `path` has changed lately: its commits of at most 30 files, each counting half for every 180 days of age.
    pub fn churn(&self, path: &str) -> f32 {
        self.state.history.churn(path, seconds())
    }

    /// The files that changed together with `path`, and in which share of its changes; most often first.
    pub fn together(&self, path: &str) -> Vec<(String, f32)> {
        let mut all = self.state.history.together(path);
        all.retain(|(it, _)| self.has(it));
        all
    }

    pub(crate) fn entry(&self, path: &str) -> Option<View<'_>> {
        Some(self.state.files.get(self.state.files.find(path)?))
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &str> {
        let numbers = self.state.paths.named(&self.state.files, name);
        numbers.iter().map(|it| self.state.files.path(*it as usize))
    }
}

fn seconds() -> i64 {
    std::time::UNIX_EPOCH.elapsed().map_or(0, |it| i64::try_from(it.as_secs()).unwrap_or(i64::MAX))
}
