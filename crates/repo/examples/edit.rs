//! Measures one edit and an edit of five files, against what the disk itself takes to write and rename one file.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use ox_repo::{Change, RepoError, Tree};

const ROUNDS: usize = 300;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Given a folder, on its file system: `cargo run --release -p ox-repo --example edit -- /dev/shm`.
    let place = std::env::args().nth(1).map_or_else(std::env::temp_dir, Into::into);
    let dir = tempfile::tempdir_in(place)?;
    let (root, state) = (dir.path().join("tree"), dir.path().join("state"));
    std::fs::create_dir_all(&root)?;
    std::fs::create_dir_all(&state)?;
    let tree = Tree::open(&root, &[])?.with_journal(&state);
    let text = "fn main() { println!(\"hello\"); }\n".repeat(60);
    let names: Vec<String> = (0..5).map(|it| format!("file{it}.rs")).collect();
    for name in &names {
        tree.create(name, &text)?;
    }
    // In turn, so that other load on the disk falls on all of them alike.
    let mut times = [(); 4].map(|()| Vec::new());
    for round in 0..ROUNDS {
        let new = format!("{text}// {round}\n");
        times[0].push(timed(|| plain(&root.join("plain"), &new, false))?);
        times[1].push(timed(|| plain(&root.join("plain"), &new, true))?);
        times[2].push(timed(|| edit(&tree, &names[..1], &new))?);
        times[3].push(timed(|| edit(&tree, &names, &new))?);
    }
    let what = ["write, fsync, rename", "the same and fsync of the folder", "edit of one file", "edit of five files"];
    for (what, times) in what.iter().zip(&mut times) {
        times.sort();
        println!("{what}: median {:?}, p90 {:?}", times[ROUNDS / 2], times[ROUNDS * 9 / 10]);
    }
    Ok(())
}

fn timed<E>(act: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let start = Instant::now();
    act().map(|()| start.elapsed())
}

fn plain(path: &Path, text: &str, folder: bool) -> std::io::Result<()> {
    let temp = path.with_extension("tmp");
    let mut file = std::fs::File::create(&temp)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(temp, path)?;
    match path.parent().filter(|_| folder) {
        Some(parent) => std::fs::File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

fn edit(tree: &Tree, names: &[String], text: &str) -> Result<(), RepoError> {
    let change = |path: &String| Ok(Change::Write { old: tree.read(path)?, path: path.clone(), text: text.to_owned() });
    tree.commit(names.iter().map(change).collect::<Result<_, RepoError>>()?).map(drop)
}
