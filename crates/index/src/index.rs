//! The index of one project: opened at once, brought up to date by what `repo` lists, asked through snapshots.
//!
//! Asking never waits for updating. Everything here is derived: what is damaged is set aside and built again, and where
//! the cache cannot be written the index lives in memory and says so.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use ox_protocol::ChangeKind;

use crate::build::{Build, Built, Read};
use crate::files::{Entry, FileState, Stamp};
use crate::history::{Commit, History};
use crate::keeping::Keeping;
use crate::report::{Progress, Report};
use crate::snapshot::{Snapshot, State};
use crate::store::contents::Key;
use crate::store::folder::Folder;
use crate::store::manifest::Piece;
use crate::store::merge;
use crate::store::segment::{Segment, Segments};
use crate::{Change, IndexError};

/// Small segments in memory before they are made one.
const SMALL: usize = 6;

/// The index of one project. Cheap to clone; all clones are the same index.
#[derive(Clone, Debug)]
pub struct Index {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) folder: Folder,
    current: RwLock<Arc<State>>,
    pub(crate) keeping: Mutex<Keeping>,
    /// Held by whoever writes to disk.
    pub(crate) saving: Mutex<()>,
    /// A thread is about to write what is in memory.
    pub(crate) waiting: AtomicBool,
}

impl Index {
    /// Opens the index of the project `key` (its root as text) in the cache folder `cache`. Nothing is written, and nothing
    /// is read but the list of files; a cache that is damaged, or of another version, counts as absent.
    pub fn open(cache: &Path, key: &str) -> Result<Index, IndexError> {
        let name: String = crate::files::hash(key.as_bytes())[..8].iter().map(|it| format!("{it:02x}")).collect();
        let folder = Folder { path: cache.join(name) };
        let shared = Shared {
            folder,
            current: RwLock::default(),
            keeping: Mutex::default(),
            saving: Mutex::default(),
            waiting: AtomicBool::new(false),
        };
        let index = Index { shared: Arc::new(shared) };
        let loaded = index.shared.folder.load();
        index.adopt(&mut index.keeping(), loaded, &Vec::new(), None);
        Ok(index)
    }

