//! The process is killed, or the power cut, before each call of recording and of putting back, and of what follows.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use ox_protocol::CheckpointReason;

use super::fixture::{Fixture, before, note, open, state, undo};
use crate::sys::Call;
use crate::tests::fault::{self, Fault, How};
use crate::{Limits, Point};

const TEST: &str = "checkpoint::tests::cut::no_kill_leaves_half_a_checkpoint_or_half_a_restore";
/// About as many calls as a recovery makes.
const RECOVERY: usize = 60;
const ROLE: &str = "OX_TEST_CUT";

/// What the killed process does until then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    Take,
    Restore,
    Undo,
    Prune,
    Recover,
}

pub(super) const ROLES: [Role; 4] = [Role::Take, Role::Restore, Role::Undo, Role::Prune];

/// A tree that was recorded once, and has since been changed in every way that there is.
pub(super) fn changed() -> Fixture {
    let fixture = Fixture::new();
    for (path, mode) in [("same", 0o644), ("edited", 0o640), ("gone", 0o600), ("d/e/f", 0o644), ("was/file", 0o755)] {
        fixture.file(path, mode, format!("old {path}"));
    }
    fixture.file("mode", 0o644, "mode");
    fixture.link("link", "same");
    fixture.folder("empty", 0o750);
    fixture.file("was_folder/x", 0o644, "x");
    fixture.file("was_file", 0o644, "file");
    fixture.file("closed/in", 0o600, "old");
    fixture.folder("closed", 0o555);
    fixture.file("large", 0o644, "line\n".repeat(3_000));
    let checkpoints = open(&fixture.at(""), Limits::default());
    checkpoints.take(&before(1)).unwrap();
    fixture.file("edited", 0o600, "new, and longer");
    fixture.remove("gone");
    fixture.remove("d");
    fixture.remove("was");
    fixture.remove("link");
    fixture.remove("empty");
    fixture.remove("was_folder");
    fixture.remove("was_file");
    fixture.remove("large");
    fixture.link("link", "elsewhere");
    fixture.file("mode", 0o755, "mode");
    fixture.file("was_folder", 0o644, "now a file");
    fixture.file("was_file/deep/y", 0o644, "now a folder");
    fixture.file("new/z", 0o644, "new");
    fixture.folder("closed", 0o755);
    fixture.file("closed/in", 0o600, "new");
    fixture.folder("closed", 0o555);
    fixture
}

/// Does what a role does, in the state that `changed` leaves.
pub(super) fn act(fixture: &Path, role: Role) -> Result<(), crate::RepoError> {
    let limits = if role == Role::Prune { Limits { store: 1, ..Limits::default() } } else { Limits::default() };
    let checkpoints = open(fixture, limits);
    let asked = note(9, CheckpointReason::Asked);
    match role {
        Role::Take => checkpoints.take(&note(1, CheckpointReason::AfterCommand)).map(drop),
        Role::Restore => {
            let id = checkpoints.list()?[0].id.clone();
            checkpoints.restore(&id, &[], &asked).map(drop)
        }
        Role::Undo => undo(&checkpoints).map(|it| assert!(it.is_some())),
        Role::Prune => checkpoints.prune(None).map(drop),
        Role::Recover => Ok(()),
    }
}

/// What a fixture must be before a role can act.
pub(super) fn prepared(role: Role) -> Fixture {
    let fixture = changed();
    if role == Role::Prune {
        let checkpoints = fixture.open();
        checkpoints.take(&note(1, CheckpointReason::AfterCommand)).unwrap();
        fixture.file("third", 0o644, "3");
        checkpoints.take(&note(1, CheckpointReason::AfterCommand)).unwrap();
    }
    fixture
}

/// Everything that is listed can be read whole, and the tree can be recorded and put back.
pub(super) fn assert_sound(fixture: &Fixture, name: &str) {
    let checkpoints = fixture.open();
    assert_eq!(checkpoints.reported().into_iter().filter(|it| !it.contains("completed")).collect::<Vec<_>>(), [""; 0]);
    let state = fixture.state();
    let now = checkpoints.take(&note(3, CheckpointReason::Asked)).unwrap_or_else(|it| panic!("{name}: {it}"));
    for other in checkpoints.list().unwrap() {
        let (a, b) = (Point::At(other.id.clone()), Point::At(now.checkpoint.id.clone()));
        checkpoints.diff(&a, &b, None).unwrap_or_else(|it| panic!("{name}: {it}"));
    }
    fixture.file("later", 0o644, "later");
    checkpoints.restore(&now.checkpoint.id, &[], &note(4, CheckpointReason::Asked)).unwrap();
    assert_eq!(fixture.state(), state, "{name}");
    assert_eq!(checkpoints.reported(), [""; 0], "{name}");
}

