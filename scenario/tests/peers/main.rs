//! The wire formats against software that others wrote: LiteLLM's proxy as the server of our models, and the official
//! Python clients of the providers as clients of our mock servers.
//!
//! Everything runs on loopback. Without the packages (`xtask/src/peers.txt`, put below `target` by `cargo xtask test`) each
//! test is counted as ignored and says why; where `CI=true`, that is a failure.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod clients;
mod litellm;
mod python;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// What each peer is told first: a thought, two calls and what they used, the answer to their results, and a reply that is cut
/// off.
const TALK: &str = "\
-- model --
@@think First I look.
@@usage 1000 20 900
I will look. 你好
@read_file
path: a.rs
@run_checks
-- model --
@@usage 1100 5
Done.
-- model --
@@finish length
Half of
";

/// A test, and what it needs of `python`.
struct Peer {
    name: &'static str,
    /// Packages that have to be there.
    packages: &'static [&'static str],
    run: fn(),
}

const PEERS: &[Peer] = &[
    Peer { name: "clients::openai_chat", packages: &["openai"], run: clients::openai_chat },
    Peer { name: "clients::openai_responses", packages: &["openai"], run: clients::openai_responses },
    Peer { name: "clients::anthropic", packages: &["anthropic"], run: clients::anthropic },
    Peer { name: "clients::gemini", packages: &["google-genai"], run: clients::gemini },
    Peer { name: "litellm", packages: &["litellm"], run: litellm::run },
];

/// What came of the tests.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let strict = std::env::var("CI").is_ok_and(|it| it == "true");
    let mut tally = Tally::default();
    for peer in PEERS.iter().filter(|it| arguments.iter().all(|word| it.name.contains(word.as_str()))) {
        let missing = peer.packages.iter().find_map(|it| python::missing(it));
        let result = match missing {
            Some(why) if !strict => format!("ignored, {why}"),
            Some(why) => format!("FAILED, {why}"),
            None if catch_unwind(AssertUnwindSafe(peer.run)).is_ok() => "ok".to_string(),
            None => "FAILED".to_string(),
        };
        match result.split(',').next() {
            Some("ok") => tally.passed += 1,
            Some("ignored") => tally.ignored += 1,
            _ => tally.failed += 1,
        }
        println!("test {} ... {result}", peer.name);
    }
    let Tally { passed, failed, ignored } = tally;
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {word}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
