//! Decides what stays on disk, and brings it there: new segments, few instead of many, and the manifest.
//!
//! Contents that no file has any more stay for a while, so that going back to a branch parses nothing. They are bounded
//! by age and by size.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::contents::Key;
use super::folder::{Folder, Writing};
use super::manifest::{Manifest, Piece};
use super::merge;
use super::segment::{Segment, Segments};
use crate::IndexError;
use crate::index::{Keeping, placed};
use crate::snapshot::{NONE, State};

/// More segments are merged, down to half as many.
const SEGMENTS: usize = 8;
/// Contents without a file stay this long, in seconds: two weeks.
const AGE: u64 = 14 * 24 * 3_600;
/// They may have this many bytes of text, or as many as the living ones.
const DEAD: u64 = 32 << 20;

impl Keeping {
    /// Writes `state`; a new state where its segments have become others. What fails leaves the old manifest and all that it
    /// names as they were.
    pub(crate) fn write(
        &mut self,
        folder: &Folder,
        writing: &Writing,
        state: &State,
    ) -> Result<Option<State>, IndexError> {
        let dropped = self.bury(state);
        let keep = |it: &Key| !dropped.contains(it);
        let before: Vec<String> = state.segments.iter().map(|it| it.name.clone()).collect();
        let mut segments = self.without_memory(&folder.path, state.segments.clone(), &keep)?;
        segments = self.fewer(&folder.path, segments, &keep)?;
        let changed = segments.iter().map(|it| &it.name).ne(before.iter());
        let files = if changed { placed(state.files.clone(), &segments) } else { state.files.clone() };
        let mut pieces: Vec<Piece> = Vec::new();
        for segment in &segments {
            pieces.extend(self.pieces.get(&segment.name).cloned());
        }
        self.died.retain(|it, _| !dropped.contains(it));
        let died = self.died.iter().map(|(key, since)| (*key, *since)).collect();
        let manifest = Manifest { files, pieces, died, history: (*state.history).clone() };
        self.mark = Some(folder.replace(writing, &manifest)?);
        self.pieces.retain(|name, _| segments.iter().any(|it| it.name == *name));
        self.dirty = false;
        let new = || State::new(manifest.files, segments, state.history.clone()).with_names(state.names.clone());
        Ok(changed.then(new))
    }

    /// Notes which contents have no file any more, and chooses those that have been without one for too long, or are too
    /// many; the oldest go first.
    fn bury(&mut self, state: &State) -> HashSet<Key> {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |it| it.as_secs());
        let live = state.live();
        let mut dead: Vec<(u64, Key, u64)> = Vec::new();
        let mut living = 0;
        for (number, segment) in state.segments.iter().enumerate() {
            for (content, owner) in segment.contents.all.iter().zip(&live.owners[number]) {
                if *owner == NONE {
                    let since = *self.died.entry(content.key).or_insert(now);
                    dead.push((since.min(now), content.key, u64::from(content.bytes)));
                } else {
                    self.died.remove(&content.key);
                    living += u64::from(content.bytes);
                }
            }
        }
        dead.sort_unstable();
        let mut bytes: u64 = dead.iter().map(|it| it.2).sum();
        let mut dropped = HashSet::new();
        for (since, key, size) in dead {
            if now - since > AGE || bytes > living.max(DEAD) {
                dropped.insert(key);
                bytes -= size;
            }
        }
        dropped
    }

    /// Brings what is in memory to disk, as one segment.
    fn without_memory(
        &mut self,
        folder: &Path,
        segments: Segments,
        keep: &dyn Fn(&Key) -> bool,
    ) -> Result<Segments, IndexError> {
        let (memory, mut disk): (Segments, Segments) = segments.into_iter().partition(|it| it.is_memory());
        match memory.as_slice() {
            [] => {}
            [one] => {
                let piece = one.write(folder)?;
                disk.push(Arc::new(Segment::open(&folder.join(&piece.name))?));
                self.pieces.insert(piece.name.clone(), piece);
            }
            _ => disk.extend(self.merged(folder, &memory, keep)?),
        }
        Ok(disk)
    }

    /// Merges small segments when there are many, and those that are mostly to be dropped.
    fn fewer(
        &mut self,
        folder: &Path,
        segments: Segments,
        keep: &dyn Fn(&Key) -> bool,
    ) -> Result<Segments, IndexError> {
        let kept = |it: &Segment| -> u32 { it.contents.all.iter().filter(|it| keep(&it.key)).map(|it| it.docs).sum() };
        let (mut segments, hollow): (Segments, Segments) =
            segments.into_iter().partition(|it| kept(it) * 2 > it.contents.docs());
        segments.extend(self.merged(folder, &hollow, keep)?);
        if segments.len() > SEGMENTS {
            segments.sort_by_key(|it| std::cmp::Reverse(it.contents.docs()));
            let small = segments.split_off(SEGMENTS / 2);
            segments.extend(self.merged(folder, &small, keep)?);
        }
        Ok(segments)
    }

    fn merged(
        &mut self,
        folder: &Path,
        segments: &Segments,
        keep: &dyn Fn(&Key) -> bool,
    ) -> Result<Option<Arc<Segment>>, IndexError> {
        if segments.is_empty() {
            return Ok(None);
        }
        let Some((segment, piece)) = merge::on_disk(segments, keep, folder)? else { return Ok(None) };
        self.pieces.insert(piece.name.clone(), piece);
        Ok(Some(Arc::new(segment)))
    }
}

impl State {
    /// Counts what there is.
    pub(crate) fn tell(&self, report: &mut crate::Report) {
        report.files = self.files.len() as u64;
        report.skipped.clear();
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
