//! What a server and the way to it can do to the store on PostgreSQL.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod common;

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::postgres::Server;
use common::{first, frame, reply};
use ox_protocol::{ConversationId, Seq};
use ox_store::{Log, NewTask, Outcome, Owner, PostgresStore, ProjectLimits, Queue, StoreError};

#[test]
fn two_processes_make_the_tables_at_once_and_those_of_a_newer_ox_stay_untouched() {
    let Some(server) = Server::start() else { return };
    let url = server.url("public");
    let opened = std::thread::scope(|scope| {
        let all = [(); 4].map(|()| scope.spawn(|| PostgresStore::open(&url).unwrap()));
        all.map(|it| it.join().unwrap())
    });
    let id = opened[0].create(&first("a", "/p", 1)).unwrap();
    assert_eq!(opened[3].read(&id).unwrap().frames.len(), 1);
    server.sql("public", "UPDATE ox_version SET version = 99");
    let error = PostgresStore::open(&url).map(drop).unwrap_err();
    assert!(matches!(error, StoreError::NewerServer { found: 99, .. }), "{error}");
    assert_eq!(server.sql("public", "SELECT version FROM ox_version"), "99");
}

#[test]
fn a_crash_of_the_server_loses_nothing_that_was_stored_and_stores_nothing_twice() {
    let Some(mut server) = Server::start() else { return };
    let store = PostgresStore::open(&server.url("public")).unwrap();
    let ids: Vec<ConversationId> = (0..4).map(|it| store.create(&first(&format!("c{it}"), "/p", 1)).unwrap()).collect();
    let (done, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let write = |id: &ConversationId| -> u64 {
        let mut last = 1;
        while !done.load(Ordering::SeqCst) {
            let text = format!("{id} {last}");
            // An append that meets the crash waits until the server is back.
            store.append(id, Owner::FIRST, Seq(last), &[frame(last + 1, 2, reply(&text, 1))]).unwrap();
            last += 1;
            count.fetch_add(1, Ordering::SeqCst);
        }
        last
    };
    let write = &write;
    let stored = std::thread::scope(|scope| {
        let writers: Vec<_> = ids.iter().map(|id| scope.spawn(move || write(id))).collect();
        let progress = |by: u64| {
            let from = count.load(Ordering::SeqCst);
            while count.load(Ordering::SeqCst) < from + by && writers.iter().all(|it| !it.is_finished()) {
                std::thread::yield_now();
            }
        };
        for _ in 0..3 {
            progress(50);
            server.crash();
        }
        progress(50);
        done.store(true, Ordering::SeqCst);
        writers.into_iter().map(|it| it.join().unwrap()).collect::<Vec<u64>>()
    });
    for (id, last) in ids.iter().zip(stored) {
        let numbers: Vec<u64> = store.read(id).unwrap().frames.iter().map(|it| it.seq.0).collect();
        assert_eq!(numbers, (1..=last).collect::<Vec<_>>());
        assert_eq!(store.info(id).unwrap().last, Seq(last));
    }
}

/// Stands between the store and its server. While `cuts` is set, it cuts a connection when the server answers to an append: what
/// was asked is done, and whoever asked does not hear of it.
fn between(at: &Path, server: &Path, cuts: &Arc<AtomicBool>) {
    let listener = UnixListener::bind(at).unwrap();
    let (server, cuts) = (server.to_path_buf(), cuts.clone());
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (mut client, mut behind) = (client.unwrap(), UnixStream::connect(&server).unwrap());
            let (mut from, mut to) = (client.try_clone().unwrap(), behind.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            let cuts = cuts.clone();
            std::thread::spawn(move || {
                let mut bytes = [0; 65_536];
                while let Ok(count @ 1..) = behind.read(&mut bytes) {
                    let appended = bytes[..count].windows(9).any(|it| it == b"SELECT 1\0");
                    if appended && cuts.swap(false, Ordering::SeqCst) || client.write_all(&bytes[..count]).is_err() {
                        break;
                    }
                }
                let _ = client.shutdown(Shutdown::Both);
            });
        }
    });
}

#[test]
fn an_append_whose_answer_is_lost_is_stored_once() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let cuts = Arc::new(AtomicBool::new(false));
    between(&folder.path().join(".s.PGSQL.5432"), &server.socket(), &cuts);
    let socket = folder.path().to_str().unwrap().replace('/', "%2F").replace(' ', "%20");
    let store = PostgresStore::open(&format!("postgres://ox@{socket}/postgres")).unwrap();
    let id = store.create(&first("a", "/p", 1)).unwrap();
    for last in 1..=100 {
        cuts.store(true, Ordering::SeqCst);
        let text = format!("event {last}");
        store.append(&id, Owner::FIRST, Seq(last), &[frame(last + 1, 2, reply(&text, 1))]).unwrap();
        assert!(!cuts.load(Ordering::SeqCst), "the answer of append {last} was not lost");
    }
    let numbers: Vec<u64> = store.read(&id).unwrap().frames.iter().map(|it| it.seq.0).collect();
    assert_eq!(numbers, (1..=101).collect::<Vec<_>>());
    // Whoever has lost the conversation learns it in the same case too.
    let direct = PostgresStore::open(&server.url("public")).unwrap();
    direct.own(&id).unwrap();
    assert_eq!(
        store.append(&id, Owner::FIRST, Seq(101), &[frame(102, 2, reply("late", 1))]),
        Err(StoreError::Lost { id: id.clone() })
    );
}

