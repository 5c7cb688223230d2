//! What the disk and other programs can do to the store, each with the words that the user reads.
#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{first, frame, reply};
use expect_test::{Expect, expect};
use ox_protocol::Seq;
use ox_store::{Log, Options, Owner, Store, StoreError};

/// Compares the message, the folder of the test replaced by `DIR`.
fn says(error: &StoreError, folder: &Path, expected: Expect) {
    expected.assert_eq(&error.to_string().replace(&folder.display().to_string(), "DIR"));
}

fn impatient() -> Options {
    Options { busy: Duration::from_millis(50), ..Options::default() }
}

#[test]
fn a_locked_database_is_waited_for_and_then_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ox.db");
    let store = Store::open_with(&path, impatient()).unwrap();
    let id = store.create(&first("a", "/p", 1)).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begin = Instant::now();
    let error = store.append(&id, Owner::FIRST, Seq(1), &[frame(2, 2, reply("x", 1))]).unwrap_err();
    assert!(begin.elapsed() >= Duration::from_millis(50));
    says(
        &error,
        folder.path(),
        expect![[r#"
            The conversations in DIR/ox.db are locked by another program.
            Close other programs that use this file (another Ox, a database browser, a backup) and try again."#]],
    );
    // Reading goes on beside a writer, and the append succeeds once it is gone.
    assert_eq!(store.read(&id).unwrap().frames.len(), 1);
    other.execute_batch("ROLLBACK").unwrap();
    store.append(&id, Owner::FIRST, Seq(1), &[frame(2, 2, reply("x", 1))]).unwrap();
}

#[test]
fn a_database_that_is_locked_whole_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ox.db");
    drop(Store::open(&path).unwrap());
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE").unwrap();
    let error = Store::open_with(&path, impatient()).map(drop).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
}

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ox.db");
    let store = Store::open_with(&path, Options { max_pages: Some(24), ..Options::default() }).unwrap();
    let id = store.create(&first("a", "/p", 1)).unwrap();
    let mut stored = 1;
    let error = loop {
        match store.append(&id, Owner::FIRST, Seq(stored), &[frame(stored + 1, 2, reply(&"x".repeat(4000), 1))]) {
            Ok(()) => stored += 1,
            Err(error) => break error,
        }
        assert!(stored < 100, "the database never got full");
    };
    says(
        &error,
        folder.path(),
        expect![[r#"
            The disk with DIR/ox.db is full. Nothing stored earlier is lost.
            Free some space, or set OX_HOME to a folder on another disk, and try again."#]],
    );
    assert_eq!(store.read(&id).unwrap().frames.len() as u64, stored);
    assert_eq!(store.info(&id).unwrap().last, Seq(stored));
    drop(store);
    let roomier = Store::open(&path).unwrap();
    roomier.append(&id, Owner::FIRST, Seq(stored), &[frame(stored + 1, 2, reply(&"x".repeat(4000), 1))]).unwrap();
}

/// Runs `work` as a user whom the rights of a folder bind; root ignores them.
#[cfg(target_os = "linux")]
fn as_nobody<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let bound = scope.spawn(|| {
            if rustix::process::geteuid().is_root() {
                // The change concerns this one thread alone, which ends with the work.
                let nobody = rustix::process::Uid::from_raw(65534);
                rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
            }
            work()
        });
        bound.join().unwrap()
    })
}

