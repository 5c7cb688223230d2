//! Decides what stays on disk, and brings it there: new segments, few instead of many, and the manifest.
//!
//! Contents that no file has any more stay for a while, so that going back to a branch parses nothing. They are bounded
//! by age and by size.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::contents::Key;
use super::manifest::{Manifest, Piece};
use super::merge;
use super::segment::{Segment, Segments};
use crate::IndexError;
use crate::files::Entry;
use crate::keeping::Keeping;
use crate::snapshot::{NONE, State};

/// More segments are merged, down to half as many.
const SEGMENTS: usize = 8;
/// Contents without a file stay this long, in seconds: two weeks.
const AGE: u64 = 14 * 24 * 3_600;
/// They may have this many bytes of text, or as many as the living ones.
const DEAD: u64 = 32 << 20;

/// The writing of one state.
pub(crate) struct Task {
    state: Arc<State>,
    dropped: HashSet<Key>,
    /// The segments that are on disk already.
    pieces: HashMap<String, Piece>,
}

/// What was written.
pub(crate) struct Stored {
    segments: Segments,
    pieces: HashMap<String, Piece>,
    /// What there was before.
    before: Vec<String>,
    dropped: HashSet<Key>,
}

/// What is to be made known.
pub(crate) struct Settled {
    pub(crate) manifest: Manifest,
    /// The segments, where they have become others.
    pub(crate) segments: Option<Segments>,
    /// Some of what is known is still in memory alone.
    pub(crate) left: bool,
}

impl Task {
    pub(crate) fn new(keeping: &mut Keeping, state: Arc<State>) -> Task {
        let dropped = keeping.bury(&state);
        Task { state, dropped, pieces: keeping.pieces.clone() }
    }

    /// Writes and merges segments in `folder`. What fails leaves all that is named there as it was.
    pub(crate) fn run(mut self, folder: &Path) -> Result<Stored, IndexError> {
        let before = self.state.segments.iter().map(|it| it.name.clone()).collect();
        let segments = self.with_new(folder)?;
        let segments = self.fewer(folder, segments)?;
        Ok(Stored { segments, pieces: self.pieces, before, dropped: self.dropped })
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
            let all = it.contents.all.iter();
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

impl Keeping {
    /// Notes which contents have no file any more, and chooses those that have been without one for too long, or are too
    /// many; the oldest go first.
    fn bury(&mut self, state: &State) -> HashSet<Key> {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |it| it.as_secs());
        let live = state.live();
        let (mut living, mut dead) = (HashMap::new(), HashMap::new());
        for (number, segment) in state.segments.iter().enumerate() {
            for (content, owner) in segment.contents.all.iter().zip(&live.owners[number]) {
                let kind = if *owner == NONE { &mut dead } else { &mut living };
                kind.insert(content.key, u64::from(content.bytes));
            }
        }
        // What is dead in one segment may be alive in another that has it too.
        dead.retain(|it, _| !living.contains_key(it));
        self.died.retain(|it, _| dead.contains_key(it));
        let mut queue: Vec<(u64, Key, u64)> = Vec::new();
        for (key, size) in dead {
            queue.push(((*self.died.entry(key).or_insert(now)).min(now), key, size));
        }
        queue.sort_unstable();
        let most = living.values().sum::<u64>().max(DEAD);
        let mut bytes: u64 = queue.iter().map(|it| it.2).sum();
        let mut dropped = HashSet::new();
        for (since, key, size) in queue {
            if now - since > AGE || bytes > most {
                dropped.insert(key);
                bytes -= size;
            }
        }
        dropped
    }

    /// Joins what was stored with what has come since, in `now`.
    pub(crate) fn settle(&mut self, stored: Stored, now: &State) -> Settled {
        let Stored { mut segments, mut pieces, before, dropped } = stored;
        let later = now.segments.iter().filter(|it| !before.contains(&it.name)).cloned();
        segments.extend(later);
        let left = segments.iter().any(|it| !pieces.contains_key(&it.name));
        pieces.retain(|name, _| segments.iter().any(|it| it.name == *name));
        self.pieces = pieces;
        self.died.retain(|it, _| !dropped.contains(it));
        let changed = segments.iter().map(|it| &it.name).ne(now.segments.iter().map(|it| &it.name));
        let files = if changed { crate::index::placed(now.files.clone(), &segments) } else { now.files.clone() };
        let manifest = self.manifest(files, &segments, now);
        Settled { manifest, segments: changed.then_some(segments), left }
    }

    /// What goes to disk: segments that are there, and where in them each file's content is.
    fn manifest(&self, mut files: Vec<Entry>, segments: &Segments, now: &State) -> Manifest {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut numbers: Vec<Option<u32>> = Vec::new();
        for segment in segments {
            let piece = self.pieces.get(&segment.name);
            numbers.push(piece.and_then(|_| u32::try_from(pieces.len()).ok()));
            pieces.extend(piece.cloned());
        }
        for entry in &mut files {
            entry.at = entry.at.and_then(|(segment, content)| Some((numbers[segment as usize]?, content)));
        }
        let died = self.died.iter().map(|(key, since)| (*key, *since)).collect();
        Manifest { files, pieces, died, history: (*now.history).clone() }
    }
}

impl State {
    /// Counts what there is.
    pub(crate) fn tell(&self, report: &mut crate::Report) {
        report.files = self.files.len() as u64;
        for entry in &self.files {
            if let Some(rule) = entry.rule {
                *report.skipped.entry(rule).or_default() += 1;
            }
            let Some(content) = self.content(entry) else { continue };
            report.symbols += u64::from(content.symbols);
            report.references += u64::from(content.references);
            report.chunks += u64::from(content.chunks);
            report.imports += u64::from(content.imports);
            report.bytes += u64::from(content.bytes);
        }
    }
}
