//! Writing outside, by every system call that can.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;

use crate::attempt::{CWD, Inside, Probe, Proof, at, c, call, look_outside, row};

/// Writing outside.
pub const ROWS: &[Probe] = &[
    row("write: open", Proof::Plain, |it| OpenOptions::new().write(true).open(&it.victim)?.write_all(b"x")),
    row("write: append", Proof::Plain, |it| OpenOptions::new().append(true).open(&it.victim)?.write_all(b"x")),
    row("write: create", Proof::Plain, |it| File::create(it.outside.join("new")).map(drop)),
    row("write: creat", Proof::Plain, creat),
    row("write: openat2", Proof::Plain, openat2),
    row("write: truncate", Proof::Plain, |it| call(libc::SYS_truncate, &[at(c(&it.victim).as_c_str()), 0]).map(drop)),
    row("write: unnamed file linked in", Proof::Plain, unnamed),
    row("write: rename in", Proof::Plain, |it| fs::rename("file", it.outside.join("moved"))),
    row("write: rename over", Proof::Plain, |it| fs::rename("file", &it.victim)),
    row("write: rename out", Proof::Plain, |it| fs::rename(&it.victim, "stolen")),
    row("write: exchange", Proof::Plain, |it| {
        let (own, other) = (c("file"), c(&it.victim));
        let exchange = libc::RENAME_EXCHANGE as usize;
        call(libc::SYS_renameat2, &[CWD, at(own.as_c_str()), CWD, at(other.as_c_str()), exchange]).map(drop)
    }),
    row("write: hard link of an outside file", Proof::Plain, |it| {
        fs::hard_link(&it.victim, "mine")?;
        OpenOptions::new().append(true).open("mine")?.write_all(b"x")
    }),
    row("write: hard link put outside", Proof::Plain, |it| fs::hard_link("file", it.outside.join("linked"))),
    row("write: link to an open file", Proof::Plain, linked_by_descriptor),
    row("write: through a symlink", Proof::Plain, |_| {
        OpenOptions::new().append(true).open("link-out")?.write_all(b"x")
    }),
    row("write: through a folder's symlink", Proof::Plain, |_| File::create("folder-out/new").map(drop)),
    row("write: through a new symlink", Proof::Plain, |it| {
        symlink(&it.outside, "fresh")?;
        File::create("fresh/new").map(drop)
    }),
    row("write: through dots", Proof::Plain, |_| File::create("sub/../../outside/new").map(drop)),
    row("write: symlink put outside", Proof::Plain, |it| symlink("/", it.outside.join("symlink"))),
    row("write: mkdir", Proof::Plain, |it| fs::create_dir(it.outside.join("folder"))),
    row("write: unlink", Proof::Plain, |it| fs::remove_file(&it.victim)),
    row("write: rmdir", Proof::Plain, |it| fs::remove_dir(it.outside.join("empty"))),
    row("write: pipe with a name", Proof::Plain, |it| mknod(it, libc::S_IFIFO)),
    row("write: socket with a name", Proof::Plain, |it| {
        std::os::unix::net::UnixListener::bind(it.outside.join("mine")).map(drop)
    }),
    row("write: fallocate", Proof::Plain, |it| {
        let file = OpenOptions::new().write(true).open(&it.victim)?;
        call(libc::SYS_fallocate, &[file.as_raw_fd() as usize, 0, 0, 100]).map(drop)
    }),
    row("write: copy_file_range", Proof::Plain, |it| copied(it, libc::SYS_copy_file_range)),
    row("write: sendfile", Proof::Plain, |it| copied(it, libc::SYS_sendfile)),
    row("write: shared memory map", Proof::Plain, mapped),
    row("write: home", Proof::Plain, |it| fs::write(it.home.join(".profile"), "evil")),
    row("write: new file in home", Proof::Plain, |it| fs::write(it.home.join(".bash_login"), "evil")),
    row("write: temporary files stay private", Proof::Plain, |it| {
        for place in ["/tmp", "/var/tmp", "/dev/shm"] {
            let _ = fs::write(format!("{place}/{}", it.id), "x");
        }
        look_outside()
    }),
    row("write: through the root of this process", Proof::Plain, |it| through("/proc/self/root", it)),
    row("write: through the root of process 1", Proof::Maybe, |it| through("/proc/1/root", it)),
    row("write: through the root of the parent", Proof::Plain, |it| {
        through(&format!("/proc/{}/root", it.number("SUITE")), it)
    }),
    row("write: through the folder of the parent", Proof::Plain, |it| {
        through(&format!("/proc/{}/cwd", it.number("SUITE")), it)
    }),
    row("write: through threads' roots", Proof::Plain, |it| through("/proc/thread-self/root", it)),
    row("write: system folders", Proof::Root, |it| {
        // Opened and left as they are: no harm where there is no sandbox.
        let files = ["/etc/passwd", "/etc/hostname", "/usr/bin/env", "/var/lib/dpkg/status"];
        files
            .iter()
            .map(|file| OpenOptions::new().append(true).open(file).map(drop))
            .find(Result::is_ok)
            .unwrap_or_else(|| {
                File::create(format!("/etc/{}", it.id)).and_then(|_| fs::remove_file(format!("/etc/{}", it.id)))
            })
    }),
];

