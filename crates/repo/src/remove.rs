//! Folders that are to be deleted: what is in them, and whether all of it may go.
//!
//! A folder with protected contents stays whole, and so does one of which a part could not be removed, or in which
//! something else is mounted.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::fs::{Access, AtFlags, Dir, FileType, Mode, OFlags, accessat, openat, statat};
use rustix::io::{Errno, Result};

use crate::{RepoError, beneath, error, protect};

/// Every file and link in the folder `name` of `dir`, sorted, or why it must not go.
pub(crate) fn contents(dir: &OwnedFd, name: &OsStr, rel: &str) -> std::result::Result<Vec<String>, RepoError> {
    let (mut found, mut refused) = (Vec::new(), None);
    let visited = visit(dir, name, "", &mut |dir, name, inside, is_dir| {
        if is_dir {
            accessat(dir, name, Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())?;
        } else {
            found.push(format!("{rel}{inside}"));
        }
        // The folder itself was judged when it was located.
        if let Some(why) = protect::reason(inside.as_ref()) {
            refused.get_or_insert(RepoError::Protected { path: format!("{rel}{inside}"), why });
        }
        Ok(())
    });
    visited.map_err(|it| error::writing(rel, it))?;
    found.sort();
    refused.map_or(Ok(found), Err)
}

type Visit<'a> = &'a mut dyn FnMut(&OwnedFd, &OsStr, &str, bool) -> Result<()>;

/// Calls `each` for everything in the folder `name` of `dir`, deepest first, and for the folder itself.
fn visit(dir: &OwnedFd, name: &OsStr, inside: &str, each: Visit<'_>) -> Result<()> {
    use std::os::unix::ffi::OsStrExt;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(dir, name, flags, Mode::empty())?;
    let entries: Vec<_> = Dir::read_from(&folder)?.collect::<Result<_>>()?;
    for entry in entries {
        let child = OsStr::from_bytes(entry.file_name().to_bytes());
        if child == "." || child == ".." {
            continue;
        }
        let path = format!("{inside}/{}", child.to_string_lossy());
        let stat = statat(&folder, child, AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory if beneath::is_mount(&folder, child) => return Err(Errno::XDEV),
            FileType::Directory => visit(&folder, child, &path, each)?,
            _ => each(&folder, child, &path, false)?,
        }
    }
    each(dir, name, inside, true)
}
