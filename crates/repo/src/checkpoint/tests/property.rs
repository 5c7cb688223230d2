//! Random sequences of what turns and users do, with undo and redo between: no byte of a user's is lost unasked, git's
//! own state is never moved, and what a turn did not touch keeps its inode and its time.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use ox_protocol::{CheckpointReason, Over};

use super::back::git;
use super::fixture::{Fixture, note};
use super::random::Random;
use crate::UndoOutcome;

const PATHS: [&str; 9] = ["a", "b", "src/c", "src/d", "src/deep/e", "new/f", "new/g", "h.log", "src/deep/i"];

/// Contents, inode and time of every file, by path.
type Files = BTreeMap<&'static str, (String, u64, i64)>;

fn files(fixture: &Fixture) -> Files {
    let file = |path: &'static str| {
        let stat = fs::metadata(fixture.path(path)).ok()?;
        Some((path, (fs::read_to_string(fixture.path(path)).ok()?, stat.ino(), stat.mtime_nsec())))
    };
    PATHS.into_iter().filter_map(file).collect()
}

/// What nothing of Ox's ever moves.
fn of_git(fixture: &Fixture) -> Vec<Option<Vec<u8>>> {
    let names = [".git/HEAD", ".git/index", ".git/logs/HEAD", ".git/packed-refs", ".git/refs/heads/main"];
    names.map(|it| fs::read(fixture.path(it)).ok()).to_vec()
}

fn edit(random: &mut Random, fixture: &Fixture, whose: &str) {
    let path = PATHS[random.below(PATHS.len() as u64) as usize];
    match random.below(5) {
        0 => drop(fs::remove_file(fixture.path(path))),
        _ => fixture.file(path, 0o644, format!("{whose} {}\n", random.below(1_000_000))),
    }
}

fn turn(random: &mut Random, fixture: &Fixture, number: u32) {
    for _ in 0..=random.below(2) {
        let checkpoints = fixture.open();
        checkpoints.take(&note(number, CheckpointReason::BeforeCall)).unwrap();
        (0..=random.below(2)).for_each(|_| edit(random, fixture, "turn"));
        checkpoints.take(&note(number, CheckpointReason::AfterCommand)).unwrap();
    }
}

/// One undo and what must be true of it. Answers with whether it asked, and how many files it put back.
fn undo(random: &mut Random, fixture: &Fixture, name: &str) -> (bool, usize) {
    let over = [Over::Ask, Over::Keep][random.below(2) as usize];
    let (before, state, of) = (files(fixture), fixture.state(), of_git(fixture));
    let went = fixture.open().undo(Some(over), &note(9, CheckpointReason::Asked)).unwrap();
    let after = files(fixture);
    assert_eq!(of_git(fixture), of, "{name}");
    let UndoOutcome::Done(restored) = went else {
        assert_eq!((after, fixture.state()), (before, state), "{name}");
        return (went != UndoOutcome::Nothing, 0);
    };
    for path in PATHS {
        let (old, new) = (before.get(path), after.get(path));
        // What changed was a turn's; what did not is the same file, unread and unwritten.
        let text = |it: Option<&(String, u64, i64)>| it.map(|it| it.0.clone());
        let of_turn = old.is_none_or(|it| it.0.starts_with("turn "));
        assert!(old == new || (of_turn && text(old) != text(new)), "{name}: {path} {old:?} {new:?}");
    }
    let undone = fixture.state();
    fixture.open().redo(&note(9, CheckpointReason::Asked)).unwrap().unwrap();
    assert_eq!(fixture.state(), state, "{name}: redo");
    fixture.open().undo(Some(Over::Keep), &note(9, CheckpointReason::Asked)).unwrap();
    assert_eq!((fixture.state(), of_git(fixture)), (undone, of), "{name}: undo again");
    (false, restored.files.len())
}

#[test]
fn no_sequence_loses_what_the_user_did() {
    let (mut asked, mut put) = (0, 0);
    for seed in 1..=40 {
        let mut random = Random(0x2545_f491_4f6c_dd1d_u64.wrapping_mul(seed));
        let fixture = Fixture::new();
        PATHS.iter().take(5).for_each(|it| fixture.file(it, 0o644, format!("{it} at first\n")));
        fixture.file(".gitignore", 0o644, "*.log\n");
        git(&fixture, &["init", "-q", "-b", "main"]);
        git(&fixture, &["add", "."]);
        git(&fixture, &["commit", "-q", "-m", "one"]);
        for number in 1..=10 {
            match random.below(10) {
                0..=2 => turn(&mut random, &fixture, number),
                3..=4 => edit(&mut random, &fixture, "user"),
                5 => {
                    git(&fixture, &["add", "-A"]);
                    git(&fixture, &["commit", "-q", "--allow-empty", "-m", "more"]);
                }
                6 => drop(git(&fixture, &["checkout", "-q", "-B", "other"])),
                _ => {
                    let (asks, files) = undo(&mut random, &fixture, &format!("seed {seed} step {number}"));
                    (asked, put) = (asked + usize::from(asks), put + files);
                }
            }
        }
    }
    assert!(asked > 5 && put > 20, "{asked} asked, {put} put back");
}