fn through(root: &str, it: &Inside) -> io::Result<()> {
    OpenOptions::new().append(true).open(format!("{root}{}", it.victim.display()))?.write_all(b"x")
}

fn creat(it: &Inside) -> io::Result<()> {
    call(libc::SYS_creat, &[at(c(it.outside.join("new")).as_c_str()), 0o644]).map(drop)
}

fn openat2(it: &Inside) -> io::Result<()> {
    let how = [libc::O_WRONLY as u64 | libc::O_TRUNC as u64, 0, 0];
    call(libc::SYS_openat2, &[CWD, at(c(&it.victim).as_c_str()), at(&how), 24]).map(drop)
}

fn unnamed(it: &Inside) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let file = OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).open(&it.project)?;
    let (from, to) = (c(format!("/proc/self/fd/{}", file.as_raw_fd())), c(it.outside.join("unnamed")));
    let follow = libc::AT_SYMLINK_FOLLOW as usize;
    call(libc::SYS_linkat, &[CWD, at(from.as_c_str()), CWD, at(to.as_c_str()), follow]).map(drop)
}

fn linked_by_descriptor(it: &Inside) -> io::Result<()> {
    let file = File::open(&it.victim)?;
    let from = c(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let follow = libc::AT_SYMLINK_FOLLOW as usize;
    call(libc::SYS_linkat, &[CWD, at(from.as_c_str()), CWD, at(c("linked").as_c_str()), follow])?;
    OpenOptions::new().append(true).open("linked")?.write_all(b"x")
}

fn mknod(it: &Inside, kind: u32) -> io::Result<()> {
    let path = c(it.outside.join("node"));
    call(libc::SYS_mknodat, &[CWD, at(path.as_c_str()), (kind | 0o666) as usize, 0]).map(drop)
}

fn copied(it: &Inside, number: libc::c_long) -> io::Result<()> {
    let from = File::open("file")?;
    let to = OpenOptions::new().write(true).open(&it.victim)?;
    let (from, to) = (from.as_raw_fd() as usize, to.as_raw_fd() as usize);
    let count = match number {
        libc::SYS_sendfile => call(number, &[to, from, 0, 5])?,
        _ => call(number, &[from, 0, to, 0, 5, 0])?,
    };
    if count == 0 { Err(io::Error::other("nothing was copied")) } else { Ok(()) }
}

/// Maps the file for writing: opened so, or opened for reading where that is all that is granted.
#[allow(unsafe_code)]
fn mapped(it: &Inside) -> io::Result<()> {
    let both = OpenOptions::new().read(true).write(true).open(&it.victim);
    let file = both.or_else(|_| File::open(&it.victim))?;
    let access = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let address = call(libc::SYS_mmap, &[0, 8, access, libc::MAP_SHARED as usize, file.as_raw_fd() as usize, 0])?;
    // SAFETY: the kernel has just mapped eight writable bytes at this address.
    unsafe { std::ptr::write_volatile(address as *mut u8, b'X') };
    Ok(())
}
