//! Decides what stays on disk, and brings it there: new segments, few instead of many, and the manifest.
//!
//! Contents that no file has any more stay for a while, so that going back to a branch parses nothing. They are bounded
//! by age and by size.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::writer_state::WriterState;
use crate::IndexError;
use crate::snapshot::NONE;
use crate::snapshot::State;
use crate::store::files::Key;
use crate::store::files::Listing;
use crate::store::files::Table;
use crate::store::manifest::{Manifest, Piece};
use crate::store::merge;
use crate::store::segment::{Segment, Segments};

/// More segments are merged, down to half as many.
const SEGMENTS: usize = 8;
/// Contents without a file stay this long, in seconds: two weeks.
const UNREFERENCED_SECONDS: u64 = 14 * 24 * 3_600;
/// They may have this many bytes of text, or as many as the living ones.
const UNREFERENCED_BYTES: u64 = 32 << 20;

/// The writing of one state.
pub(crate) struct SaveJob {
    state: Arc<State>,
    /// The segments that are on disk already.
    pieces: HashMap<String, Piece>,
    /// Contents without a file, and since when.
    unreferenced_since: HashMap<Key, u64>,
    dropped: HashSet<Key>,
}

/// What was written.
pub(crate) struct Saved {
    /// What it was made of.
    pub(crate) base: Arc<State>,
    /// The same, with its contents in what is on disk.
    pub(crate) state: State,
    pub(crate) pieces: HashMap<String, Piece>,
    pub(crate) unreferenced_since: HashMap<Key, u64>,
}

impl SaveJob {
    pub(crate) fn new(writer: &WriterState, state: Arc<State>) -> SaveJob {
        let (pieces, unreferenced_since) = (writer.pieces.clone(), writer.unreferenced_since.clone());
        SaveJob { state, pieces, unreferenced_since, dropped: HashSet::new() }
    }

    /// What is on disk already.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.values()
    }

    /// Writes and merges segments in `folder`. What fails leaves all that is named there as it was.
    pub(crate) fn run(mut self, folder: &Path) -> Result<Saved, IndexError> {
        self.expire_unreferenced();
        let segments = self.with_new(folder)?;
        let segments = self.fewer(folder, segments)?;
        let SaveJob { state: base, mut pieces, mut unreferenced_since, dropped } = self;
        pieces.retain(|name, _| segments.iter().any(|it| it.name == *name));
        unreferenced_since.retain(|it, _| !dropped.contains(it));
        let state = base.moved(segments);
        Ok(Saved { base, state, pieces, unreferenced_since })
    }

    /// Brings what is not on disk there, as one segment.
    fn with_new(&mut self, folder: &Path) -> Result<Segments, IndexError> {
        let all = self.state.segments.iter().cloned();
        let (mut disk, new): (Segments, Segments) = all.partition(|it| self.pieces.contains_key(&it.name));
        match new.as_slice() {
            [] => {}
            [one] if one.is_memory() => {
                let piece = one.write(folder)?;
                disk.push(Arc::new(Segment::open(&folder.join(&piece.name))?));
                self.pieces.insert(piece.name.clone(), piece);
            }
            _ => disk.extend(self.merged(folder, &new)?),
        }
        Ok(disk)
    }

    /// Merges small segments when there are many, and those that are mostly to be dropped.
    fn fewer(&mut self, folder: &Path, segments: Segments) -> Result<Segments, IndexError> {
        let stays = |it: &Segment| -> u32 {
            let all = it.contents.all().iter();
            all.filter(|it| !self.dropped.contains(&it.key)).map(|it| it.docs).sum()
        };
        let (mut segments, hollow): (Segments, Segments) =
            segments.into_iter().partition(|it| stays(it) * 2 > it.contents.docs());
        segments.extend(self.merged(folder, &hollow)?);
        if segments.len() > SEGMENTS {
            segments.sort_by_key(|it| std::cmp::Reverse(it.contents.docs()));
            let small = segments.split_off(SEGMENTS / 2);
            segments.extend(self.merged(folder, &small)?);
        }
        Ok(segments)
    }

    fn merged(&mut self, folder: &Path, segments: &Segments) -> Result<Option<Arc<Segment>>, IndexError> {
        if segments.is_empty() {
            return Ok(None);
        }
        let keep = |it: &Key| !self.dropped.contains(it);
        let Some((segment, piece)) = merge::on_disk(segments, &keep, folder)? else { return Ok(None) };
        self.pieces.insert(piece.name.clone(), piece);
        Ok(Some(Arc::new(segment)))
    }
}

impl SaveJob {
    /// Notes which contents have no file any more, and chooses those that have been without one for too long, or are too
    /// many; the oldest go first.
    fn expire_unreferenced(&mut self) {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |it| it.as_secs());
        let live = self.state.live();
        let all = || self.state.segments.iter().zip(&live.owners);
        // What is dead in one segment may be alive in another that has it too.
        let lives = |key: &Key| all().any(|(it, owners)| it.find(key).is_some_and(|it| owners[it as usize] != NONE));
        let mut dead = HashMap::new();
        for (segment, owners) in all() {
            for content in (0u32..).zip(owners).filter(|it| *it.1 == NONE).filter_map(|it| segment.contents.get(it.0)) {
                if !lives(&content.key) {
                    dead.insert(content.key, u64::from(content.bytes));
                }
            }
        }
        self.unreferenced_since.retain(|it, _| dead.contains_key(it));
        let mut queue: Vec<(u64, Key, u64)> = Vec::new();
        for (key, size) in dead {
            queue.push(((*self.unreferenced_since.entry(key).or_insert(now)).min(now), key, size));
        }
        queue.sort_unstable();
        let most = live.totals.bytes.max(UNREFERENCED_BYTES);
        let mut bytes: u64 = queue.iter().map(|it| it.2).sum();
        for (since, key, size) in queue {
            if now - since > UNREFERENCED_SECONDS || bytes > most {
                self.dropped.insert(key);
                bytes -= size;
            }
        }
    }
}

impl Saved {
    /// What goes to disk: segments that are there, and where in them each file's content is.
    pub(crate) fn manifest(&self) -> Manifest {
        let segments = &self.state.segments;
        let pieces = segments.iter().filter_map(|it| self.pieces.get(&it.name)).cloned().collect();
        let unreferenced_since = self.unreferenced_since.iter().map(|(key, since)| (*key, *since)).collect();
        Manifest {
            files: Arc::new(Table::new(self.state.files.len(), self.state.files.iter())),
            history: self.state.history.clone(),
            pieces,
            unreferenced_since,
        }
    }

    /// What `now` becomes with what was written; `files` are those of the manifest.
    pub(crate) fn into_state(self, now: &Arc<State>, files: Arc<Table>) -> State {
        if Arc::ptr_eq(now, &self.base) {
            return self.state.with_listing(Listing::mapped(files));
        }
        let before = |it: &&Arc<Segment>| self.base.segments.iter().any(|old| old.number == it.number);
        let later = now.segments.iter().filter(|it| !before(it)).cloned();
        now.moved(self.state.segments.iter().cloned().chain(later).collect())
    }
}

impl State {
    /// Tells what there is.
    pub(crate) fn fill_report(&self, report: &mut crate::Report) {
        let totals = &self.live().totals;
        report.files = self.files.len() as u64;
        (report.symbols, report.references, report.chunks) = (totals.symbols, totals.references, totals.chunks);
        (report.imports, report.bytes, report.unparsed) = (totals.imports, totals.bytes, totals.given_up);
        report.skipped = totals.skipped.clone();
    }
}
