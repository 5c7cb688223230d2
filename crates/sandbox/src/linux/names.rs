//! Calls that make, move or remove a name, made on the caller's behalf.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, RenameFlags};

use super::caller::{Caller, Path};
use super::guard::{self, PathGuard};
use super::notify::Notification;
use super::sys::{real, refused};

/// A name in a folder that is held open, so that it stays the folder that was judged.
pub(super) struct ParentAndName {
    pub(super) folder: OwnedFd,
    /// With slashes at the end where the caller wrote them: the kernel knows what they mean for each call.
    pub(super) name: Vec<u8>,
}

impl ParentAndName {
    /// Where the path at `pointer` ends, starting at the descriptor `base`.
    pub(super) fn of(caller: &Caller, base: u64, pointer: u64) -> io::Result<ParentAndName> {
        let path = caller.string(pointer)?;
        ParentAndName::at(caller, &caller_base(caller, base, &path)?, &path)
    }

    /// Where `path` ends, starting at `base`.
    pub(super) fn at(caller: &Caller, base: &OwnedFd, path: &[u8]) -> io::Result<ParentAndName> {
        let Path { bytes, own } = caller.translate(path);
        if bytes.is_empty() {
            return Err(refused(libc::ENOENT));
        }
        let end = bytes.iter().rposition(|it| *it != b'/').map_or(0, |it| it + 1);
        let start = bytes[..end].iter().rposition(|it| *it == b'/').map_or(0, |it| it + 1);
        // These are no names: what they mean exists, and can be neither made nor moved.
        if [&b""[..], b".", b".."].contains(&&bytes[start..end]) {
            return Err(refused(libc::EEXIST));
        }
        let name = bytes[start..].to_vec();
        let folder = if start == 0 { b".".to_vec() } else { bytes[..start].to_vec() };
        let folder = Path { bytes: folder, own }.open(base, OFlags::PATH | OFlags::DIRECTORY)?;
        Ok(ParentAndName { folder, name })
    }

    /// Where this really is.
    pub(super) fn path(&self) -> io::Result<PathBuf> {
        Ok(guard::join(&real(&self.folder)?, &self.name))
    }

    /// Fails when the guard does not let this name be made.
    fn free(self, guard: &PathGuard) -> io::Result<ParentAndName> {
        if guard.is_free(&self.path()?) { Ok(self) } else { Err(refused(libc::EACCES)) }
    }

    fn is_folder(&self) -> bool {
        let found = fs::statat(&self.folder, self.name(), AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|it| FileType::from_raw_mode(it.st_mode).is_dir())
    }

    pub(super) fn name(&self) -> &[u8] {
        &self.name
    }
}

