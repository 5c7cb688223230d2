//! Ways out of the sandbox, tried one by one on every backend that this machine has, as root and as a normal user.
//!
//! Each probe is a row of a table. This program runs itself inside the sandbox to make the attempt; then the fixture
//! outside is looked at: nothing may have changed, no secret been printed, no process be left one second after the end.
//! The sandbox is believed only where the attempt is known to work without it: every row that does no harm also runs under
//! [`ox_sandbox::Plain`], and must take effect there.
//!
//! The binary has its own `main`, because the attempts and the sandbox's helper process are this same program.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod attempt;
mod attempts;
mod backends;
mod fixture;
mod suite;

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

/// The identity of a normal user that owns nothing.
const NOBODY: u32 = 65534;

fn main() -> ExitCode {
    if let Some(code) = ox_sandbox::helper(std::env::args_os()) {
        return code;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["__probe", name, ..] => attempt::perform(name),
        ["__suite", base, filters @ ..] => suite::run(base.as_ref(), filters),
        _ => outer(&words),
    }
}

/// Runs the suite once per identity, each in a process of its own that holds the secret in its environment.
fn outer(words: &[&str]) -> ExitCode {
    let filters: Vec<&str> = words.iter().copied().filter(|it| !it.starts_with('-')).collect();
    if words.contains(&"--list") {
        attempts::all().for_each(|it| println!("{}: test", it.name));
        return ExitCode::SUCCESS;
    }
    let root = rustix::process::geteuid().is_root();
    let folder = tempfile::Builder::new().prefix("daemons-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let daemons = backends::Daemons::start(folder.path(), &std::env::current_exe().unwrap(), &filters);
    let mut total = suite::Tally::default();
    for nobody in [false, true] {
        if !nobody || root {
            total.add(&as_user(nobody, &filters, &daemons.env));
        }
    }
    println!("\n{}", total.line());
    if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn as_user(nobody: bool, filters: &[&str], daemons: &[(String, String)]) -> suite::Tally {
    use std::os::unix::process::CommandExt;
    let place = fixture::Place::new(nobody);
    let mut command = Command::new(&place.program);
    command.arg("__suite").arg(&place.base).args(filters);
    command.env(fixture::SECRET_NAME, fixture::secret()).env("HOME", place.base.join("home"));
    command.envs(daemons.iter().map(|(name, value)| (name, value)));
    if let Some(program) = &place.set_user_id {
        command.env("PROBE_SUID", program);
    }
    if nobody {
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut child = command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut tally = suite::Tally::default();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        println!("{line}");
        tally.read(&line);
    }
    if !child.wait().unwrap().success() && tally.failed == 0 {
        println!("test the suite as {} ... FAILED: it broke off", if nobody { "user" } else { "itself" });
        tally.failed += 1;
    }
    tally
}
