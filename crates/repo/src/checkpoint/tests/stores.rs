//! The store itself: that git can read it, what is left out, its limits, damage, and several processes at once.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use ox_protocol::CheckpointReason;

use super::super::store::Store;
use super::back::git;
use super::fixture::{Fixture, before, note, undo};
use crate::{Limits, Note, Point, RepoError, Skip};

fn store(fixture: &Fixture) -> PathBuf {
    let mut found = fs::read_dir(fixture.at("state/checkpoints")).unwrap().map(|it| it.unwrap().path());
    found.find(|it| it.extension().is_none()).unwrap()
}

fn asked() -> Note {
    note(9, CheckpointReason::Asked)
}

#[test]
fn git_can_read_the_store_and_nobody_else_can() {
    let fixture = Fixture::new();
    fixture.file("src/a.rs", 0o644, "fn a() {}\n".repeat(2_000));
    fixture.file("b", 0o755, [0_u8, 1, 2]);
    fixture.link("l", "b");
    let checkpoints = fixture.open();
    checkpoints.take(&before(1)).unwrap();
    fixture.file("b", 0o755, [3_u8; 9]);
    checkpoints.take(&before(2)).unwrap();
    let store = store(&fixture);
    let git = |args: &[&str]| {
        let out = Command::new("git").arg("--git-dir").arg(&store).args(args).output().unwrap();
        assert!(out.status.success(), "{args:?} {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let mut packs = 0;
    for entry in fs::read_dir(store.join("objects/pack")).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600, "{}", path.display());
        if path.extension().is_some_and(|it| it == "idx") {
            packs += 1;
            git(&["verify-pack", path.to_str().unwrap()]);
        }
    }
    assert_eq!(packs, 2);
    let objects = git(&["cat-file", "--batch-check", "--batch-all-objects"]);
    let commits: Vec<&str> = objects.lines().filter(|it| it.contains(" commit ")).collect();
    assert_eq!(commits.len(), 2, "{objects}");
    let id = commits[0].split(' ').next().unwrap();
    assert_eq!(git(&["ls-tree", "-r", "--name-only", id]), "b\nl\nsrc/a.rs\n");
    assert_eq!(git(&["show", &format!("{id}:src/a.rs")]), "fn a() {}\n".repeat(2_000));
    for path in [store.clone(), fixture.at("state/checkpoints")] {
        assert_eq!(path.metadata().unwrap().mode() & 0o077, 0, "{}", path.display());
    }
}

#[test]
fn what_is_left_out_is_said_and_never_touched() {
    let fixture = Fixture::new();
    fixture.file("a", 0o644, "a");
    fixture.file("large", 0o644, "x".repeat(2_000));
    fixture.file("node_modules/m/index.js", 0o644, "m");
    fixture.file("nested/.git/config", 0o644, "theirs");
    fixture.file("nested/file", 0o644, "kept");
    fixture.file("tagged/CACHEDIR.TAG", 0o644, "Signature");
    fixture.file("target/few", 0o644, "kept, since it is small");
    rustix::fs::mkfifoat(rustix::fs::CWD, fixture.path("pipe"), rustix::fs::Mode::from_raw_mode(0o644)).unwrap();
    (0..1_100).for_each(|it| fixture.file(format!("build/{it}"), 0o644, "x"));
    let limits = Limits { file: 1_000, ..Limits::default() };
    let checkpoints = fixture.open_with(limits);
    let taken = checkpoints.take(&before(1)).unwrap();
    let skipped: Vec<(&str, Skip)> = taken.skipped.iter().map(|it| (it.path.as_str(), it.why)).collect();
    let expected = [
        ("build", Skip::Built),
        ("large", Skip::TooLarge),
        ("node_modules", Skip::Derived),
        ("pipe", Skip::Special),
        ("tagged", Skip::Derived),
        ("nested/.git", Skip::Git),
    ];
    assert_eq!(skipped, expected);
    assert_eq!(taken.checkpoint.files, 3);
    let state = fixture.state();
    fixture.remove("nested/file");
    fixture.remove("a");
    fixture.file("later", 0o644, "later");
    checkpoints.restore(&taken.checkpoint.id, &[], &asked()).unwrap();
    assert_eq!(fixture.state(), state);
    // What was small when it was recorded and is large now is not lost, and that is said.
    fixture.file("a", 0o644, "x".repeat(3_000));
    let restored = checkpoints.restore(&taken.checkpoint.id, &[], &asked()).unwrap();
    assert_eq!(restored.left.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(fs::read(fixture.path("a")).unwrap().len(), 3_000);
}

#[test]
fn a_folder_of_source_code_is_kept_whatever_its_name() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path(".git")).unwrap();
    fixture.file(".gitignore", 0o644, "/dist/\n");
    for folder in ["build", "dist"] {
        (0..1_100).for_each(|it| fixture.file(format!("{folder}/{it}"), 0o644, "x"));
    }
    let taken = fixture.open().take(&before(1)).unwrap();
    assert_eq!(taken.skipped.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["dist"]);
    assert_eq!(taken.checkpoint.files, 1_101);
}

