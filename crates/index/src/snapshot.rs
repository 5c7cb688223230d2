//! What the index knew at one moment: files, facts, names, words and edges that belong together.
//!
//! A snapshot never changes, whoever writes meanwhile, and costs nothing to clone. It never reads the working tree.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::facts::Facts;
use crate::files::{Entry, Rule};
use crate::history::History;
use crate::store::contents::Content;
use crate::store::segment::{Kept, Segments};

/// Facts that are kept read, in number of files.
const READ: usize = 2_000;

/// A consistent view of the index.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) state: Arc<State>,
}

/// What a snapshot shows.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Sorted by path.
    pub(crate) files: Vec<Entry>,
    pub(crate) segments: Segments,
    pub(crate) history: Arc<History>,
    /// Positions of the files by their names; shared while no path comes or goes.
    pub(crate) names: Arc<OnceLock<HashMap<Box<str>, Vec<u32>>>>,
    live: OnceLock<Live>,
    read: Mutex<HashMap<(u32, u32), Arc<Facts>>>,
    /// Files that declare a name, as they were looked up: resolving imports asks for the same ones again and again.
    pub(crate) declared: Mutex<HashMap<Box<str>, Arc<[u32]>>>,
}

/// Which contents of the segments are those of files, and what they come to.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// For each segment, the first file of each content; [`NONE`] for a dead one.
    pub(crate) owners: Vec<Vec<u32>>,
    /// The next file with the same content as a file; [`NONE`] for the last.
    pub(crate) twins: Vec<u32>,
    /// Files with a content.
    pub(crate) files: u64,
    /// Their chunks.
    pub(crate) chunks: u64,
    /// Words in each text field of all of them.
    pub(crate) lengths: [u64; crate::store::schema::TEXTS],
}

/// No file.
pub(crate) const NONE: u32 = u32::MAX;

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
    pub(crate) fn new(files: Vec<Entry>, segments: Segments, history: Arc<History>) -> State {
        State { files, segments, history, ..State::default() }
    }

    /// The same with a table of names that is known to fit.
    pub(crate) fn with_names(mut self, names: Arc<OnceLock<HashMap<Box<str>, Vec<u32>>>>) -> State {
        self.names = names;
        self
    }

    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|it| (*it.path).cmp(path)).ok()
    }

    pub(crate) fn content(&self, entry: &Entry) -> Option<&Content> {
        let (segment, content) = entry.at?;
        self.segments.get(segment as usize)?.contents.all.get(content as usize)
    }

    pub(crate) fn kept(&self, entry: &Entry) -> Option<Kept> {
        let segment = self.segments.get(entry.at?.0 as usize)?;
        // What is damaged is found and replaced by the next update; until then it is as if it were not there.
        segment.kept(self.content(entry)?).ok()
    }

    pub(crate) fn facts(&self, entry: &Entry) -> Option<Arc<Facts>> {
        let at = entry.at?;
        let read = || self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = read().get(&at) {
            return Some(known.clone());
        }
        let facts = Arc::new(self.kept(entry)?.facts);
        let mut read = read();
        if read.len() >= READ {
            read.clear();
        }
        read.insert(at, facts.clone());
        Some(facts)
    }

    pub(crate) fn live(&self) -> &Live {
        self.live.get_or_init(|| self.count())
    }

    fn count(&self) -> Live {
        let mut live = Live {
            owners: self.segments.iter().map(|it| vec![NONE; it.contents.all.len()]).collect(),
            twins: vec![NONE; self.files.len()],
            ..Live::default()
        };
        // From the last to the first, so that each chain is in the order of the paths.
        for (number, entry) in self.files.iter().enumerate().rev() {
            let Some(content) = self.content(entry) else { continue };
            let (segment, position) = entry.at.expect("a file with a content has a place");
            let owner = &mut live.owners[segment as usize][position as usize];
            live.twins[number] = *owner;
            *owner = u32::try_from(number).unwrap_or(NONE);
            live.files += 1;
            live.chunks += u64::from(content.docs);
            for (sum, length) in live.lengths.iter_mut().zip(content.lengths) {
                *sum += u64::from(length);
            }
        }
        live
    }
}

