//! Protected names in the project: those that exist, and those that must not come to be.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::attempt::{CWD, Inside, Probe, Proof, at, c, call, look_outside, row};

/// Protected names.
pub const ROWS: &[Probe] = &[
    row("name: append to a protected file", Proof::Plain, |_| append(".git/config")),
    row("name: remove a protected file", Proof::Plain, |_| fs::remove_file(".git/config")),
    row("name: rename over a protected file", Proof::Plain, |_| fs::rename("file", ".git/config")),
    row("name: rename a protected file away", Proof::Plain, |_| fs::rename(".git/config", "away")),
    row("name: exchange a protected file", Proof::Plain, |_| exchange("file", ".git/config")),
    row("name: write a protected file through a hard link", Proof::Plain, |_| {
        fs::hard_link(".git/config", "mine")?;
        append("mine")
    }),
    row("name: write a protected file through a symlink", Proof::Plain, |_| {
        symlink(".git/config", "mine")?;
        append("mine")
    }),
    row("name: write a protected file through dots", Proof::Plain, |_| append("sub/../.git/../.git/config")),
    row("name: write a protected file through /proc", Proof::Plain, |it| {
        append(&format!("/proc/self/root{}/.git/config", it.project.display()))
    }),
    row("name: mode of a protected file", Proof::Plain, |_| {
        fs::set_permissions(".git/config", fs::Permissions::from_mode(0o777))
    }),
    row("name: new file in a protected folder", Proof::Plain, |_| File::create(".git/hooks/pre-commit").map(drop)),
    row("name: link put into a protected folder", Proof::Plain, |_| fs::hard_link("file", ".git/hooks/pre-commit")),
    row("name: symlink in place of a protected folder", Proof::Plain, |_| {
        fs::rename(".git/hooks", "old-hooks")?;
        symlink("../sub", ".git/hooks")
    }),
    row("name: the folder around protected names moved away", Proof::Plain, |_| {
        fs::rename(".git", "old-git")?;
        fs::create_dir_all(".git/hooks")?;
        fs::write(".git/config", "[core]\n\tfsmonitor = evil\n")
    }),
    row("name: the folder around protected names removed", Proof::Plain, |_| {
        let _ = fs::remove_dir_all(".git");
        look_outside()
    }),
    row("name: change what a protected folder holds", Proof::Plain, |_| append("kept/note")),
    row("name: remove a protected folder", Proof::Plain, |_| fs::remove_dir_all("kept")),
    row("name: move a protected folder", Proof::Plain, |_| fs::rename("kept", "moved")),
    row("name: create one that is not there", Proof::Plain, |_| fs::write(".bashrc", "evil")),
    row("name: make a folder of one that is not there", Proof::Plain, |_| {
        fs::create_dir(".ox")?;
        fs::write(".ox/config.toml", "evil")
    }),
    row("name: rename to one that is not there", Proof::Plain, |_| fs::rename("file", ".bashrc")),
    row("name: rename a folder to one that is not there", Proof::Plain, |_| fs::rename("sub", ".ox")),
    row("name: hard link as one that is not there", Proof::Plain, |_| fs::hard_link("file", ".bashrc")),
    row("name: symlink as one that is not there", Proof::Plain, |_| symlink("sub", ".ox")),
    row("name: pipe as one that is not there", Proof::Plain, |_| {
        call(libc::SYS_mknodat, &[CWD, at(c(".bashrc").as_c_str()), (libc::S_IFIFO | 0o666) as usize, 0]).map(drop)
    }),
    row("name: exchange with one that is not there", Proof::None("there is nothing to exchange with"), |_| {
        exchange("sub", ".ox")
    }),
    row("name: create one in a folder that is not there", Proof::Plain, |_| {
        fs::create_dir_all("sub/.vscode")?;
        fs::write("sub/.vscode/settings.json", "evil")
    }),
    row("name: bring in a folder with one in it", Proof::Plain, |_| {
        fs::create_dir("made")?;
        fs::write("made/settings.json", "evil")?;
        fs::rename("made", "sub/.vscode")
    }),
    row("name: replace the folder around one that is not there", Proof::Plain, |_| {
        fs::rename("sub", "old-sub")?;
        fs::create_dir_all("sub/.vscode")?;
        fs::write("sub/.vscode/settings.json", "evil")
    }),
    row("name: move the project itself", Proof::Plain, |it| {
        fs::rename(&it.project, it.project.with_file_name("moved"))
    }),
    row("name: settings of an added folder", Proof::Plain, |_| append("../added/.git/config")),
    row("name: a hook of an added folder", Proof::Plain, |_| fs::write("../added/.git/hooks/pre-commit", "evil")),
    row("name: settings of a repository within", Proof::Plain, |_| append("sub/.git/config")),
    row("name: settings of a repository within, without the consent to make them", Proof::Plain, |_| {
        OpenOptions::new().write(true).open("sub/.git/config")?.write_all(b"evil\n")
    }),
    row("name: settings of a repository within, by a descriptor that reads", Proof::Plain, |_| {
        use std::os::fd::AsRawFd;
        let file = File::open("sub/.git/config")?;
        append(&format!("/proc/self/fd/{}", file.as_raw_fd()))
    }),
    row("name: settings of a repository within, by a second name", Proof::Plain, |_| {
        fs::hard_link("sub/.git/config", "mine")?;
        append("mine")
    }),
    row("name: hooks of a repository within", Proof::Plain, |_| fs::write("sub/.git/hooks/pre-commit", "evil")),
    row("name: the memory of whoever answers", Proof::Maybe, |_| {
        let own = std::process::id();
        let other = |it: &u32| {
            let path = c(format!("/proc/{it}/mem"));
            call(libc::SYS_openat, &[CWD, at(path.as_c_str()), libc::O_CREAT as usize, 0o600]).is_ok()
        };
        let mut all = (1..2000).filter(|it| *it != own);
        if all.any(|it| other(&it)) { Ok(()) } else { Err(io::Error::other("none")) }
    }),
    row("name: a pipe that is waited for stops nobody", Proof::None("it is about the sandbox itself"), |_| {
        let path = c("pipe");
        call(libc::SYS_mknodat, &[CWD, at(path.as_c_str()), (libc::S_IFIFO | 0o666) as usize, 0])?;
        let (done, end) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let (path, how) = (c("pipe"), [0u64; 3]);
            let _ = call(libc::SYS_openat2, &[CWD, at(path.as_c_str()), at(&how), 24]);
        });
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(200));
            let _ = done.send(File::create("pipe"));
        });
        // The roles are exchanged: what succeeds is that it hangs.
        match end.recv_timeout(std::time::Duration::from_secs(10)) {
            Ok(file) => file.map(drop).and_then(|()| look_outside()),
            Err(_) => Ok(()),
        }
    }),
    row("name: sockets come and go without end", Proof::None("it is about the sandbox itself"), |_| {
        let one =
            |_| std::os::unix::net::UnixListener::bind("s").and_then(|it| fs::remove_file("s").map(|()| drop(it)));
        match (0..600).try_for_each(one) {
            Ok(()) => look_outside(),
            Err(why) => {
                println!("no more sockets: {why}");
                Ok(())
            }
        }
    }),
    row("name: nothing is left where nothing was", Proof::None("it changes nothing"), |_| look_outside()),
    row("name: ordinary work goes on", Proof::None("it is about the sandbox itself"), usable),
];

