//! Opening located paths without following any link.
//!
//! Each step from the base folder is opened relative to the one before and must not be a link. So a link swapped in after
//! a path was located makes the operation fail; it never leads it elsewhere.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::{Errno, Result};

use crate::Located;

// A folder is only passed through: searching it must be permitted, listing it need not be.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY;

fn step(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd> {
    openat(dir, name, PASS | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

fn base(path: &Path) -> Result<OwnedFd> {
    open(path, PASS | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// The folder that contains `place`, and the name of `place` in it.
pub(crate) fn parent(place: &Located) -> Result<(OwnedFd, &OsStr)> {
    let (folders, name) = parts(place)?;
    let dir = folders.into_iter().try_fold(base(&place.base)?, |dir, name| step(&dir, name))?;
    Ok((dir, name))
}

/// Opens `place` for reading. Never blocks, also not on a pipe that nobody writes to.
pub(crate) fn read(place: &Located) -> Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    if place.abs == place.base {
        return Err(Errno::ISDIR);
    }
    let (dir, name) = parent(place)?;
    openat(&dir, name, flags, Mode::empty()).map(File::from)
}

fn parts(place: &Located) -> Result<(Vec<&OsStr>, &OsStr)> {
    let inside = place.abs.strip_prefix(&place.base).expect("a located path lies beneath its base");
    let mut parts: Vec<&OsStr> = inside
        .components()
        .filter_map(|it| match it {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    let name = parts.pop().ok_or(Errno::ISDIR)?;
    Ok((parts, name))
}
