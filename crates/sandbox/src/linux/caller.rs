//! The thread that a notification comes from: its memory, its open files, where it stands. Everything is read once, and never
//! again once it was judged.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use super::notify::{self, Notification};
use super::sys::{real, refused};

/// Longest path that the kernel takes.
const PATH_MAX: usize = 4096;
const PAGE: usize = 4096;

/// A thread that waits for an answer.
pub(super) struct Caller {
    thread: u32,
    folder: OwnedFd,
}

impl Caller {
    /// The thread behind `notification`; fails when it is gone.
    pub(super) fn new(listener: i32, notification: &Notification) -> io::Result<Caller> {
        let path = format!("/proc/{}", notification.pid);
        let folder = openat(CWD, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        // Only now is it certain that the folder is that thread's and not a successor's.
        match notify::is_valid(listener, notification) {
            true => Ok(Caller { thread: notification.pid, folder }),
            false => Err(refused(libc::ESRCH)),
        }
    }

    /// `length` bytes of its memory.
    pub(super) fn bytes(&self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let memory = self.memory()?;
        let mut bytes = vec![0; length];
        memory.read_exact_at(&mut bytes, at).map_err(|_| refused(libc::EFAULT))?;
        Ok(bytes)
    }

    /// The string at this place of its memory, without its NUL.
    pub(super) fn string(&self, at: u64) -> io::Result<Vec<u8>> {
        let memory = self.memory()?;
        let mut string = Vec::new();
        while string.len() < PATH_MAX {
            let here = at.wrapping_add(string.len() as u64);
            // Never across a page: the next one need not exist.
            let mut piece = vec![0; (PAGE - here as usize % PAGE).min(if string.is_empty() { 256 } else { PAGE })];
            let count = memory.read_at(&mut piece, here).unwrap_or(0);
            if count == 0 {
                return Err(refused(libc::EFAULT));
            }
            piece.truncate(count);
            if let Some(end) = piece.iter().position(|it| *it == 0) {
                string.extend_from_slice(&piece[..end]);
                return Ok(string);
            }
            string.append(&mut piece);
        }
        Err(refused(libc::ENAMETOOLONG))
    }

    fn memory(&self) -> io::Result<File> {
        self.file("mem")
    }

    fn file(&self, name: &str) -> io::Result<File> {
        Ok(openat(&self.folder, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?.into())
    }

    /// What the kernel tells of it behind `name`.
    fn status(&self, name: &str) -> io::Result<String> {
        let text = io::read_to_string(self.file("status")?)?;
        let found = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(':'));
        found.map(|it| it.trim().to_owned()).ok_or_else(|| refused(libc::ESRCH))
    }

    /// What new files lack of the rights asked for.
    pub(super) fn umask(&self) -> Mode {
        let mask = self.status("Umask").ok().and_then(|it| u32::from_str_radix(&it, 8).ok());
        Mode::from_bits_truncate(mask.unwrap_or(0o022))
    }

    /// A copy of one of its descriptors. Threads share those of their process as good as always.
    pub(super) fn descriptor(&self, fd: i32) -> io::Result<OwnedFd> {
        let leader = self.status("Tgid")?.parse().ok().and_then(Pid::from_raw).ok_or_else(|| refused(libc::ESRCH))?;
        Ok(pidfd_getfd(pidfd_open(leader, PidfdFlags::empty())?, fd, PidfdGetfdFlags::empty())?)
    }

    /// The folder that relative paths start at.
    pub(super) fn base(&self, fd: i32) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(match fd {
            libc::AT_FDCWD => openat(&self.folder, "cwd", flags, Mode::empty())?,
            fd => openat(&self.folder, format!("fd/{fd}"), flags, Mode::empty()).map_err(|it| match it {
                rustix::io::Errno::NOENT => rustix::io::Errno::BADF,
                it => it,
            })?,
        })
    }

    /// A path as this process must see it to mean the same: what is "self" for the caller is not self here.
    pub(super) fn translate(&self, path: &[u8]) -> Path {
        let own = format!("/proc/{}", self.thread).into_bytes();
        let beneath = |prefix: &[u8], to: &[u8]| {
            let rest = path.strip_prefix(prefix)?;
            (rest.is_empty() || rest[0] == b'/').then(|| [&own[..], to, rest].concat())
        };
        let table: [(&[u8], &[u8]); 6] = [
            (b"/proc/self", b""),
            (b"/proc/thread-self", b""),
            (b"/dev/fd", b"/fd"),
            (b"/dev/stdin", b"/fd/0"),
            (b"/dev/stdout", b"/fd/1"),
            (b"/dev/stderr", b"/fd/2"),
        ];
        match table.iter().find_map(|(prefix, to)| beneath(prefix, to)) {
            Some(bytes) => Path { own: !has_parent_component(path), bytes },
            None => Path { own: beneath(&own, b"").is_some() && !has_parent_component(path), bytes: path.to_vec() },
        }
    }

    /// Where its controlling terminal is.
    pub(super) fn terminal(&self) -> io::Result<String> {
        use std::os::unix::fs::MetadataExt;
        let text = io::read_to_string(self.file("stat")?)?;
        // The name of the program may hold anything; state, parent, group and session come after it.
        let number = text.rsplit_once(')').and_then(|it| it.1.split_ascii_whitespace().nth(4)?.parse::<u64>().ok());
        match number.unwrap_or(0) {
            0 => Err(refused(libc::ENXIO)),
            number if std::fs::metadata("/dev/console").is_ok_and(|it| it.rdev() == number) => {
                Ok("/dev/console".to_owned())
            }
            number => Ok(format!("/dev/pts/{}", (number & 0xff) | ((number >> 12) & 0xfff00))),
        }
    }
}

/// True for a path that leaves a folder that it has entered.
fn has_parent_component(path: &[u8]) -> bool {
    path.split(|it| *it == b'/').any(|it| it == b"..")
}

/// A path that may be followed here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) bytes: Vec<u8>,
    /// It starts at the caller's own folder of `/proc`, whose links lead to the caller's files.
    pub(super) own: bool,
}

impl Path {
    /// How far links of `/proc` may be followed.
    pub(super) fn resolve(&self) -> ResolveFlags {
        // Any other such link would lead to this process's files.
        if self.own { ResolveFlags::empty() } else { ResolveFlags::NO_MAGICLINKS }
    }

    /// Opens it as a place, beneath `base` when it is relative.
    pub(super) fn open(&self, base: &OwnedFd, flags: OFlags) -> io::Result<OwnedFd> {
        let place = openat2(base, self.bytes.as_slice(), flags | OFlags::CLOEXEC, Mode::empty(), self.resolve())?;
        refuse_own_process(place)
    }
}

/// Hands a place on unless it is about this process, any of whose threads has a number of its own.
pub(super) fn refuse_own_process(place: OwnedFd) -> io::Result<OwnedFd> {
    const PROC: i64 = 0x9fa0;
    if rustix::fs::fstatfs(&place)?.f_type as i64 == PROC {
        let path = real(&place)?;
        let process = path.strip_prefix("/proc").ok().and_then(|it| it.iter().next());
        if process.is_some_and(|it| std::path::Path::new("/proc/self/task").join(it).exists()) {
            return Err(refused(libc::EACCES));
        }
    }
    Ok(place)
}
