//! All probes, one after the other, on all backends; and what is said about each.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ox_protocol::{Exit, Runner};
use ox_sandbox::Plain;

use crate::attempt::{Probe, Proof};
use crate::fixture::{Fixture, secret};
use crate::{attempts, backends};

/// How long what a job started may still be seen after the job ended.
const SURVIVAL: Duration = Duration::from_secs(1);

/// Of a backend that takes its time, one in so many probes is run, unless it is asked for by name or by the extended tests.
const SAMPLE: usize = 6;
/// How long a job may take to end after its time.
const SLACK: Duration = Duration::from_secs(3);
/// By how many KiB the process outside may grow by what a job prints.
const GROWTH: u64 = 64 << 10;

/// What came of the probes.
#[derive(Default)]
pub struct Tally {
    passed: usize,
    /// Probes that found a way out, or that cannot.
    pub failed: usize,
    skipped: usize,
}

impl Tally {
    /// Counts one line of a suite.
    pub fn read(&mut self, line: &str) {
        let Some((_, result)) = line.strip_prefix("test ").and_then(|it| it.split_once(" ... ")) else { return };
        match result.split([' ', ':', ',']).next() {
            Some("ok") => self.passed += 1,
            Some("ignored") => self.skipped += 1,
            _ => self.failed += 1,
        }
    }

    /// Adds what another suite counted.
    pub fn add(&mut self, other: &Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// The line that `cargo test` ends with.
    pub fn line(&self) -> String {
        let Tally { passed, failed, skipped } = self;
        let word = if *failed == 0 { "ok" } else { "FAILED" };
        format!("test result: {word}. {passed} passed; {failed} failed; {skipped} ignored; 0 measured; 0 filtered out")
    }
}

/// Runs everything as the current user. The exit code is for those who do not read the lines.
pub fn run(base: &Path, filters: &[&str]) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(suite(base, filters))
}

async fn suite(base: &Path, filters: &[&str]) -> ExitCode {
    let user = if rustix::process::geteuid().is_root() { "root" } else { "user" };
    let program = std::env::current_exe().unwrap();
    let chosen = |backend: &str, probe: &Probe| {
        let name = format!("{user} {backend} {}", probe.name);
        filters.iter().all(|it| name.contains(it)).then_some(name)
    };
    let extended = std::env::var_os("OX_EXTENDED").is_some();
    let strict = std::env::var("CI").is_ok_and(|it| it == "true");
    for probe in attempts::all() {
        if let Some(name) = chosen("plain", probe) {
            match control(base, &program, probe).await {
                Ok(result) => println!("test {name} ... {result}"),
                Err(why) => println!("note {name}: {why}"),
            }
        }
    }
    for backend in backends::present() {
        let runner = match backend.runner {
            Ok(runner) => runner,
            Err(why) if backend.missing => {
                println!("test {user} {} ... {}: {why}", backend.name, if strict { "FAILED" } else { "ignored" });
                continue;
            }
            Err(why) => {
                println!("note {user} {}: this machine cannot run it: {why}", backend.name);
                continue;
            }
        };
        let named = filters.contains(&backend.name);
        for probe in attempts::all().step_by(if backend.slow && !named && !extended { SAMPLE } else { 1 }) {
            if let Some(name) = chosen(backend.name, probe) {
                println!("test {name} ... {}", sandboxed(base, &program, &*runner, probe).await);
            }
        }
    }
    ExitCode::SUCCESS
}

