//! Each call of a transaction fails once, or from one call on all do, as on a disk that is full, read-only or broken.

use rustix::io::Errno;

use super::cases::{Case, all};
use super::fixture::Fixture;
use crate::tests::fault::{self, Fault};
use crate::{RepoError, Tree};

/// How a transaction with a fault in it ended.
struct Ended {
    fixture: Fixture,
    tree: Tree,
    outcome: Result<(), RepoError>,
}

fn commit(case: &Case, fault: Fault) -> Ended {
    let fixture = Fixture::new(case);
    let tree = fixture.tree();
    let changes = (case.changes)(&tree);
    fault::set(fault);
    let outcome = tree.commit(changes).map(drop);
    Ended { fixture, tree, outcome }
}

/// The number of calls, and the states before and after.
fn whole(case: &Case) -> (usize, String, String) {
    let before = Fixture::new(case).state();
    let ended = commit(case, Fault::None);
    ended.outcome.unwrap();
    (fault::calls().len(), before, ended.fixture.state())
}

/// Runs `judge` for every call of every case that fails in this way; answers how many there were.
fn each(errno: Errno, lasting: bool, judge: fn(&str, Ended, &str, &str)) -> usize {
    let mut count = 0;
    for case in all() {
        let (calls, before, after) = whole(&case);
        for at in 1..=calls {
            let ended = commit(&case, Fault::Fail { at, errno, lasting });
            fault::set(Fault::None);
            judge(&format!("{}: {at} {errno}", case.name), ended, &before, &after);
        }
        count += calls;
    }
    count
}

/// An error means that nothing has changed; success means that all has, and at most tidying up was left undone.
fn at_once(name: &str, ended: Ended, before: &str, after: &str) {
    let Ended { fixture, tree, outcome } = ended;
    match outcome {
        Err(error) => {
            assert!(!matches!(error, RepoError::Unsettled { .. }), "{name}: {error}");
            assert_eq!(fixture.state(), before, "{name}: {error}");
        }
        Ok(()) => {
            tree.recover().unwrap();
            assert_eq!(fixture.state(), after, "{name}");
        }
    }
    tree.recover().unwrap();
    assert!(!fixture.has_journal(), "{name}");
}

/// An error may leave things to be taken back, but then says so, and recovery does it.
fn in_the_end(name: &str, ended: Ended, before: &str, after: &str) {
    let Ended { fixture, tree, outcome } = ended;
    let now = fixture.state();
    match &outcome {
        Err(RepoError::Unsettled { .. }) => {}
        Err(error) => assert_eq!(now, before, "{name}: {error}"),
        Ok(()) => {}
    }
    tree.recover().unwrap();
    let settled = fixture.state();
    match outcome {
        Ok(()) => assert_eq!(settled, after, "{name}"),
        Err(error) => assert!([before, after].contains(&&*settled), "{name}: {error}\n{settled}"),
    }
    assert!(!fixture.has_journal(), "{name}");
}

#[test]
fn one_call_that_fails_leaves_the_tree_as_it_was() {
    for errno in [Errno::NOSPC, Errno::ROFS, Errno::IO] {
        assert!(each(errno, false, at_once) >= 300);
    }
}

#[test]
fn what_is_not_permitted_is_done_without_or_leaves_the_tree_as_it_was() {
    // A second name and an attribute are done without; a file system may refuse both.
    let judge = |name: &str, ended: Ended, before: &str, after: &str| {
        let plain = ended.outcome.is_ok() && !ended.fixture.state().contains("noted");
        at_once(name, ended, before, &if plain { after.replace("noted ", "") } else { after.to_owned() });
    };
    assert!(each(Errno::PERM, false, judge) >= 300);
}

#[test]
fn a_disk_that_stays_full_leaves_the_tree_as_it_was() {
    assert!(each(Errno::NOSPC, true, at_once) >= 300);
}

#[test]
fn a_disk_that_stays_broken_leaves_the_tree_as_it_was_once_it_is_mended() {
    for errno in [Errno::ROFS, Errno::IO] {
        assert!(each(errno, true, in_the_end) >= 300);
    }
}
