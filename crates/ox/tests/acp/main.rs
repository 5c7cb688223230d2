//! `ox acp` against software that others wrote: the official TypeScript SDK of the protocol as the client.
//!
//! Without Node or the SDK (put below `target` by `cargo xtask test`) the test is counted as ignored and says why; where
//! `CI=true`, that is a failure.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const SCRIPT: &str = "-- model --\n@read_file\npath: a.txt\n\
                      -- model --\n@edit_file\npath: a.txt\nold: two\nnew: zwei\n\
                      -- model --\n@attempt_completion\nresult: All is done.\n";

/// The folder that `cargo xtask test` installs packages for Node into; none where the SDK is not in it.
fn packages() -> Option<PathBuf> {
    let own = std::env::current_exe().unwrap();
    let has_sdk = |it: &PathBuf| it.join("node_modules/@agentclientprotocol/sdk/package.json").is_file();
    own.ancestors().map(|it| it.join("tools/npm")).find(has_sdk)
}

/// Runs the session; an error is what the client said.
fn session(packages: &Path) -> Result<(), String> {
    let place = tempfile::tempdir().unwrap();
    let (project, home, script) =
        (place.path().join("project"), place.path().join("home"), place.path().join("script"));
    [&project, &home].into_iter().for_each(|it| std::fs::create_dir(it).unwrap());
    std::fs::write(project.join("a.txt"), "one\ntwo\n").unwrap();
    std::fs::write(&script, SCRIPT).unwrap();
    let ran = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acp/client.mjs"))
        .args([packages, Path::new(env!("CARGO_BIN_EXE_ox"))])
        .arg(format!("scripted/{}", script.display()))
        .arg(project.canonicalize().unwrap())
        .current_dir(place.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("OX_HOME", home)
        .env("OLLAMA_HOST", "127.0.0.1:1")
        .output()
        .unwrap();
    if ran.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&ran.stderr).into_owned()) }
}

fn main() -> ExitCode {
    const NAME: &str = "sdk::session";
    let is_asked_for = std::env::args().skip(1).filter(|it| !it.starts_with("--")).all(|it| NAME.contains(&it));
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|it| it.status.success());
    let result = match packages().filter(|_| has_node) {
        _ if !is_asked_for => None,
        Some(packages) => Some(session(&packages)),
        None if std::env::var("CI").is_ok_and(|it| it == "true") => Some(Err("Node or the SDK is missing".into())),
        None => {
            println!("test {NAME} ... ignored, Node or the SDK is not installed; `cargo xtask test` installs the SDK");
            println!("test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out");
            return ExitCode::SUCCESS;
        }
    };
    let (passed, failed) = (usize::from(matches!(result, Some(Ok(())))), usize::from(matches!(result, Some(Err(_)))));
    match &result {
        Some(Ok(())) => println!("test {NAME} ... ok"),
        Some(Err(why)) => println!("test {NAME} ... FAILED\n{why}"),
        None => {}
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {word}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
