//! The folder of one tree's checkpoints: who may write to it, its records, its stat cache, its packs.
//!
//! It is a bare repository that git can read, readable by its owner alone. Nothing is written without the lock, records
//! only after the objects that they name are on the disk.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;

use super::history::History;
use super::index::Index;
use super::packs::{Lost, Packs};
use super::record::Record;
use crate::codec::{self, Frame};
use crate::{Hash, RepoError, lock, sys};

/// How long a writer waits for that of another process.
const PATIENCE: Duration = Duration::from_secs(10);
/// First bytes of the records; the last is the version.
const MAGIC: &[u8; 8] = b"OXCKPT\n1";
const RECORDS: &str = "records";
const CACHE: &str = "stat-cache";
const LOCK: &str = "lock";

/// What git needs to see to read the folder.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n";
const HEAD: &str = "ref: refs/heads/none\n";

/// A store that need not exist yet.
#[derive(Debug)]
pub(super) struct Store {
    folder: PathBuf,
    /// Of the tree; for people.
    root: PathBuf,
    pub(super) history: History,
    /// Inode and length of the records that the history is of.
    seen: Option<(u64, u64)>,
    /// Modification time and inode of the cache that is in memory.
    cached: Option<(i64, i64, u64)>,
    index: Option<Arc<Index>>,
    packs: OnceCell<Packs>,
}

/// The right to write to a store.
pub(super) struct Guard {
    /// Held for its lock.
    _file: File,
    pub(super) dir: OwnedFd,
}

impl Store {
    pub(super) fn new(state: &Path, root: &Path) -> Store {
        let name = &Hash::of(root.as_os_str().as_bytes()).to_string()[..32];
        let folder = state.join("checkpoints").join(name);
        let (history, root) = (History::default(), root.to_owned());
        Store { folder, root, history, seen: None, cached: None, index: None, packs: OnceCell::new() }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn fail(&self, source: impl Into<io::Error>) -> RepoError {
        let (path, source) = (self.folder.display().to_string(), source.into());
        match Errno::from_io_error(&source) {
            Some(Errno::NOSPC | Errno::DQUOT | Errno::FBIG) => RepoError::CheckpointsFull { path },
            _ => RepoError::Checkpoints { path, source },
        }
    }

    fn damaged(&self, why: impl Into<String>) -> RepoError {
        RepoError::CheckpointsDamaged { path: self.folder.display().to_string(), why: why.into() }
    }

    pub(super) fn lost(&self, lost: Lost) -> RepoError {
        match lost {
            Lost::Missing => self.damaged("an object is missing"),
            Lost::Damaged(path, why) => self.damaged(format!("{}: {why}", path.display())),
            Lost::Io(source) => self.fail(source),
        }
    }

    /// Takes the lock, after making the store where there is none.
    pub(super) fn lock(&mut self) -> Result<Guard, RepoError> {
        self.lock_within(PATIENCE)
    }

    pub(super) fn lock_within(&mut self, patience: Duration) -> Result<Guard, RepoError> {
        let held = lock::take(&self.folder, LOCK, patience).map_err(|it| self.fail(it))?;
        let busy = || RepoError::CheckpointsBusy { path: self.root.display().to_string() };
        held.map(|(dir, file)| Guard { _file: file, dir }).ok_or_else(busy)
    }

    /// What git looks for. Made before the first object.
    pub(super) fn furnish(&self, guard: &Guard) -> Result<(), RepoError> {
        if self.folder.join("config").exists() {
            return Ok(());
        }
        let made = || -> io::Result<()> {
            sys::make_private_folder(&self.folder.join("objects/pack"))?;
            sys::make_private_folder(&self.folder.join("refs/heads"))?;
            let description = format!("Checkpoints of {}\n", self.root.display());
            // `config` comes last: where it is, all is.
            for (name, text) in [("HEAD", HEAD), ("description", &description), ("config", CONFIG)] {
                put(&guard.dir, name, text.as_bytes(), false)?;
            }
            Ok(())
        };
        made().map_err(|it| self.fail(it))
    }

    pub(super) fn pack_folder(&self) -> PathBuf {
        self.folder.join("objects/pack")
    }

    pub(super) fn open_pack_folder(&self) -> Result<OwnedFd, RepoError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        open(self.pack_folder(), flags, Mode::empty()).map_err(|it| self.fail(it))
    }

