//! Races between a check and its use: ten thousand rounds each.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::attempt::{CWD, Probe, Proof, at, c, call, look_outside, row};

/// Rounds of each race.
const ROUNDS: usize = 10_000;
/// So often at least something turned between two attempts.
const MEETINGS: usize = 100;

/// Races.
pub const ROWS: &[Probe] = &[
    row("race: a folder becomes a symlink", Proof::Plain, |_| {
        fs::create_dir("real")?;
        fs::write("real/victim", "")?;
        symlink("../outside", "other")?;
        against(|| exchange("real", "other"), || append("real/victim"))
    }),
    row("race: a file becomes a hard link", Proof::Plain, |it| {
        against(
            || {
                let _ = fs::remove_file("turn");
                let _ = fs::hard_link("file", "turn");
                let _ = fs::remove_file("turn");
                let _ = fs::hard_link(&it.victim, "turn");
            },
            || append("turn"),
        )
    }),
    row("race: a folder moves while it is climbed out of", Proof::Plain, |_| {
        fs::create_dir_all("a/b")?;
        // From `a/b` two steps up are the project, from `b` they are the outside.
        let folder = File::open("a/b")?;
        let number = std::os::fd::AsRawFd::as_raw_fd(&folder) as usize;
        let path = c("../../outside/victim");
        let flags = (libc::O_WRONLY | libc::O_APPEND) as usize;
        against(
            || {
                let _ = fs::rename("a/b", "b");
                let _ = fs::rename("b", "a/b");
            },
            || {
                if let Ok(file) = call(libc::SYS_openat, &[number, at(path.as_c_str()), flags]) {
                    let _ = call(libc::SYS_write, &[file, at(b"x"), 1]);
                    let _ = call(libc::SYS_close, &[file]);
                }
            },
        )
    }),
    row("race: a protected name while it is made", Proof::Plain, |_| {
        fs::create_dir("made")?;
        fs::write("made/config.toml", "evil")?;
        against(
            || {
                let _ = fs::rename("made", ".ox");
            },
            || drop(fs::write(".ox/config.toml", "evil")),
        )
    }),
];

fn append(path: &str) {
    let _ = OpenOptions::new().append(true).open(path).and_then(|mut it| it.write_all(b"x"));
}

fn exchange(one: &str, other: &str) {
    let (one, other) = (c(one), c(other));
    let flag = libc::RENAME_EXCHANGE as usize;
    let _ = call(libc::SYS_renameat2, &[CWD, at(one.as_c_str()), CWD, at(other.as_c_str()), flag]);
}

/// Lets `turn` go on in another thread while `attempt` is made, until both were done ten thousand times and took turns often:
/// on a busy machine each of the two may run for long before the other does.
fn against(turn: impl Fn() + Sync, attempt: impl Fn()) -> io::Result<()> {
    let (turns, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                turn();
                turns.fetch_add(1, Ordering::Relaxed);
            }
        });
        let (mut attempts, mut meetings, mut seen) = (0, 0, 0);
        while attempts < ROUNDS || seen < ROUNDS || meetings < MEETINGS {
            attempt();
            attempts += 1;
            let now = turns.load(Ordering::Relaxed);
            meetings += usize::from(now != seen);
            seen = now;
        }
        over.store(true, Ordering::Relaxed);
    });
    look_outside()
}
