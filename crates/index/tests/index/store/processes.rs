//! Several processes with one index.

use std::process::{Child, Command, Stdio};

use ox_index::{Change, Index, Unsaved};
use ox_protocol::ChangeKind;

use super::world::{World, describe, fresh, same, update};

const CHILD: &str = "OX_TEST_INDEX_BESIDE";

fn project() -> World {
    let world = World::new(&[]);
    for number in 0..30 {
        world.write(&format!("src/m{number}.rs"), &format!("pub fn money{number}() -> usize {{ {number} }}\n"));
    }
    world
}

fn beside(world: &World, test: &str) -> Child {
    let test = format!("store::processes::{test}");
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &test])
        .env(CHILD, world.dir.path())
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
    let world = project();
    let mut children = [0, 1, 2].map(|_| beside(&world, "two_processes_at_once_agree_with_a_fresh_index"));
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let index = world.reopened();
    assert_eq!(update(&index, &world.root()).parsed, 0, "what they did was kept");
    same(&describe(&index.snapshot()), &fresh(&world.root()));
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
    let world = project();
    for round in 0..5 {
        world.write("src/m1.rs", &format!("pub fn early{round}() {{}}\n"));
        world.update();
    }
    let (reader, expected) = (world.reopened(), fresh(&world.root()));
    let snapshot = reader.snapshot();
    let names = |world: &World| -> Vec<_> {
        std::fs::read_dir(world.folder())
            .unwrap()
            .map(|it| it.unwrap().file_name())
            .filter(|it| it.to_string_lossy().starts_with('s'))
            .collect()
    };
    let before = names(&world);
    let child = beside(&world, "a_reader_keeps_its_view_while_another_process_replaces_everything").wait().unwrap();
    assert!(child.success());
    let gone = before.iter().filter(|it| !names(&world).contains(it)).count();
    assert!(gone >= 3, "segments of it are gone from the disk: {gone}");
    assert_eq!(describe(&snapshot), expected);
    assert_eq!(describe(&reader.snapshot()), expected);
    update(&reader, &world.root());
    same(&describe(&reader.snapshot()), &fresh(&world.root()));
}

#[test]
fn who_may_not_write_works_in_memory_and_writes_later() {
    let world = project();
    world.update();
    let lock = std::fs::File::options().write(true).open(world.folder().join("lock")).unwrap();
    lock.lock().unwrap();
    world.write("src/m2.rs", "pub fn money_of_mine() {}\n");
    let report = world.update();
    assert_eq!((report.parsed, &report.unsaved), (1, &Some(Unsaved::Busy)));
    world.same_as_fresh();
    assert_eq!(world.index.save(), Some(Unsaved::Busy));
    lock.unlock().unwrap();
    assert_eq!(world.index.save(), None);
    world.same_as_fresh();
    assert_eq!(update(&world.reopened(), &world.root()).parsed, 0);
}

#[test]
fn edits_of_one_process_outlive_the_writing_of_another() {
    let world = project();
    world.update();
    let other = world.reopened();
    world.write("src/m3.rs", "pub fn edited_here() {}\n");
    let change = |path: &str| Change { path: path.to_owned(), kind: ChangeKind::Modified, from: None };
    world.index.change(&[change("src/m3.rs")], &|path| std::fs::read(world.root().join(path))).unwrap();
    world.write("src/m4.rs", "pub fn edited_there() {}\n");
    update(&other, &world.root());
    assert_eq!(world.index.save(), None);
    let places = |index: &Index, name: &str| index.snapshot().defined(name, ox_index::How::Exact, 5).len();
    assert_eq!(places(&world.index, "edited_here"), 1);
    world.update();
    world.same_as_fresh();
    assert_eq!(places(&world.index, "edited_there"), 1);
}
