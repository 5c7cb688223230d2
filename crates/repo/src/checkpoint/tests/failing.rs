//! Each call of recording and putting back fails once, or from one on all do, as on a disk that is full or broken.

use rustix::io::Errno;

use super::cut::{ROLES, act, assert_sound, prepared, whole};
use crate::RepoError;
use crate::tests::fault::{self, Fault};

/// Runs every role with every call failing in this way; answers how many there were.
fn each(errno: Errno, lasting: bool) -> usize {
    let mut count = 0;
    for role in ROLES {
        let (calls, before, after) = whole(role);
        for at in 1..=calls.len() {
            let fixture = prepared(role);
            let name = format!("{role:?} {at} {errno} {:?}", calls[at - 1]);
            fault::set(Fault::Fail { at, errno, lasting });
            let outcome = act(&fixture.at(""), role);
            fault::set(Fault::None);
            let now = fixture.state();
            match &outcome {
                // What was not settled at once is when the tree is next opened.
                Err(RepoError::Unsettled { .. }) | Ok(()) => {
                    drop(fixture.open());
                    let now = fixture.state();
                    assert!([&before, &after].contains(&&now), "{name}\n{now}");
                    assert!(outcome.is_err() || now == after, "{name}\n{now}");
                }
                Err(error) => assert!(now == before || now == after, "{name}: {error}\n{now}"),
            }
            if let (Err(error), Errno::NOSPC) = (&outcome, errno) {
                let words = error.to_string();
                assert!(words.contains("no space is left") || words.contains("No space left"), "{name}: {words}");
            }
            drop(fixture.open());
            assert_sound(&fixture, &name);
        }
        count += calls.len();
    }
    count
}

#[test]
fn one_call_that_fails_leaves_nothing_half_done() {
    for errno in [Errno::NOSPC, Errno::IO] {
        assert!(each(errno, false) >= 200);
    }
}

#[test]
fn a_disk_that_stays_full_or_broken_leaves_nothing_half_done() {
    for errno in [Errno::NOSPC, Errno::ROFS] {
        assert!(each(errno, true) >= 200);
    }
}
