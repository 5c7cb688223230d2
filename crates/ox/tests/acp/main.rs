//! `ox acp` against software that others wrote: the official TypeScript SDK of the protocol, and a client for the command
//! line.
//!
//! Without Node or the client (put below `target` by `cargo xtask test`) a test is counted as ignored and says why; where
//! `CI=true`, that is a failure.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A session with a client: the test's name, the package that the client is, and the session; an error is what was wrong.
struct Case {
    name: &'static str,
    package: &'static str,
    session: fn(&Place) -> Result<(), String>,
}

const CASES: [Case; 2] = [
    Case { name: "sdk::session", package: "@agentclientprotocol/sdk", session: sdk },
    Case { name: "command_line::session", package: "acpx", session: command_line },
];

const EDIT: &str = "-- model --\n@read_file\npath: a.txt\n\
                    -- model --\n@edit_file\npath: a.txt\nold: two\nnew: zwei\n\
                    -- model --\n@attempt_completion\nresult: All is done.\n";

/// What the session with the SDK goes on with.
const FURTHER: &str = "-- model --\n@todo_write\naction: create\ntasks: = [\"Look\", \"Tell\"]\n\
                       -- model --\n@todo_write\naction: mark_completed\nid: = 1\n\
                       @todo_write\naction: mark_completed\nid: = 2\n\
                       -- model --\n@attempt_completion\nresult: It is a dot.\n\
                       -- model --\n@run_command\ncommand: sleep 600\n\
                       -- model --\nNever.\n";

/// What is said in another process.
const LATER: &str = "-- model --\nIt was wanted.\n";

/// What is done where the client has changes that are not saved.
const OPEN: &str = "-- model --\n@read_file\npath: a.txt\n\
                    -- model --\n@edit_file\npath: a.txt\nold: typed\nnew: edited\n\
                    -- model --\n@run_command\ncommand: echo more >> b.txt\n\
                    -- model --\n@edit_file\npath: b.txt\nold: b\nnew: c\n\
                    -- model --\n@attempt_completion\nresult: Half of it.\n";

/// A project, a home and the clients.
struct Place {
    folder: tempfile::TempDir,
    /// The folder that `cargo xtask test` installs packages for Node into.
    packages: PathBuf,
}

impl Place {
    fn new(packages: PathBuf) -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap(), packages };
        ["project", "home", "user"].into_iter().for_each(|it| std::fs::create_dir(place.path(it)).unwrap());
        std::fs::write(place.path("project/a.txt"), "one\ntwo\n").unwrap();
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    /// The model that plays a script.
    fn model(&self, name: &str, script: &str) -> String {
        std::fs::write(self.path(name), script).unwrap();
        format!("scripted/{}", self.path(name).display())
    }

    /// Node with one of its programs, which finds nothing of who runs the tests.
    fn node(&self, program: &Path) -> Command {
        let mut node = Command::new("node");
        node.arg(program).current_dir(self.folder.path()).env_clear();
        node.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.path("user"));
        node.env("OX_HOME", self.path("home")).env("OLLAMA_HOST", "127.0.0.1:1");
        node
    }
}

/// A session with the SDK; what it must be stands in the client itself.
fn sdk(place: &Place) -> Result<(), String> {
    let mut node = place.node(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acp/client.mjs"));
    node.args([&place.packages, Path::new(env!("CARGO_BIN_EXE_ox"))]).arg(place.path("project"));
    let first = format!("{EDIT}{FURTHER}");
    node.args([place.model("first", &first), place.model("later", LATER), place.model("open", OPEN)]);
    let ran = node.output().unwrap();
    if ran.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&ran.stderr).into_owned()) }
}

/// An edit that is refused and one that is allowed, asked for at the command line.
fn command_line(place: &Place) -> Result<(), String> {
    for (permission, file, code, printed) in [
        ("--deny-all", "one\ntwo\n", 5, ["[tool] edit_file a.txt (failed)", "a required permission was denied"]),
        ("--approve-all", "one\nzwei\n", 0, ["[tool] edit_file a.txt (completed)", "edited a.txt:2"]),
    ] {
        let agent = format!("{} acp --model {}", env!("CARGO_BIN_EXE_ox"), place.model("script", EDIT));
        let mut client = place.node(&place.packages.join("node_modules/acpx/dist/cli.js"));
        client.args([permission, "--agent", &agent, "--cwd"]).arg(place.path("project"));
        let ran = client.args(["exec", "Change two to zwei."]).output().unwrap();
        let out = String::from_utf8_lossy(&ran.stdout);
        let is_printed = |it: &str| out.contains(it);
        let all = printed.into_iter().chain(["    one\n    two\n", "All is done.", "[done] end_turn"]).all(is_printed);
        let now = std::fs::read_to_string(place.path("project/a.txt")).unwrap();
        if !all || now != file || ran.status.code() != Some(code) {
            let errors = String::from_utf8_lossy(&ran.stderr);
            return Err(format!("{permission}: {}, a.txt is {now:?}\n{out}{errors}", ran.status));
        }
    }
    Ok(())
}

/// The folder of packages in which this one is.
fn packages(package: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().unwrap();
    let has = |it: &PathBuf| it.join("node_modules").join(package).join("package.json").is_file();
    own.ancestors().map(|it| it.join("tools/npm")).find(has)
}

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|it| it.status.success());
    let is_needed = std::env::var("CI").is_ok_and(|it| it == "true");
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for Case { name, package, session } in CASES.iter().filter(|case| asked.iter().all(|it| case.name.contains(it))) {
        let result = match packages(package).filter(|_| has_node) {
            Some(packages) => session(&Place::new(packages)),
            None if is_needed => Err(format!("Node or {package} is missing")),
            None => {
                println!(
                    "test {name} ... ignored, Node or {package} is missing; `cargo xtask test` installs the latter"
                );
                ignored += 1;
                continue;
            }
        };
        match &result {
            Ok(()) => println!("test {name} ... ok"),
            Err(why) => println!("test {name} ... FAILED\n{why}"),
        }
        *(if result.is_ok() { &mut passed } else { &mut failed }) += 1;
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {word}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
