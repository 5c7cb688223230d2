//! The page of exit codes: every way in which a turn can end, with the code that `ox run` leaves with.

use std::fmt::Write;

use ox_client::result::ANSWER_MISMATCH;
use ox_protocol::Stop;
use serde_json::json;

use crate::schema::{definition, variants};

/// Codes that the command line itself leaves with, before or without a turn.
const WITHOUT_A_TURN: &[(u8, &str)] = &[
    (1, "An error of Ox or of the machine; the message says which."),
    (2, "Bad usage: unknown flags, missing arguments, a configuration that does not parse."),
    (
        ANSWER_MISMATCH,
        "The answer does not match `--output-schema`, also when it was asked for again; or that of `ox review` names no findings.",
    ),
    (8, "`ox review` found an error."),
    (41, "No model is configured; the message names the variables that would."),
];

/// The page.
pub fn page() -> String {
    let mut rows: Vec<(u8, String, String)> = Vec::new();
    for variant in variants(&definition("Stop"), "reason") {
        // One failure stands for all: the code does not depend on it.
        let stop: Stop = serde_json::from_value(json!({ "reason": variant.name, "kind": "auth" }))
            .expect("every variant of the schema is one of the type");
        rows.push((stop.exit_code(), format!("`{}`", variant.name), variant.words));
    }
    rows.extend(WITHOUT_A_TURN.iter().map(|(code, words)| (*code, String::new(), (*words).to_owned())));
    rows.sort();
    let mut page = String::from(
        "# Exit codes\n\n<!-- Written by `cargo xtask generate` from the types; edit their documentation instead. -->\n\n\
         `ox run` and `ox \"task\"` exit with one of these codes. The reason is also in the events `stopped` and `completion`.\n\n\
         | code | reason | meaning |\n|---:|---|---|\n",
    );
    for (code, reason, words) in rows {
        let _ = writeln!(page, "| {code} | {reason} | {words} |");
    }
    page
}
