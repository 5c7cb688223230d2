//! Saves the index in the background: one writer at a time, in this process and among others.
//!
//! What takes long is done without the lock that edits need. What is lost before it was written is found again by the next
//! update, by its stamps.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::index::Index;
use super::report::{Report, Unsaved};
use super::save_job::SaveJob;
use super::writer_state::WriterState;
use crate::IndexError;
use crate::snapshot::State;
use crate::store::folder::{Loaded, Writing};
use crate::store::manifest::Piece;
use crate::store::segment::Segment;

/// How long edits are gathered before they are written, and how long until the next try where others write.
const GATHER: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8), Duration::from_secs(30)];
/// Writing takes at most one part in so many of the time, however long it takes for a large tree.
const SHARE: u32 = 20;

impl Index {
    /// Writes what is in memory alone, if it can: for the end of a session. None where all is on disk then.
    pub fn save(&self) -> Option<Unsaved> {
        let _lock = self.writer_lock();
        let mut report = Report::default();
        let (writing, job) = {
            let mut writer = self.writer();
            let writing = self.begin(&mut writer, &mut report, false);
            let Some(writing) = writing.filter(|_| writer.dirty) else { return report.unsaved };
            (writing, SaveJob::new(&writer, self.state()))
        };
        self.store(&writing, job).err().map(|it| refused(&it))
    }

    /// The right to write in this process.
    pub(crate) fn writer_lock(&self) -> MutexGuard<'_, ()> {
        self.shared.saving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn writer(&self) -> MutexGuard<'_, WriterState> {
        self.shared.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the right to write where no other process has it, and what others wrote meanwhile: `theirs` where the files
    /// are about to be compared with the tree anyway, else ours stay as they are and only the contents are added.
    pub(crate) fn begin(&self, writer: &mut WriterState, report: &mut Report, theirs: bool) -> Option<Writing> {
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
        if writing.is_some() && self.shared.folder.version() != writer.version {
            self.adopt(writer, self.shared.folder.load(), theirs);
        }
        report.broken = std::mem::take(&mut writer.broken);
        if let (Some(writing), false) = (&writing, report.broken.is_empty()) {
            self.shared.folder.set_aside(writing);
            writer.version = None;
        }
        writing
    }

    /// Writes what ought to be written, and counts.
    pub(crate) fn finish(&self, writing: Option<Writing>, report: &mut Report) {
        let start = Instant::now();
        let job = |writer: MutexGuard<'_, WriterState>| writer.dirty.then(|| SaveJob::new(&writer, self.state()));
        if let Some(writing) = writing
            && let Some(job) = job(self.writer())
            && let Err(why) = self.store(&writing, job)
        {
            report.unsaved = Some(refused(&why));
        }
        let dirty = self.writer().dirty;
        if dirty && matches!(report.unsaved, Some(Unsaved::Busy) | None) {
            self.write_later();
        }
        report.spent.writing += start.elapsed();
        report.disk = self.shared.folder.size();
        self.state().fill_report(report);
    }

    /// Writes a state, names it in a new manifest, and goes on with what is on disk then. Edits go on meanwhile.
    fn store(&self, writing: &Writing, job: SaveJob) -> Result<(), IndexError> {
        let start = Instant::now();
        let folder = &self.shared.folder;
        let named: Vec<Piece> = job.pieces().cloned().collect();
        let made = job.run(&folder.path).and_then(|stored| {
            let manifest = stored.manifest();
            Ok((folder.replace(writing, &manifest)?, stored, manifest.files))
        });
        // What was written in vain takes no room.
        let (version, stored, files) = made.inspect_err(|_| folder.sweep(&named))?;
        let mut writer = self.writer();
        let now = self.state();
        writer.version = Some(version);
        writer.dirty = !Arc::ptr_eq(&now, &stored.base);
        (writer.pieces, writer.unreferenced_since) = (stored.pieces.clone(), stored.unreferenced_since.clone());
        writer.took = start.elapsed();
        self.publish(stored.into_state(&now, files));
        Ok(())
    }

    /// Makes what was loaded the present state, with those segments behind its own that only this process has. The files stay
    /// ours unless `theirs` says so.
    pub(crate) fn adopt(&self, writer: &mut WriterState, loaded: Loaded, theirs: bool) {
        let Loaded { manifest, files, segments, version, broken, stale } = loaded;
        let old = self.state();
        let named = |name: &str| old.segments.iter().find(|it| it.name == name).cloned();
        let mut all: Vec<Arc<Segment>> = segments.into_iter().map(|it| named(&it.name).unwrap_or(it)).collect();
        let new = |it: &&Arc<Segment>| all.iter().all(|known| known.name != it.name);
        let ours: Vec<Arc<Segment>> = old.segments.iter().filter(new).cloned().collect();
        writer.pieces = manifest.pieces.into_iter().map(|it| (it.name.clone(), it)).collect();
        writer.unreferenced_since = manifest.unreferenced_since.into_iter().collect();
        writer.dirty = stale || !ours.is_empty() || !theirs;
        writer.version = version;
        writer.broken.extend(broken);
        all.extend(ours);
        self.publish(if theirs { State::new(files, all, manifest.history) } else { old.moved(all) });
    }

    /// Writes in the background, once for all edits until then.
    pub(crate) fn write_later(&self) {
        if self.shared.waiting.swap(true, Ordering::AcqRel) {
            return;
        }
        let shared = Arc::downgrade(&self.shared);
        let write = move || {
            for pause in GATHER {
                let took = shared.upgrade().map_or(Duration::ZERO, |it| Index { shared: it }.writer().took);
                std::thread::sleep(pause.max(took * SHARE));
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
