//! A project's folder in the cache: loading what it holds, replacing it, one writer at a time.
//!
//! Loading never waits and never writes, but for setting aside what is damaged. Whoever writes holds the lock.

use std::fs::{DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::manifest::{FileStamp, Manifest, Piece, stamp_of};
use super::mapped::bytes_of;
use super::segment::{Segment, Segments};
use crate::IndexError;
use crate::store::files::{At, Listing};

const MANIFEST: &str = "manifest";
const LOCK: &str = "lock";
/// What was set aside keeps this ending, until the next is.
const ASIDE: &str = "aside";
/// How often a reader begins anew because a writer replaced what it was about to open.
const ATTEMPTS: usize = 20;

/// The folder.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

/// The right to write, until it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct Writing(#[allow(dead_code, reason = "the lock is held as long as its file is open")] File);

impl Writing {
    /// The right that the file at `place` stands for; none while another process has it. Makes the folder around it.
    pub(crate) fn at(place: &Path) -> Result<Option<Writing>, IndexError> {
        let failed = |it| IndexError::cache(place, it);
        if let Some(folder) = place.parent() {
            // Names and texts of the code are nobody else's.
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        }
        let file = File::options().create(true).truncate(false).write(true).open(place).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Writing(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(why)) => Err(failed(why)),
        }
    }
}

/// What was loaded.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) manifest: Manifest,
    pub(crate) files: Listing,
    pub(crate) segments: Segments,
    pub(crate) version: Option<FileStamp>,
    /// Why something was set aside.
    pub(crate) broken: Vec<String>,
    /// The manifest ought to be written again: stamps have changed, or segments are missing.
    pub(crate) stale: bool,
}

impl Folder {
    /// The right to write; none while another process has it.
    pub(crate) fn lock(&self) -> Result<Option<Writing>, IndexError> {
        Writing::at(&self.path.join(LOCK))
    }

    /// What tells the present manifest from others; none where there is none.
    pub(crate) fn version(&self) -> Option<FileStamp> {
        stamp_of(&self.path.join(MANIFEST)).ok()
    }

    /// Opens all that the manifest names. What is damaged is left out and named, what is not there is simply empty.
    pub(crate) fn load(&self) -> Loaded {
        let mut missing = None;
        for _ in 0..ATTEMPTS {
            let before = self.version();
            if before.is_none() {
                return Loaded::default();
            }
            let loaded = self.attempt(before);
            // A writer may have replaced the manifest and removed what the old one named.
            if loaded.broken.is_empty() || self.version() == before {
                return loaded;
            }
            missing = Some(loaded);
        }
        missing.unwrap_or_default()
    }

    /// What is there; incomplete where something is broken.
    fn attempt(&self, version: Option<FileStamp>) -> Loaded {
        let place = self.path.join(MANIFEST);
        let manifest = bytes_of(&place).and_then(|bytes| Manifest::decode(&bytes, &place));
        let mut loaded = Loaded { version, ..Loaded::default() };
        loaded.manifest = match manifest {
            Ok(manifest) => manifest,
            Err(why) => {
                loaded.broken.push(why.to_string());
                loaded.stale = true;
                return loaded;
            }
        };
        loaded.files = Listing::mapped(loaded.manifest.files.clone());
        let mut places = Vec::new();
        for mut piece in std::mem::take(&mut loaded.manifest.pieces) {
            match self.open(&mut piece) {
                Ok((segment, renewed)) => {
                    loaded.stale |= renewed;
                    places.push(u32::try_from(loaded.segments.len()).ok());
                    loaded.segments.push(Arc::new(segment));
                    loaded.manifest.pieces.push(piece);
                }
                Err(why) => {
                    loaded.broken.push(why.to_string());
                    places.push(None);
                }
            }
        }
        if loaded.broken.is_empty() {
            return loaded;
        }
        loaded.stale = true;
        let place = |(segment, content): At| Some((places.get(segment as usize).copied()??, content));
        loaded.files = loaded.files.moved(&|at, _| place(at));
        loaded
    }

    fn open(&self, piece: &mut Piece) -> Result<(Segment, bool), IndexError> {
        let folder = self.path.join(&piece.name);
        let renewed = piece.check(&folder)?;
        Ok((Segment::open(&folder)?, renewed))
    }

    /// Replaces the manifest, then removes what it does not name.
    pub(crate) fn replace(&self, _: &Writing, manifest: &Manifest) -> Result<FileStamp, IndexError> {
        let place = self.path.join(MANIFEST);
        let failed = |it| IndexError::cache(&place, it);
        let new = self.path.join("manifest.new");
        std::fs::write(&new, manifest.encode()).map_err(failed)?;
        std::fs::rename(&new, &place).map_err(failed)?;
        let version = stamp_of(&place)?;
        self.sweep(&manifest.pieces);
        Ok(version)
    }

    /// Removes segments that nobody names. Readers that have them open keep them.
    pub(crate) fn sweep(&self, named: &[Piece]) {
        let Ok(entries) = std::fs::read_dir(&self.path) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let segment = name.starts_with('s') && entry.file_type().is_ok_and(|it| it.is_dir());
            if segment && !named.iter().any(|it| it.name == name) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Keeps a damaged manifest for whoever wants to know what happened; the one kept before goes.
    pub(crate) fn set_aside(&self, _: &Writing) {
        let aside = self.path.join(format!("{MANIFEST}.{ASIDE}"));
        let _ = std::fs::rename(self.path.join(MANIFEST), aside);
    }

    /// Bytes on disk.
    pub(crate) fn size(&self) -> u64 {
        let sizes = |folder: &Path| -> u64 {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.filter_map(|it| it.metadata().ok()).filter(|it| it.is_file()).map(|it| it.len()).sum()
        };
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        sizes(&self.path) + entries.map(|it| sizes(&it.path())).sum::<u64>()
    }
}
