//! From the changes asked for to a plan, or a refusal. Looks at the disk and changes nothing.

use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;

use rustix::fs::{AtFlags, FileType, Mode, Stat, readlinkat, statat};
use rustix::io::Errno;

use super::request::{Applied, Change};
use crate::attributes::Attributes;
use crate::change::operation::{FileCopy, Mark, New, Old, Operation, Plan};
use crate::stamp::Stamp;
use crate::{Access, Encoding, FileText, Hash, Located, RepoError, Tree, WHOLE, beneath, error};

/// A plan with what is needed to carry it out.
pub(super) struct Draft {
    pub plan: Plan,
    /// For each operation its new bytes and what was seen of the file that it replaces.
    pub work: Vec<Work>,
    /// In the order in which the changes were asked for.
    pub applied: Vec<Applied>,
}

/// What an operation needs beside what the journal holds.
#[derive(Default)]
pub(super) struct Work {
    pub bytes: Vec<u8>,
    pub seen: Option<Stamp>,
}

impl Draft {
    pub(super) fn of(tree: &Tree, changes: Vec<Change>) -> Result<Draft, RepoError> {
        let mut names = Names::new();
        let mut all = Vec::with_capacity(changes.len());
        let alone = changes.len() == 1;
        for change in changes {
            all.push(match change {
                Change::Create { path, text } => create(tree, &path, text.into_bytes(), &mut names)?,
                Change::CreateBytes { path, bytes } => create(tree, &path, bytes, &mut names)?,
                Change::Write { path, old, text } => modify(tree, &path, &old, &text, &mut names)?,
                Change::Rename { from, to, expected } => rename(tree, &from, &to, expected, &mut names)?,
                Change::Delete { path, expected } => delete(tree, &path, expected, alone, &mut names)?,
            });
        }
        let mut places: Vec<usize> = (0..all.len()).collect();
        places.sort_by_key(|it| order(&all[*it].0));
        let (mut operations, mut work, mut applied) = (Vec::new(), Vec::new(), Vec::new());
        for (op, its_work, its_outcome) in all {
            operations.push(op);
            work.push(its_work);
            applied.push(its_outcome);
        }
        let work = places.iter().map(|it| std::mem::take(&mut work[*it])).collect();
        let mut operations: Vec<Operation> = places.iter().map(|it| operations[*it].clone()).collect();
        disjoint(&operations)?;
        let folders = missing_folders(&operations);
        let single = matches!(&operations[..], [only] if is_atomic(only, &folders));
        if let (true, [Operation { old: Some(Old::File(old)), .. }]) = (single, &mut operations[..]) {
            // What is atomic is never taken back.
            old.bytes.clear();
        }
        Ok(Draft { plan: Plan { single, folders, operations }, work, applied })
    }
}

type Checked = (Operation, Work, Applied);

/// Creates come first and deletions last, so that nothing is gone before what replaces it is there.
fn order(op: &Operation) -> u8 {
    match (&op.old, &op.new) {
        (_, Some(New::Moved { .. })) => 2,
        (None, _) => 0,
        (_, Some(_)) => 1,
        (_, None) => 3,
    }
}

fn create(tree: &Tree, path: &str, bytes: Vec<u8>, names: &mut Names) -> Result<Checked, RepoError> {
    let at = tree.locate(path, Access::Write)?;
    if at.abs == at.base {
        return Err(RepoError::IsDirectory { path: at.rel });
    }
    vacant(&at)?;
    let new = Mark::of(&bytes);
    let applied = Applied::Created { rel: at.rel.clone(), hash: new.hash };
    let work = Work { bytes, seen: None };
    Ok((names.operation(at, None, Some(New::File(new))), work, applied))
}

