//! A process that is killed while it appends loses nothing of what an append had returned for.
#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{first, frame, reply};
use ox_protocol::{ConversationId, Seq};
use ox_store::{Log, Owner, Store, StoreError, lock_tree};

const CHILD: &str = "OX_STORE_TEST_CHILD";

/// Starts this very test binary again, with one test alone, as the process that will be killed.
fn child(test: &str, folder: &Path) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(CHILD, folder);
    command.stdout(Stdio::piped()).spawn().unwrap()
}

fn child_folder() -> Option<PathBuf> {
    std::env::var_os(CHILD).map(PathBuf::from)
}

/// Appends for ever, two events at a time, and says after each append how far it is.
fn append_for_ever(folder: &Path) -> ! {
    let store = Store::open(&folder.join("ox.db")).unwrap();
    let id = store.create(&first("a", "/p", 1)).unwrap();
    let mut out = std::io::stdout();
    for last in (1..).step_by(2) {
        let text = format!("{last} {}", "x".repeat(last as usize % 5000));
        let frames = [frame(last + 1, last, reply(&text, 1)), frame(last + 2, last, reply(&text, 1))];
        store.append(&id, Owner::FIRST, Seq(last), &frames).unwrap();
        writeln!(out, "stored {}", last + 2).unwrap();
        out.flush().unwrap();
    }
    unreachable!("the loop has no end")
}

#[test]
fn kill_9_loses_nothing_that_was_stored() {
    if let Some(folder) = child_folder() {
        append_for_ever(&folder);
    }
    for killed_after in [1, 10, 100] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = child("kill_9_loses_nothing_that_was_stored", folder.path());
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let stored = lines.map(|line| line.unwrap()).filter_map(|line| line.strip_prefix("stored ")?.parse().ok());
        let stored: u64 = stored.take(killed_after).last().expect("the child appends");
        child.kill().unwrap();
        child.wait().unwrap();

        let store = Store::open(&folder.path().join("ox.db")).unwrap();
        let id = ConversationId("a".into());
        let history = store.read(&id).unwrap();
        let numbers: Vec<u64> = history.frames.iter().map(|it| it.seq.0).collect();
        let last = numbers.len() as u64;
        assert!(last >= stored, "{stored} events were stored, {last} are there");
        assert_eq!(numbers, (1..=last).collect::<Vec<u64>>());
        assert_eq!(last % 2, 1, "half of an append was stored");
        assert_eq!(store.info(&id).unwrap().last, Seq(last));
        store.append(&id, Owner::FIRST, Seq(last), &[frame(last + 1, 9, reply("on", 1))]).unwrap();
    }
}

#[test]
fn a_killed_process_gives_its_tree_back_and_a_living_one_is_named() {
    let root = Path::new("/some/tree");
    if let Some(folder) = child_folder() {
        let _lock = lock_tree(&folder, root).unwrap();
        println!("locked");
        // Waits to be killed: nobody writes to this pipe.
        let (reader, _writer) = std::io::pipe().unwrap();
        let _ = BufReader::new(reader).read_line(&mut String::new());
    }
    let folder = tempfile::tempdir().unwrap();
    let mut child = child("a_killed_process_gives_its_tree_back_and_a_living_one_is_named", folder.path());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("locked")));
    let StoreError::TreeBusy { holder, .. } = lock_tree(folder.path(), root).unwrap_err() else { panic!("not busy") };
    assert!(holder.contains(&format!("process {}", child.id())), "{holder}");
    child.kill().unwrap();
    child.wait().unwrap();
    lock_tree(folder.path(), root).unwrap();
}

#[test]
fn a_writer_in_another_process_is_a_conflict_or_is_waited_for() {
    if let Some(folder) = child_folder() {
        append_for_ever(&folder);
    }
    let folder = tempfile::tempdir().unwrap();
    let mut child = child("a_writer_in_another_process_is_a_conflict_or_is_waited_for", folder.path());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("stored ")));
    let store = Store::open(&folder.path().join("ox.db")).unwrap();
    let id = ConversationId("a".into());
    let error = store.append(&id, Owner::FIRST, Seq(1), &[frame(2, 9, reply("mine", 1))]).unwrap_err();
    assert!(matches!(error, StoreError::Conflict { expected: Seq(1), .. }), "{error}");
    // Another conversation of the same file is not disturbed.
    let other = store.create(&first("b", "/p", 1)).unwrap();
    for last in 1..20 {
        store.append(&other, Owner::FIRST, Seq(last), &[frame(last + 1, 9, reply("mine", 1))]).unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(store.read(&other).unwrap().frames.len(), 20);
}

#[test]
#[cfg(target_os = "linux")]
fn the_process_that_holds_the_database_is_named() {
    if let Some(folder) = child_folder() {
        let connection = rusqlite::Connection::open(folder.join("ox.db")).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        println!("locked");
        let (reader, _writer) = std::io::pipe().unwrap();
        let _ = BufReader::new(reader).read_line(&mut String::new());
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ox.db");
    let options = ox_store::Options { busy: std::time::Duration::from_millis(20), ..ox_store::Options::default() };
    let store = Store::open_with(&path, options).unwrap();
    let mut child = child("the_process_that_holds_the_database_is_named", folder.path());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("locked")));
    let error = store.create(&first("a", "/p", 1)).unwrap_err();
    child.kill().unwrap();
    child.wait().unwrap();
    let StoreError::Locked { holder, .. } = &error else { panic!("{error}") };
    // Some sandboxes show no locks; the message then does without the name.
    let shown = std::fs::read_to_string("/proc/locks").is_ok_and(|it| !it.trim().is_empty());
    assert!(!shown || holder.contains(&format!("(process {})", child.id())), "{error}");
    store.create(&first("a", "/p", 1)).unwrap();
}
