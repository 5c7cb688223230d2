//! A folder and a file of the project are swapped with links that lead outside, over and over, while the tree is used
//! through them. Nothing outside is ever read, written, deleted or listed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ox_protocol::PathUse;
use ox_repo::{RepoError, Tree, WalkOptions};
use tempfile::TempDir;

const ROUNDS: usize = 10_000;

struct Race {
    dir: TempDir,
    tree: Tree,
}

impl Race {
    fn new() -> Race {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["project/real/deep", "outside/deep"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("project/real/file"), "inside").unwrap();
        fs::write(dir.path().join("project/real/deep/own"), "inside").unwrap();
        fs::write(dir.path().join("project/.env"), "secret").unwrap();
        for name in ["file", "deep/hidden"] {
            fs::write(dir.path().join("outside").join(name), "outside").unwrap();
        }
        symlink(dir.path().join("outside"), dir.path().join("project/link")).unwrap();
        symlink(".env", dir.path().join("project/secret")).unwrap();
        fs::write(dir.path().join("project/plain"), "inside").unwrap();
        let tree = Tree::open(&dir.path().join("project"), &[]).unwrap();
        Race { dir, tree }
    }

    fn outside(&self) -> Vec<(PathBuf, String)> {
        let root = self.dir.path().join("outside");
        let mut found = Vec::new();
        let mut left = vec![root];
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(&folder).unwrap().flatten().map(|it| it.path()) {
                match entry.is_dir() {
                    true => left.push(entry),
                    false => found.push((entry.clone(), fs::read_to_string(&entry).unwrap())),
                }
            }
        }
        found.sort();
        found
    }

    /// Runs `act` many times while `a` and `b` of the project exchange their names; then nothing outside has changed.
    /// Answers how often `act` said yes and how often the two were exchanged.
    fn run(&self, a: &str, b: &str, mut act: impl FnMut(usize) -> bool) -> (usize, usize) {
        let before = self.outside();
        let (done, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
        let at = |name: &str| self.dir.path().join("project").join(name);
        let count = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    exchange(&at(a), &at(b));
                    swaps.fetch_add(1, Ordering::Relaxed);
                }
            });
            // Also when `act` panics, or nobody would hear of it.
            let _end = End(&done);
            (0..ROUNDS).filter(|round| act(*round)).count()
        });
        assert_eq!(self.outside(), before);
        (count, swaps.into_inner())
    }
}

struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One atomic step, so that both names are always there.
fn exchange(a: &Path, b: &Path) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
}

#[test]
fn nothing_outside_is_read() {
    let race = Race::new();
    let (read, swaps) = race.run("real", "link", |_| match race.tree.read("real/file") {
        Ok(file) => {
            assert_eq!(file.text, "inside");
            true
        }
        Err(_) => false,
    });
    assert!(read > 0 && read < ROUNDS && swaps > 100, "{read} reads, {swaps} swaps: both have to happen");
}

#[test]
fn nothing_outside_is_written() {
    let race = Race::new();
    let (written, _) = race.run("real", "link", |round| {
        // Every eighth round makes a file, the others change one: a write waits for the disk.
        match round % 8 {
            0 => race.tree.create(&format!("real/new{round}"), "mine").is_ok(),
            _ => match race.tree.read("real/file") {
                Ok(mut old) => {
                    // Never what is there, so that all of the way is gone but the last step.
                    if round % 16 != 1 {
                        old.text.push('x');
                        old.hash = ox_repo::Hash::of(b"");
                    }
                    race.tree.write("real/file", &old, "inside").is_ok()
                }
                Err(_) => false,
            },
        }
    });
    assert!(written > 0, "some have to succeed");
}

#[test]
fn nothing_outside_is_deleted() {
    let race = Race::new();
    let real = race.dir.path().join("project");
    let (deleted, _) = race.run("real", "link", |round| {
        for folder in ["real", "link"].map(|it| real.join(it)) {
            // Only where the folder is: a file written through the link would be our own doing.
            if let Ok(inside) = rustix::fs::open(
                &folder,
                rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::NOFOLLOW,
                rustix::fs::Mode::empty(),
            ) {
                let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
                drop(rustix::fs::openat(&inside, "file", flags, rustix::fs::Mode::RWXU));
            }
        }
        match round % 2 {
            0 => race.tree.delete("real/file").is_ok(),
            _ => race.tree.rename("real/file", "real/other").and_then(|()| race.tree.delete("real/other")).is_ok(),
        }
    });
    assert!(deleted > 0, "some have to succeed");
}

#[test]
fn nothing_outside_is_listed() {
    let race = Race::new();
    let (listed, _) = race.run("real", "link", |round| {
        let from = if round % 2 == 0 { "real" } else { "." };
        let options = WalkOptions { from: from.to_owned(), hidden: true, ..WalkOptions::default() };
        let entries = race.tree.walk(&options).unwrap_or_default();
        assert!(entries.iter().all(|it| !it.rel.contains("hidden")), "{entries:?}");
        entries.iter().any(|it| it.rel.ends_with("own"))
    });
    assert!(listed > 0, "some have to succeed");
}

#[test]
fn a_secret_is_not_read_by_another_name() {
    // The place is judged where the link leads when it is opened, not where it led when somebody agreed to it.
    let race = Race::new();
    let plain = PathUse { path: "plain".to_owned(), write: false };
    let tree = race.tree.consenting(&[]);
    let (mut read, mut refused) = (0, 0);
    race.run("plain", "secret", |_| {
        match tree.read("plain") {
            Ok(file) => {
                assert_eq!(file.text, "inside");
                read += 1;
            }
            Err(RepoError::Consent { .. }) => refused += 1,
            Err(_) => {}
        }
        true
    });
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
    // Consent to one place is none to another.
    assert!(tree.consenting(&[plain]).read(".env").is_err());
    let env = PathUse { path: ".env".to_owned(), write: false };
    assert_eq!(tree.consenting(&[env]).read(".env").unwrap().text, "secret");
}
