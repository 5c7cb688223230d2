//! The index of one project: opened at once, brought up to date by what `repo` lists, asked through snapshots.
//!
//! Asking never waits for updating. Everything here is derived: what is damaged is set aside and built again, and where
//! the cache cannot be written the index lives in memory and says so.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ox_protocol::ChangeKind;

use super::build::{Build, Built, Read};
use super::report::{Progress, Report};
use super::writer_state::WriterState;
use crate::snapshot::{Commit, History};
use crate::snapshot::{Snapshot, State};
use crate::store::files::Key;
use crate::store::files::{Changed, Listing};
use crate::store::files::{Entry, FileState, Stamp, UNKNOWN, short_name};
use crate::store::folder::{Folder, Writing};
use crate::store::manifest::Piece;
use crate::store::merge;
use crate::store::segment::{Segment, Segments};
use crate::{Change, IndexError};

/// Small segments in memory before they are made one.
const SMALL: usize = 6;
/// What building may keep in memory unless something else is said, in bytes.
const MEMORY: u64 = 512 << 20;

/// The index of one project. Cheap to clone; all clones are the same index.
#[derive(Clone, Debug)]
pub struct Index {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) folder: Folder,
    current: RwLock<Arc<State>>,
    pub(crate) writer: Mutex<WriterState>,
    /// Held by whoever writes to disk.
    pub(crate) saving: Mutex<()>,
    /// A thread is about to write what is in memory.
    pub(crate) waiting: AtomicBool,
    /// Bytes that building may keep in memory.
    memory: AtomicU64,
}

impl Index {
    /// Opens the index of the project `key` (its root as text) in the cache folder `cache`. Nothing is written, and nothing
    /// is read but the list of files; a cache that is damaged, or of another version, counts as absent.
    pub fn open(cache: &Path, key: &str) -> Result<Index, IndexError> {
        let folder = Folder { path: cache.join(short_name(key)) };
        let shared = Shared {
            folder,
            current: RwLock::default(),
            writer: Mutex::default(),
            saving: Mutex::default(),
            waiting: AtomicBool::new(false),
            memory: AtomicU64::new(MEMORY),
        };
        let index = Index { shared: Arc::new(shared) };
        let loaded = index.shared.folder.load();
        index.adopt(&mut index.writer(), loaded, true);
        Ok(index)
    }

