//! The process is killed before each call of a transaction, and of the recovery after that.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cases::{Case, all};
use super::fixture::{Fixture, open};
use crate::sys::Call;
use crate::tests::fault::{self, Fault, How};

const TEST: &str = "transaction::tests::killed::no_kill_leaves_half_a_transaction";
const ROLE: &str = "OX_TEST_KILLED";

/// What the killed process does until then.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Commit,
    Recover,
}

/// Runs a role in a process of its own that is killed before call `at`. False: it ended before that.
fn killed(case: usize, fixture: &Path, role: Role, at: usize, how: &str) -> bool {
    let job = format!("{case}\n{role:?}\n{at}\n{how}\n{}", fixture.display());
    // Whichever test asks, the process plays its role in this one.
    let mut command = Command::new(std::env::current_exe().unwrap());
    let out = command.args(["--exact", TEST]).env(ROLE, &job).output().unwrap();
    let signal = out.status.signal();
    assert!(signal == Some(9) || out.status.success(), "{job}\n{}", String::from_utf8_lossy(&out.stdout));
    signal.is_some()
}

/// Commits a case in a process of its own that is killed before call `at`. False: it ended before that.
pub(super) fn killed_at(case: usize, fixture: &Path, at: usize) -> bool {
    killed(case, fixture, Role::Commit, at, "plain")
}

/// The other side of `killed`.
fn play(job: &str) {
    let [case, role, at, how, fixture] = job.splitn(5, '\n').collect::<Vec<_>>()[..] else { panic!("{job}") };
    let fixture = PathBuf::from(fixture);
    let (how, broken) = how.split_once(' ').map_or((how, None), |(how, call)| (how, Some(call.parse().unwrap())));
    let how = match how {
        "torn" => How::Torn,
        "power" => How::PowerCut(fixture.join("vault")),
        _ => How::Plain,
    };
    let fault = Fault::Kill { at: at.parse().unwrap(), how, broken };
    if role == "Recover" {
        fault::set(fault);
        open(&fixture).recover().unwrap();
        return;
    }
    let tree = open(&fixture);
    let changes = (all()[case.parse::<usize>().unwrap()].changes)(&tree);
    fault::set(fault);
    let done = tree.commit(changes);
    assert_eq!(done.is_err(), broken.is_some());
    // What was reported as done stays done.
    fault::cut_power();
    fault::set(Fault::None);
}

/// The calls of a whole transaction, and the states before and after it.
fn whole(case: &Case) -> (Vec<Call>, String, String) {
    let fixture = Fixture::new(case);
    let before = fixture.state();
    let tree = fixture.tree();
    let changes = (case.changes)(&tree);
    fault::set(Fault::None);
    tree.commit(changes).unwrap();
    let after = fixture.state();
    let large = crate::Hash::of("new line\n".repeat(20_000).as_bytes()).to_string();
    case.after.assert_eq(&after.replace(&large, "LARGE"));
    let calls = fault::calls();
    drop(tree);
    assert!(!fixture.has_journal(), "{}", case.name);
    (calls, before, after)
}

/// One kill, and the recoveries after it, each but the last killed too where `again`. Answers how many were killed.
fn one(index: usize, case: &Case, at: usize, how: &str, again: bool, states: (&str, &str)) -> usize {
    let fixture = Fixture::new(case);
    let root = fixture.at("");
    assert!(killed(index, &root, Role::Commit, at, how), "{}: {at} {how}", case.name);
    let mut count = 1;
    while again && killed(index, &root, Role::Recover, count, if how == "power" { "power" } else { "plain" }) {
        count += 1;
    }
    std::fs::remove_dir_all(fixture.at("vault")).unwrap();
    let reported = fixture.tree().recovered();
    let state = fixture.state();
    assert!(
        [states.0, states.1].contains(&&*state),
        "{}: {at} {how}\n{state}\nbefore:\n{}\nafter:\n{}",
        case.name,
        states.0,
        states.1
    );
    assert!(!fixture.has_journal(), "{}: {at} {how}", case.name);
    assert!(reported.iter().all(|it| it.kept.is_empty()), "nobody else changed anything: {reported:?}");
    count
}

/// Answers how many calls there are, and how many processes were killed.
fn every_point(index: usize, case: &Case) -> (usize, usize) {
    let (calls, before, after) = whole(case);
    let mut count = 0;
    for (number, call) in calls.iter().enumerate() {
        let mut hows = vec![("plain", false), ("power", false), ("plain", true), ("power", true)];
        if *call == Call::Write {
            hows.push(("torn", true));
        }
        for (how, again) in hows {
            count += one(index, case, number + 1, how, again, (&before, &after));
        }
    }
    count += one(index, case, calls.len() + 1, "power", true, (&after, &after));
    (calls.len(), count)
}

#[test]
fn no_kill_leaves_half_a_transaction() {
    if let Ok(job) = std::env::var(ROLE) {
        return play(&job);
    }
    let (next, points, killed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from).min(8) {
            scope.spawn(|| {
                let cases = all();
                while let Some((index, case)) = nth(&cases, next.fetch_add(1, Ordering::Relaxed)) {
                    let (calls, count) = every_point(index, case);
                    points.fetch_add(calls, Ordering::Relaxed);
                    killed.fetch_add(count, Ordering::Relaxed);
                }
            });
        }
    });
    let (points, killed) = (points.into_inner(), killed.into_inner());
    println!("{points} calls, {killed} processes killed");
    assert!(points >= 300 && killed >= 2_000, "{points} calls, {killed} processes killed");
}

fn nth(cases: &[Case], index: usize) -> Option<(usize, &Case)> {
    cases.get(index).map(|it| (index, it))
}

#[test]
fn no_kill_while_a_failure_is_taken_back_leaves_half_a_transaction() {
    let (index, case) = nth(&all(), 4).map(|(index, it)| (index, it.name)).unwrap();
    assert_eq!(case, "five edits");
    let case = &all()[index];
    let (calls, before, after) = whole(case);
    // The last three that matter: the last rename, and the two that make the transaction complete.
    let last = |call: Call| calls.iter().rposition(|it| *it == call).unwrap() + 1;
    for broken in [last(Call::Rename), last(Call::Write), last(Call::Sync)] {
        for at in broken + 1.. {
            let fixture = Fixture::new(case);
            let ended = !killed(index, &fixture.at(""), Role::Commit, at, &format!("plain {broken}"));
            drop(fixture.tree());
            let state = fixture.state();
            assert!([&before, &after].contains(&&state), "{broken} {at}\n{state}");
            assert!(!fixture.has_journal(), "{broken} {at}");
            if ended {
                assert!(at > broken + 10 && state == before, "{broken} {at}\n{state}");
                break;
            }
        }
    }
}