/// The number of calls, and the states of the tree before and after.
pub(super) fn whole(role: Role) -> (Vec<Call>, String, String) {
    let fixture = prepared(role);
    let before = fixture.state();
    fault::set(Fault::None);
    act(&fixture.at(""), role).unwrap();
    let calls = fault::calls();
    let after = fixture.state();
    assert_eq!(before == after, matches!(role, Role::Take | Role::Prune), "{role:?}");
    assert!(!after.contains(".ox-"), "{after}");
    (calls, before, after)
}

/// Runs a role in a process of its own that is killed before call `at`. False: it ended before that.
fn killed(fixture: &Path, role: Role, at: usize, how: &str) -> bool {
    let job = format!("{role:?}\n{at}\n{how}\n{}", fixture.display());
    let mut command = Command::new(std::env::current_exe().unwrap());
    let out = command.args(["--exact", TEST]).env(ROLE, &job).output().unwrap();
    let signal = out.status.signal();
    assert!(signal == Some(9) || out.status.success(), "{job}\n{}", String::from_utf8_lossy(&out.stdout));
    signal.is_some()
}

/// The other side of `killed`.
fn play(job: &str) {
    let [role, at, how, fixture] = job.splitn(4, '\n').collect::<Vec<_>>()[..] else { panic!("{job}") };
    let fixture = PathBuf::from(fixture);
    let how = match how {
        "torn" => How::Torn,
        "power" => How::PowerCut(fixture.join("vault")),
        _ => How::Plain,
    };
    let roles = [Role::Take, Role::Restore, Role::Undo, Role::Prune, Role::Recover];
    let role = roles.into_iter().find(|it| format!("{it:?}") == role).unwrap();
    fault::set(Fault::Kill { at: at.parse().unwrap(), how, broken: None });
    act(&fixture, role).unwrap();
    // What was reported as done stays done.
    fault::cut_power();
    fault::set(Fault::None);
}

/// One kill, and the recoveries after it, the first of which is killed too. Answers how many were killed.
fn one(role: Role, at: usize, how: &str, states: (&str, &str)) -> usize {
    let fixture = prepared(role);
    let root = fixture.at("");
    let name = format!("{role:?} {at} {how}");
    assert!(killed(&root, role, at, how), "{name}");
    // Each recovery is killed at another of its calls, so that together they are killed at all.
    let how = if how == "power" { "power" } else { "plain" };
    let count = 1 + usize::from(killed(&root, Role::Recover, 1 + at * 7 % RECOVERY, how));
    std::fs::remove_dir_all(fixture.at("vault")).unwrap();
    drop(fixture.open());
    let now = state(&fixture.at("tree"));
    assert!([states.0, states.1].contains(&&*now), "{name}\n{now}\nbefore:\n{}\nafter:\n{}", states.0, states.1);
    assert_sound(&fixture, &name);
    count
}

#[test]
fn no_kill_leaves_half_a_checkpoint_or_half_a_restore() {
    if let Ok(job) = std::env::var(ROLE) {
        return play(&job);
    }
    let (killed, points) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for role in ROLES {
        let (calls, before, after) = whole(role);
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, usize::from).min(8) {
                scope.spawn(|| {
                    while let Some((number, call)) = nth(&calls, next.fetch_add(1, Ordering::Relaxed)) {
                        points.fetch_add(1, Ordering::Relaxed);
                        let hows = ["plain", "power", "torn"];
                        // Only a write can be torn.
                        for how in &hows[..if call == Call::Write { 3 } else { 2 }] {
                            killed.fetch_add(one(role, number + 1, how, (&before, &after)), Ordering::Relaxed);
                        }
                    }
                });
            }
        });
    }
    let (points, killed) = (points.into_inner(), killed.into_inner());
    println!("{points} calls, {killed} processes killed");
    assert!(points >= 200 && killed >= 600, "{points} calls, {killed} processes killed");
}

fn nth(calls: &[Call], at: usize) -> Option<(usize, Call)> {
    calls.get(at).map(|it| (at, *it))
}
