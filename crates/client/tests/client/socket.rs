//! A conversation over a socket.

use std::os::unix::fs::PermissionsExt;

use ox_client::socket::{Remote, bind, serve};
use ox_client::{Control, Update, pair};
use ox_protocol::{Command, Event, Mode, Seq};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::hub::Log;

#[tokio::test]
async fn a_second_client_follows_and_commands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("talk.sock");
    let (_client, mut side) = pair();
    let log = Log::over(side.hub.clone());
    log.record(Event::Named { name: "talk".into() });
    let listener = bind(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    tokio::spawn(serve(listener, side.hub.clone(), side.further.clone()));
    let mut remote = Remote::connect(&path, Seq(1)).await.unwrap();
    let first = remote.next().await.unwrap().unwrap();
    assert_eq!(first.frame().map(|it| it.seq), Some(Seq(1)));
    let id = remote.send(Command::SetMode { mode: Mode::Plan }).await.unwrap();
    let asked = side.commands.recv().await.unwrap();
    assert_eq!((&asked.id, &asked.command), (&id, &Command::SetMode { mode: Mode::Plan }));
    let frame = log.record(Event::ModeSet { mode: Mode::Plan });
    side.hub.accept(id.clone());
    assert_eq!(remote.next().await.unwrap(), Some(Update::from(frame)));
    let answer = remote.next().await.unwrap();
    assert!(
        matches!(&answer, Some(Update::Control(Control::Accepted { command, .. })) if *command == id),
        "{answer:?}"
    );
    // Who joined may leave: the session does not hear of it.
    let mut guest = Remote::connect(&path, Seq(9)).await.unwrap();
    guest.send(Command::Close).await.unwrap();
    assert_eq!(guest.next().await.unwrap(), None);
    assert!(side.commands.try_recv().is_err());
    drop(side);
    assert_eq!(remote.next().await.unwrap(), None, "the session is over");
    // A socket that an earlier session left behind is no obstacle.
    assert!(bind(&path).is_ok());
}

#[tokio::test]
async fn a_line_that_is_no_message_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("talk.sock");
    let (_client, side) = pair();
    let _log = Log::over(side.hub.clone());
    tokio::spawn(serve(bind(&path).unwrap(), side.hub.clone(), side.further.clone()));
    let (read, mut write) = tokio::net::UnixStream::connect(&path).await.unwrap().into_split();
    write.write_all(b"{\"id\": \"c7\", \"command\": \"dance\"}\nhello\n").await.unwrap();
    let mut lines = BufReader::new(read).lines();
    for id in ["c7", ""] {
        let line = lines.next_line().await.unwrap().unwrap();
        let answer: Update = serde_json::from_str(&line).unwrap();
        let Update::Control(Control::Rejected { command, why, .. }) = answer else { panic!("{line}") };
        assert_eq!((command.0.as_str(), why.code.as_str()), (id, "rejected.unreadable"));
    }
}
