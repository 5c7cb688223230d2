//! Several processes with one index.

use std::process::{Child, Command, Stdio};

use ox_index::{Change, Index, Unsaved};
use ox_protocol::ChangeKind;

use super::fixture::{Fixture, describe, fresh, same, update};

const CHILD: &str = "OX_TEST_INDEX_BESIDE";

fn project() -> Fixture {
    let fixture = Fixture::new(&[]);
    for number in 0..30 {
        fixture.write(&format!("src/m{number}.rs"), &format!("pub fn money{number}() -> usize {{ {number} }}\n"));
    }
    fixture
}

fn beside(fixture: &Fixture, test: &str) -> Child {
    let test = format!("store::processes::{test}");
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &test])
        .env(CHILD, fixture.dir.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn two_processes_at_once_agree_with_a_fresh_index() {
    if let Some(dir) = std::env::var_os(CHILD) {
        let dir = std::path::Path::new(&dir);
        for _ in 0..15 {
            let index = Index::open(&dir.join("cache"), "the project").unwrap();
            update(&index, &dir.join("tree"));
            same(&describe(&index.snapshot()), &fresh(&dir.join("tree")));
        }
        return;
    }
    let fixture = project();
    let mut children = [0, 1, 2].map(|_| beside(&fixture, "two_processes_at_once_agree_with_a_fresh_index"));
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let index = fixture.reopened();
    assert_eq!(update(&index, &fixture.root()).parsed, 0, "what they did was kept");
    same(&describe(&index.snapshot()), &fresh(&fixture.root()));
}

#[test]
fn a_reader_keeps_its_view_while_another_process_replaces_everything() {
    if let Some(dir) = std::env::var_os(CHILD) {
        let dir = std::path::Path::new(&dir);
        let index = Index::open(&dir.join("cache"), "the project").unwrap();
        for round in 0..30 {
            std::fs::write(dir.join("tree/src/m1.rs"), format!("pub fn other{round}() {{}}\n")).unwrap();
            update(&index, &dir.join("tree"));
        }
        return;
    }
    let fixture = project();
    for round in 0..5 {
        fixture.write("src/m1.rs", &format!("pub fn early{round}() {{}}\n"));
        fixture.update();
    }
    let (reader, expected) = (fixture.reopened(), fresh(&fixture.root()));
    let snapshot = reader.snapshot();
    let names = |fixture: &Fixture| -> Vec<_> {
        std::fs::read_dir(fixture.folder())
            .unwrap()
            .map(|it| it.unwrap().file_name())
            .filter(|it| it.to_string_lossy().starts_with('s'))
            .collect()
    };
    let before = names(&fixture);
    let child = beside(&fixture, "a_reader_keeps_its_view_while_another_process_replaces_everything").wait().unwrap();
    assert!(child.success());
    let gone = before.iter().filter(|it| !names(&fixture).contains(it)).count();
    assert!(gone >= 3, "segments of it are gone from the disk: {gone}");
    assert_eq!(describe(&snapshot), expected);
    assert_eq!(describe(&reader.snapshot()), expected);
    update(&reader, &fixture.root());
    same(&describe(&reader.snapshot()), &fresh(&fixture.root()));
}

#[test]
fn who_may_not_write_works_in_memory_and_writes_later() {
    let fixture = project();
    fixture.update();
    let lock = std::fs::File::options().write(true).open(fixture.folder().join("lock")).unwrap();
    lock.lock().unwrap();
    fixture.write("src/m2.rs", "pub fn money_of_mine() {}\n");
    let report = fixture.update();
    assert_eq!((report.parsed, &report.unsaved), (1, &Some(Unsaved::Busy)));
    fixture.same_as_fresh();
    assert_eq!(fixture.index.save(), Some(Unsaved::Busy));
    lock.unlock().unwrap();
    assert_eq!(fixture.index.save(), None);
    fixture.same_as_fresh();
    assert_eq!(update(&fixture.reopened(), &fixture.root()).parsed, 0);
}

#[test]
fn edits_of_one_process_outlive_the_writing_of_another() {
    let fixture = project();
    fixture.update();
    let other = fixture.reopened();
    fixture.write("src/m3.rs", "pub fn edited_here() {}\n");
    let change = |path: &str| Change { path: path.to_owned(), kind: ChangeKind::Modified, from: None };
    fixture.index.change(&[change("src/m3.rs")], &|path| std::fs::read(fixture.root().join(path))).unwrap();
    fixture.write("src/m4.rs", "pub fn edited_there() {}\n");
    update(&other, &fixture.root());
    assert_eq!(fixture.index.save(), None);
    let places = |index: &Index, name: &str| index.snapshot().defined(name, ox_index::How::Exact, 5).len();
    assert_eq!(places(&fixture.index, "edited_here"), 1);
    fixture.update();
    fixture.same_as_fresh();
    assert_eq!(places(&fixture.index, "edited_there"), 1);
}
