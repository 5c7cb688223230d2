//! What somebody else does between a crash and the recovery stays, whatever it is; and so does what is done meanwhile.

use std::fs;
use std::path::Path;

use super::cases::{Case, all};
use super::fixture::Fixture;
use super::killed::killed_at;
use crate::sys::Call;
use crate::tests::fault::{self, Fault};
use crate::{Kept, RepoError};

fn case(name: &str) -> (usize, Case) {
    all().into_iter().enumerate().find(|(_, it)| it.name == name).unwrap()
}

/// Kills the case before each of its calls, lets somebody `meddle`, recovers, and lets `judge` look at it.
fn each(name: &str, meddle: fn(&Path), judge: impl Fn(&Path, &[Kept])) {
    let (index, case) = case(name);
    let mut at = 1;
    loop {
        let fixture = Fixture::new(&case);
        let root = fixture.at("tree");
        let ended = !killed_at(index, &fixture.at(""), at);
        meddle(&root);
        let tree = fixture.tree();
        let kept: Vec<Kept> = tree.recovered().into_iter().flat_map(|it| it.kept).collect();
        judge(&root, &kept);
        assert!(!fixture.has_journal(), "{name}: {at}");
        let left = fs::read_dir(&root).unwrap().any(|it| it.unwrap().file_name().to_string_lossy().starts_with(".ox-"));
        assert!(!left, "{name}: {at}");
        if ended {
            assert!(at > 10, "{name} has {at} calls");
            return;
        }
        at += 1;
    }
}

fn text(root: &Path, path: &str) -> Option<String> {
    fs::read_to_string(root.join(path)).ok()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn an_edited_file_that_somebody_wrote_stays_and_its_old_text_is_beside_it() {
    // Once in place, as a shell does, and once by another file, as editors do.
    let in_place = |root: &Path| fs::write(root.join("b"), "theirs").unwrap();
    let by_rename = |root: &Path| {
        fs::write(root.join("saved"), "theirs").unwrap();
        fs::rename(root.join("saved"), root.join("b")).unwrap();
    };
    for meddle in [in_place, by_rename] {
        each("five edits", meddle, |root, kept| {
            assert_eq!(text(root, "b"), some("theirs"));
            let others = ["a", "src/c", "src/d", "src/deep/e"].map(|it| text(root, it).unwrap());
            let old = others.iter().filter(|it| it.starts_with("old")).count();
            assert!(old == 0 || old == 4, "{others:?}");
            for it in kept {
                assert_eq!((&*it.path, it.copy.as_deref()), ("b", Some("b.before")));
                assert_eq!(text(root, "b.before"), some("old b"));
            }
            assert_eq!(kept.is_empty(), text(root, "b.before").is_none());
        });
    }
}

#[test]
fn what_is_new_at_an_old_path_stays() {
    let meddle = |root: &Path| {
        for path in ["made", "gone", "moved", "there"] {
            fs::write(root.join(path), format!("their {path}")).unwrap();
        }
    };
    each("one of each kind", meddle, |root, _| {
        for path in ["made", "gone", "moved", "there"] {
            assert_eq!(text(root, path), some(&format!("their {path}")));
        }
        let edited = text(root, "edited").unwrap();
        assert!(edited == "old edited" || edited == "new edited");
    });
}

#[test]
fn what_somebody_writes_where_a_file_was_to_go_is_not_moved() {
    // Cut short before the rename: the old file goes, and another comes where it was to go.
    let meddle = |root: &Path| {
        if root.join("moved").exists() {
            fs::write(root.join("there"), "theirs").unwrap();
            fs::remove_file(root.join("moved")).unwrap();
        }
    };
    each("one of each kind", meddle, |root, _| {
        if text(root, "there") == some("theirs") {
            assert_eq!(text(root, "moved"), None);
        } else {
            assert!(text(root, "moved").or(text(root, "there")) == some("old moved"));
        }
    });
}

#[test]
fn a_deleted_file_that_somebody_made_again_stays_beside_the_old_one() {
    each(
        "one of each kind",
        |root| {
            if !root.join("gone").exists() {
                fs::write(root.join("gone"), "theirs").unwrap();
            }
        },
        |root, kept| match text(root, "gone").unwrap().as_str() {
            "old gone" => assert_eq!(kept, []),
            theirs => {
                assert_eq!(theirs, "theirs");
                let undone = text(root, "edited") == some("old edited");
                assert_eq!(text(root, "gone.before"), undone.then(|| "old gone".to_owned()));
            }
        },
    );
}

#[test]
fn temporary_files_that_somebody_cleaned_away_are_not_needed() {
    let clean = |root: &Path| {
        for entry in fs::read_dir(root).unwrap().map(|it| it.unwrap().path()) {
            if entry.file_name().unwrap().to_string_lossy().starts_with(".ox-") {
                fs::remove_file(entry).unwrap();
            }
        }
    };
    for name in ["one of each kind", "links, modes and attributes", "line endings, marks, encodings"] {
        let (_, case) = case(name);
        let (before, whole) = (Fixture::new(&case).state(), Fixture::new(&case));
        let tree = whole.tree();
        tree.commit((case.changes)(&tree)).unwrap();
        each(name, clean, |root, kept| {
            let state = super::fixture::state(root);
            assert!([&before, &whole.state()].contains(&&state), "{state}");
            assert_eq!(kept, []);
        });
    }
}

/// The outcome of a case during which, before call `at`, somebody writes to a file.
fn commit(name: &str, fault: impl Fn(&Path) -> Fault) -> (Fixture, Result<(), RepoError>, Vec<Call>) {
    let (_, case) = case(name);
    let fixture = Fixture::new(&case);
    let tree = fixture.tree();
    let changes = (case.changes)(&tree);
    fault::set(fault(&fixture.at("tree")));
    let outcome = tree.commit(changes).map(drop);
    let calls = fault::calls();
    fault::set(Fault::None);
    (fixture, outcome, calls)
}

#[test]
fn what_is_written_to_a_file_during_the_transaction_stays() {
    for (name, path, place) in [("one edit", "a", 1), ("five edits", "a", 1), ("five edits", "src/deep/e", 5)] {
        let (_, _, calls) = commit(name, |_| Fault::None);
        let renames = calls.iter().enumerate().filter(|(_, it)| **it == Call::Rename).map(|(index, _)| index + 1);
        let replaced = renames.clone().nth(place - 1).unwrap();
        // The system offers no rename that compares contents: between the last look and the rename is this one call.
        for at in (1..=calls.len()).filter(|it| *it != replaced) {
            let (fixture, outcome, _) = commit(name, |root| Fault::Meddle { at, path: root.join(path) });
            assert_eq!(text(&fixture.at("tree"), path), some("theirs"), "{name}: {at}");
            match outcome {
                Ok(()) => assert!(at > replaced, "{name}: {at}"),
                Err(RepoError::Changed { .. }) => {
                    assert!(at < replaced, "{name}: {at}");
                    let others = fixture.state().replace("theirs", &format!("old {path}"));
                    let kept = others.lines().filter(|it| !it.contains(".before")).collect::<Vec<_>>().join("\n");
                    assert_eq!(kept, Fixture::new(&case(name).1).state().trim_end(), "{name}: {at}");
                }
                Err(other) => panic!("{name}: {at}: {other}"),
            }
        }
    }
}
