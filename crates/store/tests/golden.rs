//! Logs of every released version stay readable, and what this version does not know is kept.
#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{first, frame, turn};
use ox_protocol::{ConversationId, Event, Frame, Seq, VERSION};
use ox_store::{Log, Owner, PostgresStore, Store, StoreError, export_json, export_markdown};
use serde_json::Value;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

/// Puts rows into a conversation as another version of Ox would have.
fn insert(path: &Path, id: &str, rows: &[String]) {
    let connection = rusqlite::Connection::open(path).unwrap();
    for row in rows {
        let value: Value = serde_json::from_str(row).unwrap_or_default();
        let (seq, kind) = (value["seq"].as_u64(), value["event"].as_str().unwrap_or_default());
        connection
            .execute(
                "INSERT INTO events (conversation, seq, time, kind, json)
                 VALUES (?1, coalesce(?2, 1 + (SELECT max(seq) FROM events WHERE conversation = ?1)), 0, ?3, ?4)",
                rusqlite::params![id, seq, kind, row],
            )
            .unwrap();
    }
    connection
        .execute(
            "UPDATE conversations SET last = (SELECT max(seq) FROM events WHERE conversation = ?1) WHERE id = ?1",
            [id],
        )
        .unwrap();
}

/// True when `new` says all that `old` says; fields may be added.
fn keeps(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            old.iter().all(|(key, value)| new.get(key).is_some_and(|it| keeps(value, it)))
        }
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| keeps(old, new))
        }
        _ => old == new,
    }
}

fn golden(version: u32) -> Vec<String> {
    let text = fs::read_to_string(format!("{GOLDEN}/v{version}.jsonl")).unwrap();
    text.lines().map(str::to_string).collect()
}