#[test]
fn each_limit_is_reached() {
    let fixture = Fixture::new();
    for (name, size) in [("a", 100), ("b", 200), ("c", 300)] {
        fixture.file(name, 0o644, "x".repeat(size));
    }
    let taken = fixture.open_with(Limits { tree: 350, ..Limits::default() }).take(&before(1)).unwrap();
    assert_eq!(
        taken.skipped.iter().map(|it| (it.path.as_str(), it.why)).collect::<Vec<_>>(),
        [("c", Skip::TreeTooLarge)]
    );
    let error = fixture.open_with(Limits { entries: 2, ..Limits::default() }).take(&before(2)).unwrap_err();
    assert!(matches!(error, RepoError::TooMany { limit: 2, .. }), "{error}");
    let checkpoints = fixture.open_with(Limits { store: 4_000, ..Limits::default() });
    for turn in 3..12 {
        // What cannot be compressed.
        let noise: Vec<u8> =
            (0..40_u32).flat_map(|it| *crate::Hash::of(&(it * 100 + turn).to_le_bytes()).bytes()).collect();
        fixture.file("a", 0o644, noise);
        let conversation = if turn < 8 { "old" } else { "new" };
        checkpoints.take(&Note { conversation: conversation.into(), ..before(turn) }).unwrap();
    }
    let list = checkpoints.list().unwrap();
    let mine: Vec<u32> = list.iter().filter(|it| it.conversation == "new").map(|it| it.turn).collect();
    assert_eq!(mine, [8, 9, 10, 11], "never the current conversation's");
    assert!(list.len() <= 5, "{list:?}");
    assert!(checkpoints.reported().iter().all(|it| it.contains("oldest were given up")));
    let state = fixture.state();
    checkpoints.restore(&list[0].id, &[], &asked()).unwrap();
    assert!(undo(&checkpoints).unwrap().is_some());
    assert_eq!(fixture.state(), state);
}

#[test]
fn of_too_many_files_those_that_git_tracks_are_kept() {
    for version in ["2", "4"] {
        let fixture = Fixture::new();
        for path in ["a", "src/deep/b", "src/deep/bb", "x".repeat(200).as_str()] {
            fixture.file(path, 0o644, "old");
        }
        git(&fixture, &["init", "-q"]);
        git(&fixture, &["add", "."]);
        git(&fixture, &["update-index", "--index-version", version]);
        (0..200).for_each(|it| fixture.file(format!("data/{it}"), 0o644, "not tracked"));
        let checkpoints = fixture.open_with(Limits { entries: 100, ..Limits::default() });
        let taken = checkpoints.take(&before(1)).unwrap();
        assert_eq!((taken.checkpoint.files, taken.skipped.len()), (4, 0));
        let reported = checkpoints.reported();
        assert!(reported.len() == 1 && reported[0].contains("only what git tracks"), "{reported:?}");
        let state = fixture.state();
        fixture.file("src/deep/b", 0o644, "new");
        checkpoints.take(&note(1, CheckpointReason::AfterCommand)).unwrap();
        assert!(undo(&checkpoints).unwrap().is_some());
        assert_eq!(fixture.state(), state);
    }
}

#[test]
fn a_damaged_store_is_put_aside_and_the_tree_kept() {
    for file in ["records", "idx", "pack"] {
        let fixture = Fixture::new();
        fixture.file("a", 0o644, "a");
        fixture.open().take(&before(1)).unwrap();
        fixture.file("a", 0o644, "b");
        fixture.open().take(&before(2)).unwrap();
        let store = store(&fixture);
        let mut found = fs::read_dir(store.join("objects/pack")).unwrap().map(|it| it.unwrap().path());
        let path = match file {
            "records" => store.join("records"),
            ending => found.find(|it| it.extension().is_some_and(|it| it.as_bytes() == ending.as_bytes())).unwrap(),
        };
        let mut bytes = fs::read(&path).unwrap();
        let middle = if file == "records" { 40 } else { bytes.len() - 1 };
        bytes[middle] ^= 0xff;
        if file == "idx" {
            bytes.truncate(500);
        }
        fs::write(&path, &bytes).unwrap();
        fixture.file("a", 0o644, "c");
        let checkpoints = fixture.open();
        let taken = checkpoints.take(&before(3)).unwrap();
        assert_eq!(checkpoints.list().unwrap(), [taken.checkpoint], "{file}");
        let reported = checkpoints.reported();
        assert!(reported.len() == 1 && reported[0].contains("damaged"), "{file} {reported:?}");
        assert!(store.with_extension("damaged1").join("records").exists());
        assert_eq!(fixture.state(), "a 644 c\n");
    }
}

