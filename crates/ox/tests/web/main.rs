//! The web page and the clients of other languages, with the tools of their own world: the page is what its sources build, the
//! clients fold what the Rust view folds and speak to a real server, and the page works in a browser.
//!
//! What is missing (`cargo xtask test` puts it below `target`) is counted as ignored and named; where `CI=true` it is a failure.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod api;
mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use server::Server;

/// Passed, failed with what was said, or left out with the reason.
type Outcome = Result<(), Missing>;

enum Missing {
    Failed(String),
    Tool(&'static str),
}

/// A test and what it needs.
type Test = (&'static str, fn(&Place) -> Outcome);

const TESTS: [Test; 6] = [
    ("page::is_what_its_sources_build", built),
    ("page::works_against_its_mock", mocked),
    ("page::works_in_a_browser", in_a_browser),
    ("sdk::typescript", typescript),
    ("sdk::python", python),
    ("api::is_what_its_description_says", api::is_what_its_description_says),
];

/// Copies of the sources beside the packages that they need, since nothing is written into the sources.
struct Place {
    folder: tempfile::TempDir,
    tools: Option<PathBuf>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

impl Place {
    fn new() -> Place {
        let own = std::env::current_exe().unwrap();
        let tools = own.ancestors().map(|it| it.join("tools")).find(|it| it.join("web/node_modules").is_dir());
        let place = Place { folder: tempfile::tempdir().unwrap(), tools };
        for part in
            ["web", "sdk/typescript", "crates/client/tests", "crates/protocol/schema", "crates/protocol/locales"]
        {
            copy(&root().join(part), &place.at(part));
        }
        std::fs::copy(root().join("sdk/generate.mjs"), place.at("sdk/generate.mjs")).unwrap();
        copy(&root().join("sdk/python"), &place.at("sdk/python"));
        for part in ["web", "sdk/typescript"] {
            let packages = place.tools.as_ref().map(|it| it.join(part).join("node_modules"));
            if let Some(packages) = packages.filter(|it| it.is_dir()) {
                std::os::unix::fs::symlink(packages, place.at(part).join("node_modules")).unwrap();
            }
        }
        place
    }

    fn at(&self, part: &str) -> PathBuf {
        self.folder.path().join(part)
    }

    /// A folder with its packages for Node.
    fn packages(&self, part: &str) -> Result<PathBuf, Missing> {
        let has_node = Command::new("node").arg("--version").output().is_ok_and(|it| it.status.success());
        match self.at(part).join("node_modules").is_dir() && has_node {
            true => Ok(self.at(part)),
            false => Err(Missing::Tool("Node or its packages")),
        }
    }
}

/// Copies a folder without what is built or installed in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if ["node_modules", "dist", "test-results", "__pycache__"].iter().any(|it| name == *it) {
            continue;
        }
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(name)),
            false => drop(std::fs::copy(entry.path(), to.join(name)).unwrap()),
        }
    }
}

/// Runs a program in a folder; what it said where it fails.
fn run(folder: &Path, program: &str, args: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let ran = Command::new(program).args(args).current_dir(folder).envs(variables.iter().copied()).output().unwrap();
    let said = || {
        format!(
            "{program} {}:\n{}{}",
            args.join(" "),
            String::from_utf8_lossy(&ran.stdout),
            String::from_utf8_lossy(&ran.stderr)
        )
    };
    if ran.status.success() { Ok(()) } else { Err(Missing::Failed(said())) }
}

fn built(place: &Place) -> Outcome {
    let web = place.packages("web")?;
    run(&web, "node", &["node_modules/typescript/bin/tsc", "--noEmit"], &[])?;
    run(&web, "node", &["node_modules/vite/bin/vite.js", "build"], &[])?;
    for file in ["index.html", "app.js", "app.css"] {
        let own = std::fs::read(root().join("web/dist").join(file)).unwrap();
        if std::fs::read(web.join("dist").join(file)).unwrap() != own {
            return Err(Missing::Failed(format!(
                "web/dist/{file} is not what the sources build: npm run build in web/"
            )));
        }
    }
    Ok(())
}

fn chromium() -> Result<(), Missing> {
    let there = Path::new("/usr/bin/chromium").exists();
    if there { Ok(()) } else { Err(Missing::Tool("chromium")) }
}

fn mocked(place: &Place) -> Outcome {
    let web = place.packages("web")?;
    chromium()?;
    let dist = web.join("dist");
    if !dist.is_dir() {
        copy(&root().join("web/dist"), &dist);
    }
    // `scale.spec.ts` measures frames and memory: by hand, on a quiet machine.
    let args = ["node_modules/@playwright/test/cli.js", "test", "access", "stream", "talk"];
    run(&web, "node", &args, &[])
}

fn in_a_browser(place: &Place) -> Outcome {
    let web = place.packages("web")?;
    chromium()?;
    // Terminals take part in some of the conversations.
    Command::new("tmux").arg("-V").output().map_err(|_| Missing::Tool("tmux"))?;
    run(&web, "node", &["node_modules/@playwright/test/cli.js", "test"], &[("OX_BIN", env!("CARGO_BIN_EXE_ox"))])
}

fn typescript(place: &Place) -> Outcome {
    let sdk = place.packages("sdk/typescript")?;
    run(&sdk, "node", &["../generate.mjs", "--check"], &[])?;
    run(&sdk, "node", &["node_modules/typescript/bin/tsc", "-p", "."], &[])?;
    let server = Server::start();
    let variables = [("OX_BASE_URL", server.url.as_str()), ("OX_TOKEN", &server.token)];
    run(&sdk, "sh", &["-c", "node --test dist/test/*.test.js"], &variables)
}

fn python(place: &Place) -> Outcome {
    let sdk = place.at("sdk/python");
    let server = Server::start();
    let variables = [("OX_BASE_URL", server.url.as_str()), ("OX_TOKEN", &server.token), ("PYTHONPATH", "src")];
    run(&sdk, "python3", &["-m", "unittest", "discover", "-s", "tests", "-t", "."], &variables)
}

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let place = Place::new();
    let must = std::env::var("CI").is_ok_and(|it| it == "true");
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for (name, test) in TESTS {
        if !wanted.is_empty() && !wanted.iter().any(|it| name.contains(it.as_str())) {
            continue;
        }
        match test(&place) {
            Ok(()) => {
                println!("test {name} ... ok");
                passed += 1;
            }
            Err(Missing::Tool(tool)) if !must => {
                println!("test {name} ... ignored, {tool} is not installed; `cargo xtask test` installs it");
                ignored += 1;
            }
            Err(Missing::Tool(tool)) => {
                println!("test {name} ... FAILED\n{tool} is missing");
                failed += 1;
            }
            Err(Missing::Failed(why)) => {
                println!("test {name} ... FAILED\n{why}");
                failed += 1;
            }
        }
    }
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {word}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; 0 filtered out");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
