//! Looking at the whole tree: names and stamps only, with threads where it pays. Follows no link; changes nothing.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, FileType, Mode, open, openat, statat};
use rustix::io::{Errno, Result};

use super::contents::LINK;
use super::folders::{FOLDER, each_name};
use super::index::{Entry, Folder, Index, join};
use super::limits::Limits;
use super::rules;
use super::skip::Skip;
use super::tracked::Tracked;
use crate::stamp::Stamp;

/// From this many entries on threads pay for their start.
const LARGE: usize = 2_000;

/// How a look at the tree can fail as a whole.
#[derive(Debug)]
pub(super) enum Failed {
    /// The root itself.
    Root(Errno),
    /// More entries than a checkpoint may have.
    TooMany,
}

/// A folder that is still to be looked at.
struct Job {
    parent: Arc<OwnedFd>,
    path: Vec<u8>,
    name: Vec<u8>,
}

struct Walk<'a> {
    root: &'a Path,
    /// A folder that is never looked into: where the checkpoints themselves are.
    own: Option<&'a Path>,
    /// Nothing else is kept.
    tracked: Option<&'a Tracked>,
    old: &'a Index,
    limits: &'a Limits,
    queue: Mutex<Queue>,
    more: Condvar,
    count: AtomicUsize,
    failed: AtomicBool,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<Job>,
    /// Threads that may add jobs.
    busy: usize,
}

/// What one thread found.
#[derive(Default)]
struct Found {
    folders: Vec<Folder>,
    /// Folders that were found not to be kept when they were opened.
    skipped: Vec<(Vec<u8>, Skip)>,
}

/// Looks at everything beneath `root`. What is as in `old` keeps its object; the rest is stale.
pub(super) fn scan(
    root: &Path,
    own: Option<&Path>,
    tracked: Option<&Tracked>,
    old: &Index,
    limits: &Limits,
) -> std::result::Result<Index, Failed> {
    let top = open(root, FOLDER, Mode::empty()).map_err(Failed::Root)?;
    let walk = Walk {
        root,
        own,
        tracked,
        old,
        limits,
        queue: Mutex::new(Queue::default()),
        more: Condvar::new(),
        count: AtomicUsize::new(0),
        failed: AtomicBool::new(false),
    };
    let mut found = Found::default();
    let jobs = walk.folder(Arc::new(top), Vec::new(), &mut found).map_err(Failed::Root)?;
    walk.queue().jobs = jobs;
    let known: usize = old.folders.iter().map(|it| it.entries.len()).sum();
    let threads = if known > LARGE { std::thread::available_parallelism().map_or(2, usize::from).min(8) } else { 1 };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| walk.work())).collect();
        let mut all = vec![walk.work()];
        all.extend(others.into_iter().filter_map(|it| it.join().ok()));
        for mut one in all {
            found.folders.append(&mut one.folders);
            found.skipped.append(&mut one.skipped);
        }
    });
    if walk.failed.load(Ordering::Relaxed) {
        return Err(Failed::TooMany);
    }
    let Found { mut folders, skipped } = found;
    folders.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let mut index = Index { folders };
    for (path, why) in skipped {
        if let Some(entry) = index.entry_mut(&path) {
            entry.skip = Some(why);
            // Its own times change with what is in it, and say nothing.
            entry.stamp = Stamp::default();
        }
    }
    super::limits::bound(&mut index, limits);
    Ok(index)
}

