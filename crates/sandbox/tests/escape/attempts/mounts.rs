//! Changing what is mounted where, and making devices. Without a sandbox these run in a mount namespace of their own.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};

use crate::attempt::{CWD, Inside, Probe, Proof, at, c, call, permitted, row};

/// Mounts and devices.
pub const ROWS: &[Probe] = &[
    row("mount: remount the root writable", Proof::Plain, |it| {
        apart(it)?;
        mount("none", "/", "", libc::MS_REMOUNT | libc::MS_BIND)
    }),
    row("mount: remount every mount writable", Proof::Plain, |it| {
        apart(it)?;
        let table = fs::read_to_string("/proc/self/mountinfo")?;
        let points = table.lines().filter_map(|line| line.split(' ').nth(4));
        points
            .map(|it| mount("none", it, "", libc::MS_REMOUNT | libc::MS_BIND))
            .find(Result::is_ok)
            .unwrap_or(refused())
    }),
    row("mount: bind the outside into the project", Proof::Plain, |it| {
        apart(it)?;
        mount(&it.outside.display().to_string(), "sub", "", libc::MS_BIND)?;
        OpenOptions::new().append(true).open("sub/victim")?.write_all(b"x")
    }),
    row("mount: a file system in memory", Proof::Plain, |it| {
        apart(it)?;
        mount("none", "sub", "tmpfs", 0)
    }),
    row("mount: proc again", Proof::Root, |it| {
        apart(it)?;
        mount("none", "sub", "proc", 0)
    }),
    row("mount: an overlay over the outside", Proof::Maybe, |it| {
        apart(it)?;
        fs::create_dir_all("upper")?;
        fs::create_dir_all("work")?;
        let options = format!("lowerdir={},upperdir=upper,workdir=work,userxattr", it.outside.display());
        let (kind, to, options) = (c("overlay"), c("sub"), c(options));
        let words = [at(kind.as_c_str()), at(to.as_c_str()), at(kind.as_c_str()), 0, at(options.as_c_str())];
        call(libc::SYS_mount, &words).map(drop)
    }),
    row("mount: take away what covers", Proof::Root, |it| {
        apart(it)?;
        if it.control {
            mount("none", "sub", "tmpfs", 0)?;
        }
        let table = fs::read_to_string("/proc/self/mountinfo")?;
        let points: Vec<_> = table.lines().filter_map(|line| line.split(' ').nth(4)).collect();
        let detach = libc::MNT_DETACH as usize;
        let away = |point: &&str| call(libc::SYS_umount2, &[at(c(point).as_c_str()), detach]).map(drop);
        points.iter().rev().map(away).find(Result::is_ok).unwrap_or(refused())
    }),
    row("mount: pivot_root", Proof::Plain, |it| {
        apart(it)?;
        let here = c(".");
        permitted(libc::SYS_pivot_root, &[at(here.as_c_str()), at(here.as_c_str())])
    }),
    row("mount: open_tree and move_mount", Proof::Plain, |it| {
        apart(it)?;
        const CLONE: usize = 1;
        const FROM_EMPTY: usize = 4;
        let (from, empty, to) = (c(&it.outside), c(""), c("sub"));
        let tree = call(libc::SYS_open_tree, &[CWD, at(from.as_c_str()), CLONE])?;
        let words = [tree, at(empty.as_c_str()), CWD, at(to.as_c_str()), FROM_EMPTY];
        call(libc::SYS_move_mount, &words)?;
        OpenOptions::new().append(true).open("sub/victim")?.write_all(b"x")
    }),
    row("mount: mount_setattr", Proof::Plain, |it| {
        apart(it)?;
        const READ_ONLY: u64 = 1;
        let clear = [0u64, READ_ONLY, 0, 0];
        permitted(libc::SYS_mount_setattr, &[CWD, at(c("/").as_c_str()), 0, at(&clear), 32])
    }),
    row("mount: fsopen", Proof::Plain, |it| {
        apart(it)?;
        call(libc::SYS_fsopen, &[at(c("tmpfs").as_c_str()), 0]).map(drop)
    }),
    row("mount: fspick", Proof::Plain, |it| {
        apart(it)?;
        permitted(libc::SYS_fspick, &[CWD, at(c("/").as_c_str()), 0])
    }),
    row("mount: chroot and climb out", Proof::Root, |_| {
        let folder = File::open(".")?;
        call(libc::SYS_chroot, &[at(c("sub").as_c_str())])?;
        call(libc::SYS_fchdir, &[std::os::fd::AsRawFd::as_raw_fd(&folder) as usize])?;
        OpenOptions::new().append(true).open("../outside/victim")?.write_all(b"x")
    }),
    row("device: make a disk", Proof::Root, |_| device(libc::S_IFBLK, disk())),
    row("device: make the memory", Proof::Root, |_| device(libc::S_IFCHR, (1, 1))),
    row("device: open what is there", Proof::Root, |_| {
        let devices = fs::read_dir("/dev")?.flatten().map(|it| it.path());
        let harmless = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "stdin", "stdout", "stderr"];
        let writable = devices.filter(|it| {
            let name = it.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Opened and closed again; opening a watchdog or a terminal line would have consequences.
            let risky = ["watchdog", "rtc", "hpet", "ttyS", "console"].iter().any(|risk| name.starts_with(risk));
            !harmless.contains(&&*name)
                && !risky
                && it.is_file_like()
                && OpenOptions::new().write(true).open(it).is_ok()
        });
        let found: Vec<_> = writable.map(|it| it.display().to_string()).collect();
        println!("{}", found.join(" "));
        if found.is_empty() { refused() } else { Ok(()) }
    }),
];

/// Devices, as opposed to folders and links.
trait FileLike {
    fn is_file_like(&self) -> bool;
}

impl FileLike for std::path::PathBuf {
    fn is_file_like(&self) -> bool {
        fs::symlink_metadata(self).is_ok_and(|it| !it.is_dir() && !it.is_symlink())
    }
}

fn refused() -> io::Result<()> {
    Err(io::Error::other("all of them were refused"))
}

/// Where there is no sandbox, what follows happens in namespaces of its own.
pub fn apart(it: &Inside) -> io::Result<()> {
    if !it.control {
        return Ok(());
    }
    let root = rustix::process::geteuid().is_root();
    let user = if root { 0 } else { libc::CLONE_NEWUSER };
    call(libc::SYS_unshare, &[(libc::CLONE_NEWNS | user) as usize])?;
    if root { mount("none", "/", "", libc::MS_REC | libc::MS_PRIVATE) } else { Ok(()) }
}

fn mount(from: &str, to: &str, kind: &str, flags: libc::c_ulong) -> io::Result<()> {
    let (from, to, kind) = (c(from), c(to), c(kind));
    let words = [at(from.as_c_str()), at(to.as_c_str()), at(kind.as_c_str()), flags as usize, 0];
    call(libc::SYS_mount, &words).map(drop)
}

fn device(kind: u32, (major, minor): (u32, u32)) -> io::Result<()> {
    let number = rustix::fs::makedev(major, minor) as usize;
    call(libc::SYS_mknodat, &[CWD, at(c("node").as_c_str()), (kind | 0o666) as usize, number]).map(drop)
}

/// The disk that the project lies on.
fn disk() -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(".").map_or((8, 0), |it| (rustix::fs::major(it.dev()), rustix::fs::minor(it.dev())))
}
