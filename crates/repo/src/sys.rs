//! Every system call by which this crate changes a disk. No other module makes one.
//!
//! So there is one place where a test can count these calls, let one of them fail, or end the process before it.
//! Nothing is decided here.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{self, AtFlags, Gid, Mode, OFlags, Uid, XattrFlags};
use rustix::io::{Errno, Result};

#[cfg(test)]
use crate::tests::fault::{self, point};

/// The kinds of calls that change a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    Attribute,
    Create,
    Link,
    MakeFolder,
    Mode,
    OpenJournal,
    Owner,
    RemoveFolder,
    Rename,
    Sync,
    SyncFolder,
    Truncate,
    Unlink,
    Write,
}

#[cfg(not(test))]
const fn point(_: Call) -> Result<()> {
    Ok(())
}

/// Makes a folder; the umask has its say.
pub(crate) fn make_folder(dir: &OwnedFd, name: &OsStr) -> Result<()> {
    point(Call::MakeFolder)?;
    fs::mkdirat(dir, name, Mode::from_raw_mode(0o777))?;
    #[cfg(test)]
    fault::made(dir, name);
    Ok(())
}

/// Makes a folder that nobody else can look into, and those above it.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    point(Call::MakeFolder)?;
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a file for writing that was not there before.
pub(crate) fn create(dir: &OwnedFd, name: &OsStr, mode: Mode) -> Result<File> {
    point(Call::Create)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = fs::openat(dir, name, flags, mode)?;
    #[cfg(test)]
    fault::made(dir, name);
    Ok(File::from(file))
}

/// The same, but it can be read too.
pub(crate) fn create_read(dir: &OwnedFd, name: &OsStr, mode: Mode) -> Result<File> {
    point(Call::Create)?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = fs::openat(dir, name, flags, mode)?;
    #[cfg(test)]
    fault::made(dir, name);
    Ok(File::from(file))
}

/// Opens a journal, which need not exist, for reading and writing; nobody else can read it.
pub(crate) fn open_journal(dir: &OwnedFd, name: &OsStr) -> Result<File> {
    point(Call::OpenJournal)?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(test)]
    let new = fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).is_err();
    let file = fs::openat(dir, name, flags, Mode::RUSR | Mode::WUSR)?;
    #[cfg(test)]
    if new {
        fault::made(dir, name);
    }
    Ok(File::from(file))
}

/// Writes all of `bytes` where the file stands.
pub(crate) fn write(file: &File, mut bytes: &[u8]) -> Result<()> {
    #[cfg(test)]
    fault::tear(file, bytes);
    point(Call::Write)?;
    #[cfg(test)]
    fault::wrote(file);
    while !bytes.is_empty() {
        match rustix::io::write(file, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(())
}

/// Writes all of `bytes` over what is at `at`.
pub(crate) fn write_at(file: &File, bytes: &[u8], at: u64) -> Result<()> {
    use std::os::unix::fs::FileExt;
    point(Call::Write)?;
    file.write_all_at(bytes, at).map_err(|it| Errno::from_io_error(&it).unwrap_or(Errno::IO))
}

/// Cuts the file off.
pub(crate) fn truncate(file: &File, length: u64) -> Result<()> {
    point(Call::Truncate)?;
    fs::ftruncate(file, length)
}

/// Waits until the file's contents and attributes are on the disk.
pub(crate) fn sync(file: &File) -> Result<()> {
    point(Call::Sync)?;
    fs::fsync(file)?;
    #[cfg(test)]
    fault::synced(file);
    Ok(())
}

/// Waits until the names in a folder are on the disk, where the file system knows how and the folder may be listed.
pub(crate) fn sync_folder(dir: &OwnedFd) -> Result<()> {
    point(Call::SyncFolder)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let done = fs::openat(dir, ".", flags, Mode::empty()).and_then(fs::fsync);
    #[cfg(test)]
    fault::synced_folder(dir);
    match done {
        Err(Errno::INVAL | Errno::ACCESS | Errno::NOTSUP) => Ok(()),
        other => other,
    }
}

/// Renames within one folder; what was at the new name is replaced.
pub(crate) fn replace(dir: &OwnedFd, name: &OsStr, new_name: &OsStr) -> Result<()> {
    point(Call::Rename)?;
    #[cfg(test)]
    fault::replacing(dir, new_name);
    fs::renameat(dir, name, dir, new_name)?;
    #[cfg(test)]
    fault::renamed(dir, name, dir, new_name);
    Ok(())
}

/// Renames unless something is at the new name.
pub(crate) fn rename_new(from: &OwnedFd, name: &OsStr, to: &OwnedFd, new_name: &OsStr) -> Result<()> {
    point(Call::Rename)?;
    no_replace(from, name, to, new_name)?;
    #[cfg(test)]
    fault::renamed(from, name, to, new_name);
    Ok(())
}

fn no_replace(from: &OwnedFd, name: &OsStr, to: &OwnedFd, new_name: &OsStr) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::RenameFlags;
        match fs::renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
            // Not every file system knows how; those get a check and a plain rename.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            other => return other,
        }
    }
    match fs::statat(to, new_name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(_) => fs::renameat(from, name, to, new_name),
    }
}

