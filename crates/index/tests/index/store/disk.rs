//! A cache that cannot be written: a full disk, a file where the folder should be.

use std::process::Command;

use ox_index::{Change, Index, Unsaved};
use ox_protocol::ChangeKind;

use super::fixture::{Fixture, describe, fresh, same, update};

const CHILD: &str = "OX_TEST_INDEX_FULL";

fn project() -> Fixture {
    let fixture = Fixture::new(&[]);
    for number in 0..40 {
        let functions: String =
            (0..30).map(|it| format!("pub fn money{number}_{it}() -> usize {{ {it} }}\n")).collect();
        fixture.write(&format!("src/m{number}.rs"), &functions);
    }
    fixture
}

#[test]
fn without_a_folder_to_write_to_the_index_is_in_memory() {
    let fixture = project();
    std::fs::write(fixture.cache(), "a file").unwrap();
    let report = fixture.update();
    assert!(matches!(report.unsaved, Some(Unsaved::Refused(_))), "{report:?}");
    fixture.same_as_fresh();
    fixture.write("src/m1.rs", "pub fn money_again() {}\n");
    assert_eq!(fixture.update().parsed, 1);
    fixture.same_as_fresh();
    // Once it can be written, it is.
    std::fs::remove_file(fixture.cache()).unwrap();
    assert_eq!(fixture.index.save(), None);
    assert_eq!(update(&fixture.reopened(), &fixture.root()).parsed, 0);
}

/// Runs behind a mount of its own that has little room.
fn with_little_room(dir: &std::path::Path) {
    let (root, cache) = (dir.join("tree"), dir.join("cache"));
    let index = Index::open(&cache, "the project").unwrap();
    let filler = cache.join("filler");
    std::fs::write(&filler, vec![1; 980_000]).unwrap();
    let report = update(&index, &root);
    assert!(matches!(report.unsaved, Some(Unsaved::Full(_))), "{report:?}");
    assert_eq!(report.parsed, 40);
    same(&describe(&index.snapshot()), &fresh(&root));
    // Another process finds nothing broken and does the same.
    let other = Index::open(&cache, "the project").unwrap();
    assert_eq!(update(&other, &root).broken, Vec::<String>::new());
    same(&describe(&other.snapshot()), &fresh(&root));
    std::fs::remove_file(filler).unwrap();
    assert_eq!(index.save(), None, "there is room again");
    assert_eq!(update(&Index::open(&cache, "the project").unwrap(), &root).parsed, 0);
    // Full in the middle of a life.
    std::fs::write(cache.join("filler"), vec![1; 4 << 20]).unwrap_err();
    std::fs::write(root.join("src/m1.rs"), "pub fn money_again() {}\n".repeat(2_000)).unwrap();
    let report = update(&index, &root);
    assert!(matches!(report.unsaved, Some(Unsaved::Full(_))), "{report:?}");
    same(&describe(&index.snapshot()), &fresh(&root));
    let other = Index::open(&cache, "the project").unwrap();
    assert_eq!(update(&other, &root).broken, Vec::<String>::new(), "what was there before still stands");
    same(&describe(&other.snapshot()), &fresh(&root));
    // An edit is taken in all the same, and written when there is room.
    std::fs::write(root.join("src/m2.rs"), "pub fn money_once_more() {}\n").unwrap();
    let change = Change { path: "src/m2.rs".to_owned(), kind: ChangeKind::Modified, from: None };
    index.change(&[change], &|path| std::fs::read(root.join(path))).unwrap();
    assert!(matches!(index.save(), Some(Unsaved::Full(_))));
    same(&describe(&index.snapshot()), &fresh(&root));
    std::fs::remove_file(cache.join("filler")).unwrap();
    assert_eq!(index.save(), None);
    same(&describe(&Index::open(&cache, "the project").unwrap().snapshot()), &fresh(&root));
}

#[test]
fn a_full_disk_leaves_an_index_in_memory() {
    if let Some(dir) = std::env::var_os(CHILD) {
        return with_little_room(std::path::Path::new(&dir));
    }
    let fixture = project();
    std::fs::create_dir(fixture.cache()).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=1m ox-test '{}' || exit 77\n\
         exec '{}' --exact store::disk::a_full_disk_leaves_an_index_in_memory --nocapture",
        fixture.cache().display(),
        std::env::current_exe().unwrap().display()
    );
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]).env(CHILD, fixture.dir.path());
    let Ok(out) = command.output() else { return skip("unshare is not installed") };
    let said = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
    match out.status.code() {
        Some(0) => assert!(said.contains("1 passed"), "{said}"),
        Some(77) => skip(&said),
        _ if said.contains("unshare failed") => skip(&said),
        _ => panic!("{said}"),
    }
}

/// Says why the test was not made; on the machine that must make all of them that is a failure.
fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: a file system of limited size cannot be mounted here: {why}");
}