fn modify(tree: &Tree, path: &str, old: &FileText, text: &str, names: &mut Names) -> Result<Checked, RepoError> {
    let at = tree.locate(path, Access::Write)?;
    let bytes = encode(&at.rel, old.encoding, old.bom, text)?;
    let stat = look(tree, &at)?;
    let mode = Mode::from_raw_mode(stat.st_mode);
    if (mode & (Mode::WUSR | Mode::WGRP | Mode::WOTH)).is_empty() {
        return Err(RepoError::ReadOnly { path: at.rel, why: "its mode permits nobody to write it" });
    }
    let expected = tree.stored(&at.abs, old.hash);
    if expected == old.hash && u64::try_from(stat.st_size).is_ok_and(|it| it != old.size) && is_file(&stat) {
        return Err(RepoError::Changed { path: at.rel });
    }
    let was = read(tree, &at)?;
    if was.mark.hash != expected {
        return Err(RepoError::Changed { path: at.rel });
    }
    let new = Mark::of(&bytes);
    let applied = Applied::Written { rel: at.rel.clone(), hash: new.hash };
    let op = names.operation(at, Some(Old::File(Box::new(was))), Some(New::File(new)));
    Ok((op, Work { bytes, seen: Some(Stamp::of(&stat)) }, applied))
}

fn rename(tree: &Tree, from: &str, to: &str, expected: Option<Hash>, names: &mut Names) -> Result<Checked, RepoError> {
    let from = tree.locate_entry(from, Access::Write)?;
    let to = tree.locate_entry(to, Access::Write)?;
    let stat = look(tree, &from)?;
    if to.abs.starts_with(&from.abs) && to.abs != from.abs {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "a folder cannot be moved into itself");
        return Err(RepoError::Io { path: to.rel, source });
    }
    vacant(&to)?;
    unchanged(tree, &from, &stat, expected)?;
    let applied = Applied::Renamed { from: from.rel.clone(), to: to.rel.clone() };
    let inode = Stamp::of(&stat).inode;
    let work = Work { bytes: Vec::new(), seen: Some(Stamp::of(&stat)) };
    Ok((names.operation(to, None, Some(New::Moved { from, inode })), work, applied))
}

fn delete(
    tree: &Tree,
    path: &str,
    expected: Option<Hash>,
    alone: bool,
    names: &mut Names,
) -> Result<Checked, RepoError> {
    let at = tree.locate_entry(path, Access::Write)?;
    let stat = look(tree, &at)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::Directory && tree.lacks_consent(&at) {
        return Err(RepoError::Consent { path: at.rel, why: "a folder goes with everything in it" });
    }
    unchanged(tree, &at, &stat, expected)?;
    let (dir, name) = beneath::parent(&at).map_err(|it| error::writing(&at.rel, it))?;
    let (files, old) = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => (crate::remove::contents(&dir, name, &at.rel)?, Old::Once),
        FileType::Symlink => {
            let target = readlinkat(&dir, name, Vec::new()).map_err(|it| error::reading(&at.rel, it))?;
            (vec![at.rel.clone()], Old::Link(OsString::from_vec(target.into_bytes())))
        }
        // One file that goes at once is never put back, and a large one is too much for the journal.
        FileType::RegularFile if !alone && u64::try_from(stat.st_size).is_ok_and(|it| it <= WHOLE) => {
            // A file that cannot be read can still be deleted, and is then only kept aside.
            (vec![at.rel.clone()], read(tree, &at).map_or(Old::Once, |it| Old::File(Box::new(it))))
        }
        _ => (vec![at.rel.clone()], Old::Once),
    };
    let work = Work { bytes: Vec::new(), seen: Some(Stamp::of(&stat)) };
    Ok((names.operation(at, Some(old), None), work, Applied::Deleted { files }))
}

/// What is at a place, or the nearest names where nothing is.
fn look(tree: &Tree, at: &Located) -> Result<Stat, RepoError> {
    let found = beneath::parent(at).and_then(|(dir, name)| statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW));
    found.map_err(|it| tree.suggest(error::writing(&at.rel, it)))
}

/// Refuses a place where something is; folders on the way need not exist.
fn vacant(at: &Located) -> Result<(), RepoError> {
    match beneath::parent(at).and_then(|(dir, name)| statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW)) {
        Ok(_) => Err(RepoError::Exists { path: at.rel.clone() }),
        Err(Errno::NOENT) => Ok(()),
        Err(other) => Err(error::writing(&at.rel, other)),
    }
}

