//! Making what is to be put back, whole and under temporary names beside where it goes, before anything is changed.
//!
//! Whatever can fail for lack of room fails here.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::{ffi::OsStr, path::Path};

use rustix::fs::{FileType, Mode, OFlags, open, openat};
use rustix::io::{Errno, Result};

use super::differ::What;
use super::folders::FOLDER;
use super::index::{join, shown};
use super::object::{self, Read};
use super::plan::inside;
use crate::attributes::Attributes;
use crate::change::finish::sync_folders;
use crate::change::operation::{New, Plan};
use crate::{RepoError, beneath, error, sys};

/// Up to so many files are waited for one by one; beyond, for the whole file system at once.
const FEW: usize = 64;

/// What is being made.
struct Stage<'a> {
    read: Read<'a>,
    /// Files and folders that are still to be waited for.
    unsynced: Vec<File>,
    folders: Vec<OwnedFd>,
    count: usize,
}

/// Makes everything new, and waits until it is on the disk.
pub(super) fn all(root: &Path, plan: &Plan, read: Read<'_>) -> std::result::Result<(), RepoError> {
    let mut stage = Stage { read, unsynced: Vec::new(), folders: Vec::new(), count: 0 };
    for op in &plan.operations {
        let Some(New::Recorded { mode, id }) = op.new else { continue };
        let (dir, name) = beneath::parent(&op.at).map_err(|it| error::writing(&op.at.rel, it))?;
        let old = if op.replaces() { attributes(&dir, name) } else { None };
        stage.make(&dir, op.temp.as_bytes(), (mode, id), inside(&op.at), old)?;
    }
    if stage.count == 0 {
        return Ok(());
    }
    sync(root, plan, stage.count, || {
        stage.unsynced.iter().try_for_each(sys::sync)?;
        stage.folders.iter().rev().try_for_each(sys::sync_folder)
    })
}

/// Owner and extended attributes of a file that is to be replaced.
fn attributes(dir: &OwnedFd, name: &OsStr) -> Option<Attributes> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = openat(dir, name, flags, Mode::empty()).ok()?;
    Attributes::of(&File::from(file)).ok()
}

impl Stage<'_> {
    fn make(
        &mut self,
        dir: &OwnedFd,
        name: &[u8],
        new: What,
        path: &[u8],
        old: Option<Attributes>,
    ) -> std::result::Result<(), RepoError> {
        let fail = |it: Errno| error::writing(&shown(path), it);
        let body = (self.read)(&new.1)?;
        match FileType::from_raw_mode(new.0) {
            FileType::Directory => self.folder(dir, name, new, path, &body),
            FileType::Symlink => sys::symlink(OsStr::from_bytes(&body), dir, OsStr::from_bytes(name)).map_err(fail),
            _ => self.file(dir, name, new.0 & 0o7777, &body, old).map_err(fail),
        }
    }

    fn file(&mut self, dir: &OwnedFd, name: &[u8], mode: u32, body: &[u8], old: Option<Attributes>) -> Result<()> {
        // Nobody else sees what they could not before.
        let file = sys::create(dir, OsStr::from_bytes(name), Mode::RUSR | Mode::WUSR)?;
        sys::write(&file, body)?;
        match old {
            Some(old) => Attributes { mode, ..old }.give(&file)?,
            None if mode != 0o600 => sys::set_mode(&file, mode)?,
            None => {}
        }
        self.count += 1;
        if self.count <= FEW {
            self.unsynced.push(file);
        }
        Ok(())
    }

    fn folder(
        &mut self,
        dir: &OwnedFd,
        name: &[u8],
        new: What,
        path: &[u8],
        body: &[u8],
    ) -> std::result::Result<(), RepoError> {
        let fail = |it: Errno| error::writing(&shown(path), it);
        let name = OsStr::from_bytes(name);
        let made = sys::make_closed_folder(dir, name).and_then(|()| openat(dir, name, FOLDER, Mode::empty()));
        let made = made.map_err(fail)?;
        for node in object::nodes(body).unwrap_or_default() {
            self.make(&made, node.name, (node.mode, node.id), &join(path, node.name), None)?;
        }
        if new.0 & 0o7777 != 0o700 {
            sys::set_mode_at(dir, name, new.0 & 0o7777).map_err(fail)?;
        }
        self.count += 1;
        if self.count <= FEW {
            self.folders.push(made);
        }
        Ok(())
    }
}

/// Waits for what was done: `each` for the files themselves, and then the folders of the plan, or all at once.
pub(super) fn sync(
    root: &Path,
    plan: &Plan,
    count: usize,
    each: impl FnOnce() -> Result<()>,
) -> std::result::Result<(), RepoError> {
    let all = |it| error::writing(".", it);
    if count > FEW && open(root, FOLDER, Mode::empty()).and_then(|it| sys::sync_all(&it)).map_err(all)? {
        return Ok(());
    }
    each().map_err(all)?;
    sync_folders(plan)
}
