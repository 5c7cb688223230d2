//! Opening located paths without following any link.
//!
//! A located path has no links left in it. The kernel opens it beneath its base in one call that follows none
//! (`openat2`); where it cannot, each part is opened relative to the one before and must not be a link. So whatever is
//! swapped after a path was judged makes the operation fail and never leads it elsewhere: what is opened has the very
//! names that were judged. Pipes, sockets and devices are never opened.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, open, openat, statat};
use rustix::io::{Errno, Result};

use crate::located::Located;

// A folder is only passed through: searching it must be permitted, listing it need not be.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY;

const FOLDER: OFlags = PASS.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The folder that contains `place`, and the name of `place` in it.
pub(crate) fn parent(place: &Located) -> Result<(OwnedFd, &OsStr)> {
    let inside = place.abs.strip_prefix(&place.base).expect("a located path lies beneath its base");
    let name = inside.file_name().ok_or(Errno::ISDIR)?;
    let folders = inside.parent().unwrap_or(Path::new(""));
    Ok((folder(&place.base, folders)?, name))
}

/// The folder `inside` of the folder `base`, only to pass through.
pub(crate) fn folder(base: &Path, inside: &Path) -> Result<OwnedFd> {
    let base = open(base, FOLDER, Mode::empty())?;
    if inside.as_os_str().is_empty() {
        return Ok(base);
    }
    match by_kernel(&base, inside) {
        // An old kernel, a sandbox that knows no such call, or a rename elsewhere that the kernel stumbled over.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INVAL) => by_steps(base, inside),
        other => other,
    }
}

#[cfg(target_os = "linux")]
fn by_kernel(base: &OwnedFd, inside: &Path) -> Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(base, inside, FOLDER, Mode::empty(), within)
}

#[cfg(not(target_os = "linux"))]
fn by_kernel(_: &OwnedFd, _: &Path) -> Result<OwnedFd> {
    Err(Errno::NOSYS)
}

fn by_steps(base: OwnedFd, inside: &Path) -> Result<OwnedFd> {
    inside.components().try_fold(base, |dir, part| match part {
        Component::Normal(name) => openat(&dir, name, FOLDER, Mode::empty()),
        // A located path has no such parts.
        _ => Err(Errno::LOOP),
    })
}

/// Opens `place`, a regular file, for reading.
///
/// # Errors
/// `ISDIR` for a folder, `NXIO` for a pipe, socket or device, `LOOP` for a link that was not there when it was located.
pub(crate) fn read(place: &Located) -> Result<File> {
    let (dir, name) = parent(place)?;
    let stat = statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(Errno::ISDIR),
        FileType::Symlink => return Err(Errno::LOOP),
        // To open one may already do something.
        _ => return Err(Errno::NXIO),
    }
    // What was put in its place meanwhile does not hold us up either; whoever reads looks at the type once more.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    openat(&dir, name, flags, Mode::empty()).map(File::from)
}

/// True when something else is mounted at the folder `name` of `dir`.
#[cfg(target_os = "linux")]
pub(crate) fn is_mount(dir: &OwnedFd, name: &OsStr) -> bool {
    use rustix::fs::{StatxAttributes, StatxFlags, statx};
    let stat = statx(dir, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS);
    stat.is_ok_and(|it| it.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// The same where only another device tells it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_mount(dir: &OwnedFd, name: &OsStr) -> bool {
    let here = rustix::fs::fstat(dir).map(|it| it.st_dev);
    let there = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map(|it| it.st_dev);
    matches!((here, there), (Ok(here), Ok(there)) if here != there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_kernel_and_single_steps_agree() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("a/b/c")).unwrap();
        std::fs::write(base.join("a/file"), "").unwrap();
        symlink("b", base.join("a/in")).unwrap();
        symlink("/", base.join("a/out")).unwrap();
        symlink("loop", base.join("loop")).unwrap();
        let opened = || open(&base, FOLDER, Mode::empty()).unwrap();
        let links = [Errno::LOOP, Errno::NOTDIR];
        for (inside, expected) in [
            ("a/b/c", &[][..]),
            ("a", &[]),
            ("a/file", &[Errno::NOTDIR]),
            ("a/none", &[Errno::NOENT]),
            ("a/in", &links),
            ("a/in/c", &links),
            ("a/out/etc", &links),
            ("loop", &links),
            ("..", &[Errno::XDEV, Errno::LOOP]),
        ] {
            let (kernel, steps) = (by_kernel(&opened(), inside.as_ref()), by_steps(opened(), inside.as_ref()));
            for found in [kernel.as_ref().err(), steps.as_ref().err()] {
                let found = found.filter(|it| **it != Errno::NOSYS);
                assert!(
                    found.map_or(expected.is_empty() || kernel.is_err(), |it| expected.contains(it)),
                    "{inside}: {found:?}"
                );
            }
            assert_eq!(steps.is_ok(), expected.is_empty(), "{inside}");
        }
    }
}
