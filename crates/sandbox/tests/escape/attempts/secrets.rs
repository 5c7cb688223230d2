//! Reading what is hidden, by every path. Each prints what it finds; whether that is the secret is judged outside.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::attempt::{CWD, Inside, Probe, Proof, at, c, call, look_outside, row};

/// Secrets.
pub const ROWS: &[Probe] = &[
    row("secret: read", Proof::Plain, |_| show(".env")),
    row("secret: read in a folder", Proof::Plain, |_| show("sub/.env")),
    row("secret: read in a hidden folder", Proof::Plain, |it| show(it.home.join(".ssh/id_probe"))),
    row("secret: read whatever a hidden folder holds", Proof::Plain, |it| {
        fs::read_dir(it.home.join(".ssh"))?.flatten().for_each(|it| drop(show(it.path())));
        look_outside()
    }),
    row("secret: hard link", Proof::Plain, |_| {
        fs::hard_link(".env", "mine")?;
        show("mine")
    }),
    row("secret: hard link out of a hidden folder", Proof::Plain, |it| {
        fs::hard_link(it.home.join(".ssh/id_probe"), "mine")?;
        show("mine")
    }),
    row("secret: rename", Proof::Plain, |_| {
        fs::rename(".env", "mine")?;
        show("mine")
    }),
    row("secret: rename of the folder around it", Proof::Plain, |_| {
        fs::rename("sub", "mine")?;
        show("mine/.env")
    }),
    row("secret: rename of a hidden folder", Proof::Plain, |it| {
        fs::rename(it.home.join(".ssh"), "mine")?;
        show("mine/id_probe")
    }),
    row("secret: symlink", Proof::Plain, |_| {
        symlink(".env", "mine")?;
        show("mine")
    }),
    row("secret: through /proc", Proof::Plain, |it| show(format!("/proc/self/root{}/.env", it.project.display()))),
    row("secret: through the working folder", Proof::Plain, |_| show("/proc/self/cwd/.env")),
    row("secret: through the root of the parent", Proof::Plain, |it| {
        show(format!("/proc/{}/root{}/.env", it.number("SUITE"), it.project.display()))
    }),
    row("secret: a bare path opened again", Proof::Plain, |_| {
        let file = File::options().read(true).custom_flags(libc::O_PATH).open(".env")?;
        show(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }),
    row("secret: mode first", Proof::Plain, |_| {
        let _ = fs::set_permissions(".env", fs::Permissions::from_mode(0o666));
        show(".env")
    }),
    row("secret: memory map", Proof::Plain, map),
    row("secret: sendfile", Proof::Plain, |_| {
        let (from, to) = (File::open(".env")?, File::create("copy")?);
        call(libc::SYS_sendfile, &[to.as_raw_fd() as usize, from.as_raw_fd() as usize, 0, 100])?;
        show("copy")
    }),
    row("secret: copy_file_range", Proof::Plain, |_| {
        let (from, to) = (File::open(".env")?, File::create("copy")?);
        let (from, to) = (from.as_raw_fd() as usize, to.as_raw_fd() as usize);
        call(libc::SYS_copy_file_range, &[from, 0, to, 0, 100, 0])?;
        show("copy")
    }),
    row("secret: openat2", Proof::Plain, |_| {
        let how = [0u64, 0, 0];
        let file = call(libc::SYS_openat2, &[CWD, at(c(".env").as_c_str()), at(&how), 24])?;
        let mut bytes = [0u8; 100];
        let count = call(libc::SYS_read, &[file, bytes.as_mut_ptr() as usize, 100])?;
        print_all(&bytes[..count])
    }),
    row("secret: other programs", Proof::Plain, |it| {
        let lines = format!("cat .env; grep -r . .env sub; tar -cf - .env sub {}", it.home.join(".ssh").display());
        let shown = Command::new("sh").args(["-c", &lines]).output()?;
        print_all(&shown.stdout)
    }),
    row("secret: git", Proof::Plain, |_| {
        let line = "git init -q r && git -C r hash-object -w --stdin < .env | xargs git -C r cat-file -p";
        let shown = Command::new("sh").args(["-c", line]).output()?;
        print_all(&shown.stdout)
    }),
    row("secret: the folder mounted again", Proof::Plain, |it| {
        super::mounts::apart(it)?;
        let (from, to) = (c(&it.home), c("kept"));
        call(libc::SYS_mount, &[at(from.as_c_str()), at(to.as_c_str()), 0, libc::MS_BIND as usize, 0])?;
        show("kept/.ssh/id_probe")
    }),
    row("secret: the disk itself", Proof::Maybe, |it| {
        // Only the opening is tried: a disk is large.
        let number = fs::metadata(&it.project)?.dev();
        let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
        let name = fs::read_link(format!("/sys/dev/block/{major}:{minor}"))?;
        File::open(Path::new("/dev").join(name.file_name().unwrap_or_default())).map(drop)
    }),
];

fn show(path: impl AsRef<Path>) -> io::Result<()> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    print_all(&bytes)
}

fn print_all(bytes: &[u8]) -> io::Result<()> {
    io::stdout().write_all(bytes)?;
    println!();
    look_outside()
}

#[allow(unsafe_code)]
fn map(_: &Inside) -> io::Result<()> {
    let file = File::open(".env")?;
    let length = file.metadata()?.len() as usize;
    let words = [0, length, libc::PROT_READ as usize, libc::MAP_PRIVATE as usize, file.as_raw_fd() as usize, 0];
    let address = call(libc::SYS_mmap, &words)?;
    // SAFETY: the kernel has just mapped that many readable bytes at this address.
    print_all(unsafe { std::slice::from_raw_parts(address as *const u8, length) })
}
