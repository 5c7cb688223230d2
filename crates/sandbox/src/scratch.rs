//! A conversation's own place: the folder that all its commands find at `/tmp`, and the loopback network that they share.
//!
//! Both end with the value: nothing of a conversation outlives it. A folder whose Ox was killed is taken away by the next
//! one that makes its own.

use std::fs::{self, DirBuilder, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FlockOperation, OFlags, flock};

/// What the names of such folders begin with.
const PREFIX: &str = "ox-scratch-";
/// How often another name is tried.
const TRIES: usize = 8;

/// The folder, which is removed with everything in it when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    // Held as long as it is in use: a folder that nobody holds is left from an Ox that was killed.
    _lock: File,
}

impl Scratch {
    /// A new folder that only this user reads, where temporary files are.
    pub fn new() -> io::Result<Scratch> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let base = std::env::temp_dir().canonicalize()?;
        sweep(&base);
        for _ in 0..TRIES {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let time = std::time::UNIX_EPOCH.elapsed().map_or(0, |it| it.subsec_nanos());
            let path = base.join(format!("{PREFIX}{}-{count}-{time:x}", std::process::id()));
            DirBuilder::new().mode(0o700).create(&path)?;
            // Another Ox may have taken it for one that was left.
            if let Some(lock) = held(&path) {
                return Ok(Scratch { path, _lock: lock });
            }
        }
        Err(io::Error::other("no folder for temporary files could be kept"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        crate::linux::shared_network::leave(&self.path);
        remove(&self.path);
    }
}

/// The folder at `path`, held; none where somebody holds it or it is gone.
fn held(path: &Path) -> Option<File> {
    let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY;
    let folder = File::options().read(true).custom_flags(flags.bits() as i32).open(path).ok()?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
    let same = |it: Metadata| folder.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (it.dev(), it.ino()));
    fs::symlink_metadata(path).is_ok_and(same).then_some(folder)
}

/// Removes the folders of this user that nobody holds any more.
fn sweep(base: &Path) {
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    for entry in entries.filter(|it| it.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())) {
        let own = entry.metadata().is_ok_and(|it| it.is_dir() && it.uid() == rustix::process::geteuid().as_raw());
        if own && let Some(_lock) = held(&entry.path()) {
            remove(&entry.path());
        }
    }
}

/// Removes a folder with everything in it, also where a command took its own rights to do so away.
fn remove(path: &Path) {
    if fs::remove_dir_all(path).is_err() {
        open_up(path);
        // What cannot be removed stays until the next sweep: it costs room and nothing else.
        let _ = fs::remove_dir_all(path);
    }
}

fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    let inner = fs::read_dir(folder).into_iter().flatten().flatten();
    inner.filter(|it| it.file_type().is_ok_and(|it| it.is_dir())).for_each(|it| open_up(&it.path()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_with_everything_in_it_and_so_do_those_that_were_left() {
        let left = std::env::temp_dir().join(format!("{PREFIX}left-{}", std::process::id()));
        fs::create_dir_all(left.join("a")).unwrap();
        let (first, second) = (Scratch::new().unwrap(), Scratch::new().unwrap());
        assert!(!left.exists() && first.path().exists() && first.path() != second.path());
        assert_eq!(first.path().metadata().unwrap().mode() & 0o777, 0o700);
        let inner = first.path().join("modules/cache");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("x"), "").unwrap();
        for folder in [inner.as_path(), inner.parent().unwrap()] {
            fs::set_permissions(folder, Permissions::from_mode(0o500)).unwrap();
        }
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists() && second.path().exists());
    }
}