    /// What is known now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: self.state() }
    }

    /// Lets building keep about so many bytes in memory, on all cores together; 512 MiB unless this is called. What it needs for
    /// one file is not counted, and less than 8 MiB a core is not held to.
    pub fn limit_memory(&self, bytes: u64) {
        self.shared.memory.store(bytes, Ordering::Relaxed);
    }

    /// Brings the index up to date with all files of the tree. Only files that do not stand as they did are read, only
    /// contents that are not known are parsed. While it works, snapshots show what is done so far, and edits are taken in.
    pub fn update(
        &self,
        states: &[FileState],
        read: &Read<'_>,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Report, IndexError> {
        let _lock = self.writer_lock();
        let mut report = Report::default();
        let writing = {
            let mut writer = self.writer();
            writer.edited = Some(HashSet::new());
            self.begin(&mut writer, &mut report, true)
        };
        let taken = self.take_in(states, (read, progress), writing.as_ref(), &mut report);
        self.writer().edited = None;
        taken?;
        self.finish(writing, &mut report);
        Ok(report)
    }

    fn take_in(
        &self,
        states: &[FileState],
        (read, progress): (&Read<'_>, &(dyn Fn(Progress) + Sync)),
        writing: Option<&Writing>,
        report: &mut Report,
    ) -> Result<(), IndexError> {
        let old = self.state();
        let Compared { todo, gone, unchanged } = compare(&old.files, states);
        (report.unchanged, report.removed) = (unchanged, gone.len() as u64);
        if todo.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let looked = todo.len() as u64;
        let known = |key: &Key| old.segments.iter().any(|it| it.find(key).is_some());
        // A content that another thread is at has no place yet.
        let late = Mutex::new(Vec::new());
        let publish = |segment: Option<Segment>, entries: Vec<Entry>| {
            let made = segment.map(|it| written(it, writing.map(|_| &self.shared.folder)));
            let mut writer = self.writer();
            let made = made.map(|(segment, piece)| {
                writer.pieces.extend(piece.map(|it| (it.name.clone(), it)));
                Arc::new(segment)
            });
            let unplaced = self.absorb(&mut writer, made, entries, Vec::new());
            late.lock().unwrap_or_else(PoisonError::into_inner).extend(unplaced);
        };
        let memory = self.shared.memory.load(Ordering::Relaxed);
        let Built { vanished, parsed, spent } =
            Build { todo, read, progress, known: &known, publish: &publish, memory }.run()?;
        (report.parsed, report.spent, report.reused) = (parsed, spent, looked.saturating_sub(parsed));
        let late = late.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.absorb(&mut self.writer(), None, late, gone.into_iter().chain(vanished).collect());
        Ok(())
    }

    /// Makes a segment, files that were read and files that are gone part of the present state, but for what was edited
    /// meanwhile. Returns the entries whose content has no place yet.
    fn absorb(
        &self,
        writer: &mut WriterState,
        segment: Option<Arc<Segment>>,
        entries: Vec<Entry>,
        gone: Vec<Arc<str>>,
    ) -> Vec<Entry> {
        let state = self.state();
        let segments: Segments = state.segments.iter().cloned().chain(segment).collect();
        let read = entries.into_iter().map(|it| (it.path.clone(), Some(placed(it, &segments))));
        let mut changed: Changed = read.chain(gone.into_iter().map(|it| (it, None))).collect();
        changed.retain(|(path, _)| writer.edited.as_ref().is_none_or(|it| !it.contains(path)));
        changed.sort_by(|a, b| a.0.cmp(&b.0));
        changed.dedup_by(|a, b| a.0 == b.0);
        let entries = changed.iter().filter_map(|it| it.1.as_ref());
        let unplaced = entries.filter(|it| it.at.is_none() && it.rule.is_none()).cloned().collect();
        self.publish(state.with(changed, segments));
        writer.dirty = true;
        unplaced
    }

    /// Takes in what an edit changed, without looking at other files. It is in the next snapshot when this returns, and
    /// written a little later; what is lost on the way is found again by the next [`Index::update`].
    pub fn change(&self, changes: &[Change], read: &Read<'_>) -> Result<Report, IndexError> {
        let mut writer = self.writer();
        let old = self.state();
        let todo = changed_files(changes);
        let mut changed: BTreeMap<Arc<str>, Option<Entry>> = touched(changes);
        if let Some(edited) = &mut writer.edited {
            edited.extend(changed.keys().cloned());
        }
        let known = |key: &Key| old.segments.iter().any(|it| it.find(key).is_some());
        let made = Mutex::new((old.segments.clone(), Vec::new()));
        let publish = |segment: Option<Segment>, entries: Vec<Entry>| {
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            made.0.extend(segment.map(Arc::new));
            made.1.extend(entries);
        };
        let todo: Vec<&FileState> = todo.iter().collect();
        let looked = todo.len() as u64;
        let memory = self.shared.memory.load(Ordering::Relaxed);
        let Built { parsed, spent, .. } =
            Build { todo, read, progress: &|_| {}, known: &known, publish: &publish, memory }.run()?;
        let (segments, entries) = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        changed.extend(entries.into_iter().map(|it| (it.path.clone(), Some(placed(it, &segments)))));
        let gone = changed.iter().filter(|(path, it)| it.is_none() && old.files.find(path).is_some()).count() as u64;
        let read = changed.values().flatten().count() as u64;
        let state = fitting(old.with(changed.into_iter().collect(), segments), writer.edited.is_some());
        let unchanged = (state.files.len() as u64).saturating_sub(read);
        self.publish(state);
        writer.dirty = true;
        self.write_later();
        let reused = looked.saturating_sub(parsed);
        Ok(Report { parsed, spent, reused, unchanged, removed: gone, ..Report::default() })
    }

    /// Takes in the history up to the commit `head`, newest commit first.
    pub fn history(&self, head: &str, commits: &[Commit]) {
        let reported = History::new(head, commits).into();
        let mut writer = self.writer();
        self.publish(self.state().with_history(reported));
        writer.dirty = true;
        self.write_later();
    }

    /// True when the history up to the commit `head` was taken in.
    pub fn knows_history(&self, head: &str) -> bool {
        self.state().history.head == head
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

/// Makes one of the small segments in memory when they have become many; `whole` also keeps what no file has.
fn fitting(state: State, whole: bool) -> State {
    let (memory, disk): (Segments, Segments) = state.segments.iter().cloned().partition(|it| it.is_memory());
    if memory.len() <= SMALL {
        return state;
    }
    let content = |at: (u32, u32)| state.segments.get(at.0 as usize).filter(|it| it.is_memory())?.contents.get(at.1);
    let live: HashSet<Key> = state.files.places().flatten().filter_map(content).map(|it| it.key).collect();
    let Ok(merged) = merge::in_memory(&memory, &|it| whole || live.contains(it)) else { return state };
    state.moved(disk.into_iter().chain(merged.map(Arc::new)).collect())
}

/// Files as they are to be read after an edit. Their sizes and times are not known: the next update looks into them again.
fn changed_files(changes: &[Change]) -> Vec<FileState> {
    let changed = changes.iter().filter(|it| it.kind != ChangeKind::Deleted);
    changed.map(|it| FileState { path: it.path.clone(), mtime: UNKNOWN, ..FileState::default() }).collect()
}

/// All paths that changes are about, as if none of them were there any more.
fn touched(changes: &[Change]) -> BTreeMap<Arc<str>, Option<Entry>> {
    let paths = changes.iter().flat_map(|it| [Some(it.path.as_str()), it.from.as_deref()]);
    paths.flatten().map(|it| (Arc::from(it), None)).collect()
}

/// What differs between what is known and what is listed.
struct Compared<'a> {
    /// Files to look into.
    todo: Vec<&'a FileState>,
    /// Files that are not listed any more.
    gone: Vec<Arc<str>>,
    unchanged: u64,
}

/// Walks over both in the order of the paths.
fn compare<'a>(old: &Listing, states: &'a [FileState]) -> Compared<'a> {
    let mut listed: Vec<&FileState> = states.iter().collect();
    // A tree is listed in order as a rule, which costs nothing here.
    listed.sort_by(|a, b| a.path.cmp(&b.path));
    listed.dedup_by(|a, b| a.path == b.path);
    let mut compared = Compared { todo: Vec::new(), gone: Vec::new(), unchanged: 0 };
    let mut known = old.iter().peekable();
    for state in listed {
        while let Some(gone) = known.next_if(|it| *it.path < *state.path) {
            compared.gone.push(gone.path.into());
        }
        match known.next_if(|it| it.path == state.path) {
            Some(it) if it.holds(&Stamp::from(state)) => compared.unchanged += 1,
            _ => compared.todo.push(state),
        }
    }
    compared.gone.extend(known.map(|it| Arc::from(it.path)));
    compared
}

/// An entry with the place of its content, the latest where there are several.
fn placed(mut entry: Entry, segments: &Segments) -> Entry {
    if entry.rule.is_none() {
        let place = |(number, segment): (u32, &Arc<Segment>)| Some((number, segment.find(&entry.key)?));
        entry.at = (0u32..).zip(segments).collect::<Vec<_>>().into_iter().rev().find_map(place);
    }
    entry
}
