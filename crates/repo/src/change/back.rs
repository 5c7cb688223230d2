//! Taking a plan back.
//!
//! Each operation is judged by what is on the disk, never by how far the plan is thought to have come; so taking back may
//! itself be cut short, and repeated any number of times. In a transaction what is neither the old state nor ours is
//! somebody's change: it stays, and what was there before is kept beside it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::{Errno, Result};
use sha2::{Digest, Sha256};

use super::acts::{exists, inode};
use super::finish::{at_parent, parent};
use super::operation::{FileCopy, Mark, New, Old, Operation, Plan, part};
use super::recovery::Kept;
use crate::located::Located;
use crate::{Hash, RepoError, error, sys};

/// Puts everything back as it was before the plan, but for temporary names.
pub(crate) fn take_back(plan: &Plan) -> std::result::Result<Vec<Kept>, RepoError> {
    let mut kept = Vec::new();
    for op in plan.operations.iter().rev() {
        kept.extend(back(op, plan).map_err(|it| error::writing(&op.at.rel, it))?);
    }
    Ok(kept)
}

fn back(op: &Operation, plan: &Plan) -> Result<Option<Kept>> {
    let Operation { at, old, new, temp, aside } = op;
    match (old, new) {
        (Some(Old::Recorded { .. }), _) | (_, Some(New::Recorded { .. })) => {
            at_parent(at, |dir, name| back_to_recorded(dir, name, op)).map(|()| None)
        }
        (_, Some(New::Moved { from, inode })) => {
            let edited = plan.operations.iter().find_map(|it| match &it.new {
                Some(New::File(new)) if it.at.abs == from.abs => Some(new),
                _ => None,
            });
            back_from_rename(from, at, *inode, edited)
        }
        (Some(Old::File(old)), Some(New::File(new))) => {
            at_parent(at, |dir, name| back_from_edit(dir, name, op, old, new))
        }
        (_, Some(New::File(new))) => at_parent(at, |dir, name| back_from_create(dir, name, at, temp, new)),
        (Some(old), None) => at_parent(at, |dir, name| back_from_delete(dir, name, at, aside, old)),
        (None, None) => Ok(None),
    }
}

/// What was to be put there stays under its temporary name, so that a restore can still be completed when this is cut short.
/// Needs no room on the disk.
fn back_to_recorded(dir: &OwnedFd, name: &OsStr, op: &Operation) -> Result<()> {
    let (here, kept) = (inode(dir, name)?, inode(dir, &op.aside)?);
    let put = op.new.is_some() && !exists(dir, &op.temp)?;
    if put && here.is_some() {
        let linked = if op.replaces() { sys::link(dir, name, &op.temp) } else { Err(Errno::PERM) };
        if linked.is_err() {
            sys::rename_new(dir, name, dir, &op.temp)?;
        }
    }
    match kept {
        None => Ok(()),
        // A rename to another name of the same file does nothing.
        Some(_) if here == kept => sys::unlink(dir, &op.aside),
        Some(_) if op.replaces() => sys::replace(dir, &op.aside, name),
        Some(_) => sys::rename_new(dir, &op.aside, dir, name),
    }
}

fn back_from_edit(dir: &OwnedFd, name: &OsStr, op: &Operation, old: &FileCopy, new: &Mark) -> Result<Option<Kept>> {
    match () {
        () if holds(dir, name, &old.mark)? => Ok(None),
        () if holds(dir, name, new)? => {
            rebuild(dir, &op.aside, old)?;
            sys::replace(dir, &op.aside, name).map(|()| None)
        }
        // The new text never got here; whatever is there was written over the old by its owner.
        () if exists(dir, &op.temp)? => Ok(None),
        () => {
            rebuild(dir, &op.aside, old)?;
            keep(dir, &op.at, &op.aside, Some(&old.mark)).map(Some)
        }
    }
}

fn back_from_create(dir: &OwnedFd, name: &OsStr, at: &Located, temp: &OsStr, new: &Mark) -> Result<Option<Kept>> {
    match () {
        // It never got from its temporary name to this one.
        () if exists(dir, temp)? => Ok(None),
        () if holds(dir, name, new)? => sys::unlink(dir, name).map(|()| None),
        () if exists(dir, name)? => Ok(Some(Kept { path: at.rel.clone(), copy: None })),
        () => Ok(None),
    }
}

/// `edited`: what the file was made before it was moved.
fn back_from_rename(from: &Located, to: &Located, number: u64, edited: Option<&Mark>) -> Result<Option<Kept>> {
    let (Some((source, name)), Some((target, new_name))) = (parent(from)?, parent(to)?) else { return Ok(None) };
    let moved = inode(&target, new_name)?;
    let occupied = exists(&source, name)?;
    let is_ours = moved == Some(number) || edited.map_or(Ok(false), |it| holds(&target, new_name, it))?;
    match is_ours {
        // It is not there, or somebody else's.
        false => Ok(None),
        true if !occupied => sys::rename_new(&target, new_name, &source, name).map(|()| None),
        // Both are there, and what was moved is one of them.
        true => Ok(Some(Kept { path: from.rel.clone(), copy: Some(to.rel.clone()) })),
    }
}

fn back_from_delete(dir: &OwnedFd, name: &OsStr, at: &Located, aside: &OsString, old: &Old) -> Result<Option<Kept>> {
    let mark = match old {
        Old::File(old) => Some(&old.mark),
        _ => None,
    };
    let occupied = exists(dir, name)?;
    if exists(dir, aside)? {
        return match occupied {
            true => keep(dir, at, aside, mark).map(Some),
            false => sys::rename_new(dir, aside, dir, name).map(|()| None),
        };
    }
    match old {
        _ if occupied => Ok(None),
        Old::File(old) => back_from_journal(dir, name, aside, old).map(|()| None),
        Old::Link(target) => sys::symlink(target, dir, name).map(|()| None),
        // Somebody removed the temporary name, and with it the only copy.
        _ => Ok(Some(Kept { path: at.rel.clone(), copy: None })),
    }
}

fn back_from_journal(dir: &OwnedFd, name: &OsStr, aside: &OsString, old: &FileCopy) -> Result<()> {
    rebuild(dir, aside, old)?;
    sys::rename_new(dir, aside, dir, name)
}

/// True when there is a regular file with exactly these bytes. One of another size is not read.
fn holds(dir: &OwnedFd, name: &OsStr, mark: &Mark) -> Result<bool> {
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
fn rebuild(dir: &OwnedFd, aside: &OsString, old: &FileCopy) -> Result<()> {
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
fn keep(dir: &OwnedFd, at: &Located, aside: &OsStr, mark: Option<&Mark>) -> Result<Kept> {
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
