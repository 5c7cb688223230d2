//! What a checkpoint keeps and what it leaves out.

use std::fs;

use ox_protocol::ChangeKind;

use super::fixture::{Fixture, before};

#[test]
fn an_unchanged_tree_is_recorded_once() {
    let fixture = Fixture::new();
    fixture.file("a", 0o644, "a");
    fixture.file("src/b", 0o600, "b");
    let checkpoints = fixture.open();
    let first = checkpoints.take(&before(1)).unwrap();
    assert!(first.new && first.changed.is_empty());
    let again = checkpoints.take(&before(2)).unwrap();
    assert!(!again.new);
    assert_eq!(again.checkpoint, first.checkpoint);
    // Another process knows it too.
    assert!(!fixture.open().take(&before(3)).unwrap().new);
    assert_eq!(fixture.open().list().unwrap(), [first.checkpoint]);
}

#[test]
fn each_change_is_seen_and_reported() {
    let fixture = Fixture::new();
    fixture.file("a", 0o644, "a");
    fixture.file("src/b", 0o600, "b");
    fixture.file("src/c", 0o600, "c");
    let checkpoints = fixture.open();
    checkpoints.take(&before(1)).unwrap();
    // The same size within the same tick of the clock.
    fixture.file("a", 0o644, "A");
    fixture.file("src/b", 0o700, "b");
    fixture.remove("src/c");
    fixture.file("new/deep/d", 0o644, "d");
    let taken = checkpoints.take(&before(2)).unwrap();
    assert!(taken.new);
    let reported: Vec<(&str, ChangeKind)> = taken.changed.iter().map(|it| (it.0.as_str(), it.1)).collect();
    let (created, modified, deleted) = (ChangeKind::Created, ChangeKind::Modified, ChangeKind::Deleted);
    assert_eq!(reported, [("a", modified), ("new/deep/d", created), ("src/b", modified), ("src/c", deleted)]);
    assert_eq!(checkpoints.list().unwrap().len(), 2);
    fs::create_dir(fixture.path("empty")).unwrap();
    assert!(checkpoints.take(&before(3)).unwrap().new);
}
