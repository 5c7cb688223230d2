//! What undo takes back and what it leaves: three states of each path decide.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use ox_protocol::{CheckpointReason, Over};

use super::world::{World, before, note, undo};
use crate::{Checkpoints, Restored, UndoOutcome, UndoPreview};

pub(super) fn git(world: &World, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(args).current_dir(world.at("tree"));
    let out = command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(out.status.success(), "{args:?} {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// A call of a turn that does something.
fn call(world: &World, turn: u32, act: impl FnOnce()) {
    let checkpoints = world.open();
    checkpoints.take(&note(turn, CheckpointReason::BeforeCall)).unwrap();
    act();
    checkpoints.take(&note(turn, CheckpointReason::AfterCommand)).unwrap();
}

fn go(checkpoints: &Checkpoints, over: Option<Over>) -> UndoOutcome {
    checkpoints.undo(over, &note(9, CheckpointReason::Asked)).unwrap()
}

fn asks(went: UndoOutcome) -> UndoPreview {
    let UndoOutcome::Asks(back) = went else { panic!("{went:?}") };
    *back
}

fn done(went: UndoOutcome) -> Restored {
    let UndoOutcome::Done(restored) = went else { panic!("{went:?}") };
    *restored
}

fn names(files: &[ox_protocol::FileChange]) -> Vec<&str> {
    files.iter().map(|it| it.path.as_str()).collect()
}

fn begun() -> World {
    let world = World::new();
    for name in ["a", "b", "src/c", "src/gone", "other"] {
        world.file(name, 0o644, format!("{name} before\n"));
    }
    world
}

#[test]
fn what_the_user_does_beside_and_after_a_turn_stays() {
    let world = begun();
    call(&world, 1, || {
        world.file("a", 0o644, "a of the turn\n");
        world.file("new/deep/x", 0o644, "x of the turn\n");
        world.remove("src/gone");
    });
    world.file("other", 0o644, "while the model thinks\n");
    call(&world, 1, || world.file("b", 0o755, "b of the turn\n"));
    world.file("mine/notes", 0o600, "mine\n");
    world.file("src/c", 0o644, "mine too\n");
    world.file("new/deep/y", 0o644, "mine, in a folder of the turn\n");
    let inode = |path: &str| fs::metadata(world.path(path)).map(|it| (it.ino(), it.mtime_nsec())).unwrap();
    let untouched = ["mine/notes", "src/c", "new/deep/y", "other"].map(inode);
    let checkpoints = world.open();
    let after = world.state();
    // `other` was changed while the turn ran: that is asked about, and kept where the user says so.
    let back = asks(go(&checkpoints, Some(Over::Ask)));
    assert_eq!((names(&back.lost), back.moved), (vec!["other"], None));
    assert_eq!(world.state(), after);
    let restored = done(go(&checkpoints, Some(Over::Keep)));
    assert_eq!(names(&restored.files), ["a", "b", "new/deep/x", "src/gone"]);
    assert_eq!(["mine/notes", "src/c", "new/deep/y", "other"].map(inode), untouched);
    assert_eq!(
        world.state(),
        "a 644 a before\\n\nb 644 b before\\n\nmine/ 755\nmine/notes 600 mine\\n\nnew/ 755\nnew/deep/ 755\n\
         new/deep/y 644 mine, in a folder of the turn\\n\nother 644 while the model thinks\\n\nsrc/ 755\n\
         src/c 644 mine too\\n\nsrc/gone 644 src/gone before\\n\n"
    );
    assert_eq!(go(&checkpoints, Some(Over::Ask)), UndoOutcome::Nothing);
    checkpoints.redo(&note(9, CheckpointReason::Asked)).unwrap().unwrap();
    assert_eq!(world.state(), after);
}

#[test]
fn what_would_be_lost_is_told_first() {
    let world = begun();
    call(&world, 1, || {
        world.file("a", 0o644, "a of the turn\n");
        world.file("b", 0o644, "b of the turn\n");
        world.file("new", 0o644, "new of the turn\n");
    });
    world.file("a", 0o644, "a of the turn\nand a line of mine\n");
    world.file("new", 0o644, "mine now\n");
    let checkpoints = world.open();
    let after = world.state();
    let back = asks(go(&checkpoints, Some(Over::Ask)));
    assert_eq!(names(&back.files), ["a", "b", "new"]);
    assert_eq!(names(&back.lost), ["a", "new"]);
    assert!(back.lost[0].diff.contains("-and a line of mine"), "{}", back.lost[0].diff);
    assert_eq!(world.state(), after);
    done(go(&checkpoints, Some(Over::Keep)));
    assert_eq!(fs::read_to_string(world.path("new")).unwrap(), "mine now\n");
    assert_eq!(fs::read_to_string(world.path("b")).unwrap(), "b before\n");
    checkpoints.redo(&note(9, CheckpointReason::Asked)).unwrap().unwrap();
    assert_eq!(world.state(), after);
    done(go(&checkpoints, Some(Over::Force)));
    assert_eq!(fs::read_to_string(world.path("a")).unwrap(), "a before\n");
    assert!(!world.path("new").exists());
}

#[test]
fn a_moved_head_is_asked_about_and_never_moved_back() {
    let world = begun();
    git(&world, &["init", "-q", "-b", "main"]);
    git(&world, &["add", "."]);
    git(&world, &["commit", "-q", "-m", "one"]);
    call(&world, 1, || world.file("a", 0o644, "a of the turn\n"));
    git(&world, &["commit", "-q", "-am", "the turn's work"]);
    git(&world, &["checkout", "-q", "-b", "feature"]);
    world.file("mine.txt", 0o644, "mine\n");
    git(&world, &["add", "mine.txt"]);
    git(&world, &["commit", "-q", "-m", "mine"]);
    world.file("b", 0o644, "b, not committed\n");
    let at =
        || (git(&world, &["rev-parse", "HEAD"]), git(&world, &["reflog"]), fs::read(world.path(".git/index")).unwrap());
    let (before, checkpoints) = (at(), world.open());
    let back = asks(go(&checkpoints, Some(Over::Ask)));
    let (then, now) = back.moved.unwrap();
    assert!(then.starts_with("main ") && now.starts_with("feature "), "{then} {now}");
    assert_eq!((names(&back.files), back.lost.len()), (vec!["a"], 0));
    done(go(&checkpoints, Some(Over::Force)));
    assert_eq!(at(), before);
    assert_eq!(fs::read_to_string(world.path("a")).unwrap(), "a before\n");
    assert_eq!(fs::read_to_string(world.path("b")).unwrap(), "b, not committed\n");
    assert!(world.path("mine.txt").exists());
}

#[test]
fn a_call_that_was_cut_short_is_asked_about() {
    let world = begun();
    world.open().take(&before(1)).unwrap();
    world.file("a", 0o644, "of the call, or of the user\n");
    let checkpoints = world.open();
    assert_eq!(names(&asks(go(&checkpoints, Some(Over::Ask))).lost), ["a"]);
    done(go(&checkpoints, Some(Over::Force)));
    assert_eq!(fs::read_to_string(world.path("a")).unwrap(), "a before\n");
}

#[test]
fn a_revert_by_a_call_is_a_part_of_its_turn() {
    let world = begun();
    let before = world.state();
    call(&world, 1, || {
        world.file("a", 0o644, "a of the turn\n");
        world.file("b", 0o644, "b of the turn\n");
    });
    let checkpoints = world.open();
    let first = checkpoints.list().unwrap()[0].id.clone();
    let of_call = crate::Note { call: Some("c".into()), ..note(1, CheckpointReason::BeforeCall) };
    checkpoints.take(&of_call).unwrap();
    checkpoints.restore(&first, &["a".into()], &of_call).unwrap();
    checkpoints.take(&note(1, CheckpointReason::AfterCommand)).unwrap();
    assert_eq!(checkpoints.last_start().unwrap().unwrap().id, first);
    let restored = done(go(&checkpoints, Some(Over::Ask)));
    assert_eq!((names(&restored.files), world.state()), (vec!["b"], before));
    assert_eq!(go(&checkpoints, Some(Over::Ask)), UndoOutcome::Nothing);
}

#[test]
fn a_review_is_a_part_of_the_turn_that_it_reviews() {
    let world = begun();
    let before = world.state();
    call(&world, 1, || {
        world.file("a", 0o644, "one\ntwo\n");
        world.file("b", 0o644, "b of the turn\n");
    });
    let checkpoints = world.open();
    world.file("a", 0o644, "one\n");
    checkpoints.take(&note(7, CheckpointReason::Review)).unwrap();
    assert_eq!(names(&done(go(&checkpoints, Some(Over::Ask))).files), ["a", "b"]);
    assert_eq!(world.state(), before);
}

#[test]
fn a_rewind_takes_back_this_conversations_turns_alone() {
    let world = begun();
    call(&world, 1, || world.file("a", 0o644, "turn 1\n"));
    call(&world, 2, || world.file("a", 0o644, "turn 2\n"));
    let checkpoints = world.open();
    let theirs = |reason| crate::Note { conversation: "other".into(), ..note(1, reason) };
    checkpoints.take(&theirs(CheckpointReason::BeforeTurn)).unwrap();
    world.file("b", 0o644, "of another conversation\n");
    checkpoints.take(&theirs(CheckpointReason::AfterCommand)).unwrap();
    call(&world, 3, || world.file("src/c", 0o644, "turn 3\n"));
    let went = checkpoints.rewind(2, Some(Over::Ask), &note(3, CheckpointReason::Asked)).unwrap();
    assert_eq!(names(&done(went).files), ["a", "src/c"]);
    assert_eq!(fs::read_to_string(world.path("a")).unwrap(), "turn 1\n");
    assert_eq!(fs::read_to_string(world.path("b")).unwrap(), "of another conversation\n");
    // And that can be taken back as a turn can.
    done(go(&checkpoints, Some(Over::Ask)));
    assert_eq!(fs::read_to_string(world.path("a")).unwrap(), "turn 2\n");
}

#[test]
fn a_destroyed_git_folder_comes_back_and_a_whole_one_is_left_alone() {
    let world = begun();
    git(&world, &["init", "-q", "-b", "main"]);
    git(&world, &["add", "."]);
    git(&world, &["commit", "-q", "-m", "one"]);
    git(&world, &["gc", "-q"]);
    git(&world, &["branch", "kept"]);
    world.file("a", 0o644, "two\n");
    git(&world, &["commit", "-q", "-am", "two"]);
    let told =
        || git(&world, &["log", "--all", "--format=%H %D"]) + &git(&world, &["reflog"]) + &git(&world, &["fsck"]);
    let whole = told();
    let wrecks =
        [&["objects", "refs", "logs"][..], &["HEAD", "index"], &["packed-refs", "objects/pack"], &["refs/heads"]];
    for (turn, gone) in (10..).step_by(10).zip(wrecks) {
        world.open().take(&before(turn)).unwrap();
        call(&world, turn, || {
            for name in gone {
                let path = world.path(".git").join(name);
                let done = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                done.unwrap();
            }
        });
        // A further turn does not take the wreck for what is to be kept.
        world.open().take(&before(turn + 1)).unwrap();
        let restored = done(go(&world.open(), Some(Over::Ask)));
        assert!(!restored.git.is_empty(), "{gone:?}");
        assert_eq!(told(), whole, "{gone:?}");
    }
    // Neither does a turn before it is noticed that a repository within the project is gone.
    let within =
        || git(&world, &["-C", "dep", "log", "--format=%s"]) + &git(&world, &["-C", "dep", "config", "core.bare"]);
    git(&world, &["init", "-q", "-b", "main", "dep"]);
    git(&world, &["-C", "dep", "commit", "-q", "--allow-empty", "-m", "within"]);
    world.open().take(&before(70)).unwrap();
    call(&world, 70, || fs::remove_dir_all(world.path("dep/.git")).unwrap());
    world.open().take(&before(71)).unwrap();
    let restored = done(go(&world.open(), Some(Over::Ask)));
    assert!(restored.git.contains(&"dep/.git/config".to_owned()), "{:?}", restored.git);
    assert_eq!(within(), "within\nfalse\n");
    // What git itself removes is not brought back.
    world.open().take(&before(90)).unwrap();
    call(&world, 90, || world.file("a", 0o644, "three\n"));
    git(&world, &["branch", "-D", "-q", "kept"]);
    git(&world, &["gc", "-q", "--prune=now"]);
    let restored = undo(&world.open()).unwrap().unwrap();
    assert_eq!(restored.git, [""; 0]);
    assert_eq!(git(&world, &["branch", "--list", "kept"]), "");
    // Another repository in its place is none of ours.
    world.remove(".git");
    git(&world, &["init", "-q", "-b", "main"]);
    call(&world, 4, || world.file("a", 0o644, "four\n"));
    assert_eq!(undo(&world.open()).unwrap().unwrap().git, [""; 0]);
}