#[test]
#[cfg(target_os = "linux")]
fn a_read_only_folder_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    fs::create_dir(&state).unwrap();
    for it in [folder.path(), &state] {
        fs::set_permissions(it, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let deep = state.join("ox/ox.db");
    let error = as_nobody(|| Store::open(&deep).map(drop)).unwrap_err();
    says(
        &error,
        folder.path(),
        expect![[r#"
            Ox stores conversations in DIR/state but cannot write there (Permission denied (os error 13)).
            Make the folder writable, or set OX_HOME to a folder that you can write to."#]],
    );

    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
    let path = state.join("ox.db");
    drop(Store::open(&path).unwrap());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o555)).unwrap();
    let error = as_nobody(|| Store::open(&path).map(drop)).unwrap_err();
    says(
        &error,
        folder.path(),
        expect![[r#"
            Ox stores conversations in DIR/state but cannot write there (Permission denied (os error 13)).
            Make the folder writable, or set OX_HOME to a folder that you can write to."#]],
    );

    // The file may be written but the folder not: SQLite cannot put its log beside it.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let error = as_nobody(|| Store::open(&path).map(drop)).unwrap_err();
    assert!(matches!(&error, StoreError::ReadOnlyFolder { path, .. } if *path == state), "{error}");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_newer_database_is_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ox.db");
    drop(Store::open(&path).unwrap());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 7).unwrap();
    let before = fs::read(&path).unwrap();
    let error = Store::open(&path).map(drop).unwrap_err();
    says(
        &error,
        folder.path(),
        expect![[r#"
            DIR/ox.db was written by a newer Ox (version 7; this one supports 3). It was not changed.
            Update Ox, or set OX_HOME to another folder."#]],
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_damaged_or_foreign_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ox.db");
    fs::write(&path, "this is not a database, it is a note\n".repeat(40)).unwrap();
    says(
        &Store::open(&path).map(drop).unwrap_err(),
        folder.path(),
        expect![[r#"
            DIR/ox.db is damaged or not an Ox database (file is not a database).
            Move it away to start with an empty one; `sqlite3 FILE .recover` may recover its contents."#]],
    );

    fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE notes (text)").unwrap();
    says(
        &Store::open(&path).map(drop).unwrap_err(),
        folder.path(),
        expect![[r#"
            DIR/ox.db is damaged or not an Ox database (another program's database).
            Move it away to start with an empty one; `sqlite3 FILE .recover` may recover its contents."#]],
    );
}

#[test]
#[cfg(unix)]
fn what_was_said_is_readable_by_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/ox/ox.db");
    let store = Store::open(&path).unwrap();
    store.create(&first("a", "/p", 1)).unwrap();
    for (it, mode) in [("state/ox", 0o700), ("state/ox/ox.db", 0o600), ("state/ox/ox.db-wal", 0o600)] {
        let found = fs::metadata(folder.path().join(it)).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{it} has {found:o}");
    }
}

/// The store as Ox 0.1.0 left it.
const BEFORE: &str = include_str!("golden/store-v2.sql");

#[test]
fn a_store_of_a_released_version_is_copied_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ox.db");
    let rows = |path: &Path| -> Vec<(u64, String)> {
        let connection = rusqlite::Connection::open(path).unwrap();
        let mut rows = connection.prepare("SELECT seq, json FROM events ORDER BY conversation, seq").unwrap();
        let read = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        read.collect::<Result<_, _>>().unwrap()
    };
    let version = |path: &Path| -> i64 {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    rusqlite::Connection::open(&path).unwrap().execute_batch(BEFORE).unwrap();
    let before = rows(&path);
    assert_eq!((version(&path), before.len()), (2, 5));

    // Two that open it at once find one another's work.
    let opened = std::thread::scope(|scope| {
        let both = [(); 2].map(|()| scope.spawn(|| Store::open(&path).unwrap()));
        both.map(|it| it.join().unwrap())
    });
    let copy = folder.path().join("ox.db.v2");
    assert_eq!((version(&copy), rows(&copy)), (2, before.clone()));
    assert_eq!((version(&path), rows(&path)), (3, before));
    let left = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut left: Vec<String> = left.filter(|it| !it.ends_with("-wal") && !it.ends_with("-shm")).collect();
    left.sort_unstable();
    assert_eq!(left, ["ox.db", "ox.db.v2"]);

    let [one, other] = opened;
    let info = one.find("the sum").unwrap();
    assert_eq!((info.project.as_str(), info.turns, info.last), ("", 1, Seq(4)));
    assert_eq!(one.recent_turns(&info.id, 9).unwrap().forgotten, [Seq(3)]);
    let owner = one.own(&info.id).unwrap();
    one.append(&info.id, owner, Seq(4), &[frame(5, 9, reply("on", 1))]).unwrap();
    assert_eq!(other.read(&info.id).unwrap().frames.len(), 5);
    // It is copied once, not at each start.
    fs::remove_file(&copy).unwrap();
    drop(Store::open(&path).unwrap());
    assert!(!copy.exists());
}