    /// What is known now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: self.state() }
    }

    /// Brings the index up to date with all files of the tree. Only files that do not stand as they did are read, only
    /// contents that are not known are parsed. While it works, snapshots show what is done so far.
    pub fn update(
        &self,
        states: &[FileState],
        read: &Read<'_>,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Report, IndexError> {
        let _alone = self.alone();
        let mut keeping = self.keeping();
        let mut report = Report::default();
        let writing = self.begin(&mut keeping, &mut report, true);
        let old = self.state();
        let (kept, todo) = compare(&old.files, states);
        (report.unchanged, report.removed) = (kept.len() as u64, removed(&old.files, states));
        if todo.is_empty() && report.removed == 0 {
            self.finish(&mut keeping, writing, &mut report);
            return Ok(report);
        }
        let looked = todo.len() as u64;
        let known = |key: &Key| old.segments.iter().any(|it| it.find(key).is_some());
        let made = Mutex::new((old.segments.clone(), Vec::new()));
        let publish = |segment: Segment, entries: &[Entry]| {
            let (segment, piece) = written(segment, writing.as_ref().map(|_| &self.shared.folder));
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            made.0.push(Arc::new(segment));
            made.1.extend(piece);
            let state = State::new(joined(&kept, entries, &made.0), made.0.clone(), old.history.clone());
            self.publish(state);
        };
        let built = Build { todo, read, progress, known: &known, publish: &publish }.run()?;
        let (segments, pieces) = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        keeping.pieces.extend(pieces.into_iter().map(|it| (it.name.clone(), it)));
        keeping.dirty = true;
        let Built { entries, parsed, spent } = built;
        (report.parsed, report.spent, report.reused) = (parsed, spent, looked.saturating_sub(parsed));
        let files = joined(&kept, &entries, &segments);
        let state = self.fitting(State::new(files, segments, old.history.clone()));
        self.publish(state);
        self.finish(&mut keeping, writing, &mut report);
        Ok(report)
    }

    /// Takes in what an edit changed, without looking at other files. It is in the next snapshot when this returns, and
    /// written a little later; what is lost on the way is found again by the next [`Index::update`].
    pub fn change(&self, changes: &[Change], read: &Read<'_>) -> Result<Report, IndexError> {
        let mut keeping = self.keeping();
        let old = self.state();
        let gone = |it: &Change| {
            (it.kind == ChangeKind::Deleted)
                .then_some(it.path.as_str())
                .into_iter()
                .chain(it.from.as_deref())
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let mut touched: Vec<String> = changes.iter().flat_map(gone).collect();
        let mut todo: Vec<FileState> = Vec::new();
        for change in changes.iter().filter(|it| it.kind != ChangeKind::Deleted) {
            touched.push(change.path.clone());
            // Its size and times are not known: the next update looks into it again.
            todo.push(FileState { path: change.path.clone(), mtime: i64::MAX, ..FileState::default() });
        }
        touched.sort_unstable();
        let kept: Vec<&Entry> =
            old.files.iter().filter(|it| touched.binary_search_by(|path| (**path).cmp(&*it.path)).is_err()).collect();
        let known = |key: &Key| old.segments.iter().any(|it| it.find(key).is_some());
        let made = Mutex::new(old.segments.clone());
        let publish = |segment: Segment, _: &[Entry]| {
            made.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(segment));
        };
        let todo: Vec<&FileState> = todo.iter().collect();
        let looked = todo.len() as u64;
        let built = Build { todo, read, progress: &|_| {}, known: &known, publish: &publish }.run()?;
        let segments = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut report = Report { parsed: built.parsed, spent: built.spent, ..Report::default() };
        report.reused = looked.saturating_sub(built.parsed);
        (report.unchanged, report.removed) = (kept.len() as u64, (old.files.len() - kept.len()) as u64);
        let files = joined(&kept, &built.entries, &segments);
        let state = self.fitting(State::new(files, segments, old.history.clone()));
        self.publish(state);
        keeping.dirty = true;
        self.write_later();
        Ok(report)
    }

    /// Takes in the history up to the commit `head`, newest commit first.
    pub fn history(&self, head: &str, commits: &[Commit]) {
        let mut keeping = self.keeping();
        let old = self.state();
        let history = Arc::new(History::new(head, commits));
        let state = State::new(old.files.clone(), old.segments.clone(), history);
        self.publish(state.with_names(old.names.clone()));
        keeping.dirty = true;
        self.write_later();
    }

    /// True when the history up to the commit `head` was taken in.
    pub fn knows_history(&self, head: &str) -> bool {
        self.state().history.head == head
    }

    /// Makes one of the small segments in memory when they have become many, without what is dead.
    fn fitting(&self, state: State) -> State {
        let (memory, disk): (Segments, Segments) = state.segments.iter().cloned().partition(|it| it.is_memory());
        if memory.len() <= SMALL {
            return self.named(state);
        }
        let live: HashSet<Key> = state.files.iter().map(Entry::key).collect();
        let Ok(merged) = merge::in_memory(&memory, &|it| live.contains(it)) else { return self.named(state) };
        let segments: Segments = disk.into_iter().chain(merged.map(Arc::new)).collect();
        let files = placed(state.files, &segments);
        self.named(State::new(files, segments, state.history))
    }

    /// Goes on using the table of names where the paths are the same.
    fn named(&self, state: State) -> State {
        let old = self.state();
        let same =
            old.files.len() == state.files.len() && old.files.iter().zip(&state.files).all(|(a, b)| a.path == b.path);
        let names = if same { old.names.clone() } else { Arc::new(OnceLock::new()) };
        state.with_names(names)
    }

    pub(crate) fn publish(&self, state: State) {
        *self.shared.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(state);
    }

    pub(crate) fn state(&self) -> Arc<State> {
        self.shared.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Writes a segment where it can be; it is as good in memory.
fn written(segment: Segment, folder: Option<&Folder>) -> (Segment, Option<Piece>) {
    let Some(folder) = folder else { return (segment, None) };
    let opened =
        segment.write(&folder.path).and_then(|piece| Ok((Segment::open(&folder.path.join(&piece.name))?, piece)));
    match opened {
        Ok((opened, piece)) => (opened, Some(piece)),
        Err(_) => (segment, None),
    }
}

/// Parts the listed files into those that stand as they did and those to look into.
fn compare<'a>(old: &'a [Entry], states: &'a [FileState]) -> (Vec<&'a Entry>, Vec<&'a FileState>) {
    let (mut kept, mut todo) = (Vec::with_capacity(states.len()), Vec::new());
    for state in states {
        let known = old.binary_search_by(|it| (*it.path).cmp(&state.path)).ok().map(|it| &old[it]);
        match known.filter(|it| it.holds(&Stamp::from(state))) {
            Some(entry) => kept.push(entry),
            None => todo.push(state),
        }
    }
    (kept, todo)
}

/// How many known files are not listed any more.
fn removed(old: &[Entry], states: &[FileState]) -> u64 {
    let listed: HashSet<&str> = states.iter().map(|it| it.path.as_str()).collect();
    old.iter().filter(|it| !listed.contains(&*it.path)).count() as u64
}

/// All files, sorted, each once, those just read with their places in `segments`.
fn joined(kept: &[&Entry], read: &[Entry], segments: &Segments) -> Vec<Entry> {
    let mut files: Vec<Entry> = kept.iter().map(|it| (*it).clone()).collect();
    files.extend(placed(read.to_vec(), segments));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    files
}

/// Finds the contents of files in `segments` anew.
pub(crate) fn placed(mut files: Vec<Entry>, segments: &Segments) -> Vec<Entry> {
    for entry in files.iter_mut().filter(|it| it.rule.is_none()) {
        let key = entry.key();
        let place = |(number, segment): (u32, &Arc<Segment>)| Some((number, segment.find(&key)?));
        entry.at = (0u32..).zip(segments).find_map(place);
    }
    files
}