fn unchanged(tree: &Tree, at: &Located, stat: &Stat, expected: Option<Hash>) -> Result<(), RepoError> {
    let Some(expected) = expected.filter(|_| is_file(stat)) else { return Ok(()) };
    match tree.hash_at(at)? == tree.stored(&at.abs, expected) {
        true => Ok(()),
        false => Err(RepoError::Changed { path: at.rel.clone() }),
    }
}

fn read(tree: &Tree, at: &Located) -> Result<FileCopy, RepoError> {
    let (file, size) = tree.open_file(at)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    (&file).take(size + 1).read_to_end(&mut bytes).map_err(|it| error::reading(&at.rel, it))?;
    let attributes = Attributes::of(&file).map_err(|it| error::reading(&at.rel, it))?;
    Ok(FileCopy { mark: Mark::of(&bytes), bytes, attributes })
}

fn encode(rel: &str, encoding: Encoding, bom: bool, text: &str) -> Result<Vec<u8>, RepoError> {
    encoding.encode(text, bom).map_err(|character| RepoError::Encoding {
        path: rel.to_owned(),
        encoding: encoding.name(),
        character,
    })
}

fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// True for an operation that is one call to the file system. Not so the deletion of a folder, and a move into a new folder:
/// after a power cut the one may be there without the other.
fn is_atomic(op: &Operation, folders: &[Located]) -> bool {
    match op.new {
        Some(New::Moved { .. }) => folders.is_empty(),
        Some(_) => true,
        None => !op.at.abs.symlink_metadata().is_ok_and(|it| it.is_dir()),
    }
}

/// Refuses two changes of one place, or of a place within another: their outcome would hang on the order.
fn disjoint(operations: &[Operation]) -> Result<(), RepoError> {
    let mut all: Vec<(&Located, u8)> =
        operations.iter().flat_map(|op| op.places().map(move |it| (it, order(op)))).collect();
    all.sort_by(|a, b| (&a.0.abs, a.1).cmp(&(&b.0.abs, b.1)));
    for pair in all.windows(2) {
        let [(outer, first), (inner, second)] = pair else { continue };
        let edited_and_moved = outer.abs == inner.abs && (*first, *second) == (1, 2);
        if inner.abs.starts_with(&outer.abs) && !edited_and_moved {
            return Err(RepoError::Overlap { path: inner.rel.clone(), other: outer.rel.clone() });
        }
    }
    Ok(())
}

/// The folders on the way to new places that do not exist, the outermost first.
fn missing_folders(operations: &[Operation]) -> Vec<Located> {
    let new = operations.iter().filter(|it| it.old.is_none()).map(|it| &it.at);
    let mut all: Vec<Located> = Vec::new();
    for place in new {
        for (up, folder) in place.abs.ancestors().enumerate().skip(1) {
            let known = folder == place.base || all.iter().any(|it| it.abs == folder);
            if known || !folder.symlink_metadata().is_err_and(|it| it.kind() == io::ErrorKind::NotFound) {
                break;
            }
            let rel = place.rel.rsplitn(up + 1, '/').last().unwrap_or_default().to_owned();
            all.push(Located { abs: folder.to_owned(), rel, base: place.base.clone() });
        }
    }
    all.sort_by(|a, b| a.abs.cmp(&b.abs));
    all
}

/// Temporary names that nobody else uses.
struct Names {
    start: String,
    count: u32,
}

impl Names {
    fn new() -> Names {
        // The standard library's hasher is seeded with random numbers.
        let random = std::hash::RandomState::new().build_hasher().finish();
        Names { start: format!(".ox-{random:016x}"), count: 0 }
    }

    /// An operation with temporary names of its own.
    fn operation(&mut self, at: Located, old: Option<Old>, new: Option<New>) -> Operation {
        Operation { at, old, new, temp: self.next(), aside: self.next() }
    }

    fn next(&mut self) -> OsString {
        self.count += 1;
        OsString::from(format!("{}-{}.tmp", self.start, self.count))
    }
}
