//! Deleting files, links and folders. A link goes, never what it points to; a folder with protected contents stays whole.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat, unlinkat};

use crate::{Access, RepoError, Tree, beneath, error, protect};

impl Tree {
    /// Deletes a file, a link, or a folder with everything in it. Answers with the files that are gone, sorted.
    pub fn delete(&self, path: &str) -> Result<Vec<String>, RepoError> {
        let place = self.locate_entry(path, Access::Write)?;
        let (dir, name) = beneath::parent(&place).map_err(|it| self.suggest(error::writing(&place.rel, it)))?;
        let stat =
            statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|it| self.suggest(error::writing(&place.rel, it)))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            unlinkat(&dir, name, AtFlags::empty()).map_err(|it| error::writing(&place.rel, it))?;
            return Ok(vec![place.rel]);
        }
        let mut found = Vec::new();
        visit(&dir, name, &place.rel, &mut |_, _, rel, is_dir| {
            // The folder itself was judged when it was located.
            let inside = rel.get(place.rel.len()..).unwrap_or(rel);
            if let Some(why) = protect::reason(inside.as_ref()) {
                return Err(RepoError::Protected { path: rel.to_owned(), why });
            }
            if !is_dir {
                found.push(rel.to_owned());
            }
            Ok(())
        })?;
        visit(&dir, name, &place.rel, &mut |dir, name, rel, is_dir| {
            let flags = if is_dir { AtFlags::REMOVEDIR } else { AtFlags::empty() };
            unlinkat(dir, name, flags).map_err(|it| error::writing(rel, it))
        })?;
        found.sort();
        Ok(found)
    }
}

type Visit<'a> = &'a mut dyn FnMut(&OwnedFd, &OsStr, &str, bool) -> Result<(), RepoError>;

/// Calls `each` for everything in the folder `name` of `dir`, deepest first, and for the folder itself.
fn visit(dir: &OwnedFd, name: &OsStr, rel: &str, each: Visit<'_>) -> Result<(), RepoError> {
    use std::os::unix::ffi::OsStrExt;
    let fail = |it| error::writing(rel, it);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(dir, name, flags, Mode::empty()).map_err(fail)?;
    let entries: Vec<_> = Dir::read_from(&folder).map_err(fail)?.collect::<Result<_, _>>().map_err(fail)?;
    for entry in entries {
        let child = OsStr::from_bytes(entry.file_name().to_bytes());
        if child == "." || child == ".." {
            continue;
        }
        let path = format!("{rel}/{}", child.to_string_lossy());
        let stat = statat(&folder, child, AtFlags::SYMLINK_NOFOLLOW).map_err(fail)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => visit(&folder, child, &path, each)?,
            _ => each(&folder, child, &path, false)?,
        }
    }
    each(dir, name, rel, true)
}
