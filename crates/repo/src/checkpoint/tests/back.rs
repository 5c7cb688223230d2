//! What undo takes back and what it leaves: three states of each path decide.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use ox_protocol::{CheckpointReason, Over};

use super::fixture::{Fixture, before, note, undo};
use crate::{Checkpoints, Restored, UndoOutcome, UndoPreview};

pub(super) fn git(fixture: &Fixture, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]).args(args).current_dir(fixture.at("tree"));
    let out = command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(out.status.success(), "{args:?} {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// A call of a turn that does something.
fn call(fixture: &Fixture, turn: u32, act: impl FnOnce()) {
    let checkpoints = fixture.open();
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

fn begun() -> Fixture {
    let fixture = Fixture::new();
    for name in ["a", "b", "src/c", "src/gone", "other"] {
        fixture.file(name, 0o644, format!("{name} before\n"));
    }
    fixture
}

#[test]
fn what_the_user_does_beside_and_after_a_turn_stays() {
    let fixture = begun();
    call(&fixture, 1, || {
        fixture.file("a", 0o644, "a of the turn\n");
        fixture.file("new/deep/x", 0o644, "x of the turn\n");
        fixture.remove("src/gone");
    });
    fixture.file("other", 0o644, "while the model thinks\n");
    call(&fixture, 1, || fixture.file("b", 0o755, "b of the turn\n"));
    fixture.file("mine/notes", 0o600, "mine\n");
    fixture.file("src/c", 0o644, "mine too\n");
    fixture.file("new/deep/y", 0o644, "mine, in a folder of the turn\n");
    let inode = |path: &str| fs::metadata(fixture.path(path)).map(|it| (it.ino(), it.mtime_nsec())).unwrap();
    let untouched = ["mine/notes", "src/c", "new/deep/y", "other"].map(inode);
    let checkpoints = fixture.open();
    let after = fixture.state();
    // `other` was changed while the turn ran: that is asked about, and kept where the user says so.
    let back = asks(go(&checkpoints, Some(Over::Ask)));
    assert_eq!((names(&back.lost), back.moved), (vec!["other"], None));
    assert_eq!(fixture.state(), after);
    let restored = done(go(&checkpoints, Some(Over::Keep)));
    assert_eq!(names(&restored.files), ["a", "b", "new/deep/x", "src/gone"]);
    assert_eq!(["mine/notes", "src/c", "new/deep/y", "other"].map(inode), untouched);
    assert_eq!(
        fixture.state(),
        "a 644 a before\\n\nb 644 b before\\n\nmine/ 755\nmine/notes 600 mine\\n\nnew/ 755\nnew/deep/ 755\n\
         new/deep/y 644 mine, in a folder of the turn\\n\nother 644 while the model thinks\\n\nsrc/ 755\n\
         src/c 644 mine too\\n\nsrc/gone 644 src/gone before\\n\n"
    );
    assert_eq!(go(&checkpoints, Some(Over::Ask)), UndoOutcome::Nothing);
    checkpoints.redo(&note(9, CheckpointReason::Asked)).unwrap().unwrap();
    assert_eq!(fixture.state(), after);
}

#[test]
fn what_would_be_lost_is_reported_first() {
    let fixture = begun();
    call(&fixture, 1, || {
        fixture.file("a", 0o644, "a of the turn\n");
        fixture.file("b", 0o644, "b of the turn\n");
        fixture.file("new", 0o644, "new of the turn\n");
    });
    fixture.file("a", 0o644, "a of the turn\nand a line of mine\n");
    fixture.file("new", 0o644, "mine now\n");
    let checkpoints = fixture.open();
    let after = fixture.state();
    let back = asks(go(&checkpoints, Some(Over::Ask)));
    assert_eq!(names(&back.files), ["a", "b", "new"]);
    assert_eq!(names(&back.lost), ["a", "new"]);
    assert!(back.lost[0].diff.contains("-and a line of mine"), "{}", back.lost[0].diff);
    assert_eq!(fixture.state(), after);
    done(go(&checkpoints, Some(Over::Keep)));
    assert_eq!(fs::read_to_string(fixture.path("new")).unwrap(), "mine now\n");
    assert_eq!(fs::read_to_string(fixture.path("b")).unwrap(), "b before\n");
    checkpoints.redo(&note(9, CheckpointReason::Asked)).unwrap().unwrap();
    assert_eq!(fixture.state(), after);
    done(go(&checkpoints, Some(Over::Force)));
    assert_eq!(fs::read_to_string(fixture.path("a")).unwrap(), "a before\n");
    assert!(!fixture.path("new").exists());
}

#[test]
fn a_moved_head_is_asked_about_and_never_moved_back() {
    let fixture = begun();
    git(&fixture, &["init", "-q", "-b", "main"]);
    git(&fixture, &["add", "."]);
    git(&fixture, &["commit", "-q", "-m", "one"]);
    call(&fixture, 1, || fixture.file("a", 0o644, "a of the turn\n"));
    git(&fixture, &["commit", "-q", "-am", "the turn's work"]);
    git(&fixture, &["checkout", "-q", "-b", "feature"]);
    fixture.file("mine.txt", 0o644, "mine\n");
    git(&fixture, &["add", "mine.txt"]);
    git(&fixture, &["commit", "-q", "-m", "mine"]);
    fixture.file("b", 0o644, "b, not committed\n");
    let at = || {
        (
            git(&fixture, &["rev-parse", "HEAD"]),
            git(&fixture, &["reflog"]),
            fs::read(fixture.path(".git/index")).unwrap(),
        )
    };
    let (before, checkpoints) = (at(), fixture.open());
    let back = asks(go(&checkpoints, Some(Over::Ask)));
    let (then, now) = back.moved.unwrap();
    assert!(then.starts_with("main ") && now.starts_with("feature "), "{then} {now}");
    assert_eq!((names(&back.files), back.lost.len()), (vec!["a"], 0));
    done(go(&checkpoints, Some(Over::Force)));
    assert_eq!(at(), before);
    assert_eq!(fs::read_to_string(fixture.path("a")).unwrap(), "a before\n");
    assert_eq!(fs::read_to_string(fixture.path("b")).unwrap(), "b, not committed\n");
    assert!(fixture.path("mine.txt").exists());
}

#[test]
fn a_call_that_was_cut_short_is_asked_about() {
    let fixture = begun();
    fixture.open().take(&before(1)).unwrap();
    fixture.file("a", 0o644, "of the call, or of the user\n");
    let checkpoints = fixture.open();
    assert_eq!(names(&asks(go(&checkpoints, Some(Over::Ask))).lost), ["a"]);
    done(go(&checkpoints, Some(Over::Force)));
    assert_eq!(fs::read_to_string(fixture.path("a")).unwrap(), "a before\n");
}

#[test]
fn a_revert_by_a_call_is_a_part_of_its_turn() {
    let fixture = begun();
    let before = fixture.state();
    call(&fixture, 1, || {
        fixture.file("a", 0o644, "a of the turn\n");
        fixture.file("b", 0o644, "b of the turn\n");
    });
    let checkpoints = fixture.open();
    let first = checkpoints.list().unwrap()[0].id.clone();
    let of_call = crate::Note { call: Some("c".into()), ..note(1, CheckpointReason::BeforeCall) };
    checkpoints.take(&of_call).unwrap();
    checkpoints.restore(&first, &["a".into()], &of_call).unwrap();
    checkpoints.take(&note(1, CheckpointReason::AfterCommand)).unwrap();
    assert_eq!(checkpoints.last_start().unwrap().unwrap().id, first);
    let restored = done(go(&checkpoints, Some(Over::Ask)));
    assert_eq!((names(&restored.files), fixture.state()), (vec!["b"], before));
    assert_eq!(go(&checkpoints, Some(Over::Ask)), UndoOutcome::Nothing);
}

#[test]
fn a_review_is_a_part_of_the_turn_that_it_reviews() {
    let fixture = begun();
    let before = fixture.state();
    call(&fixture, 1, || {
        fixture.file("a", 0o644, "one\ntwo\n");
        fixture.file("b", 0o644, "b of the turn\n");
    });
    let checkpoints = fixture.open();
    fixture.file("a", 0o644, "one\n");
    checkpoints.take(&note(7, CheckpointReason::Review)).unwrap();
    assert_eq!(names(&done(go(&checkpoints, Some(Over::Ask))).files), ["a", "b"]);
    assert_eq!(fixture.state(), before);
}

#[test]
fn a_rewind_takes_back_this_conversations_turns_alone() {
    let fixture = begun();
    call(&fixture, 1, || fixture.file("a", 0o644, "turn 1\n"));
    call(&fixture, 2, || fixture.file("a", 0o644, "turn 2\n"));
    let checkpoints = fixture.open();
    let theirs = |reason| crate::Note { conversation: "other".into(), ..note(1, reason) };
    checkpoints.take(&theirs(CheckpointReason::BeforeTurn)).unwrap();
    fixture.file("b", 0o644, "of another conversation\n");
    checkpoints.take(&theirs(CheckpointReason::AfterCommand)).unwrap();
    call(&fixture, 3, || fixture.file("src/c", 0o644, "turn 3\n"));
    let went = checkpoints.rewind(2, Some(Over::Ask), &note(3, CheckpointReason::Asked)).unwrap();
    assert_eq!(names(&done(went).files), ["a", "src/c"]);
    assert_eq!(fs::read_to_string(fixture.path("a")).unwrap(), "turn 1\n");
    assert_eq!(fs::read_to_string(fixture.path("b")).unwrap(), "of another conversation\n");
    // And that can be taken back as a turn can.
    done(go(&checkpoints, Some(Over::Ask)));
    assert_eq!(fs::read_to_string(fixture.path("a")).unwrap(), "turn 2\n");
}

#[test]
fn a_destroyed_git_folder_comes_back_and_a_whole_one_is_left_alone() {
    let fixture = begun();
    git(&fixture, &["init", "-q", "-b", "main"]);
    git(&fixture, &["add", "."]);
    git(&fixture, &["commit", "-q", "-m", "one"]);
    git(&fixture, &["gc", "-q"]);
    git(&fixture, &["branch", "kept"]);
    fixture.file("a", 0o644, "two\n");
    git(&fixture, &["commit", "-q", "-am", "two"]);
    let reported =
        || git(&fixture, &["log", "--all", "--format=%H %D"]) + &git(&fixture, &["reflog"]) + &git(&fixture, &["fsck"]);
    let whole = reported();
    let wrecks =
        [&["objects", "refs", "logs"][..], &["HEAD", "index"], &["packed-refs", "objects/pack"], &["refs/heads"]];
    for (turn, gone) in (10..).step_by(10).zip(wrecks) {
        fixture.open().take(&before(turn)).unwrap();
        call(&fixture, turn, || {
            for name in gone {
                let path = fixture.path(".git").join(name);
                let done = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                done.unwrap();
            }
        });
        // A further turn does not take the wreck for what is to be kept.
        fixture.open().take(&before(turn + 1)).unwrap();
        let restored = done(go(&fixture.open(), Some(Over::Ask)));
        assert!(!restored.git.is_empty(), "{gone:?}");
        assert_eq!(reported(), whole, "{gone:?}");
    }
    // Neither does a turn before it is noticed that a repository within the project is gone.
    let within =
        || git(&fixture, &["-C", "dep", "log", "--format=%s"]) + &git(&fixture, &["-C", "dep", "config", "core.bare"]);
    git(&fixture, &["init", "-q", "-b", "main", "dep"]);
    git(&fixture, &["-C", "dep", "commit", "-q", "--allow-empty", "-m", "within"]);
    fixture.open().take(&before(70)).unwrap();
    call(&fixture, 70, || fs::remove_dir_all(fixture.path("dep/.git")).unwrap());
    fixture.open().take(&before(71)).unwrap();
    let restored = done(go(&fixture.open(), Some(Over::Ask)));
    assert!(restored.git.contains(&"dep/.git/config".to_owned()), "{:?}", restored.git);
    assert_eq!(within(), "within\nfalse\n");
    // What git itself removes is not brought back.
    fixture.open().take(&before(90)).unwrap();
    call(&fixture, 90, || fixture.file("a", 0o644, "three\n"));
    git(&fixture, &["branch", "-D", "-q", "kept"]);
    git(&fixture, &["gc", "-q", "--prune=now"]);
    let restored = undo(&fixture.open()).unwrap().unwrap();
    assert_eq!(restored.git, [""; 0]);
    assert_eq!(git(&fixture, &["branch", "--list", "kept"]), "");
    // Another repository in its place is none of ours.
    fixture.remove(".git");
    git(&fixture, &["init", "-q", "-b", "main"]);
    call(&fixture, 4, || fixture.file("a", 0o644, "four\n"));
    assert_eq!(undo(&fixture.open()).unwrap().unwrap().git, [""; 0]);
}