#[test]
fn the_log_of_every_version_is_read_whole() {
    for version in 1..=VERSION {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ox.db");
        let store = Store::open(&path).unwrap();
        let rows = golden(version);
        let begin: Frame = serde_json::from_str(&rows[0]).unwrap();
        let id = store.create(&begin).unwrap();
        insert(&path, &id.0, &rows[1..]);
        let history = store.read(&id).unwrap();
        assert_eq!(history.frames.len(), rows.len());
        let why = history.read_only();
        assert_eq!(why, None, "version {version} is no longer understood; add a step to `record::STEPS`");
        if version == VERSION {
            for (row, frame) in rows.iter().zip(&history.frames) {
                let row: Value = serde_json::from_str(row).unwrap();
                let now = serde_json::to_value(frame).unwrap();
                assert!(keeps(&row, &now), "the format changed without a new version:\n{row}\n{now}");
            }
        }
        // What was read can be continued.
        let next = history.frames.len() as u64 + 1;
        store.append(&id, Owner::FIRST, Seq(next - 1), &[frame(next, 1, Event::Interrupted)]).unwrap();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn postgresql_reads_the_log_of_every_version_as_sqlite_does() {
    let Some(server) = common::postgres::Server::start() else { return };
    for version in 1..=VERSION {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ox.db");
        let (sqlite, schema) = (Store::open(&path).unwrap(), format!("golden{version}"));
        let postgres = PostgresStore::open(&server.empty(&schema)).unwrap();
        let rows = golden(version);
        let begin: Frame = serde_json::from_str(&rows[0]).unwrap();
        let id = sqlite.create(&begin).unwrap();
        postgres.create(&begin).unwrap();
        insert(&path, &id.0, &rows[1..]);
        server.sql(&schema, &inserts(&id.0, &rows[1..]));
        let bytes = |log: &dyn Log| serde_json::to_string(&log.read(&id).unwrap().frames).unwrap();
        assert_eq!(bytes(&sqlite), bytes(&postgres));
        assert_eq!(sqlite.read(&id).unwrap().read_only(), None);
        let outline = |log: &dyn Log| (1..4).map(|it| log.recent_turns(&id, it).unwrap()).collect::<Vec<_>>();
        assert_eq!(outline(&sqlite), outline(&postgres));
        let next = rows.len() as u64 + 1;
        postgres.append(&id, Owner::FIRST, Seq(next - 1), &[frame(next, 1, Event::Interrupted)]).unwrap();
        // What was appended stands there as it stands in the other one.
        sqlite.append(&id, Owner::FIRST, Seq(next - 1), &[frame(next, 1, Event::Interrupted)]).unwrap();
        let stored = server.sql(&schema, &format!("SELECT json FROM events WHERE seq = {next}"));
        let connection = rusqlite::Connection::open(&path).unwrap();
        let same: String =
            connection.query_row("SELECT json FROM events WHERE seq = ?1", [next], |row| row.get(0)).unwrap();
        assert_eq!(stored, same);
    }
}

/// As `insert`, in words for PostgreSQL.
#[cfg(target_os = "linux")]
fn inserts(id: &str, rows: &[String]) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let row = |row: &String| {
        let value: Value = serde_json::from_str(row).unwrap();
        let kind = value["event"].as_str().unwrap();
        format!("({}, {}, 0, {}, {})", quoted(id), value["seq"], quoted(kind), quoted(row))
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!(
        "INSERT INTO events (conversation, seq, time, kind, json) VALUES {};
         UPDATE conversations SET last = (SELECT max(seq) FROM events WHERE conversation = {id}) WHERE id = {id}",
        rows.join(", "),
        id = quoted(id)
    )
}

#[test]
fn the_golden_log_has_every_kind_of_event() {
    let schema = serde_json::to_value(schemars::schema_for!(Frame)).unwrap();
    let kinds = schema["anyOf"].as_array().expect("the schema lists the events");
    let kind = |it: &Value| it["properties"]["event"]["const"].as_str().map(str::to_string);
    let kinds: BTreeSet<String> = kinds.iter().filter_map(kind).collect();
    let seen = golden(VERSION).into_iter().map(|row| serde_json::from_str::<Value>(&row).unwrap()["event"].clone());
    let seen: BTreeSet<String> = seen.filter_map(|it| it.as_str().map(str::to_string)).collect();
    assert_eq!(seen, kinds, "add a line for each new kind of event to tests/golden/v{VERSION}.jsonl");
}

#[test]
fn an_event_of_an_unknown_kind_is_kept_and_makes_the_conversation_read_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ox.db");
    let store = Store::open(&path).unwrap();
    let id = store.create(&first("a", "/p", 1)).unwrap();
    store.append(&id, Owner::FIRST, Seq(1), &[frame(2, 2, turn(1, "Fix it"))]).unwrap();
    let future = r#"{"v":1,"seq":3,"time":3,"event":"teleported","to":{"x":1}}"#;
    let reshaped = r#"{"v":1,"seq":4,"time":4,"event":"named","title":"no name"}"#;
    insert(&path, "a", &[future.to_string(), reshaped.to_string()]);
    store.append(&id, Owner::FIRST, Seq(4), &[frame(5, 5, Event::Interrupted)]).expect_err("it is read-only");

    let store = Store::open(&path).unwrap();
    let history = store.read(&id).unwrap();
    assert_eq!(history.frames.len(), 4);
    let unknown = |it: &Frame| Some((it.seq.0, it.event.unknown()?.to_owned()));
    let unknown: Vec<_> = history.frames.iter().filter_map(unknown).collect();
    assert_eq!(unknown, [(3, "teleported".to_owned()), (4, "named".to_owned())]);
    let error = store.append(&id, Owner::FIRST, Seq(4), &[frame(5, 5, Event::Interrupted)]).unwrap_err();
    assert_eq!(error, StoreError::ReadOnly { id: id.clone(), what: "event 3 `teleported`".into() });
    expect_test::expect![[r#"
        Conversation a contains something that this Ox does not understand (event 3 `teleported`), so it can only be read.
        Update Ox to continue it, or start a new conversation."#]]
    .assert_eq(&error.to_string());

    // Neither the name nor an export loses them.
    store.rename(&id, "x").unwrap();
    let exported = export_json(&store.info(&id).unwrap(), &store.read(&id).unwrap());
    assert!(keeps(&serde_json::from_str(future).unwrap(), &exported["events"][2]));
    assert_eq!(exported["events"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_row_that_is_no_json_is_reported_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ox.db");
    let store = Store::open(&path).unwrap();
    let id = store.create(&first("a", "/p", 1)).unwrap();
    insert(&path, "a", &["{\"v\":1,\"se".to_string()]);
    let StoreError::Corrupt { why, .. } = store.read(&id).unwrap_err() else { panic!("it is damaged") };
    assert!(why.starts_with("event 2 of a is not readable: "), "{why}");
}

#[test]
fn the_golden_log_as_markdown() {
    let store = Store::in_memory().unwrap();
    let frames: Vec<Frame> = golden(VERSION).iter().map(|row| serde_json::from_str(row).unwrap()).collect();
    let id = store.create(&frames[0]).unwrap();
    store.append(&id, Owner::FIRST, Seq(1), &frames[1..]).unwrap();
    let info = store.info(&ConversationId("20261120-7f3k".into())).unwrap();
    let text = export_markdown(&info, &store.read(&id).unwrap(), ox_protocol::locale::Language::En);
    expect_test::expect_file!["golden/export.md"].assert_eq(&text);
}