/// Gives a file a second name in its folder.
pub(crate) fn link(dir: &OwnedFd, name: &OsStr, second: &OsStr) -> Result<()> {
    point(Call::Link)?;
    fs::linkat(dir, name, dir, second, AtFlags::empty())?;
    #[cfg(test)]
    fault::made(dir, second);
    Ok(())
}

/// Makes a symbolic link.
pub(crate) fn symlink(target: &OsStr, dir: &OwnedFd, name: &OsStr) -> Result<()> {
    point(Call::Create)?;
    fs::symlinkat(target, dir, name)?;
    #[cfg(test)]
    fault::made(dir, name);
    Ok(())
}

/// Makes a folder that only its owner can look into.
pub(crate) fn make_closed_folder(dir: &OwnedFd, name: &OsStr) -> Result<()> {
    point(Call::MakeFolder)?;
    fs::mkdirat(dir, name, Mode::from_raw_mode(0o700))?;
    #[cfg(test)]
    fault::made(dir, name);
    Ok(())
}

/// Removes a file or link.
pub(crate) fn unlink(dir: &OwnedFd, name: &OsStr) -> Result<()> {
    point(Call::Unlink)?;
    #[cfg(test)]
    fault::unlinking(dir, name);
    fs::unlinkat(dir, name, AtFlags::empty())
}

/// Removes an empty folder.
pub(crate) fn remove_folder(dir: &OwnedFd, name: &OsStr) -> Result<()> {
    point(Call::RemoveFolder)?;
    #[cfg(test)]
    fault::removing_folder(dir, name);
    fs::unlinkat(dir, name, AtFlags::REMOVEDIR)
}

/// Sets the permission bits.
pub(crate) fn set_mode(file: &File, mode: u32) -> Result<()> {
    point(Call::Mode)?;
    fs::fchmod(file, Mode::from_raw_mode(mode))
}

/// Sets the permission bits of what is called `name`, which is not a link.
pub(crate) fn set_mode_at(dir: &OwnedFd, name: &OsStr, mode: u32) -> Result<()> {
    point(Call::Mode)?;
    let mode = Mode::from_raw_mode(mode);
    match fs::chmodat(dir, name, mode, AtFlags::SYMLINK_NOFOLLOW) {
        // Older systems know no such call; what was no link a moment ago is changed as what it is.
        Err(Errno::NOTSUP | Errno::NOSYS | Errno::INVAL) => {
            let stat = fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
            match fs::FileType::from_raw_mode(stat.st_mode) {
                fs::FileType::Symlink => Err(Errno::LOOP),
                _ => fs::chmodat(dir, name, mode, AtFlags::empty()),
            }
        }
        other => other,
    }
}

/// Waits until everything on the file system of `dir` is on the disk. False where the system has no such call.
pub(crate) fn sync_all(dir: &OwnedFd) -> Result<bool> {
    point(Call::Sync)?;
    #[cfg(target_os = "linux")]
    {
        fs::syncfs(dir)?;
        #[cfg(test)]
        fault::synced_all();
        Ok(true)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = dir;
        Ok(false)
    }
}

/// Gives the file away.
pub(crate) fn set_owner(file: &File, uid: u32, gid: u32) -> Result<()> {
    point(Call::Owner)?;
    fs::fchown(file, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))
}

/// Sets an extended attribute.
pub(crate) fn set_attribute(file: &File, name: &[u8], value: &[u8]) -> Result<()> {
    point(Call::Attribute)?;
    fs::fsetxattr(file.as_fd(), name, value, XattrFlags::empty())
}
