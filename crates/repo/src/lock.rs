//! A file of Ox's own that says who may write: held by one process at a time, in a folder that nobody else can write to.

use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;

use crate::sys;

/// Takes the lock `name` in `folder`; both are made where they are missing. None when another process still has it after
/// `patience`.
pub(crate) fn take(folder: &Path, name: &str, patience: Duration) -> io::Result<Option<(OwnedFd, File)>> {
    let started = Instant::now();
    loop {
        let dir = own_folder(folder)?;
        let file = sys::open_journal(&dir, name.as_ref())?;
        while let Err(error) = file.try_lock() {
            match error {
                TryLockError::WouldBlock if started.elapsed() >= patience => return Ok(None),
                TryLockError::WouldBlock => std::thread::sleep(Duration::from_millis(2)),
                TryLockError::Error(source) => return Err(source),
            }
        }
        // Whoever had it may have removed it meanwhile, or put the whole folder aside; then it is nobody's lock.
        let inode = file.metadata()?.ino();
        if folder.join(name).symlink_metadata().is_ok_and(|it| it.ino() == inode) {
            return Ok(Some((dir, file)));
        }
    }
}

/// Opens a folder, which is made where it is missing. One that others can write to is not trusted.
fn own_folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = match open(path, flags, Mode::empty()) {
        Err(Errno::NOENT) => {
            sys::make_private_folder(path)?;
            open(path, flags, Mode::empty())?
        }
        other => other?,
    };
    let stat = rustix::fs::fstat(&dir)?;
    if stat.st_uid != rustix::process::geteuid().as_raw() || stat.st_mode & 0o022 != 0 {
        return Err(io::Error::other("its folder belongs to another user or others may write to it"));
    }
    Ok(dir)
}
