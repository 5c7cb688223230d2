//! Plays a plan: starts Ox in a project of its own, and gathers what it says until it ends or its time is over.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ox_scenario::wire::server::{Answer, Serving, serve};
use serde_json::Value;

use super::body::{self, Said};
use super::clock;
use super::plan::{Plan, Reach, events};
use crate::program::runtime;

/// How long one run may take.
const LONGEST: Duration = Duration::from_secs(90);
/// How long Ox may take to end after a signal.
pub const AFTER_SIGNAL: Duration = Duration::from_secs(3);

/// What was seen of a run.
#[derive(Default)]
pub struct Seen {
    /// Lines of stdout.
    pub lines: Vec<String>,
    /// The events among them.
    pub events: Vec<Value>,
    pub stderr: String,
    /// None where the run had to be ended, or ended by a signal.
    pub code: Option<i32>,
    /// True where it ended by itself.
    pub ended: bool,
    /// How long it took to end after the signal.
    pub after_signal: Option<Duration>,
    /// How often the model was asked.
    pub asked: usize,
}

impl Seen {
    /// All events of this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |it| it["event"] == name)
    }

    /// The text that was streamed under the id of each message, in order.
    pub fn shown(&self) -> Vec<(String, String)> {
        let mut shown: Vec<(String, String)> = Vec::new();
        for delta in self.all("stream_delta").filter(|it| it["kind"].is_null() || it["kind"] == "text") {
            let (id, text) = (delta["message_id"].to_string(), delta["delta"].as_str().unwrap_or_default());
            match shown.last_mut().filter(|it| it.0 == id) {
                Some((_, all)) => *all += text,
                None => shown.push((id, text.to_string())),
            }
        }
        shown
    }
}

/// Runs Ox as the plan says.
pub fn play(plan: &Plan, ox: &std::path::Path) -> Result<Seen> {
    let folder = tempfile::tempdir()?;
    let (project, home) = (folder.path().join("project"), folder.path().join("home"));
    std::fs::create_dir_all(project.join("src"))?;
    std::fs::create_dir_all(&home)?;
    for (name, text) in [
        ("a", "1\n"),
        ("b", "1\n"),
        ("a.rs", "fn a() {}\n"),
        ("b.rs", "fn b() {}\n"),
        ("src/main.rs", "fn main() {}\n"),
    ] {
        std::fs::write(project.join(name), text)?;
    }
    for (name, bytes) in &plan.files {
        std::fs::write(project.join(name), bytes)?;
    }
    let done = events(body::of(&plan.format, &Said::text("Done.")));
    let (server, asked) = serving(plan.answers.clone(), done)?;
    std::fs::write(home.join("config.toml"), config(plan, server.url.trim_start_matches("http://")))?;
    let mut command = Command::new(ox);
    command.arg("run").args(if plan.plain { &[][..] } else { &["--json"] });
    command.args(match plan.build {
        true => &["--mode", "build", "--approval", "auto", "--allow", "run_command"][..],
        false => &["--mode", "chat"],
    });
    command.args(["--model", "faults/mock", "--max-iterations", "12", "What is in a.rs?"]);
    command.current_dir(&project).env("OX_HOME", &home).env("FAULTS_KEY", "k-0123456789").env("LANG", "C.UTF-8");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(seconds) = plan.jump {
        command.env("LD_PRELOAD", clock::library(folder.path())?);
        command.env("FAULTS_JUMP_SECONDS", seconds.to_string()).env("FAULTS_JUMP_AFTER", clock::AFTER.to_string());
    }
    let mut seen = watch(command, plan)?;
    seen.asked = asked.load(Ordering::Relaxed);
    Ok(seen)
}

/// Gives `answers` in order, then `after` to whatever else is asked, and counts the requests.
fn serving(answers: Vec<Answer>, after: Answer) -> Result<(Serving, Arc<AtomicUsize>)> {
    let asked = Arc::new(AtomicUsize::new(0));
    let (count, left) = (asked.clone(), Mutex::new(VecDeque::from(answers)));
    let serving = runtime().block_on(serve(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        left.lock().expect("no holder of this lock panics").pop_front().unwrap_or_else(|| after.clone())
    }))?;
    Ok((serving, asked))
}

/// The provider of the plan, in the format of the plan.
fn config(plan: &Plan, address: &str) -> String {
    let wire = match plan.format.as_str() {
        "anthropic" => "anthropic",
        "openai-responses" => "openai_responses",
        "gemini" => "gemini",
        _ => "openai_chat",
    };
    let base = match plan.reach {
        Reach::Server if wire == "anthropic" || wire == "gemini" => format!("http://{address}"),
        Reach::Server => format!("http://{address}/v1"),
        Reach::Nobody => "http://127.0.0.1:9/v1".to_string(),
        // An address for documentation, where nothing is.
        Reach::Nowhere => "http://192.0.2.1:81/v1".to_string(),
        Reach::NoName => "http://no-such-host.invalid/v1".to_string(),
        Reach::NoTls => format!("https://{address}/v1"),
    };
    let tools = if plan.format == "text-xml" { "\n[models.\"faults/mock\"]\ntools = \"xml\"\n" } else { "" };
    let patience = match plan.impatient {
        true => "[timeouts]\nconnect = \"2s\"\nfirst_byte = \"2s\"\nidle = \"2s\"\n\n",
        false => "",
    };
    format!("{patience}[providers.faults]\nwire = \"{wire}\"\nbase_url = \"{base}\"\nkey_env = \"FAULTS_KEY\"\n{tools}")
}

fn watch(mut command: Command, plan: &Plan) -> Result<Seen> {
    let mut child = command.spawn().context("starting ox")?;
    let (sender, lines) = mpsc::channel();
    let stdout = child.stdout.take().context("stdout is piped")?;
    let mut stderr = child.stderr.take().context("stderr is piped")?;
    thread::spawn(move || {
        let mut reader = BufReader::new(stdout);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let _ = sender.send(String::from_utf8_lossy(&line).trim_end_matches('\n').to_string());
            line.clear();
        }
    });
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut seen = Seen::default();
    let began = Instant::now();
    let mut signalled: Option<Instant> = None;
    loop {
        if let Ok(line) = lines.recv_timeout(Duration::from_millis(20)) {
            let event: Option<Value> = serde_json::from_str(&line).ok();
            let shows = event.as_ref().is_some_and(|it| it["event"] == "stream_delta");
            if let (Some(signal), true, None) = (plan.signal, shows, signalled) {
                Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status()?;
                signalled = Some(Instant::now());
            }
            seen.events.extend(event);
            seen.lines.push(line);
        } else if let Some(status) = child.try_wait()? {
            (seen.code, seen.ended) = (status.code(), true);
            seen.after_signal = signalled.map(|it| it.elapsed());
            break;
        } else if began.elapsed() > LONGEST || signalled.is_some_and(|it| it.elapsed() > AFTER_SIGNAL) {
            child.kill()?;
            child.wait()?;
            break;
        }
    }
    seen.stderr = errors.join().unwrap_or_default();
    Ok(seen)
}
