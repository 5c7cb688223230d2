//! Changing what is said about files outside: mode, owner, attributes, times, flags. A file opened for reading is enough
//! for most of these where only the opening is guarded.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, chown, lchown};
use std::time::SystemTime;

use crate::attempt::{CWD, Inside, Probe, Proof, at, c, call, row};

/// Metadata.
pub const ROWS: &[Probe] = &[
    row("metadata: chmod", Proof::Plain, |it| fs::set_permissions(&it.victim, Permissions::from_mode(0o777))),
    row("metadata: set-user-id bit", Proof::Plain, |it| {
        fs::set_permissions(it.outside.join("tool"), Permissions::from_mode(0o4755))
    }),
    row("metadata: fchmod of a file opened to read", Proof::Plain, |it| {
        File::open(&it.victim)?.set_permissions(Permissions::from_mode(0o777))
    }),
    row("metadata: fchmodat2", Proof::Maybe, |it| {
        const FCHMODAT2: libc::c_long = 452;
        call(FCHMODAT2, &[CWD, at(c(&it.victim).as_c_str()), 0o777, 0]).map(drop)
    }),
    row("metadata: chmod through /proc", Proof::Plain, |it| {
        let file = File::open(&it.victim)?;
        fs::set_permissions(format!("/proc/self/fd/{}", file.as_raw_fd()), Permissions::from_mode(0o777))
    }),
    row("metadata: chmod of a folder", Proof::Plain, |it| {
        fs::set_permissions(it.outside.join("dir"), Permissions::from_mode(0o777))
    }),
    row("metadata: chown", Proof::Root, |it| chown(&it.victim, Some(1), Some(1))),
    row("metadata: chown to oneself", Proof::Plain, |it| {
        let own = fs::metadata(&it.victim)?;
        use std::os::unix::fs::MetadataExt;
        chown(&it.victim, Some(own.uid()), Some(own.gid()))
    }),
    row("metadata: lchown", Proof::Root, |it| lchown(it.outside.join("dir/inner"), Some(1), Some(1))),
    row("metadata: fchown of a file opened to read", Proof::Root, |it| {
        std::os::unix::fs::fchown(File::open(&it.victim)?, Some(1), Some(1))
    }),
    row("metadata: setxattr", Proof::Plain, |it| attribute(it, libc::SYS_setxattr, at(c(&it.victim).as_c_str()))),
    row("metadata: fsetxattr of a file opened to read", Proof::Plain, |it| {
        let file = File::open(&it.victim)?;
        attribute(it, libc::SYS_fsetxattr, file.as_raw_fd() as usize)
    }),
    row("metadata: utimensat", Proof::Plain, |it| {
        let times = [[1i64, 0], [1, 0]];
        call(libc::SYS_utimensat, &[CWD, at(c(&it.victim).as_c_str()), at(&times), 0]).map(drop)
    }),
    row("metadata: futimens of a file opened to read", Proof::Plain, |it| {
        File::open(&it.victim)?.set_modified(SystemTime::UNIX_EPOCH)
    }),
    row("metadata: flags of a file opened to read", Proof::Maybe, flags),
];

fn attribute(_: &Inside, number: libc::c_long, target: usize) -> io::Result<()> {
    let name = c("user.escape");
    call(number, &[target, at(name.as_c_str()), at(b"x"), 1, 0]).map(drop)
}

/// `chattr +d`: leaves a file out of dumps, and changes its inode.
fn flags(it: &Inside) -> io::Result<()> {
    const GET: usize = 0x8008_6601;
    const SET: usize = 0x4008_6602;
    const NO_DUMP: u64 = 0x40;
    let file = File::open(&it.victim)?;
    let mut flags = 0u64;
    call(libc::SYS_ioctl, &[file.as_raw_fd() as usize, GET, std::ptr::from_mut(&mut flags) as usize])?;
    flags |= NO_DUMP;
    call(libc::SYS_ioctl, &[file.as_raw_fd() as usize, SET, at(&flags)]).map(drop)
}
