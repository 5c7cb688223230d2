//! The official conformance suite, in the last version that runs on the Node of the tests' set-up: its servers are asked as Ox asks
//! any other.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use ox_mcp::{Error, McpServers};
use serde_json::{Map, json};

use crate::Test;
use crate::login::Locked;
use crate::place::program;
use crate::scripted::user;

const SUITE: &str = "conformance";

pub const TESTS: &[Test] = &[Test { name: "conformance: as a client", needs: SUITE, run: client }];

/// What passes.
const PASSES: &[&str] = &[
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/resource-mismatch",
    "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/2025-03-26-oauth-endpoint-fallback",
];

/// What is not asked of Ox, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "auth/metadata-var2",
        "its authorization server has another issuer than the address that it is found at, which Ox refuses",
    ),
    ("auth/metadata-var3", "the same"),
    ("auth/basic-cimd", "Ox registers at the server and has no document about itself on the web"),
    ("auth/pre-registration", "there is no way to give Ox the secret of a client that was registered by hand"),
    ("auth/client-credentials-jwt", "a login of Ox is one of a person"),
    ("auth/client-credentials-basic", "a login of Ox is one of a person"),
];

fn suite(args: &[&str]) -> (bool, String) {
    let ran = Command::new(program(SUITE).unwrap()).args(args).output().unwrap();
    let words = [ran.stdout, ran.stderr].map(|it| String::from_utf8_lossy(&it).into_owned()).concat();
    (ran.status.success(), words)
}

fn client() {
    let (_, listed) = suite(&["list"]);
    let (_, listed) = listed.split_once("Client scenarios").unwrap();
    let listed: BTreeSet<&str> = listed.lines().filter_map(|it| it.trim().strip_prefix("- ")).collect();
    let known = PASSES.iter().copied().chain(LEFT_OUT.iter().map(|it| it.0)).collect();
    assert_eq!(listed, known, "each is either run or left out for a reason");
    // The suite puts the address behind the command, and a shell reads it.
    let command = format!("'{}' __client", std::env::current_exe().unwrap().display());
    let mut failed = String::new();
    for scenario in PASSES {
        let (passed, words) = suite(&["client", "--command", &command, "--scenario", scenario]);
        if !passed {
            failed.push_str(&format!("== {scenario}\n{words}\n"));
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// A client that lists the tools of the server at `url`, calls each of them and logs in where it has to. Whatever it is asked, it
/// takes what is proposed.
pub fn session(url: &str) -> ! {
    let place = Locked::at(url);
    let (input, _) = user(&[""; 20], Duration::ZERO);
    let servers = McpServers::new(vec![place.config()], &place.launcher).asking(input);
    let mut logins = 0;
    let mut asked = |again: &dyn Fn() -> Result<(), Error>| loop {
        match again() {
            Err(Error::Login { .. }) if logins < 3 => {
                logins += 1;
                place.log_in(|it| it).unwrap();
            }
            other => break other.unwrap(),
        }
    };
    asked(&|| place.block_on(servers.tools("far")).map(drop));
    let tools = place.block_on(servers.tools("far")).unwrap();
    for tool in &tools.tools {
        let args = match tool.name.as_str() {
            "add_numbers" => Map::from_iter([("a".to_owned(), json!(5)), ("b".to_owned(), json!(3))]),
            _ => Map::new(),
        };
        asked(&|| place.block_on(servers.call("far", &tool.name, args.clone())).map(drop));
    }
    std::process::exit(0)
}
