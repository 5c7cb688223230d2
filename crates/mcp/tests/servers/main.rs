//! MCP servers in the real sandbox: a scripted one that misbehaves in many ways, and real ones of others.
//!
//! The binary has its own `main` because the sandbox's helper is this program too. A server that is not installed is counted
//! as ignored, with `CI=true` as a failure.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod conformance;
mod http;
mod login;
mod place;
mod real;
mod scripted;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// A test: its name, the program that it needs, and what it does.
struct Test {
    name: &'static str,
    needs: &'static str,
    run: fn(),
}

fn main() -> ExitCode {
    if let Some(code) = ox_sandbox::helper(std::env::args_os()) {
        return code;
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["__session", script] => scripted::session(script),
        ["__client", url] => conformance::session(url),
        _ => {}
    }
    let filters: Vec<&String> = words.iter().filter(|it| !it.starts_with('-')).collect();
    let tests: Vec<&Test> = scripted::TESTS
        .iter()
        .chain(http::TESTS)
        .chain(login::TESTS)
        .chain(real::TESTS)
        .chain(conformance::TESTS)
        .collect();
    if words.iter().any(|it| it == "--list") {
        tests.iter().for_each(|it| println!("{}: test", it.name));
        return ExitCode::SUCCESS;
    }
    let strict = std::env::var("CI").is_ok_and(|it| it == "true");
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for test in tests.into_iter().filter(|it| filters.is_empty() || filters.iter().any(|word| it.name.contains(*word)))
    {
        let missing = (!place::installed(test.needs)).then(|| format!("{} is not installed", test.needs));
        let missing = missing.or_else(|| (!place::sandbox_works()).then(|| "no sandbox works here".to_owned()));
        match missing {
            Some(why) if strict => {
                println!("test {} ... FAILED: {why}", test.name);
                failed += 1;
            }
            Some(why) => {
                println!("test {} ... ignored, {why}", test.name);
                ignored += 1;
            }
            // The panic's own words are on the screen already.
            None if catch_unwind(AssertUnwindSafe(test.run)).is_ok() => {
                println!("test {} ... ok", test.name);
                passed += 1;
            }
            None => {
                println!("test {} ... FAILED", test.name);
                failed += 1;
            }
        }
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {word}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
