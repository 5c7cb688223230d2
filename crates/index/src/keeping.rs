//! Bringing the index to disk beside those who use it: one writer at a time, in this process and among others.
//!
//! What takes long is done without the lock that edits need. What is lost before it was written is found again by the next
//! update, by its stamps.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::index::{Index, placed};
use crate::report::{Report, Unsaved};
use crate::snapshot::State;
use crate::store::contents::Key;
use crate::store::folder::{Loaded, Mark, Writing};
use crate::store::keep::{Stored, Task};
use crate::store::manifest::Piece;
use crate::store::segment::{Segment, Segments};
use crate::{IndexError, files::Entry};

/// How long edits are gathered before they are written, and how long until the next try where others write.
const GATHER: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8), Duration::from_secs(30)];

/// What only whoever changes the index knows.
#[derive(Debug, Default)]
pub(crate) struct Keeping {
    /// The manifest that the present state came from or was written to.
    pub(crate) mark: Option<Mark>,
    /// The folders of the segments on disk.
    pub(crate) pieces: HashMap<String, Piece>,
    /// Contents without a file, and since when.
    pub(crate) died: HashMap<Key, u64>,
    /// The state is not what the manifest says.
    pub(crate) dirty: bool,
    /// What was set aside and not yet reported.
    pub(crate) broken: Vec<String>,
}

impl Index {
    /// Writes what is in memory alone, if it can: for the end of a session. None where all is on disk then.
    pub fn save(&self) -> Option<Unsaved> {
        let _alone = self.alone();
        let mut keeping = self.keeping();
        let mut report = Report::default();
        let writing = self.begin(&mut keeping, &mut report, false);
        let Some(writing) = writing.filter(|_| keeping.dirty) else { return report.unsaved };
        let task = Task::new(&mut keeping, self.state());
        // Edits go on meanwhile.
        drop(keeping);
        let stored = task.run(&self.shared.folder.path);
        let mut keeping = self.keeping();
        self.settle(&mut keeping, &writing, stored).err().map(|it| refused(&it))
    }

    /// The right to write in this process.
    pub(crate) fn alone(&self) -> MutexGuard<'_, ()> {
        self.shared.saving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn keeping(&self) -> MutexGuard<'_, Keeping> {
        self.shared.keeping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the right to write where no other process has it, and what others wrote meanwhile: `theirs` where the files
    /// are about to be compared with the tree anyway, else ours stay as they are and only the contents are added.
    pub(crate) fn begin(&self, keeping: &mut Keeping, report: &mut Report, theirs: bool) -> Option<Writing> {
        let writing = match self.shared.folder.lock() {
            Ok(Some(writing)) => Some(writing),
            Ok(None) => {
                report.unsaved = Some(Unsaved::Busy);
                None
            }
            Err(why) => {
                report.unsaved = Some(refused(&why));
                None
            }
        };
        if writing.is_some() && self.shared.folder.mark() != keeping.mark {
            let old = self.state();
            let loaded = self.shared.folder.load();
            let files = (!theirs).then(|| old.files.clone());
            self.adopt(keeping, loaded, &old.segments, files);
        }
        report.broken = std::mem::take(&mut keeping.broken);
        if let (Some(writing), false) = (&writing, report.broken.is_empty()) {
            self.shared.folder.set_aside(writing);
            keeping.mark = None;
        }
        writing
    }

    /// Writes what ought to be written, and counts.
    pub(crate) fn finish(&self, keeping: &mut Keeping, writing: Option<Writing>, report: &mut Report) {
        let start = Instant::now();
        if let Some(writing) = writing.filter(|_| keeping.dirty) {
            let stored = Task::new(keeping, self.state()).run(&self.shared.folder.path);
            if let Err(why) = self.settle(keeping, &writing, stored) {
                report.unsaved = Some(refused(&why));
            }
        }
        if keeping.dirty && report.unsaved == Some(Unsaved::Busy) {
            self.write_later();
        }
        report.spent.writing += start.elapsed();
        report.disk = self.shared.folder.size();
        self.state().tell(report);
    }

    /// Names what was stored in a new manifest, and goes on with it.
    fn settle(
        &self,
        keeping: &mut Keeping,
        writing: &Writing,
        stored: Result<Stored, IndexError>,
    ) -> Result<(), IndexError> {
        let named: Vec<Piece> = keeping.pieces.values().cloned().collect();
        let state = self.state();
        let made = stored.and_then(|stored| {
            let manifest = keeping.settle(stored, &state);
            Ok((self.shared.folder.replace(writing, &manifest.manifest)?, manifest))
        });
        // What was written in vain takes no room.
        let (mark, manifest) = made.inspect_err(|_| self.shared.folder.sweep(&named))?;
        keeping.mark = Some(mark);
        keeping.dirty = manifest.left;
        if let Some(segments) = manifest.segments {
            let files = placed(state.files.clone(), &segments);
            self.publish(State::new(files, segments, state.history.clone()).with_names(state.names.clone()));
        }
        Ok(())
    }

    /// Makes what was loaded the present state, with those segments behind its own that only this process has.
    pub(crate) fn adopt(&self, keeping: &mut Keeping, loaded: Loaded, old: &Segments, files: Option<Vec<Entry>>) {
        let Loaded { manifest, mut segments, mark, broken, stale } = loaded;
        let new = |it: &&Arc<Segment>| segments.iter().all(|known| known.name != it.name);
        let ours: Segments = old.iter().filter(new).cloned().collect();
        keeping.pieces = manifest.pieces.into_iter().map(|it| (it.name.clone(), it)).collect();
        keeping.died = manifest.died.into_iter().collect();
        keeping.dirty = stale || !ours.is_empty() || files.is_some();
        keeping.mark = mark;
        keeping.broken.extend(broken);
        segments.extend(ours);
        let files = files.map_or(manifest.files, |it| placed(it, &segments));
        self.publish(State::new(files, segments, Arc::new(manifest.history)));
    }

    /// Writes in the background, once for all edits until then.
    pub(crate) fn write_later(&self) {
        if self.shared.waiting.swap(true, Ordering::AcqRel) {
            return;
        }
        let shared = Arc::downgrade(&self.shared);
        let write = move || {
            for pause in GATHER {
                std::thread::sleep(pause);
                let Some(shared) = shared.upgrade() else { return };
                shared.waiting.store(false, Ordering::Release);
                if (Index { shared }).save() != Some(Unsaved::Busy) {
                    return;
                }
            }
        };
        if std::thread::Builder::new().name("index-writer".to_owned()).spawn(write).is_err() {
            self.shared.waiting.store(false, Ordering::Release);
        }
    }
}

fn refused(why: &IndexError) -> Unsaved {
    if why.is_full() { Unsaved::Full(why.to_string()) } else { Unsaved::Refused(why.to_string()) }
}