#[test]
fn a_size_that_cannot_be_is_damage() {
    let fixture = Fixture::new();
    fixture.file("a", 0o644, "a");
    let checkpoints = fixture.open();
    let id = checkpoints.take(&before(1)).unwrap().checkpoint.id;
    let mut found = fs::read_dir(store(&fixture).join("objects/pack")).unwrap().map(|it| it.unwrap().path());
    let path = found.find(|it| it.extension().is_some_and(|it| it == "pack")).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    // The first object says that it has sixteen gigabytes less one byte.
    bytes[12..17].copy_from_slice(&[0xbf, 0xff, 0xff, 0xff, 0xff]);
    bytes[17] = 0x03;
    fs::write(&path, bytes).unwrap();
    let error = fixture.open().content(&id, "a").unwrap_err();
    assert!(matches!(error, RepoError::CheckpointsDamaged { .. }), "{error}");
}

#[test]
fn one_process_writes_and_the_others_wait_or_are_reported() {
    let fixture = Fixture::new();
    fixture.file("a", 0o644, "a");
    std::thread::scope(|scope| {
        for turn in 0..8 {
            let fixture = &fixture;
            scope.spawn(move || fixture.open().take(&before(turn)).unwrap());
        }
    });
    assert_eq!(fixture.open().list().unwrap().len(), 1);
    let root = fixture.at("tree").canonicalize().unwrap();
    let (mut one, mut other) = (Store::new(&fixture.at("state"), &root), Store::new(&fixture.at("state"), &root));
    let _guard = one.lock().unwrap();
    let error = other.lock_within(Duration::from_millis(20)).err().unwrap();
    assert!(matches!(error, RepoError::CheckpointsBusy { .. }), "{error}");
}

#[test]
fn the_draft_of_another_process_is_left_alone() {
    let fixture = Fixture::new();
    fixture.file("a", 0o644, "a");
    let checkpoints = fixture.open();
    let taken = checkpoints.take(&before(1)).unwrap();
    let draft = store(&fixture).join("objects/pack/draft.tmp");
    // Another process is in the middle of a pack.
    fs::write(&draft, "half").unwrap();
    let root = fixture.at("tree").canonicalize().unwrap();
    let mut other = Store::new(&fixture.at("state"), &root);
    let guard = other.lock().unwrap();
    fixture.file("a", 0o644, "b");
    let checkpoints = fixture.open();
    assert_eq!(checkpoints.list().unwrap().len(), 1);
    let begin = Point::At(taken.checkpoint.id);
    assert_eq!(checkpoints.diff(&begin, &Point::Now, None).unwrap().len(), 1);
    assert_eq!(fs::read_to_string(&draft).unwrap(), "half");
    drop(guard);
    checkpoints.take(&before(2)).unwrap();
    assert!(!draft.exists(), "whoever has the store takes the draft's place");
}

#[test]
fn names_of_all_kinds_come_back() {
    let fixture = Fixture::new();
    let odd = std::ffi::OsStr::from_bytes(b"not \xff\xfe text\n");
    fixture.file(odd, 0o644, "odd");
    fixture.file("x".repeat(255), 0o644, "long");
    let deep = vec!["d".repeat(200); 15].join("/");
    fixture.file(&deep, 0o644, "deep");
    fixture.file("Case", 0o644, "upper");
    let checkpoints = fixture.open();
    let taken = checkpoints.take(&before(1)).unwrap();
    let state = fixture.state();
    fs::rename(fixture.path("Case"), fixture.path("case")).unwrap();
    fixture.remove(odd);
    fixture.remove("x".repeat(255));
    fixture.remove("d".repeat(200));
    checkpoints.restore(&taken.checkpoint.id, &[], &asked()).unwrap();
    assert_eq!(fixture.state(), state);
    // A part of a name is no name.
    assert!(matches!(checkpoints.find(""), Err(RepoError::NoCheckpoint { .. })));
    assert!(matches!(checkpoints.find("zz"), Err(RepoError::NoCheckpoint { .. })));
}

#[test]
fn the_state_folder_in_the_tree_is_not_recorded() {
    let fixture = Fixture::new();
    fixture.file("a", 0o644, "a");
    let state = fixture.path(".state");
    let tree = crate::Tree::open(&fixture.at("tree"), &[]).unwrap();
    let checkpoints = crate::Checkpoints::open(&state, &tree).unwrap();
    assert!(checkpoints.take(&before(1)).unwrap().new);
    assert!(!checkpoints.take(&before(2)).unwrap().new);
    fs::set_permissions(fixture.path("a"), fs::Permissions::from_mode(0o600)).unwrap();
    assert!(checkpoints.take(&before(3)).unwrap().new);
}