impl Walk<'_> {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes folders from the queue until there are none and nobody can add one.
    fn work(&self) -> Found {
        let mut found = Found::default();
        loop {
            let mut queue = self.queue();
            let job = loop {
                match queue.jobs.pop() {
                    Some(job) => break job,
                    None if queue.busy == 0 => return found,
                    None => queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            };
            queue.busy += 1;
            drop(queue);
            let new = self.visit(job, &mut found);
            let mut queue = self.queue();
            queue.busy -= 1;
            let wake = !new.is_empty() || queue.busy == 0;
            queue.jobs.extend(new);
            drop(queue);
            if wake {
                self.more.notify_all();
            }
        }
    }

    fn visit(&self, job: Job, found: &mut Found) -> Vec<Job> {
        let Job { parent, path, name } = job;
        let done = openat(&*parent, name.as_slice(), FOLDER, Mode::empty()).and_then(|dir| {
            if rules::may_be_built(&name) && rules::is_heavy(&dir) && rules::is_ignored(self.root, &path) {
                found.skipped.push((path.clone(), Skip::Built));
                return Ok(Vec::new());
            }
            self.folder(Arc::new(dir), path.clone(), found)
        });
        match done {
            Ok(jobs) => jobs,
            // Gone meanwhile: as if it were empty, since its parent has it.
            Err(Errno::NOENT) => {
                found.folders.push(Folder::new(path));
                Vec::new()
            }
            Err(_) => {
                found.skipped.push((path, Skip::Unreadable));
                Vec::new()
            }
        }
    }

    /// Reads one folder. Answers with the folders in it.
    fn folder(&self, dir: Arc<OwnedFd>, path: Vec<u8>, found: &mut Found) -> Result<Vec<Job>> {
        let mut folder = Folder::new(path);
        let mut jobs = Vec::new();
        let top = folder.path.is_empty();
        each_name(&dir, &mut |name, kind| {
            let path = || join(&folder.path, name);
            let own = || self.own.is_some_and(|it| it.as_os_str().as_bytes() == path());
            if top && name == b".git"
                || self.tracked.is_some_and(|it| !it.has(&path()))
                || kind == Some(FileType::Directory) && own()
            {
                return Ok(());
            }
            let stat = match statat(&*dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => return Ok(()),
                other => other?,
            };
            let kind = FileType::from_raw_mode(stat.st_mode);
            let mode = if kind == FileType::Symlink { LINK } else { stat.st_mode };
            let mut stamp = Stamp::of(&stat);
            let skip = match kind {
                _ if name == b".git" => Some(Skip::Git),
                FileType::Directory if rules::is_derived(name) => Some(Skip::Derived),
                FileType::Directory | FileType::Symlink => None,
                FileType::RegularFile if stamp.size > self.limits.file => Some(Skip::TooLarge),
                FileType::RegularFile => None,
                _ => Some(Skip::Special),
            };
            if kind == FileType::Directory {
                stamp = Stamp::default();
                if skip.is_none() {
                    jobs.push(Job { parent: dir.clone(), path: path(), name: name.to_vec() });
                }
            }
            folder.push(name, skip, mode, stamp);
            Ok(())
        })?;
        folder.sort();
        if !top && rules::is_cache(&folder) {
            found.skipped.push((folder.path, Skip::Derived));
            return Ok(Vec::new());
        }
        self.recall(&mut folder);
        let count = folder.entries.len();
        if self.count.fetch_add(count, Ordering::Relaxed) + count > self.limits.entries {
            self.failed.store(true, Ordering::Relaxed);
            jobs.clear();
        }
        found.folders.push(folder);
        Ok(jobs)
    }

    /// Gives every entry that is as it was the object that it was.
    fn recall(&self, folder: &mut Folder) {
        let Some(old) = self.old.folder(&folder.path) else { return };
        for at in 0..folder.entries.len() {
            let entry = &folder.entries[at];
            let same = |it: &&Entry| it.stamp == entry.stamp && it.mode == entry.mode && it.is_kept() && !it.stale;
            if let Some(before) = old.find(folder.name(entry)).filter(same).filter(|it| !it.is_folder()) {
                (folder.entries[at].stale, folder.entries[at].id) = (false, before.id);
            }
        }
    }
}

/// The part of `own` beneath `root`, if it is there.
pub(super) fn beneath(root: &Path, own: &Path) -> Option<PathBuf> {
    let own = own.canonicalize().ok()?;
    own.strip_prefix(root).ok().map(Path::to_owned)
}