fn append(path: &str) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(b"evil\n")
}

fn exchange(own: &str, other: &str) -> io::Result<()> {
    let (own, other) = (c(own), c(other));
    let exchange = libc::RENAME_EXCHANGE as usize;
    call(libc::SYS_renameat2, &[CWD, at(own.as_c_str()), CWD, at(other.as_c_str()), exchange]).map(drop)
}

/// A sandbox in which nothing can be done would pass every other probe. The roles are exchanged here: what succeeds is
/// that ordinary work cannot go on.
fn usable(it: &Inside) -> io::Result<()> {
    let steps: [(&str, &dyn Fn() -> io::Result<()>); 15] = [
        ("create", &|| fs::write("new", "x")),
        ("append", &|| append("file")),
        ("mkdir", &|| fs::create_dir("folder")),
        ("rename", &|| fs::rename("new", "folder/new")),
        ("hard link", &|| fs::hard_link("file", "folder/linked")),
        ("symlink", &|| symlink("file", "folder/symlink")),
        ("chmod", &|| fs::set_permissions("file", fs::Permissions::from_mode(0o755))),
        ("read outside", &|| fs::read(&it.victim).map(drop)),
        ("read what is protected", &|| fs::read(".git/config").map(drop)),
        ("read system files", &|| fs::read("/etc/passwd").map(drop)),
        ("write git's index", &|| fs::write(".git/index", "x")),
        ("/dev/null", &|| fs::write("/dev/null", "x")),
        ("temporary files", &|| fs::write("/tmp/own", "x").and_then(|()| fs::remove_file("/tmp/own"))),
        ("remove", &|| fs::remove_dir_all("folder")),
        ("a shell", &|| {
            let echo = std::process::Command::new("sh").args(["-c", "echo hello | cat"]).output()?;
            if echo.stdout == b"hello\n" { Ok(()) } else { Err(io::Error::other("it does not answer")) }
        }),
    ];
    let failed = steps.iter().filter_map(|(name, step)| step().err().map(|error| format!("{name}: {error}")));
    let failed: Vec<_> = failed.collect();
    if failed.is_empty() {
        return look_outside();
    }
    println!("ordinary work fails: {}", failed.join("; "));
    Ok(())
}
