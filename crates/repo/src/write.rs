//! Writing files: all or nothing. A reader sees the old content or the new, never a part, and a failure leaves the old.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, Stat, fchmod, fchown, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use crate::locate::Located;
use crate::{Access, Encoding, FileText, Hash, RepoError, Tree, beneath, error};

impl Tree {
    /// Replaces the text of the file that was read as `old`, in its encoding, with its mode and owner; behind a link, the
    /// link's target. Refused when the file is no longer what was read. Answers with the hash of the new bytes.
    pub fn write(&self, path: &str, old: &FileText, text: &str) -> Result<Hash, RepoError> {
        let place = self.locate(path, Access::Write)?;
        let bytes = encode(&place.rel, old.encoding, old.bom, text)?;
        let (dir, name) = beneath::parent(&place).map_err(|it| error::writing(&place.rel, it))?;
        let current =
            statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|it| self.suggest(error::writing(&place.rel, it)))?;
        let mode = Mode::from_raw_mode(current.st_mode);
        if (mode & (Mode::WUSR | Mode::WGRP | Mode::WOTH)).is_empty() {
            return Err(RepoError::ReadOnly { path: place.rel, why: "its mode permits nobody to write it" });
        }
        let fail = |it: io::Error| error::writing(&place.rel, it);
        let mut file = beneath::read(&place).map_err(|it| fail(it.into()))?;
        if !file.metadata().map_err(fail)?.is_file() {
            return Err(RepoError::NotRegular { path: place.rel });
        }
        if !same(&mut file, old).map_err(fail)? {
            return Err(RepoError::Changed { path: place.rel });
        }
        let temp = Temp::fill(&dir, &bytes, Mode::RUSR | Mode::WUSR).map_err(fail)?;
        temp.imitate(&current).map_err(fail)?;
        temp.replace(name).map_err(fail)?;
        Ok(Hash::of(&bytes))
    }

    /// Creates a UTF-8 file and the folders that it needs. Refused where something is already there.
    pub fn create(&self, path: &str, text: &str) -> Result<Hash, RepoError> {
        let place = self.locate(path, Access::Write)?;
        if place.abs == place.base {
            return Err(RepoError::IsDirectory { path: place.rel });
        }
        let mut made = 0;
        let outcome = create(&place, text.as_bytes(), &mut made);
        outcome.map(|()| Hash::of(text.as_bytes())).map_err(|it| {
            beneath::remove_made(&place, made);
            error::writing(&place.rel, it)
        })
    }

    /// Renames a file, link or folder and makes the folders that the new path needs. Refused where something is there.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), RepoError> {
        let from = self.locate_entry(from, Access::Write)?;
        let to = self.locate_entry(to, Access::Write)?;
        let (source, name) = beneath::parent(&from).map_err(|it| self.suggest(error::writing(&from.rel, it)))?;
        statat(&source, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|it| self.suggest(error::writing(&from.rel, it)))?;
        if to.abs.starts_with(&from.abs) && to.abs != from.abs {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "a folder cannot be moved into itself");
            return Err(RepoError::Io { path: to.rel, source });
        }
        let mut made = 0;
        let (target, new_name) = beneath::parent_made(&to, &mut made).map_err(|it| error::writing(&to.rel, it))?;
        rename_new(&source, name, &target, new_name).map_err(|it| error::writing(&to.rel, it))
    }
}

fn encode(rel: &str, encoding: Encoding, bom: bool, text: &str) -> Result<Vec<u8>, RepoError> {
    encoding.encode(text, bom).map_err(|character| RepoError::Encoding {
        path: rel.to_owned(),
        encoding: encoding.name(),
        character,
    })
}

/// True when the file still has the bytes that were read.
fn same(file: &mut File, old: &FileText) -> io::Result<bool> {
    let size = file.metadata()?.len();
    if size != old.size {
        return Ok(false);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(size + 1).read_to_end(&mut bytes)?;
    Ok(Hash::of(&bytes) == old.hash)
}

fn create(place: &Located, bytes: &[u8], made: &mut usize) -> io::Result<()> {
    let (dir, name) = beneath::parent_made(place, made)?;
    if statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        return Err(Errno::EXIST.into());
    }
    // The umask has its say over this mode, as for any new file.
    let temp = Temp::fill(&dir, bytes, Mode::from_raw_mode(0o666))?;
    temp.place(name)
}

/// Renames unless something is at the new name.
fn rename_new(from: &OwnedFd, name: &OsStr, to: &OwnedFd, new_name: &OsStr) -> rustix::io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        match renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
            // Not every file system knows how; those get a check and a plain rename.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            other => return other,
        }
    }
    match statat(to, new_name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(_) => renameat(from, name, to, new_name),
    }
}

/// A finished file under a temporary name beside its place; removed unless it gets there.
struct Temp<'a> {
    dir: &'a OwnedFd,
    name: OsString,
    file: File,
    placed: bool,
}

impl<'a> Temp<'a> {
    fn fill(dir: &'a OwnedFd, bytes: &[u8], mode: Mode) -> io::Result<Temp<'a>> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".ox-{}-{count}.tmp", std::process::id()));
            match openat(dir, &name, flags, mode) {
                // Left over from a crash of an earlier process with the same id.
                Err(Errno::EXIST) => {}
                Err(other) => return Err(other.into()),
                Ok(file) => {
                    let mut temp = Temp { dir, name, file: File::from(file), placed: false };
                    temp.file.write_all(bytes)?;
                    temp.file.sync_all()?;
                    return Ok(temp);
                }
            }
        }
    }

    /// Takes over owner and mode.
    fn imitate(&self, old: &Stat) -> io::Result<()> {
        let new = self.file.metadata()?;
        let (uid, gid) = (std::os::unix::fs::MetadataExt::uid(&new), std::os::unix::fs::MetadataExt::gid(&new));
        if uid != old.st_uid || gid != old.st_gid {
            // Only root can give a file away; others get it as their own, as with any editor.
            let owner = (rustix::fs::Uid::from_raw(old.st_uid), rustix::fs::Gid::from_raw(old.st_gid));
            let _ = fchown(&self.file, Some(owner.0), Some(owner.1));
        }
        Ok(fchmod(&self.file, Mode::from_raw_mode(old.st_mode & 0o7777))?)
    }

    fn replace(mut self, name: &OsStr) -> io::Result<()> {
        renameat(self.dir, &self.name, self.dir, name)?;
        self.placed = true;
        Ok(())
    }

    fn place(mut self, name: &OsStr) -> io::Result<()> {
        rename_new(self.dir, &self.name, self.dir, name)?;
        self.placed = true;
        Ok(())
    }
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        if !self.placed {
            let _ = unlinkat(self.dir, &self.name, AtFlags::empty());
        }
    }
}
