//! The single acts of putting something back: recognising it, making it again, keeping it beside another.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, OFlags, openat, statat};
use rustix::io::{Errno, Result};
use sha2::{Digest, Sha256};

use super::plan::{Mark, Old, part};
use super::recover::Kept;
use crate::{Hash, Located, sys};

pub(super) fn exists(dir: &OwnedFd, name: &OsStr) -> Result<bool> {
    Ok(inode(dir, name)?.is_some())
}

/// The number of what is there.
pub(super) fn inode(dir: &OwnedFd, name: &OsStr) -> Result<Option<u64>> {
    match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        #[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // Its type differs between systems.
        Ok(stat) => Ok(Some(stat.st_ino as u64)),
        Err(Errno::NOENT) => Ok(None),
        Err(other) => Err(other),
    }
}

/// True when there is a regular file with exactly these bytes. One of another size is not read.
pub(super) fn holds(dir: &OwnedFd, name: &OsStr, mark: &Mark) -> Result<bool> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let mut file = match openat(dir, name, flags, Mode::empty()).map(File::from) {
        Ok(file) => file,
        // A link, a socket, nothing.
        Err(Errno::NOENT | Errno::LOOP | Errno::MLINK | Errno::NXIO) => return Ok(false),
        Err(other) => return Err(other),
    };
    let raw = |it: std::io::Error| Errno::from_io_error(&it).unwrap_or(Errno::IO);
    let stat = file.metadata().map_err(raw)?;
    if !stat.is_file() || stat.len() != mark.size {
        return Ok(false);
    }
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut buffer).map_err(raw)? {
            0 => return Ok(Hash::finish(digest) == mark.hash),
            count => digest.update(&buffer[..count]),
        }
    }
}

/// Sees to it that `aside` is the old file. The file itself where it still has that name, else made from the journal,
/// under another name first, so that `aside` is never a part of it.
pub(super) fn rebuild(dir: &OwnedFd, aside: &OsString, old: &Old) -> Result<()> {
    if holds(dir, aside, &old.mark)? {
        return Ok(());
    }
    let part = part(aside);
    if exists(dir, &part)? {
        sys::unlink(dir, &part)?;
    }
    let file = sys::create(dir, &part, Mode::RUSR | Mode::WUSR)?;
    sys::write(&file, &old.bytes)?;
    old.attributes.give(&file)?;
    sys::sync(&file)?;
    sys::replace(dir, &part, aside)
}

/// Keeps what is called `aside` beside a file that somebody changed, under a name that is free.
pub(super) fn keep(dir: &OwnedFd, at: &Located, aside: &OsStr, mark: Option<&Mark>) -> Result<Kept> {
    for number in 1_u32.. {
        let suffix = if number == 1 { ".before".to_owned() } else { format!(".before{number}") };
        let mut name = at.abs.file_name().unwrap_or_default().to_owned();
        name.push(&suffix);
        let done = match sys::rename_new(dir, aside, dir, &name) {
            // An earlier recovery, itself cut short, has already kept it.
            Err(Errno::EXIST) if mark.is_some_and(|it| holds(dir, &name, it).unwrap_or(false)) => {
                sys::unlink(dir, aside)
            }
            Err(Errno::EXIST) => continue,
            other => other,
        };
        return done.map(|()| Kept { path: at.rel.clone(), copy: Some(at.rel.clone() + &suffix) });
    }
    Err(Errno::EXIST)
}
