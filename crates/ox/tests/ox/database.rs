//! Conversations in a PostgreSQL database instead of a file.

use crate::place::Place;
use postgres::Server;

#[path = "../../../store/tests/common/postgres.rs"]
#[allow(dead_code, reason = "the store's own tests use the rest")]
mod postgres;

const LOOKS: &str = "-- model --\n@list_files\n-- model --\nIt is empty.\n";

#[test]
fn a_conversation_is_run_listed_and_gone_on_with_in_postgresql() {
    let Some(server) = Server::start() else { return };
    let place = Place::new();
    let (url, model) = (server.empty("runs"), place.script(LOOKS));
    let ox = |args: &[&str]| place.ox_with(args, &[("OX_STORE", url.as_str())]);
    let run = ["run", "--mode", "chat", "--model", &model];
    let ran = ox(&[&run[..], &["--name", "here", "What is here?"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It is empty.\n"), "{}", ran.err);
    let ran = ox(&[&run[..], &["--resume", "here", "And now?"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let listed = ox(&["sessions", "list"]).out;
    assert!(listed.lines().count() == 1 && listed.contains("here"), "{listed}");
    assert!(ox(&["sessions", "export", "here"]).out.contains("And now?"));
    assert!(ox(&["sessions", "search", "what is here"]).out.lines().count() == 1);
    assert_eq!(place.ox(&["sessions", "list"]).out, "", "nothing of it is in a file");
    assert_eq!(server.sql("runs", "SELECT count(*) FROM conversations"), "1");
}

#[test]
fn a_password_is_never_shown_and_a_database_that_is_away_is_named() {
    let place = Place::new();
    let ran = place.ox_with(&["sessions"], &[("OX_STORE", "postgres://ox:s3cret@localhost/ox")]);
    let said = ran.refusal(1);
    assert!(said.contains("the password of the database localhost:5432/ox") && !said.contains("s3cret"), "{said}");
    let ran = place.ox_with(&["sessions"], &[("OX_STORE", "postgres://ox@%2Fnowhere/ox")]);
    assert!(ran.refusal(1).contains("Cannot reach the database /nowhere:5432/ox"), "{}", ran.err);
}
