//! Making more of a descriptor than it was opened for, and finding ones that were left open.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;

use crate::attempt::{Inside, Probe, Proof, at, c, call, row};

/// Descriptors.
pub const ROWS: &[Probe] = &[
    row("descriptor: opened again through /proc", Proof::Plain, |it| {
        let file = File::open(&it.victim)?;
        again(&file)?.write_all(b"x")
    }),
    row("descriptor: a bare path opened again", Proof::Plain, |it| again(&bare(it, "victim")?)?.write_all(b"x")),
    row("descriptor: beneath a bare folder", Proof::Plain, |it| {
        let folder = bare(it, "")?;
        let flags = (libc::O_CREAT | libc::O_WRONLY) as usize;
        call(libc::SYS_openat, &[folder.as_raw_fd() as usize, at(c("new").as_c_str()), flags, 0o644]).map(drop)
    }),
    row("descriptor: left open by the parent", Proof::Plain, left_open),
    row("descriptor: of the parent, through /proc", Proof::Plain, |it| {
        let folder = format!("/proc/{}/fd", it.number("SUITE"));
        for entry in fs::read_dir(folder)?.flatten() {
            if fs::read_link(entry.path()).is_ok_and(|to| to == it.victim) {
                return OpenOptions::new().append(true).open(entry.path())?.write_all(b"x");
            }
        }
        Err(io::Error::other("no descriptor of the parent leads outside"))
    }),
    row("descriptor: taken from the parent", Proof::Maybe, |it| {
        let parent = call(libc::SYS_pidfd_open, &[it.number("SUITE") as usize, 0])?;
        let taken = call(libc::SYS_pidfd_getfd, &[parent, 97, 0])?;
        call(libc::SYS_write, &[taken, at(b"x"), 1]).map(drop)
    }),
    row("descriptor: by the handle of a file", Proof::Root, by_handle),
];

fn again(file: &File) -> io::Result<File> {
    OpenOptions::new().append(true).open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

fn bare(it: &Inside, name: &str) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(it.outside.join(name))
}

/// Writes to whatever descriptor beyond the three usual ones is open and leads outside.
#[allow(unsafe_code)]
fn left_open(it: &Inside) -> io::Result<()> {
    for number in 3..1024 {
        if fs::read_link(format!("/proc/self/fd/{number}")).is_ok_and(|to| to.starts_with(&it.outside)) {
            // SAFETY: the number is open, as its link has just shown; it is never closed by anybody else.
            let mut file = std::mem::ManuallyDrop::new(unsafe { File::from_raw_fd(number) });
            return file.write_all(b"x");
        }
    }
    Err(io::Error::other("nothing was left open"))
}

/// The way out of early containers: a handle names a file on its disk, wherever it is mounted.
fn by_handle(it: &Inside) -> io::Result<()> {
    let mut handle = [0u32; 36];
    handle[0] = 128;
    let mut mount = 0i32;
    let path = c(&it.victim);
    let mount_address = std::ptr::from_mut(&mut mount) as usize;
    let handle_address = handle.as_mut_ptr() as usize;
    call(libc::SYS_name_to_handle_at, &[crate::attempt::CWD, at(path.as_c_str()), handle_address, mount_address, 0])?;
    let disk = File::open(".")?;
    let flags = (libc::O_WRONLY | libc::O_APPEND) as usize;
    let file = call(libc::SYS_open_by_handle_at, &[disk.as_raw_fd() as usize, handle_address, flags])?;
    call(libc::SYS_write, &[file, at(b"x"), 1]).map(drop)
}
