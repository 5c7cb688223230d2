//! One transaction at a time: a journal that is held is neither recovered nor waited for without end.

use std::time::Duration;

use super::cases::all;
use super::fixture::Fixture;
use crate::RepoError;
use crate::transaction::lock::TreeLock;

#[test]
fn who_waits_too_long_is_reported() {
    let fixture = Fixture::new(&all()[0]);
    let (one, other) = (fixture.tree(), fixture.tree());
    let held = TreeLock::take(&one).unwrap();
    let error = TreeLock::take_within(&other.inner, Duration::from_millis(10)).unwrap_err();
    assert!(matches!(error, RepoError::Busy { .. }), "{error}");
    assert!(error.to_string().contains("nothing was changed"), "{error}");
    drop(held);
    // Not at once: a process that another test is just starting has a copy of the lock for a moment.
    assert!(TreeLock::take_within(&other.inner, Duration::from_secs(5)).is_ok());
}

#[test]
fn who_waits_gets_a_journal_that_is_still_there() {
    let fixture = Fixture::new(&all()[0]);
    let (one, other) = (fixture.tree(), fixture.tree());
    let held = TreeLock::take(&one).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            TreeLock::take(&other).map(|mut it| it.with(|it| it.is_empty()).unwrap() && fixture.has_journal())
        });
        // It is removed while the other one may already wait for it.
        held.remove();
        assert!(waiting.join().unwrap().unwrap());
    });
}
