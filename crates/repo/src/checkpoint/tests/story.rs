//! Whole stories: what a model may do to a tree, and the way back.

use std::process::Command;

use ox_protocol::{ChangeKind, CheckpointReason};

use super::fixture::{Fixture, before, note, undo};
use crate::{Point, RepoError};

fn git(fixture: &Fixture, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(args).current_dir(fixture.at("tree"));
    let out = command.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    assert!(out.status.success(), "{args:?} {}", String::from_utf8_lossy(&out.stderr));
}

/// A repository with everything that git loses.
fn repository() -> Fixture {
    let fixture = Fixture::new();
    fixture.file("src/main.rs", 0o644, "fn main() {}\n");
    fixture.file("src/deep/er/run.sh", 0o755, "#!/bin/sh\n");
    fixture.file(".gitignore", 0o644, "*.log\n.env\nbuild/\n");
    git(&fixture, &["init", "-q"]);
    git(&fixture, &["add", "."]);
    git(&fixture, &["commit", "-q", "-m", "one"]);
    fixture.file("src/main.rs", 0o600, "fn main() { edited() }\n");
    fixture.file("src/untracked.rs", 0o640, "// only here\n");
    fixture.file(".env", 0o600, "KEY=1\n");
    fixture.file("notes.log", 0o444, [0_u8, 255, 13, 10].repeat(5_000));
    fixture.file("build/out.bin", 0o755, "built");
    fixture.file(std::ffi::OsStr::new("name\u{fffd}"), 0o644, "");
    fixture.folder("empty/inside", 0o700);
    fixture.link("src/link", "main.rs");
    fixture.link("dangling", "nowhere/at all");
    fixture.link("loop", "loop");
    fixture
}

#[test]
fn everything_comes_back_after_the_worst() {
    let fixture = repository();
    let state = fixture.state();
    let checkpoints = fixture.open();
    let taken = checkpoints.take(&before(1)).unwrap();
    fixture.remove("src");
    git(&fixture, &["reset", "--hard", "-q"]);
    git(&fixture, &["clean", "-fdxq"]);
    assert!(!fixture.state().contains("KEY=1") && !fixture.state().contains("untracked"));
    let wreck = fixture.state();
    let head = std::fs::read(fixture.path(".git/index")).unwrap();
    checkpoints.take(&note(1, CheckpointReason::AfterCommand)).unwrap();
    let undone = undo(&checkpoints).unwrap().unwrap();
    assert_eq!(fixture.state(), state);
    assert_eq!(undone.to, taken.checkpoint);
    assert!(undone.left.is_empty());
    assert!(undone.files.iter().any(|it| it.path == "src/main.rs" && it.kind == ChangeKind::Modified));
    assert_eq!(std::fs::read(fixture.path(".git/index")).unwrap(), head, "the user's git is not touched");
    // And forward again, in another process.
    let redone = fixture.open().redo(&note(2, CheckpointReason::Asked)).unwrap().unwrap();
    assert_eq!(fixture.state(), wreck);
    assert_eq!(redone.to, undone.before);
    assert_eq!(fixture.open().redo(&note(2, CheckpointReason::Asked)).unwrap(), None);
}

#[test]
fn undo_goes_back_turn_by_turn_and_redo_forward() {
    let fixture = Fixture::new();
    let mut states = Vec::new();
    for turn in 1..=4 {
        fixture.open().take(&before(turn)).unwrap();
        states.push(fixture.state());
        // The third turn changes nothing.
        if turn != 3 {
            fixture.file("a", 0o644, format!("turn {turn}"));
            fixture.open().take(&note(turn, CheckpointReason::AfterCommand)).unwrap();
            fixture.open().take(&note(turn, CheckpointReason::BeforeCall)).unwrap();
            fixture.file(format!("b{turn}"), 0o644, "more");
            fixture.open().take(&note(turn, CheckpointReason::AfterCommand)).unwrap();
        }
    }
    states.push(fixture.state());
    let asked = note(9, CheckpointReason::Asked);
    for state in [3, 1, 0] {
        assert!(undo(&fixture.open()).unwrap().is_some());
        assert_eq!(fixture.state(), states[state], "{state}");
    }
    assert_eq!(undo(&fixture.open()).unwrap(), None);
    for state in [1, 3, 4] {
        assert!(fixture.open().redo(&asked).unwrap().is_some());
        assert_eq!(fixture.state(), states[state], "{state}");
    }
    assert_eq!(fixture.open().redo(&asked).unwrap(), None);
}

#[test]
fn a_change_after_an_undo_is_a_new_line_and_drops_nothing() {
    let fixture = Fixture::new();
    let checkpoints = fixture.open();
    let asked = note(9, CheckpointReason::Asked);
    fixture.file("a", 0o644, "one");
    checkpoints.take(&before(1)).unwrap();
    fixture.file("a", 0o644, "two");
    checkpoints.take(&before(2)).unwrap();
    fixture.file("a", 0o644, "three");
    let undone = undo(&checkpoints).unwrap().unwrap();
    assert_eq!(fixture.state(), "a 644 two\n");
    fixture.file("a", 0o644, "other");
    let error = checkpoints.redo(&asked).unwrap_err();
    assert!(matches!(&error, RepoError::RedoGone { id } if *id == undone.before.id), "{error}");
    assert_eq!(fixture.state(), "a 644 other\n");
    checkpoints.take(&before(3)).unwrap();
    assert!(matches!(checkpoints.redo(&asked), Err(RepoError::RedoGone { .. })));
    fixture.file("a", 0o644, "fourth");
    assert!(undo(&checkpoints).unwrap().is_some());
    assert_eq!(fixture.state(), "a 644 other\n");
    // What was undone first is still there.
    checkpoints.restore(&undone.before.id, &[], &asked).unwrap();
    assert_eq!(fixture.state(), "a 644 three\n");
    // And a restore is undone as a turn is.
    assert!(undo(&checkpoints).unwrap().is_some());
    assert_eq!(fixture.state(), "a 644 other\n");
}

#[test]
fn one_path_is_put_back_alone() {
    let fixture = Fixture::new();
    let checkpoints = fixture.open();
    for name in ["a", "d/b", "d/e/c", "da"] {
        fixture.file(name, 0o644, "old");
    }
    let taken = checkpoints.take(&before(1)).unwrap().checkpoint;
    for name in ["a", "d/b", "d/e/c", "da", "d/new"] {
        fixture.file(name, 0o644, "new");
    }
    let asked = note(9, CheckpointReason::Asked);
    let restored = checkpoints.restore(&taken.id[..5], &["./d/".into()], &asked).unwrap();
    let files: Vec<&str> = restored.files.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(files, ["d/b", "d/e/c", "d/new"]);
    assert_eq!(fixture.state(), "a 644 new\nd/ 755\nd/b 644 old\nd/e/ 755\nd/e/c 644 old\nda 644 new\n");
    fixture.remove("d");
    checkpoints.restore(&taken.id, &["d/e/c".into()], &asked).unwrap();
    assert_eq!(fixture.state(), "a 644 new\nd/ 755\nd/e/ 755\nd/e/c 644 old\nda 644 new\n");
    let error = checkpoints.restore(&taken.id, &["../x".into()], &asked).unwrap_err();
    assert!(matches!(error, RepoError::Outside { .. }), "{error}");
    assert_eq!(checkpoints.diff(&Point::At(taken.id), &Point::Now, Some("d")).unwrap().len(), 1);
}