/// Where a path starts: at the root when it says so, else at a descriptor of the caller.
pub(super) fn caller_base(caller: &Caller, base: u64, path: &[u8]) -> io::Result<OwnedFd> {
    match path.first() {
        Some(b'/') => Ok(fs::open("/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?),
        _ => caller.base(base as i32),
    }
}

/// Makes the call of `notification`.
pub(super) fn reply(caller: &Caller, notification: &Notification, guard: &PathGuard) -> io::Result<()> {
    let [a, b, c, d, e, _] = notification.data.args;
    let target = |base: u64, pointer: u64| ParentAndName::of(caller, base, pointer)?.free(guard);
    match i64::from(notification.data.nr) {
        libc::SYS_mkdirat => folder(caller, &target(a, b)?, c),
        libc::SYS_mknodat => node(caller, &target(a, b)?, c),
        libc::SYS_symlinkat => link_to(caller, a, &target(b, c)?),
        libc::SYS_linkat => second_name(caller, (a, b), &target(c, d)?, e, guard),
        libc::SYS_renameat2 => rename(&target(a, b)?, &target(c, d)?, e, guard),
        libc::SYS_unlinkat => remove(&ParentAndName::of(caller, a, b)?, c, guard),
        _ => Err(refused(libc::ENOSYS)),
    }
}

fn folder(caller: &Caller, target: &ParentAndName, mode: u64) -> io::Result<()> {
    rustix::process::umask(caller.umask());
    Ok(fs::mkdirat(&target.folder, target.name(), Mode::from_bits_truncate(mode as u32 & 0o1777))?)
}

fn node(caller: &Caller, target: &ParentAndName, mode: u64) -> io::Result<()> {
    let kind = match mode as u32 & libc::S_IFMT {
        0 => FileType::RegularFile,
        kind => FileType::from_raw_mode(kind),
    };
    if !matches!(kind, FileType::RegularFile | FileType::Fifo | FileType::Socket) || mode & 0o6000 != 0 {
        return Err(refused(libc::EPERM));
    }
    rustix::process::umask(caller.umask());
    Ok(fs::mknodat(&target.folder, target.name(), kind, Mode::from_bits_truncate(mode as u32 & 0o1777), 0)?)
}

fn link_to(caller: &Caller, text: u64, target: &ParentAndName) -> io::Result<()> {
    Ok(fs::symlinkat(caller.string(text)?, &target.folder, target.name())?)
}

fn second_name(caller: &Caller, old: (u64, u64), new: &ParentAndName, flags: u64, guard: &PathGuard) -> io::Result<()> {
    let path = caller.string(old.1)?;
    let follow = flags as i32 & libc::AT_SYMLINK_FOLLOW != 0;
    if flags as i32 & !(libc::AT_SYMLINK_FOLLOW | libc::AT_EMPTY_PATH) != 0 {
        return Err(refused(libc::EINVAL));
    }
    if !path.is_empty() && !follow {
        // Through a second name, what may not be written could be.
        let old = ParentAndName::at(caller, &caller_base(caller, old.0, &path)?, &path)?.free(guard)?;
        return Ok(fs::linkat(&old.folder, old.name(), &new.folder, new.name(), AtFlags::empty())?);
    }
    let place = if path.is_empty() && flags as i32 & libc::AT_EMPTY_PATH != 0 {
        caller.descriptor(old.0 as i32)?
    } else {
        // Followed by the kernel, a link could lead to this process's own files; only the caller's are followed.
        caller.translate(&path).open(&caller_base(caller, old.0, &path)?, OFlags::PATH)?
    };
    if !guard.is_free(&real(&place)?) {
        return Err(refused(libc::EACCES));
    }
    let place = format!("/proc/self/fd/{}", place.as_raw_fd());
    Ok(fs::linkat(fs::CWD, place, &new.folder, new.name(), AtFlags::SYMLINK_FOLLOW)?)
}

fn rename(old: &ParentAndName, new: &ParentAndName, flags: u64, guard: &PathGuard) -> io::Result<()> {
    let flags = RenameFlags::from_bits_retain(flags as u32);
    // A name that is left behind as a device would be one that no other call can make.
    if flags.contains(RenameFlags::WHITEOUT) {
        return Err(refused(libc::EINVAL));
    }
    let back = flags.contains(RenameFlags::EXCHANGE) && new.is_folder();
    let folder = old.is_folder() || back;
    let (from, to) = (old.path()?, new.path()?);
    if !guard.is_movable(&from, folder) || !guard.is_movable(&to, folder) {
        return Err(refused(libc::EACCES));
    }
    // Told that it is another file system, programs copy, and each name is judged by itself.
    if folder && guard.is_strict_beyond(&from, &to) || back && guard.is_strict_beyond(&to, &from) {
        return Err(refused(libc::EXDEV));
    }
    Ok(fs::renameat_with(&old.folder, old.name(), &new.folder, new.name(), flags)?)
}

fn remove(target: &ParentAndName, flags: u64, guard: &PathGuard) -> io::Result<()> {
    if guard.is_kept(&target.path()?) {
        return Err(refused(libc::EACCES));
    }
    let flags = if flags as i32 & libc::AT_REMOVEDIR != 0 { AtFlags::REMOVEDIR } else { AtFlags::empty() };
    Ok(fs::unlinkat(&target.folder, target.name(), flags)?)
}
