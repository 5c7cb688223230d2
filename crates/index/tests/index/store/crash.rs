//! Damage: a writer that is killed, files that are torn, changed or missing, and another version's cache.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::fixture::{Fixture, describe, fresh, same, update};

const CHILD: &str = "OX_TEST_INDEX_TREE";

fn project() -> Fixture {
    let fixture = Fixture::new(&[("src/lib.rs", "pub mod money;\n")]);
    for number in 0..12 {
        fixture.write(&format!("src/m{number}.rs"), &format!("pub fn money{number}() -> usize {{ {number} }}\n"));
    }
    fixture
}

/// Changes the tree and writes the index for ever, a line for each round.
fn write_for_ever(dir: &Path) -> ! {
    let (root, index) = (dir.join("tree"), ox_index::Index::open(&dir.join("cache"), "the project").unwrap());
    for round in 0.. {
        for number in 0..5 {
            let text = format!("/// Round {round}.\npub fn money{number}() -> usize {{ {} }}\n", round * 7 + number);
            std::fs::write(root.join(format!("src/m{number}.rs")), text).unwrap();
        }
        update(&index, &root);
        println!("round {round}");
    }
    unreachable!("the rounds never end")
}

#[test]
fn a_killed_writer_leaves_a_right_index() {
    if let Some(dir) = std::env::var_os(CHILD) {
        write_for_ever(Path::new(&dir));
    }
    let fixture = project();
    for kill in 0..12 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::crash::a_killed_writer_leaves_a_right_index", "--nocapture"])
            .env(CHILD, fixture.dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let round = format!("round {}", kill % 4);
        assert!(lines.any(|it| it.ends_with(&round)), "the child writes");
        // From the end of one round to some moment of the next.
        let mut spin = 0u64;
        for step in 0..kill * 300_000 {
            spin = std::hint::black_box(spin.wrapping_add(step));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let index = fixture.reopened();
        let report = update(&index, &fixture.root());
        assert_eq!((report.unsaved, report.broken), (None, Vec::new()), "kill {kill}");
        same(&describe(&index.snapshot()), &fresh(&fixture.root()));
    }
}

/// Takes in edits for ever, one by one, a line for each; they are brought to disk in the background.
fn edit_for_ever(dir: &Path) -> ! {
    let (root, index) = (dir.join("tree"), ox_index::Index::open(&dir.join("cache"), "the project").unwrap());
    update(&index, &root);
    for round in 0.. {
        let path = format!("src/m{}.rs", round % 12);
        std::fs::write(root.join(&path), format!("pub fn edited{round}() -> usize {{ {round} }}\n")).unwrap();
        let change = ox_index::Change { path, kind: ox_protocol::ChangeKind::Modified, from: None };
        index.change(&[change], &|path| std::fs::read(root.join(path))).unwrap();
        println!("round {round}");
        if round % 16 == 15 {
            // Every other time the end comes while this is written.
            index.save();
        }
    }
    unreachable!("the rounds never end")
}

#[test]
fn edits_that_were_not_yet_written_are_found_again_after_a_kill() {
    if let Some(dir) = std::env::var_os(CHILD) {
        edit_for_ever(Path::new(&dir));
    }
    let fixture = project();
    for kill in 0..8usize {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "store::crash::edits_that_were_not_yet_written_are_found_again_after_a_kill",
                "--nocapture",
            ])
            .env(CHILD, fixture.dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let last = if kill % 2 == 0 { 3 + kill } else { 15 };
        assert!(lines.any(|it| it.ends_with(&format!("round {last}"))), "the child edits");
        child.kill().unwrap();
        child.wait().unwrap();
        let index = fixture.reopened();
        let report = update(&index, &fixture.root());
        assert_eq!((report.unsaved, report.broken), (None, Vec::new()), "kill {kill}");
        assert!(report.parsed + report.reused > 0, "kill {kill}: what was edited is looked at again");
        same(&describe(&index.snapshot()), &fresh(&fixture.root()));
    }
}

/// All files of the cache that say something.
fn cached(fixture: &Fixture) -> Vec<PathBuf> {
    let (mut all, mut open) = (Vec::new(), vec![fixture.cache()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path()),
                false => all.push(entry.path()),
            }
        }
    }
    all.retain(|it| std::fs::metadata(it).unwrap().len() > 0);
    all.sort();
    all
}

#[test]
fn every_damaged_file_is_noticed_and_built_again() {
    let count = {
        let fixture = project();
        fixture.update();
        cached(&fixture).len()
    };
    assert!(count >= 6, "the cache has several files: {count}");
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 4] = [
        ("changed", |it| {
            let mut bytes = std::fs::read(it).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x10;
            std::fs::write(it, bytes).unwrap();
        }),
        ("cut", |it| {
            let bytes = std::fs::read(it).unwrap();
            std::fs::write(it, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("emptied", |it| std::fs::write(it, "").unwrap()),
        ("removed", |it| std::fs::remove_file(it).unwrap()),
    ];
    for file in 0..count {
        for (how, damage) in damages {
            let fixture = project();
            fixture.update();
            let place = cached(&fixture)[file].clone();
            let shown = place.strip_prefix(fixture.folder()).unwrap().display().to_string();
            damage(&place);
            let index = fixture.reopened();
            let report = update(&index, &fixture.root());
            same(&describe(&index.snapshot()), &fresh(&fixture.root()));
            assert_eq!(report.parsed, 13, "{shown} {how}");
            // A manifest that is not there is no damage but a new beginning.
            assert_eq!(report.broken.is_empty(), shown == "manifest" && how == "removed", "{shown} {how}: {report:?}");
            let again = update(&fixture.reopened(), &fixture.root());
            assert_eq!((again.parsed, again.broken), (0, Vec::new()), "{shown} {how}: it is whole again");
        }
    }
}

#[test]
fn a_cache_of_another_version_is_set_aside() {
    let fixture = project();
    fixture.update();
    let manifest = fixture.folder().join("manifest");
    let mut bytes = std::fs::read(&manifest).unwrap();
    bytes[8] += 1;
    std::fs::write(&manifest, bytes).unwrap();
    let index = fixture.reopened();
    assert!(index.snapshot().is_empty());
    let report = update(&index, &fixture.root());
    assert!(report.broken[0].contains("another version"), "{report:?}");
    assert!(fixture.folder().join("manifest.aside").exists());
    same(&describe(&index.snapshot()), &fresh(&fixture.root()));
}
