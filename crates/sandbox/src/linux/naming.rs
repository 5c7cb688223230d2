//! Calls that make, move or remove a name, made on the asker's behalf.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, RenameFlags};

use super::asker::{Asker, Path};
use super::guard::{self, Guard};
use super::notify::Question;

/// A name in a folder that is held open, so that it stays the folder that was judged.
pub(super) struct Spot {
    pub(super) folder: OwnedFd,
    /// With slashes at the end where the asker wrote them: the kernel knows what they mean for each call.
    pub(super) name: Vec<u8>,
}

/// An error by its number.
pub(super) fn refused(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

impl Spot {
    /// Where the path at `pointer` ends, starting at the descriptor `base`.
    pub(super) fn of(asker: &Asker, base: u64, pointer: u64) -> io::Result<Spot> {
        let path = asker.string(pointer)?;
        Spot::at(asker, &asker_base(asker, base, &path)?, &path)
    }

    /// Where `path` ends, starting at `base`.
    pub(super) fn at(asker: &Asker, base: &OwnedFd, path: &[u8]) -> io::Result<Spot> {
        let Path { bytes, own } = asker.translate(path);
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
        Ok(Spot { folder, name })
    }

    /// Where this really is.
    pub(super) fn path(&self) -> io::Result<PathBuf> {
        Ok(guard::join(&real(&self.folder)?, &self.name))
    }

    /// Fails when the guard does not let this name be made.
    fn free(self, guard: &Guard) -> io::Result<Spot> {
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

/// Where an open place really is, as this mount name space sees it.
pub(super) fn real(place: &OwnedFd) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", place.as_raw_fd()))
}

/// Where a path starts: at the root when it says so, else at a descriptor of the asker.
pub(super) fn asker_base(asker: &Asker, base: u64, path: &[u8]) -> io::Result<OwnedFd> {
    match path.first() {
        Some(b'/') => Ok(fs::open("/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?),
        _ => asker.base(base as i32),
    }
}

/// Makes the call of `question`.
pub(super) fn reply(asker: &Asker, question: &Question, guard: &Guard) -> io::Result<()> {
    let [a, b, c, d, e, _] = question.data.args;
    let spot = |base: u64, pointer: u64| Spot::of(asker, base, pointer)?.free(guard);
    match i64::from(question.data.nr) {
        libc::SYS_mkdirat => folder(asker, &spot(a, b)?, c),
        libc::SYS_mknodat => node(asker, &spot(a, b)?, c),
        libc::SYS_symlinkat => link_to(asker, a, &spot(b, c)?),
        libc::SYS_linkat => second_name(asker, (a, b), &spot(c, d)?, e, guard),
        libc::SYS_renameat2 => rename(&spot(a, b)?, &spot(c, d)?, e, guard),
        libc::SYS_unlinkat => remove(&Spot::of(asker, a, b)?, c, guard),
        _ => Err(refused(libc::ENOSYS)),
    }
}

fn folder(asker: &Asker, spot: &Spot, mode: u64) -> io::Result<()> {
    rustix::process::umask(asker.umask());
    Ok(fs::mkdirat(&spot.folder, spot.name(), Mode::from_bits_truncate(mode as u32 & 0o1777))?)
}

fn node(asker: &Asker, spot: &Spot, mode: u64) -> io::Result<()> {
    let kind = match mode as u32 & libc::S_IFMT {
        0 => FileType::RegularFile,
        kind => FileType::from_raw_mode(kind),
    };
    if !matches!(kind, FileType::RegularFile | FileType::Fifo | FileType::Socket) || mode & 0o6000 != 0 {
        return Err(refused(libc::EPERM));
    }
    rustix::process::umask(asker.umask());
    Ok(fs::mknodat(&spot.folder, spot.name(), kind, Mode::from_bits_truncate(mode as u32 & 0o1777), 0)?)
}

fn link_to(asker: &Asker, target: u64, spot: &Spot) -> io::Result<()> {
    Ok(fs::symlinkat(asker.string(target)?, &spot.folder, spot.name())?)
}

fn second_name(asker: &Asker, old: (u64, u64), new: &Spot, flags: u64, guard: &Guard) -> io::Result<()> {
    let path = asker.string(old.1)?;
    let follow = flags as i32 & libc::AT_SYMLINK_FOLLOW != 0;
    if flags as i32 & !(libc::AT_SYMLINK_FOLLOW | libc::AT_EMPTY_PATH) != 0 {
        return Err(refused(libc::EINVAL));
    }
    if !path.is_empty() && !follow {
        // Through a second name, what may not be written could be.
        let old = Spot::at(asker, &asker_base(asker, old.0, &path)?, &path)?.free(guard)?;
        return Ok(fs::linkat(&old.folder, old.name(), &new.folder, new.name(), AtFlags::empty())?);
    }
    let place = if path.is_empty() && flags as i32 & libc::AT_EMPTY_PATH != 0 {
        asker.descriptor(old.0 as i32)?
    } else {
        // Followed by the kernel, a link could lead to this process's own files; only the asker's are followed.
        asker.translate(&path).open(&asker_base(asker, old.0, &path)?, OFlags::PATH)?
    };
    if !guard.is_free(&real(&place)?) {
        return Err(refused(libc::EACCES));
    }
    let place = format!("/proc/self/fd/{}", place.as_raw_fd());
    Ok(fs::linkat(fs::CWD, place, &new.folder, new.name(), AtFlags::SYMLINK_FOLLOW)?)
}

fn rename(old: &Spot, new: &Spot, flags: u64, guard: &Guard) -> io::Result<()> {
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

fn remove(spot: &Spot, flags: u64, guard: &Guard) -> io::Result<()> {
    if guard.is_kept(&spot.path()?) {
        return Err(refused(libc::EACCES));
    }
    let flags = if flags as i32 & libc::AT_REMOVEDIR != 0 { AtFlags::REMOVEDIR } else { AtFlags::empty() };
    Ok(fs::unlinkat(&spot.folder, spot.name(), flags)?)
}
