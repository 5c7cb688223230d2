//! Plays one case in a folder of its own, and words what came of it.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use ox_protocol::Time;
use ox_scenario::write_project;
use serde_json::Value;

use super::case::Case;
use crate::program::root;

/// How long one case may take; far beyond the longest, so that only what hangs is ended.
const LONGEST: Duration = Duration::from_secs(400);

/// What came of a case.
pub struct Played {
    /// Its end in the words of the section `end`.
    pub end: String,
    /// What is not as the file says, beside the end.
    pub wrong: Vec<String>,
    /// How often the model was asked.
    pub requests: u64,
    /// The tokens of all prompts.
    pub tokens: u64,
    /// What Ox printed.
    pub stdout: String,
    /// What Ox printed to people.
    pub stderr: String,
}

/// Where `bench/repos/install` puts what is not of the system.
fn tools() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    std::env::var_os("OX_REPOS_TOOLS").map_or_else(|| target.join("tools/repos"), PathBuf::from)
}

/// The `PATH` of every case: the installed tools come first.
fn path() -> OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let own = [tools().join("bin")];
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&rest))).unwrap_or(rest)
}

/// Why the case cannot be played on this machine.
pub fn unmet(case: &Case) -> Option<String> {
    let there = |program: &str| std::env::split_paths(&path()).any(|it| it.join(program).is_file());
    let missing: Vec<&str> =
        case.needs.iter().map(String::as_str).filter(|it| !it.starts_with('!') && !there(it)).collect();
    if !missing.is_empty() {
        return Some(format!("{} not installed; run bench/repos/install", missing.join(", ")));
    }
    let present = case.needs.iter().filter_map(|it| it.strip_prefix('!')).find(|it| there(it))?;
    Some(format!("{present} is installed, and the case is about a machine without it"))
}

