//! Reading what is new or may have changed, and making objects of it. With threads where it pays.
//!
//! A file that changes while it is read is read again; one that goes on changing is kept as it was last seen and read
//! again the next time.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use rustix::fs::{AtFlags, Mode, OFlags, fstat, open, openat, readlinkat, statat};
use rustix::io::{Errno, Result};

use super::folders::{FOLDER, now};
use super::index::{Entry, Folder, Index};
use super::object::{self, Kind};
use super::pack::Packed;
use super::skip::Skip;
use crate::Hash;
use crate::stamp::Stamp;

/// From this many files on threads pay for their start.
const MANY: usize = 48;
/// How often a file is read that changes meanwhile.
const TRIES: usize = 3;
/// The mode of a link, whatever the system says.
pub(super) const LINK: u32 = 0o120_000;
/// Objects that wait to be written.
const AHEAD: usize = 16;

/// The mode of what is no longer there.
const GONE: u32 = 0;

/// What a file turned out to be.
struct Content {
    stamp: Stamp,
    mode: u32,
    skip: Option<Skip>,
    stale: bool,
    id: Hash,
}

/// Folders opened one below the other, so that the next file in the same folder needs no new steps.
pub(super) struct Descent {
    root: OwnedFd,
    /// Names and folders from the root down.
    steps: Vec<(Vec<u8>, OwnedFd)>,
}

impl Descent {
    pub(super) fn new(root: &Path) -> Result<Descent> {
        Ok(Descent { root: open(root, FOLDER, Mode::empty())?, steps: Vec::new() })
    }

    /// The folder at a path. No step follows a link.
    pub(super) fn folder(&mut self, path: &[u8]) -> Result<&OwnedFd> {
        let names: Vec<&[u8]> = path.split(|it| *it == b'/').filter(|it| !it.is_empty()).collect();
        let same = self.steps.iter().zip(&names).take_while(|(step, name)| step.0 == **name).count();
        self.steps.truncate(same);
        for name in &names[same..] {
            let dir = self.steps.last().map_or(&self.root, |it| &it.1);
            let next = openat(dir, *name, FOLDER, Mode::empty())?;
            self.steps.push((name.to_vec(), next));
        }
        Ok(self.steps.last().map_or(&self.root, |it| &it.1))
    }
}

/// What was read: the positions of its folder and of its entry, what it is, and its object where that is new.
type Done = (usize, usize, Content, Option<Packed>);

/// Reads everything that is stale, and hands what is an object to `keep`; `known` tells which need not be handed over.
pub(super) fn read<E: From<Errno>>(
    root: &Path,
    index: &mut Index,
    old: &Index,
    known: &(dyn Fn(&Hash) -> bool + Sync),
    keep: &mut dyn FnMut(Packed) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let work = stale(index);
    let mut all = Vec::with_capacity(work.len());
    // Only this thread writes.
    let mut done = |(folder, entry, read, packed): Done| {
        all.push((folder, entry, read));
        packed.map_or(Ok(()), &mut *keep)
    };
    let read = |descent: &mut Descent, (folder, entry): (usize, usize)| {
        let (read, packed) = one(descent, &index.folders[folder], entry, old, known);
        (folder, entry, read, packed)
    };
    if work.len() < MANY {
        let mut descent = Descent::new(root)?;
        work.iter().try_for_each(|it| done(read(&mut descent, *it)))?;
    } else {
        in_threads(root, &work, &read, &mut done)?;
    }
    for (folder, entry, Content { stamp, mode, skip, stale, id }) in all {
        let entry = &mut index.folders[folder].entries[entry];
        (entry.stamp, entry.mode, entry.skip, entry.stale, entry.id) = (stamp, mode, skip, stale, id);
    }
    index.folders.iter_mut().for_each(|it| it.entries.retain(|it| it.mode != GONE));
    Ok(())
}