impl Live {
    /// The files with a content, in the order of their paths.
    pub(crate) fn files(&self, segment: usize, content: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.owners[segment][content as usize];
        std::iter::from_fn(move || {
            let this = (next != NONE).then_some(next)?;
            next = self.twins[this as usize];
            Some(this)
        })
    }
}

impl Snapshot {
    /// The paths of all files, sorted, relative to the project root.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.state.files.iter().map(|it| &*it.path)
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.state.files.len()
    }

    /// True without any file: nothing was indexed yet.
    pub fn is_empty(&self) -> bool {
        self.state.files.is_empty()
    }

    /// True for a file of the project.
    pub fn has(&self, path: &str) -> bool {
        self.state.find(path).is_some()
    }

    /// What is known of a file.
    pub fn state(&self, path: &str) -> Option<FileInfo> {
        let entry = self.entry(path)?;
        let hash = (entry.hash != [0; 16]).then_some(entry.hash);
        let (size, mtime) = (entry.stamp.size, entry.stamp.mtime);
        Some(FileInfo { language: crate::language(path), size, mtime, hash, rule: entry.rule })
    }

    /// The facts of a file; none where its contents are not indexed.
    pub fn facts(&self, path: &str) -> Option<Arc<Facts>> {
        self.state.facts(self.entry(path)?)
    }

    /// The files with this name, whatever their folder.
    pub fn by_name(&self, file_name: &str) -> Vec<String> {
        self.named(file_name).map(|it| it.path.to_string()).collect()
    }

    /// The files whose path is `suffix` or ends in `/` and it.
    pub fn by_suffix(&self, suffix: &str) -> Vec<String> {
        let suffix = suffix.trim_start_matches('/');
        let name = suffix.rsplit('/').next().unwrap_or(suffix);
        let fits =
            |path: &str| path.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        self.named(name).filter(|it| fits(&it.path)).map(|it| it.path.to_string()).collect()
    }

    /// The paths of the files directly in a folder; that of the root is empty.
    pub fn folder(&self, folder: &str) -> Vec<String> {
        let folder = folder.trim_end_matches('/');
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let files = &self.state.files;
        let mut at = files.partition_point(|it| *it.path < *prefix);
        let mut found = Vec::new();
        while let Some(rest) = files.get(at).and_then(|it| it.path.strip_prefix(&prefix)) {
            match rest.split_once('/') {
                None => {
                    found.push(files[at].path.to_string());
                    at += 1;
                }
                // `0` is the character after the slash: the first path behind the folder.
                Some((below, _)) => {
                    let behind = format!("{prefix}{below}0");
                    at += files[at..].partition_point(|it| *it.path < *behind);
                }
            }
        }
        found
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

    pub(crate) fn entry(&self, path: &str) -> Option<&Entry> {
        self.state.files.get(self.state.find(path)?)
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &Entry> {
        let names = self.state.names.get_or_init(|| {
            let mut names: HashMap<Box<str>, Vec<u32>> = HashMap::new();
            for (number, entry) in (0u32..).zip(&self.state.files) {
                let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
                match names.get_mut(name) {
                    Some(all) => all.push(number),
                    None => drop(names.insert(name.into(), vec![number])),
                }
            }
            names
        });
        let numbers = names.get(name).map(Vec::as_slice).unwrap_or_default();
        numbers.iter().filter_map(|it| self.state.files.get(*it as usize))
    }
}

fn seconds() -> i64 {
    std::time::UNIX_EPOCH.elapsed().map_or(0, |it| i64::try_from(it.as_secs()).unwrap_or(i64::MAX))
}