/// Plays the case with the program `ox`.
pub fn play(case: &Case, ox: &Path) -> Result<Played> {
    let folder = tempfile::Builder::new().prefix("ox-repos-").tempdir()?;
    let home = folder.path().canonicalize()?;
    let project = home.join("project");
    for made in [&project, &home.join("ox")] {
        std::fs::create_dir(made)?;
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis() as u64;
    write_project(&case.doc, &project, Time(now))?;
    std::fs::write(home.join("ox/config.toml"), &case.config)?;
    let init = "git init -q -b main . && git add -A && git -c user.name=a -c user.email=a@b commit -q -m start";
    for line in case.setup.iter().map(String::as_str).chain([init]) {
        let done = Command::new("sh")
            .args(["-c", line])
            .current_dir(&project)
            .env("TOOLS", tools())
            .env("PATH", path())
            .output()?;
        ensure!(done.status.success(), "`{line}` failed: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    let (stdout, stderr) = (home.join("stdout"), home.join("stderr"));
    let mut command = Command::new(ox);
    command.args(["run", "--json", "--approval", "auto", "--model"]);
    command.arg(format!("scripted/{}", case.file.display()));
    if !case.args.iter().any(|it| it == "--mode") {
        command.args(["--mode", "build"]);
    }
    command.args(&case.args).arg(&case.task);
    command.current_dir(&project).env("OX_HOME", home.join("ox")).env("PATH", path()).env("LANG", "C.UTF-8");
    own_home(&mut command, &home);
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    let code = ended(command)?;
    let read = |file: &Path| std::fs::read(file).map(|it| String::from_utf8_lossy(&it).into_owned());
    let (stdout, stderr) = (read(&stdout)?, read(&stderr)?);
    let events: Vec<Value> = stdout.lines().filter_map(|it| serde_json::from_str(it).ok()).collect();
    let left = left_behind(&project, &events)?;
    let requests = events.iter().filter(|it| it["event"] == "iteration_start").count() as u64;
    let used =
        events.iter().filter(|it| it["event"] == "stream_complete").filter_map(|it| it["usage"]["input"].as_u64());
    let (tokens, end) = (used.sum(), worded(code, &events, &left));
    Ok(Played { end, wrong: wrong(case, &project), requests, tokens, stdout, stderr })
}

/// A home without the settings and the secrets of the user who runs this; only toolchains that lie in the real one stay there.
fn own_home(command: &mut Command, home: &Path) {
    let real = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup"), ("PYENV_ROOT", ".pyenv")] {
        if std::env::var_os(name).is_none() && real.join(folder).is_dir() {
            command.env(name, real.join(folder));
        }
    }
    command.env("HOME", home);
}

/// The exit code; none where it had to be ended.
fn ended(mut command: Command) -> Result<Option<i32>> {
    let mut child = command.spawn().context("starting ox")?;
    let began = Instant::now();
    while began.elapsed() < LONGEST {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill()?;
    child.wait()?;
    bail!("it did not end within {} s and was stopped", LONGEST.as_secs())
}

/// Files that nobody ignores and that no edit of the model made.
fn left_behind(project: &Path, events: &[Value]) -> Result<Vec<String>> {
    let status = Command::new("git").args(["status", "--porcelain", "-uall", "-z"]).current_dir(project).output()?;
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    let summary = events.iter().rev().find(|it| it["event"] == "summary");
    let files = summary.and_then(|it| it["summary"]["files"].as_array()).cloned().unwrap_or_default();
    let edited: BTreeSet<&str> = files.iter().filter_map(|it| it["path"].as_str()).collect();
    let changed = status.split('\0').filter_map(|it| it.get(3..)).filter(|it| !edited.contains(it));
    Ok(changed.map(str::to_string).collect())
}

/// One line per fact that must hold: how it ended, each check of the summary, what was read out of the checks' output.
fn worded(code: Option<i32>, events: &[Value], left: &[String]) -> String {
    let last = |name: &str| events.iter().rev().find(|it| it["event"] == name);
    let text = |it: &Value| it.as_str().unwrap_or_default().to_string();
    let code = code.map_or("a signal".to_string(), |it| it.to_string());
    let stop = last("completion").map_or("none".to_string(), |it| text(&it["stop"]["reason"]));
    let rounds = events.iter().filter(|it| it["event"] == "check_result" && it["baseline"] == false);
    let rounds = rounds.filter_map(|it| it["round"].as_u64()).max().unwrap_or(0);
    let mut out = format!("exit: {code}\nstop: {stop}\nrounds: {rounds}\n");
    for check in last("summary").and_then(|it| it["summary"]["checks"].as_array()).into_iter().flatten() {
        let _ = write!(out, "check {}: {}", text(&check["name"]), text(&check["status"]));
        if let (Some(passed), Some(failed)) = (check["tests"]["passed"].as_u64(), check["tests"]["failed"].as_u64()) {
            let _ = write!(out, ", {passed} tests passed, {failed} failed");
        }
        let before = if check["failed_before"] == true { ", as before" } else { "" };
        let _ = writeln!(out, "{before}");
        if check["status"] != "passed" && check["status"] != "failed" {
            let _ = writeln!(out, "  {}", text(&check["why"]));
        }
    }
    found(events).iter().for_each(|it| out += &format!("found {it}\n"));
    let of = |key: &str| last("summary").and_then(|it| it["summary"][key].as_array()).cloned().unwrap_or_default();
    for it in of("red_green") {
        let names: Vec<String> = it["tests"].as_array().into_iter().flatten().map(|it| text(&it["name"])).collect();
        let _ = writeln!(out, "depends on the change: {} ({})", text(&it["dependence"]), names.join(", "));
    }
    for it in of("findings") {
        let _ = writeln!(out, "finding {} {}:{}", text(&it["kind"]), text(&it["file"]), it["line"]);
    }
    for it in of("claims").iter().filter(|it| it["evidence"].is_null()) {
        let _ = writeln!(out, "nobody saw: {}", text(&it["claim"]));
    }
    left.iter().for_each(|it| out += &format!("left {it}\n"));
    out
}

/// Where the checks' output said that something is wrong, in the order in which it was first said.
fn found(events: &[Value]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let reports = events.iter().filter(|it| it["event"] == "check_result");
    for result in reports.filter_map(|it| it["report"]["results"].as_array()).flatten() {
        for diagnostic in result["diagnostics"].as_array().into_iter().flatten() {
            let text = |key: &str| diagnostic[key].as_str().unwrap_or_default();
            let place = match (text("file"), text("code")) {
                ("", "") => continue,
                ("", code) => code.to_string(),
                (file, _) => format!("{file}:{}", diagnostic["line"].as_u64().unwrap_or(0)),
            };
            let at = seen.len();
            seen.entry(place).or_insert(at);
        }
    }
    let mut places: Vec<(String, usize)> = seen.into_iter().collect();
    places.sort_by_key(|it| it.1);
    places.into_iter().map(|it| it.0).collect()
}

/// The files that are not as the sections `after/…` have them.
fn wrong(case: &Case, project: &Path) -> Vec<String> {
    let unlike = |(path, section): (&str, &ox_scenario::text::Section)| match (
        section.bytes(),
        std::fs::read(project.join(path)),
    ) {
        (Ok(wanted), Ok(got)) if wanted == got => None,
        (Ok(_), Ok(got)) => Some(format!("{path} is now:\n{}", String::from_utf8_lossy(&got))),
        (Err(error), _) => Some(error),
        (_, Err(error)) => Some(format!("{path}: {error}")),
    };
    case.after().filter_map(unlike).collect()
}
