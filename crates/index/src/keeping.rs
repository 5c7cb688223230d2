//! Bringing the index to disk beside those who use it: one writer at a time, in this process and among others.
//!
//! What takes long is done without the lock that edits need. What is lost before it was written is found again by the next
//! update, by its stamps.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::IndexError;
use crate::index::Index;
use crate::report::{Report, Unsaved};
use crate::snapshot::State;
use crate::store::contents::Key;
use crate::store::folder::{Loaded, Mark, Writing};
use crate::store::keep::Task;
use crate::store::manifest::Piece;
use crate::store::segment::Segment;

/// How long edits are gathered before they are written, and how long until the next try where others write.
const GATHER: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8), Duration::from_secs(30)];
/// Writing takes at most one part in so many of the time, however long it takes for a large tree.
const SHARE: u32 = 20;

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
    /// While all files are looked at: the paths that were edited meanwhile.
    pub(crate) edited: Option<HashSet<Arc<str>>>,
    /// How long the last writing took.
    pub(crate) took: Duration,
}

impl Index {
    /// Writes what is in memory alone, if it can: for the end of a session. None where all is on disk then.
    pub fn save(&self) -> Option<Unsaved> {
        let _alone = self.alone();
        let mut report = Report::default();
        let (writing, task) = {
            let mut keeping = self.keeping();
            let writing = self.begin(&mut keeping, &mut report, false);
            let Some(writing) = writing.filter(|_| keeping.dirty) else { return report.unsaved };
            (writing, Task::new(&keeping, self.state()))
        };
        self.store(&writing, task).err().map(|it| refused(&it))
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
            self.adopt(keeping, self.shared.folder.load(), theirs);
        }
        report.broken = std::mem::take(&mut keeping.broken);
        if let (Some(writing), false) = (&writing, report.broken.is_empty()) {
            self.shared.folder.set_aside(writing);
            keeping.mark = None;
        }
        writing
    }

    /// Writes what ought to be written, and counts.
    pub(crate) fn finish(&self, writing: Option<Writing>, report: &mut Report) {
        let start = Instant::now();
        let task = |keeping: MutexGuard<'_, Keeping>| keeping.dirty.then(|| Task::new(&keeping, self.state()));
        if let Some(writing) = writing
            && let Some(task) = task(self.keeping())
            && let Err(why) = self.store(&writing, task)
        {
            report.unsaved = Some(refused(&why));
        }
        let dirty = self.keeping().dirty;
        if dirty && matches!(report.unsaved, Some(Unsaved::Busy) | None) {
            self.write_later();
        }
        report.spent.writing += start.elapsed();
        report.disk = self.shared.folder.size();
        self.state().tell(report);
    }

    /// Writes a state, names it in a new manifest, and goes on with what is on disk then. Edits go on meanwhile.
    fn store(&self, writing: &Writing, task: Task) -> Result<(), IndexError> {
        let start = Instant::now();
        let folder = &self.shared.folder;
        let named: Vec<Piece> = task.pieces().cloned().collect();
        let made = task.run(&folder.path).and_then(|stored| {
            let manifest = stored.manifest();
            Ok((folder.replace(writing, &manifest)?, stored, manifest.files))
        });
        // What was written in vain takes no room.
        let (mark, stored, files) = made.inspect_err(|_| folder.sweep(&named))?;
        let mut keeping = self.keeping();
        let now = self.state();
        keeping.mark = Some(mark);
        keeping.dirty = !Arc::ptr_eq(&now, &stored.base);
        (keeping.pieces, keeping.died) = (stored.pieces.clone(), stored.died.clone());
        keeping.took = start.elapsed();
        self.publish(stored.into_state(&now, files));
        Ok(())
    }

    /// Makes what was loaded the present state, with those segments behind its own that only this process has. The files stay
    /// ours unless `theirs` says so.
    pub(crate) fn adopt(&self, keeping: &mut Keeping, loaded: Loaded, theirs: bool) {
        let Loaded { manifest, files, segments, mark, broken, stale } = loaded;
        let old = self.state();
        let named = |name: &str| old.segments.iter().find(|it| it.name == name).cloned();
        let mut all: Vec<Arc<Segment>> = segments.into_iter().map(|it| named(&it.name).unwrap_or(it)).collect();
        let new = |it: &&Arc<Segment>| all.iter().all(|known| known.name != it.name);
        let ours: Vec<Arc<Segment>> = old.segments.iter().filter(new).cloned().collect();
        keeping.pieces = manifest.pieces.into_iter().map(|it| (it.name.clone(), it)).collect();
        keeping.died = manifest.died.into_iter().collect();
        keeping.dirty = stale || !ours.is_empty() || !theirs;
        keeping.mark = mark;
        keeping.broken.extend(broken);
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
                let took = shared.upgrade().map_or(Duration::ZERO, |it| Index { shared: it }.keeping().took);
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