/// True when something has to be read.
pub(super) fn any_stale(index: &Index) -> bool {
    !stale(index).is_empty()
}

fn stale(index: &Index) -> Vec<(usize, usize)> {
    let mut work = Vec::new();
    for (at, folder) in index.folders.iter().enumerate() {
        let stale = |it: &Entry| it.is_kept() && it.stale && !it.is_folder();
        work.extend(folder.entries.iter().enumerate().filter(|it| stale(it.1)).map(|it| (at, it.0)));
    }
    work
}

fn in_threads<E: From<Errno>>(
    root: &Path,
    work: &[(usize, usize)],
    read: &(dyn Fn(&mut Descent, (usize, usize)) -> Done + Sync),
    done: &mut dyn FnMut(Done) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let descents = (0..threads).map(|_| Descent::new(root)).collect::<Result<Vec<_>>>()?;
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::sync_channel(AHEAD);
    std::thread::scope(|scope| {
        for mut descent in descents {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while let Some(it) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if send.send(read(&mut descent, *it)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        receive.into_iter().try_for_each(done)
    })
}

fn one(
    descent: &mut Descent,
    folder: &Folder,
    entry: usize,
    old: &Index,
    known: &dyn Fn(&Hash) -> bool,
) -> (Content, Option<Packed>) {
    let entry = &folder.entries[entry];
    let name = folder.name(entry);
    match content(descent, folder, entry, name) {
        Ok((stamp, mode, stale, body)) => {
            let id = object::id(Kind::Blob, &body);
            let packed = (!known(&id)).then(|| Packed::of(id, Kind::Blob, &body));
            (Content { stamp, mode, skip: None, stale, id }, packed)
        }
        // Gone since it was listed.
        Err(Errno::NOENT) => {
            (Content { stamp: entry.stamp, mode: GONE, skip: None, stale: true, id: Hash::default() }, None)
        }
        Err(_) => {
            let (stamp, mode) = (entry.stamp, entry.mode);
            // It may only have lost its permissions.
            let before = old.folder(&folder.path).and_then(|it| it.find(name));
            let same = before.filter(|it| it.is_kept() && !it.stale && it.stamp.has_content_of(&stamp));
            let id = same.map(|it| it.id).unwrap_or_default();
            let skip = if same.is_some() { None } else { Some(Skip::Unreadable) };
            (Content { stamp, mode, skip, stale: false, id }, None)
        }
    }
}

/// Stamp, mode, whether it may already be another, and bytes.
fn content(descent: &mut Descent, folder: &Folder, entry: &Entry, name: &[u8]) -> Result<(Stamp, u32, bool, Vec<u8>)> {
    let dir = descent.folder(&folder.path)?;
    if entry.is_link() {
        let target = readlinkat(dir, name, Vec::new())?.into_bytes();
        let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let stamp = Stamp::of(&stat);
        return Ok((stamp, LINK, stamp.is_racy(now()), target));
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut file = File::from(openat(dir, name, flags, Mode::empty())?);
    let mut body = Vec::new();
    for left in (0..TRIES).rev() {
        let began = now();
        let before = fstat(&file)?;
        if before.st_mode & 0o170_000 != 0o100_000 {
            return Err(Errno::NXIO);
        }
        body.clear();
        body.reserve_exact(usize::try_from(before.st_size).unwrap_or(0) + 1);
        file.read_to_end(&mut body).map_err(|it| Errno::from_io_error(&it).unwrap_or(Errno::IO))?;
        let after = fstat(&file)?;
        let (stamp, same) = (Stamp::of(&after), Stamp::of(&before) == Stamp::of(&after));
        if left == 0 || (same && body.len() as u64 == stamp.size) {
            return Ok((stamp, after.st_mode, !same || stamp.is_racy(began), body));
        }
        std::io::Seek::rewind(&mut file).map_err(|it| Errno::from_io_error(&it).unwrap_or(Errno::IO))?;
    }
    Err(Errno::AGAIN)
}
