//! The single acts on a name in a folder: recognising what is there, giving it a second name, removing it.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::{Errno, Result};

use crate::{beneath, sys};

/// True when anything has the name.
pub(crate) fn exists(dir: &OwnedFd, name: &OsStr) -> Result<bool> {
    Ok(inode(dir, name)?.is_some())
}

/// Inode of `name`; none where nothing has that name.
pub(crate) fn inode(dir: &OwnedFd, name: &OsStr) -> Result<Option<u64>> {
    match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        #[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // Its type differs between systems.
        Ok(stat) => Ok(Some(stat.st_ino as u64)),
        Err(Errno::NOENT) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Gives a file that will be replaced a second name, under which it can be put back without needing room. False: not
/// every file may have one.
pub(crate) fn link_aside(dir: &OwnedFd, name: &OsStr, aside: &OsStr) -> Result<bool> {
    match sys::link(dir, name, aside) {
        Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK) => Ok(false),
        other => other.map(|()| true),
    }
}

/// Removes whatever has the name, a folder with everything in it. Nothing there is no error; what is mounted stays.
pub(crate) fn remove(dir: &OwnedFd, name: &OsStr) -> Result<()> {
    let stat = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(()),
        other => other?,
    };
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return sys::unlink(dir, name);
    }
    if beneath::is_mount(dir, name) {
        return Err(Errno::XDEV);
    }
    // What is to go may have been closed to its own owner.
    if stat.st_mode & 0o700 != 0o700 {
        let _ = sys::set_mode_at(dir, name, 0o700);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(dir, name, flags, Mode::empty())?;
    for entry in Dir::read_from(&folder)?.collect::<Result<Vec<_>>>()? {
        let child = OsStr::from_bytes(entry.file_name().to_bytes());
        if child != "." && child != ".." {
            remove(&folder, child)?;
        }
    }
    sys::remove_folder(dir, name)
}