/// Without a sandbox the attempt must take effect. The error says why that cannot be shown here.
async fn control(base: &Path, program: &Path, probe: &Probe) -> Result<String, String> {
    let root = rustix::process::geteuid().is_root();
    match probe.proof {
        Proof::None(why) => return Err(format!("not tried without the sandbox: {why}")),
        Proof::Root if !root => return Err("only root could do this anywhere".to_owned()),
        Proof::User if root => return Err("root need not do this".to_owned()),
        _ => {}
    }
    let tried = tried(base, program, &Plain, probe, true).await;
    let exit = match tried.exit {
        Ok(exit) => exit,
        Err(why) => return Ok(format!("FAILED: {why}")),
    };
    match probe.proof {
        _ if !tried.effects.is_empty() => Ok("ok".to_owned()),
        Proof::Maybe => Err(format!("this machine does not offer it: {}", last_line(&exit))),
        _ => Ok(format!("FAILED: it has no effect even without the sandbox: {}", last_line(&exit))),
    }
}

/// In the sandbox it must have none.
async fn sandboxed(base: &Path, program: &Path, runner: &dyn Runner, probe: &Probe) -> String {
    let tried = tried(base, program, runner, probe, false).await;
    match tried.exit {
        Err(why) => format!("FAILED: {why}"),
        Ok(exit) if !text(&exit).contains("attempt starts") => format!("FAILED: it never ran: {}", last_line(&exit)),
        Ok(exit) if exit.code == Some(101) => format!("FAILED: the attempt panicked: {}", text(&exit)),
        Ok(_) if tried.effects.is_empty() => "ok".to_owned(),
        Ok(exit) => format!("FAILED: {}; {}", tried.effects.join("; "), last_line(&exit)),
    }
}

struct Tried {
    exit: Result<Exit, String>,
    effects: Vec<String>,
}

async fn tried(base: &Path, program: &Path, runner: &dyn Runner, probe: &Probe, control: bool) -> Tried {
    let mut fixture = Fixture::new(base);
    let mut job = fixture.job(program, probe.name);
    if control {
        job.env.push(("PROBE_CONTROL".to_owned(), "1".to_owned()));
    }
    let prepared = (probe.prepare)(&mut job);
    if let Err(why) = prepared {
        return Tried { exit: Err(format!("it could not be prepared: {why}")), effects: Vec::new() };
    }
    let (limit, before) = (job.rights.time, peak());
    let exit = runner.run(job, None).await.map_err(|it| it.to_string());
    let mut effects = Vec::new();
    if let Ok(exit) = &exit {
        if exit.duration > limit + SLACK {
            effects.push(format!("it ran for {:?}", exit.duration));
        }
        let grown = peak().saturating_sub(before);
        if grown > GROWTH {
            effects.push(format!("this process grew by {grown} KiB"));
        }
        if exit.code == Some(0) {
            effects.push(format!("it succeeded: {}", last_line(exit)));
        }
        if text(exit).contains(&secret()) {
            effects.push("the secret was read".to_owned());
        }
    }
    effects.extend(survivors(&fixture.id).await);
    effects.extend(fixture.changes());
    Tried { exit, effects }
}

/// Processes of this fixture that are left after their time. They are ended.
async fn survivors(id: &str) -> Vec<String> {
    let end = Instant::now() + SURVIVAL;
    loop {
        let left = processes(id);
        if left.is_empty() {
            return Vec::new();
        }
        if Instant::now() > end {
            left.keys().filter_map(|it| rustix::process::Pid::from_raw(*it)).for_each(|it| {
                let _ = rustix::process::kill_process(it, rustix::process::Signal::KILL);
            });
            return left.into_values().map(|it| format!("`{it}` is still there")).collect();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn processes(id: &str) -> HashMap<i32, String> {
    let of = |entry: std::fs::DirEntry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        (line.contains("__probe") && line.contains(&format!("{id} "))).then_some((pid, line))
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter_map(of).collect()
}

/// Peak resident memory of this process in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn text(exit: &Exit) -> String {
    exit.output.text(|it| format!("[{it} bytes]"))
}

fn last_line(exit: &Exit) -> String {
    let how = match (exit.code, exit.signal) {
        (Some(code), _) => format!("exit {code}"),
        (None, signal) => format!("signal {signal:?}"),
    };
    let text = text(exit);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    format!("{how}, {}", lines[lines.len().saturating_sub(2)..].join(" / "))
}