    /// Brings the history up to what is on the disk.
    pub(super) fn refresh(&mut self) -> Result<(), RepoError> {
        let mut file = match File::open(self.folder.join(RECORDS)) {
            Err(it) if it.kind() == io::ErrorKind::NotFound => {
                (self.history, self.seen) = (History::default(), None);
                return Ok(());
            }
            other => other.map_err(|it| self.fail(it))?,
        };
        let stat = file.metadata().map_err(|it| self.fail(it))?;
        let start = match self.seen {
            Some((inode, length)) if inode == stat.ino() && length == stat.len() => return Ok(()),
            Some((inode, length)) if inode == stat.ino() && length < stat.len() => length,
            _ => {
                self.history = History::default();
                0
            }
        };
        // What another process has recorded is in packs of its own.
        self.packs.take();
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_to_end(&mut bytes));
        read.map_err(|it| self.fail(it))?;
        let length = self.replay(&bytes, start)?;
        self.seen = Some((stat.ino(), length));
        Ok(())
    }

    /// Applies the records in `bytes`, which begin at `start` of the file. Answers with where they end.
    fn replay(&mut self, bytes: &[u8], start: u64) -> Result<u64, RepoError> {
        let mut at = 0;
        if start == 0 {
            match bytes.len() < MAGIC.len() {
                true if MAGIC.starts_with(bytes) || bytes.iter().all(|it| *it == 0) => return Ok(0),
                false if bytes.starts_with(MAGIC) => at = MAGIC.len(),
                false if bytes.starts_with(&MAGIC[..7]) => {
                    let words = "they were written by another version of Ox; use that version, or move the folder away";
                    return Err(self.fail(io::Error::other(words)));
                }
                _ => return Err(self.damaged("its records do not begin as records do")),
            }
        }
        loop {
            match codec::frame(&bytes[at..]) {
                Frame::Whole(body, length) => {
                    let record = Record::decode(body).ok_or_else(|| self.damaged("a record cannot be read"))?;
                    self.history.apply(&record);
                    at += length;
                }
                Frame::End => return Ok(start + at as u64),
                Frame::Damaged => return Err(self.damaged("a record is not what it was")),
            }
        }
    }

    /// Appends a record; `durable`: and waits until it is on the disk.
    pub(super) fn append(&mut self, guard: &Guard, record: &Record, durable: bool) -> Result<(), RepoError> {
        let frame = codec::framed(&record.encode());
        let (_, length) = self.seen.unwrap_or_default();
        let written = (|| -> io::Result<_> {
            let mut file = sys::open_journal(&guard.dir, RECORDS.as_ref())?;
            let stat = file.metadata()?;
            if stat.len() > length {
                // What was never written to its end goes.
                sys::truncate(&file, length)?;
            }
            file.seek(SeekFrom::Start(length))?;
            let bytes = if length == 0 { [MAGIC.as_slice(), &frame].concat() } else { frame };
            let kept = sys::write(&file, &bytes).and_then(|()| if durable { sys::sync(&file) } else { Ok(()) });
            let kept = kept.and_then(|()| if durable && length == 0 { sys::sync_folder(&guard.dir) } else { Ok(()) });
            if let Err(error) = kept {
                // What was not said to be noted is not noted.
                let _ = sys::truncate(&file, length);
                return Err(error.into());
            }
            Ok((stat.ino(), length + bytes.len() as u64))
        })();
        self.seen = Some(written.map_err(|it| self.fail(it))?);
        self.history.apply(record);
        Ok(())
    }

    /// Replaces all records.
    pub(super) fn rewrite(&mut self, guard: &Guard, records: &[Record]) -> Result<(), RepoError> {
        let mut bytes = MAGIC.to_vec();
        records.iter().for_each(|it| bytes.extend(codec::framed(&it.encode())));
        put(&guard.dir, RECORDS, &bytes, true).map_err(|it| self.fail(it))?;
        self.seen = None;
        self.refresh()
    }

    /// All records, as they are on the disk.
    pub(super) fn records(&self) -> Result<Vec<Record>, RepoError> {
        let bytes = std::fs::read(self.folder.join(RECORDS)).map_err(|it| self.fail(it))?;
        let bytes = bytes.get(MAGIC.len()..).unwrap_or_default();
        Ok(codec::frames(bytes).filter_map(Record::decode).collect())
    }

    /// What the tree was when it was last looked at; empty where nothing is known.
    pub(super) fn index(&mut self) -> Arc<Index> {
        let stamp = self.cache();
        match &self.index {
            Some(index) if stamp == self.cached => index.clone(),
            _ => {
                let read =
                    stamp.and_then(|_| std::fs::read(self.folder.join(CACHE)).ok()).and_then(|it| Index::decode(&it));
                let index = Arc::new(read.unwrap_or_default());
                (self.index, self.cached) = (Some(index.clone()), stamp);
                index
            }
        }
    }

    /// Notes what the tree is. Without it the next look takes longer, so that it may fail.
    pub(super) fn remember(&mut self, guard: &Guard, index: Arc<Index>) {
        let _ = put(&guard.dir, CACHE, &index.encode(), false);
        (self.index, self.cached) = (Some(index), self.cache());
    }

    /// Modification time and inode of the cache.
    fn cache(&self) -> Option<(i64, i64, u64)> {
        let stat = self.folder.join(CACHE).metadata().ok()?;
        Some((stat.mtime(), stat.mtime_nsec(), stat.ino()))
    }

    /// The packs, opened when they are first needed.
    pub(super) fn packs(&self) -> Result<&Packs, RepoError> {
        if let Some(packs) = self.packs.get() {
            return Ok(packs);
        }
        let packs = Packs::open(&self.pack_folder()).map_err(|it| self.lost(it))?;
        Ok(self.packs.get_or_init(|| packs))
    }

    /// Adds a pack that was just written.
    pub(super) fn add_pack(&mut self, name: &str) -> Result<(), RepoError> {
        let path = self.pack_folder().join(name);
        let added = self.packs.get_mut().map_or(Ok(()), |it| it.add(path));
        added.map_err(|it| self.lost(it))
    }

    /// Opens the packs again when they are next needed.
    pub(super) fn forget_packs(&mut self) {
        self.packs.take();
    }

    /// Moves a damaged store beside itself, so that a new one can begin. Answers with where it is now.
    pub(super) fn put_aside(&mut self, guard: Guard) -> Result<PathBuf, RepoError> {
        let names = (1..).map(|it| self.folder.with_extension(format!("damaged{it}")));
        let free = names.into_iter().find(|it| it.symlink_metadata().is_err()).expect("numbers do not end");
        std::fs::rename(&self.folder, &free).map_err(|it| self.fail(it))?;
        drop(guard);
        *self = Store { folder: self.folder.clone(), ..Store::new(Path::new(""), &self.root) };
        Ok(free)
    }
}

/// Puts a whole file in the place of what is there.
pub(super) fn put(dir: &OwnedFd, name: &str, bytes: &[u8], durable: bool) -> rustix::io::Result<()> {
    let temp = format!("{name}.tmp");
    let file = draft(dir, &temp)?;
    sys::write(&file, bytes)?;
    if durable {
        sys::sync(&file)?;
    }
    sys::replace(dir, temp.as_ref(), name.as_ref())?;
    if durable { sys::sync_folder(dir) } else { Ok(()) }
}

/// An empty file in the place of what a crash may have left there. It can be read too.
pub(super) fn draft(dir: &OwnedFd, name: &str) -> rustix::io::Result<File> {
    let create = || sys::create_read(dir, name.as_ref(), Mode::RUSR | Mode::WUSR);
    match create() {
        Err(Errno::EXIST) => sys::unlink(dir, name.as_ref()).and_then(|()| create()),
        other => other,
    }
}
