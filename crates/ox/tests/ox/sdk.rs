//! The library for Rust, as its examples use it: in their own process and on a server, with the same results.

use std::path::PathBuf;

use crate::place::{OX, Place};
use crate::serve::Server;

/// An edit that is asked about, and the end.
const SCRIPT: &str = "-- model --\n@edit_file\npath: greeting.txt\nold: hello\nnew: hello world\nwhy: The greeting names whom it greets.\n\
                      -- model --\n@attempt_completion\nresult: The greeting is complete.\n";

/// Where an example works.
#[derive(Clone, Copy)]
pub enum Way {
    Here,
    There,
}

/// What an example printed that was given these lines of input, and the file afterwards.
fn example(name: &str, way: Way, input: &str) -> (String, String) {
    example_with(name, way, input, &[])
}

/// The same with more variables for the program.
pub fn example_with(name: &str, way: Way, input: &str, variables: &[(&str, &str)]) -> (String, String) {
    let place = Place::new();
    place.write("greeting.txt", "hello\n");
    let model = place.script(SCRIPT);
    let server = matches!(way, Way::There).then(|| Server::start(&place, &["--model", &model]));
    // The examples lie beside the program; `cargo test --workspace` builds both.
    let program = PathBuf::from(OX).with_file_name("examples").join(name);
    assert!(program.is_file(), "{} is missing: cargo build -p ox-sdk --examples", program.display());
    let mut example = place.program(program);
    match &server {
        Some(server) => {
            example.env("OX_BASE_URL", format!("http://{}", server.host)).env("OX_TOKEN", &server.token);
        }
        None => drop(example.env("OX_MODEL", &model)),
    }
    example.envs(variables.iter().copied());
    let ran = place.feed(example, input);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    (ran.out, place.read("greeting.txt"))
}

#[test]
fn a_run_hands_out_its_events_and_is_rolled_back() {
    for way in [Way::Here, Way::There] {
        let (said, file) = example("watch", way, "");
        for event in ["/agent/edit/tool/call", "/agent/edit/tool/result", "/agent/edit/completion"] {
            assert!(said.lines().any(|it| it.ends_with(event)), "{event}: {said}");
        }
        assert!(said.ends_with("put back greeting.txt\n"), "{said}");
        assert_eq!(file, "hello\n");
    }
}

#[test]
fn a_run_is_printed_as_a_terminal_shows_it() {
    for way in [Way::Here, Way::There] {
        let (said, file) = example("prompt", way, "");
        assert!(said.contains("greeting.txt") && said.contains("The greeting is complete."), "{said}");
        assert!(said.contains("2 requests"), "{said}");
        assert_eq!(file, "hello world\n");
    }
}

#[test]
fn consent_is_asked_of_a_callback_and_the_change_is_taken_back_or_kept() {
    for way in [Way::Here, Way::There] {
        let (said, file) = example("approve", way, "y\ny\n");
        assert!(said.contains("edit_file") && said.contains("greeting.txt +1 -1"), "{said}");
        assert_eq!(file, "hello world\n");
        let (said, file) = example("approve", way, "y\nn\n");
        assert!(said.ends_with("taken back\n"), "{said}");
        assert_eq!(file, "hello\n");
        let (said, file) = example("approve", way, "n\ny\n");
        assert!(!said.contains("+1 -1"), "{said}");
        assert_eq!(file, "hello\n");
    }
}
