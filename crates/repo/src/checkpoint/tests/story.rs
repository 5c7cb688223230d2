//! Whole stories: what a model may do to a tree, and the way back.

use std::process::Command;

use ox_protocol::{ChangeKind, CheckpointReason};

use super::world::{World, before, note, undo};
use crate::{Point, RepoError};

fn git(world: &World, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(args).current_dir(world.at("tree"));
    let out = command.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    assert!(out.status.success(), "{args:?} {}", String::from_utf8_lossy(&out.stderr));
}

/// A repository with everything that git loses.
fn repository() -> World {
    let world = World::new();
    world.file("src/main.rs", 0o644, "fn main() {}\n");
    world.file("src/deep/er/run.sh", 0o755, "#!/bin/sh\n");
    world.file(".gitignore", 0o644, "*.log\n.env\nbuild/\n");
    git(&world, &["init", "-q"]);
    git(&world, &["add", "."]);
    git(&world, &["commit", "-q", "-m", "one"]);
    world.file("src/main.rs", 0o600, "fn main() { edited() }\n");
    world.file("src/untracked.rs", 0o640, "// only here\n");
    world.file(".env", 0o600, "KEY=1\n");
    world.file("notes.log", 0o444, [0_u8, 255, 13, 10].repeat(5_000));
    world.file("build/out.bin", 0o755, "built");
    world.file(std::ffi::OsStr::new("name\u{fffd}"), 0o644, "");
    world.folder("empty/inside", 0o700);
    world.link("src/link", "main.rs");
    world.link("dangling", "nowhere/at all");
    world.link("loop", "loop");
    world
}

#[test]
fn everything_comes_back_after_the_worst() {
    let world = repository();
    let state = world.state();
    let checkpoints = world.open();
    let taken = checkpoints.take(&before(1)).unwrap();
    world.remove("src");
    git(&world, &["reset", "--hard", "-q"]);
    git(&world, &["clean", "-fdxq"]);
    assert!(!world.state().contains("KEY=1") && !world.state().contains("untracked"));
    let wreck = world.state();
    let head = std::fs::read(world.path(".git/index")).unwrap();
    checkpoints.take(&note(1, CheckpointReason::AfterCommand)).unwrap();
    let undone = undo(&checkpoints).unwrap().unwrap();
    assert_eq!(world.state(), state);
    assert_eq!(undone.to, taken.checkpoint);
    assert!(undone.left.is_empty());
    assert!(undone.files.iter().any(|it| it.path == "src/main.rs" && it.kind == ChangeKind::Modified));
    assert_eq!(std::fs::read(world.path(".git/index")).unwrap(), head, "the user's git is not touched");
    // And forward again, in another process.
    let redone = world.open().redo(&note(2, CheckpointReason::Asked)).unwrap().unwrap();
    assert_eq!(world.state(), wreck);
    assert_eq!(redone.to, undone.before);
    assert_eq!(world.open().redo(&note(2, CheckpointReason::Asked)).unwrap(), None);
}

#[test]
fn undo_goes_back_turn_by_turn_and_redo_forward() {
    let world = World::new();
    let mut states = Vec::new();
    for turn in 1..=4 {
        world.open().take(&before(turn)).unwrap();
        states.push(world.state());
        // The third turn changes nothing.
        if turn != 3 {
            world.file("a", 0o644, format!("turn {turn}"));
            world.open().take(&note(turn, CheckpointReason::AfterCommand)).unwrap();
            world.open().take(&note(turn, CheckpointReason::BeforeCall)).unwrap();
            world.file(format!("b{turn}"), 0o644, "more");
            world.open().take(&note(turn, CheckpointReason::AfterCommand)).unwrap();
        }
    }
    states.push(world.state());
    let asked = note(9, CheckpointReason::Asked);
    for state in [3, 1, 0] {
        assert!(undo(&world.open()).unwrap().is_some());
        assert_eq!(world.state(), states[state], "{state}");
    }
    assert_eq!(undo(&world.open()).unwrap(), None);
    for state in [1, 3, 4] {
        assert!(world.open().redo(&asked).unwrap().is_some());
        assert_eq!(world.state(), states[state], "{state}");
    }
    assert_eq!(world.open().redo(&asked).unwrap(), None);
}

#[test]
fn a_change_after_an_undo_is_a_new_line_and_drops_nothing() {
    let world = World::new();
    let checkpoints = world.open();
    let asked = note(9, CheckpointReason::Asked);
    world.file("a", 0o644, "one");
    checkpoints.take(&before(1)).unwrap();
    world.file("a", 0o644, "two");
    checkpoints.take(&before(2)).unwrap();
    world.file("a", 0o644, "three");
    let undone = undo(&checkpoints).unwrap().unwrap();
    assert_eq!(world.state(), "a 644 two\n");
    world.file("a", 0o644, "other");
    let error = checkpoints.redo(&asked).unwrap_err();
    assert!(matches!(&error, RepoError::RedoGone { id } if *id == undone.before.id), "{error}");
    assert_eq!(world.state(), "a 644 other\n");
    checkpoints.take(&before(3)).unwrap();
    assert!(matches!(checkpoints.redo(&asked), Err(RepoError::RedoGone { .. })));
    world.file("a", 0o644, "fourth");
    assert!(undo(&checkpoints).unwrap().is_some());
    assert_eq!(world.state(), "a 644 other\n");
    // What was undone first is still there.
    checkpoints.restore(&undone.before.id, &[], &asked).unwrap();
    assert_eq!(world.state(), "a 644 three\n");
    // And a restore is undone as a turn is.
    assert!(undo(&checkpoints).unwrap().is_some());
    assert_eq!(world.state(), "a 644 other\n");
}

#[test]
fn one_path_is_put_back_alone() {
    let world = World::new();
    let checkpoints = world.open();
    for name in ["a", "d/b", "d/e/c", "da"] {
        world.file(name, 0o644, "old");
    }
    let taken = checkpoints.take(&before(1)).unwrap().checkpoint;
    for name in ["a", "d/b", "d/e/c", "da", "d/new"] {
        world.file(name, 0o644, "new");
    }
    let asked = note(9, CheckpointReason::Asked);
    let restored = checkpoints.restore(&taken.id[..5], &["./d/".into()], &asked).unwrap();
    let files: Vec<&str> = restored.files.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(files, ["d/b", "d/e/c", "d/new"]);
    assert_eq!(world.state(), "a 644 new\nd/ 755\nd/b 644 old\nd/e/ 755\nd/e/c 644 old\nda 644 new\n");
    world.remove("d");
    checkpoints.restore(&taken.id, &["d/e/c".into()], &asked).unwrap();
    assert_eq!(world.state(), "a 644 new\nd/ 755\nd/e/ 755\nd/e/c 644 old\nda 644 new\n");
    let error = checkpoints.restore(&taken.id, &["../x".into()], &asked).unwrap_err();
    assert!(matches!(error, RepoError::Outside { .. }), "{error}");
    assert_eq!(checkpoints.diff(&Point::At(taken.id), &Point::Now, Some("d")).unwrap().len(), 1);
}