#[test]
fn who_lost_sight_of_the_server_takes_nothing_over_for_a_lease() {
    let lease = Duration::from_secs(3);
    let Some(server) = Server::start() else { return };
    let url = server.url("public");
    let (store, other) = (PostgresStore::open(&url).unwrap(), PostgresStore::open(&url).unwrap());
    let submit = |name: &str| {
        let conversation = store.create(&first(name, "/p", 1)).unwrap();
        let (project, request) = ("p".to_string(), String::new());
        store.submit(&NewTask { conversation, project, priority: 0, delay: Duration::ZERO, request }).unwrap().id
    };
    // Watched for long enough, it takes over what fell silent.
    let id = submit("a");
    other.claim("other", Duration::ZERO).unwrap().expect("it waits");
    let taken = loop {
        if let Some(claim) = store.claim("w", lease).unwrap() {
            break claim;
        }
    };
    assert_eq!((taken.id, taken.attempts), (id, 1));
    store.finish(taken.id, taken.owner, &Outcome::Done).unwrap();
    // The connections break: everybody was silent then, so the time begins anew.
    let id = submit("b");
    other.claim("other", Duration::ZERO).unwrap().expect("it waits");
    server.sql("public", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ox'");
    let begun = Instant::now();
    let taken = loop {
        match store.claim("w", lease) {
            Ok(Some(claim)) => break claim,
            Ok(None) | Err(StoreError::Unreachable { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!((taken.id, taken.attempts), (id, 1));
    assert!(begun.elapsed() >= lease, "it was taken over after {:?}", begun.elapsed());
}

/// As many processes claim as many tasks of one project as it may run at a time, and none has to come back for one.
#[test]
fn many_processes_that_claim_at_once_are_all_served() {
    const MANY: u32 = 12;
    let Some(server) = Server::start() else { return };
    let url = server.url("public");
    let stores: Vec<PostgresStore> = (0..MANY).map(|_| PostgresStore::open(&url).unwrap()).collect();
    stores[0].set_limits("p", &ProjectLimits { running: MANY - 2, ..ProjectLimits::default() }).unwrap();
    for at in 0..MANY {
        let conversation = stores[0].create(&first(&format!("c{at}"), "/p", 1)).unwrap();
        let (project, request) = ("p".to_string(), String::new());
        stores[0].submit(&NewTask { conversation, project, priority: 0, delay: Duration::ZERO, request }).unwrap();
    }
    let claimed = std::thread::scope(|scope| {
        let claim = |store: &PostgresStore| store.claim("w", Duration::from_secs(600)).unwrap().map(|it| it.id);
        let all: Vec<_> = stores.iter().map(|store| scope.spawn(move || claim(store))).collect();
        all.into_iter().filter_map(|it| it.join().unwrap()).collect::<Vec<_>>()
    });
    let distinct: std::collections::BTreeSet<_> = claimed.iter().collect();
    assert_eq!((claimed.len(), distinct.len()), (MANY as usize - 2, MANY as usize - 2));
}

#[test]
fn a_server_that_is_away_is_named() {
    let error = PostgresStore::open("postgres://ox@%2Fnowhere/ox").map(drop).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("Cannot reach the database /nowhere:5432/ox: "), "{text}");
}

/// Whoever queues a task while its conversation is deleted gets no task that nobody could claim.
#[test]
fn a_delete_and_a_submit_at_once_leave_no_task_without_a_conversation() {
    let Some(server) = Server::start() else { return };
    let url = server.url("public");
    let (store, other) = (PostgresStore::open(&url).unwrap(), PostgresStore::open(&url).unwrap());
    for at in 0..200 {
        let conversation = store.create(&first(&format!("c{at}"), "/p", 1)).unwrap();
        let (project, request) = ("p".to_string(), String::new());
        let task = NewTask { conversation: conversation.clone(), project, priority: 0, delay: Duration::ZERO, request };
        std::thread::scope(|scope| {
            scope.spawn(|| match store.submit(&task) {
                Ok(_) | Err(StoreError::NotFound { .. }) => {}
                Err(error) => panic!("{error}"),
            });
            other.delete(&conversation).unwrap();
        });
    }
    let orphans = "SELECT count(*) FROM tasks WHERE conversation NOT IN (SELECT id FROM conversations)";
    assert_eq!(server.sql("public", orphans), "0");
    assert_eq!(store.claim("w", Duration::from_secs(600)).unwrap(), None);
}

/// Nobody waits for ever for what another holds, and the error says what it was.
#[test]
fn what_another_holds_is_waited_for_no_longer_than_the_bound() {
    let Some(server) = Server::start() else { return };
    let url = server.url("public") + "%20-clock_timeout%3D200";
    let store = PostgresStore::open(&url).unwrap();
    let id = store.create(&first("a", "/p", 1)).unwrap();
    let held = "SELECT count(*) FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock' AND relation = 'conversations'::regclass";
    let error = std::thread::scope(|scope| {
        // Its end is the server's.
        let holds = "BEGIN; LOCK TABLE conversations; SELECT pg_sleep(600)";
        let holder = scope.spawn(|| std::panic::catch_unwind(|| server.sql("public", holds)));
        while server.sql("public", held) == "0" {
            std::thread::yield_now();
        }
        let error = store.rename(&id, "b").unwrap_err();
        server.sql("public", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()");
        assert!(holder.join().unwrap().is_err());
        error
    });
    assert!(matches!(&error, StoreError::Unreachable { why, .. } if why.contains("lock timeout")), "{error}");
    store.rename(&id, "b").unwrap();
}
