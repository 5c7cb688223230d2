//! Faults of the disk and of the database of conversations: the words, and that nothing is lost.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use expect_test::expect;

use crate::place::{OX, Place};

const ANSWERS: &str = "-- model --\n@list_files\n-- model --\nIt is empty.\n";

/// A home with one conversation in it.
fn used() -> Place {
    let place = Place::new();
    let ran = place.play(ANSWERS, &["--mode", "chat", "--name", "first", "What is here?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place
}

fn database(place: &Place) -> rusqlite::Connection {
    rusqlite::Connection::open(place.home("state/ox.db")).unwrap()
}

#[test]
fn a_locked_database_is_waited_for_and_its_holder_named() {
    let place = used();
    let holder = database(&place);
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ran = place.play(ANSWERS, &["hi"]);
    let words = ran.refusal(1).replace(&std::process::id().to_string(), "PID");
    let name = fs::read_to_string("/proc/self/comm").unwrap_or_default();
    expect![[r#"
        ox: The conversations in /home/state/ox.db are locked by NAME (process PID).
        Close it, or wait until it finishes, and try again.
    "#]]
    .assert_eq(&words.replace(name.trim(), "NAME"));
    assert!(ran.took < Duration::from_secs(30), "{:?}", ran.took);
    // Reading needs no lock, and once it is given back everything is as before.
    assert!(place.ox(&["sessions"]).out.contains("first"));
    holder.execute_batch("ROLLBACK").unwrap();
    assert_eq!(place.play(ANSWERS, &["--mode", "chat", "hi"]).code, Some(0));
}

#[test]
fn a_damaged_database_is_named_and_left_alone() {
    let place = used();
    let file = place.home("state/ox.db");
    fs::remove_file(place.home("state/ox.db-wal")).ok();
    let mut bytes = fs::read(&file).unwrap();
    bytes[..200].fill(b'x');
    fs::write(&file, &bytes).unwrap();
    expect![[r#"
        ox: /home/state/ox.db is damaged or not an Ox database (file is not a database).
        Move it away to start with an empty one; `sqlite3 FILE .recover` may recover its contents.
    "#]]
    .assert_eq(place.play(ANSWERS, &["hi"]).refusal(1));
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn a_database_of_a_newer_ox_is_not_touched() {
    let place = used();
    database(&place).execute_batch("PRAGMA user_version = 4711").unwrap();
    let mut words = Vec::new();
    for args in [&["sessions"][..], &["resume"], &["run", "hi"]] {
        let mut command = place.command(args);
        command.env("OX_MODEL", place.script(ANSWERS));
        words.push(place.finish(command).refusal(1).to_string());
    }
    words.dedup();
    expect![[r#"
        ox: /home/state/ox.db was written by a newer Ox (version 4711; this one supports 3). It was not changed.
        Update Ox, or set OX_HOME to another folder.
    "#]]
    .assert_eq(&words.join("\n"));
}

#[test]
fn a_home_that_cannot_be_made_is_named() {
    let place = Place::new();
    fs::write(place.home("state"), "a file where a folder must be").unwrap();
    expect![[r#"
        ox: Ox stores conversations in /home but cannot write there (File exists (os error 17)).
        Make the folder writable, or set OX_HOME to a folder that you can write to.
    "#]]
    .assert_eq(place.play(ANSWERS, &["hi"]).refusal(1));
    let mut command = place.command(&["run", "--model", &place.script(ANSWERS), "hi"]);
    command.env("OX_HOME", "/proc/ox");
    expect![[r#"
        ox: Ox stores conversations in /proc but cannot write there (No such file or directory (os error 2)).
        Make the folder writable, or set OX_HOME to a folder that you can write to.
    "#]]
    .assert_eq(place.finish(command).refusal(1));
    let mut command = place.command(&["run", "hi"]);
    command.env("OX_HOME", "relative");
    expect![[r#"
        ox: OX_HOME must be an absolute path, not relative. A relative path would mean a different folder in each project.
    "#]]
    .assert_eq(place.finish(command).refusal(2));
}

#[test]
fn a_home_that_may_not_be_written_is_named() {
    let place = Place::new();
    let command = place.bound_by_rights(&["run", "--model", &place.script(ANSWERS), "hi"]);
    fs::set_permissions(place.home(""), fs::Permissions::from_mode(0o555)).unwrap();
    let ran = place.finish(command);
    fs::set_permissions(place.home(""), fs::Permissions::from_mode(0o755)).unwrap();
    expect![[r#"
        ox: Ox stores conversations in /home but cannot write there (Permission denied (os error 13)).
        Make the folder writable, or set OX_HOME to a folder that you can write to.
    "#]]
    .assert_eq(ran.refusal(1));
}

#[test]
fn a_full_disk_is_named_and_loses_nothing() {
    let place = Place::new();
    fs::set_permissions(place.root(), fs::Permissions::from_mode(0o755)).unwrap();
    // Thirty calls of 40 KB each do not fit into a megabyte.
    let step = |it: usize| format!("-- model --\n@think\nthought: {it} {}\n", "many words ".repeat(4000));
    let steps: String = (0..30).map(step).collect();
    let steps = format!("-- model --\n@list_files\n{steps}");
    let model = place.script(&format!("{steps}-- model --\nDone.\n"));
    let home = place.home("");
    let home = home.display();
    let script = format!(
        "mount -t tmpfs -o size=1m ox-test '{home}' || exit 77\n\
         '{OX}' run --mode chat --model '{model}' 'talk'; echo \"code $?\"\n\
         '{OX}' sessions export $('{OX}' sessions --json | sed -n 's/.*\"id\": \"\\(.*\\)\".*/\\1/p') | grep -c 'many words'\n\
         mount -o remount,size=64m '{home}' && '{OX}' resume --mode chat --model '{model}'; echo \"code $?\"\n"
    );
    let mut command = place.program("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    let ran = place.finish(command);
    if ran.code != Some(0) && std::env::var_os("CI").is_none() {
        eprintln!("skipped: a file system of limited size cannot be mounted here: {}", ran.err);
        return;
    }
    let words = "ox: The disk with /home/state/ox.db is full. Nothing stored earlier is lost.\n\
                 Free some space, or set OX_HOME to a folder on another disk, and try again.\n";
    assert!(ran.err.contains(words), "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((lines[0], &lines[2..]), ("code 1", &["Done.", "code 0"][..]), "{}{}", ran.out, ran.err);
    assert!(lines[1].parse::<u32>().unwrap() > 1, "what was stored is gone: {}", ran.out);
}
