//! `bench model`: how soon the first piece of a reply is on the screen, and how fast answers are read.
//!
//! The pieces come from a server on loopback that notes when it sends them; what is timed ends where the text leaves the
//! program, at the other end of its pipe or its terminal. The speed of reading is measured by the example `speed` of the
//! crate that reads.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ox_scenario::wire::server::{Answer, Serving, serve};
use serde_json::{Value, json};

use crate::agent_loop::measure::{self, Place};
use crate::agent_loop::script;
use crate::program::{self, runtime};

/// Replies of one run, each with a first piece; a run may take 100.
const REPLIES: usize = 60;
/// The most that the median may be, in milliseconds.
const MOST: f64 = 1.0;
/// Silence of the server before the first piece of a reply and before its rest.
const SILENCE: Duration = Duration::from_millis(30);
/// When a run is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// One interface: its name, and how the program is started so that it uses it.
struct Interface {
    name: &'static str,
    start: fn(&Path, &str) -> Command,
}

const INTERFACES: &[Interface] = &[
    Interface { name: "JSON lines, through a pipe", start: json },
    Interface { name: "terminal, through `script`", start: terminal },
];

/// The program to measure.
#[derive(clap::Args)]
pub struct Options {
    /// A binary to take instead of building one.
    #[arg(long)]
    ox: Option<PathBuf>,
}

/// Measures; true if every limit was kept.
pub fn run(options: Options) -> Result<bool> {
    let ox = program::ox(options.ox.as_ref())?;
    let mut good = true;
    println!("{:<28} {:>8} {:>10} {:>8} {:>8}", "first piece shown after", "replies", "median ms", "p99 ms", "limit");
    for interface in INTERFACES {
        match delays(interface, &ox) {
            Ok(delays) => {
                let (median, high) = (at(&delays, 50), at(&delays, 99));
                good &= median <= MOST;
                println!(
                    "{:<28} {:>8} {median:>10.2} {high:>8.2} {:>8}",
                    interface.name,
                    delays.len(),
                    format!("≤ {MOST}")
                );
            }
            Err(error) => {
                good = false;
                println!("{:<28} not measured: {error:#}", interface.name);
            }
        }
    }
    println!(
        "from the server's write to the reader of what is shown; the limit holds for the median; {}\n",
        program::load()
    );
    Ok(program::run_example("ox-model", "reading", &[])? && good)
}

fn json(ox: &Path, url: &str) -> Command {
    let mut command = Command::new(ox);
    command.args(["run", "--json", "--mode", "chat", "--model", "openai/mock", "--base-url", url, "Look."]);
    command
}

/// `script` gives the program a terminal and copies what it draws.
fn terminal(ox: &Path, url: &str) -> Command {
    let mut command = Command::new("script");
    let line = format!("'{}' --mode chat --model openai/mock --base-url {url} Look.", ox.display());
    command.args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"]).env("TERM", "xterm-256color");
    command
}

/// Milliseconds from the sending of each reply's first piece until it is shown, sorted.
fn delays(interface: &Interface, ox: &Path) -> Result<Vec<f64>> {
    let place = Place::new()?;
    let (server, sent) = serving(REPLIES)?;
    let mut command = (interface.start)(ox, &format!("{}/v1", server.url));
    measure::isolate(&mut command, &place);
    command.env_remove("NO_COLOR").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("starting {}", command.get_program().display()))?;
    let out = child.stdout.take().context("its output is a pipe")?;
    let (sender, shown) = mpsc::channel();
    std::thread::spawn(move || sender.send(read(out)));
    let shown = shown.recv_timeout(PATIENCE);
    // It has ended by itself, or is given up.
    let _ = child.kill();
    child.wait()?;
    let shown = shown.context("the run did not end")?;
    let sent = lock(&sent).clone();
    let mut delays: Vec<f64> = sent
        .iter()
        .filter_map(|(mark, sent)| {
            let (_, seen) = shown.iter().find(|(text, _)| text.contains(mark.as_str()))?;
            Some(seen.saturating_duration_since(*sent).as_secs_f64() * 1e3)
        })
        .collect();
    ensure!(delays.len() == REPLIES, "{} of {REPLIES} first pieces were shown", delays.len());
    delays.sort_by(f64::total_cmp);
    Ok(delays)
}

/// The first piece of each reply, and when it was sent.
type Sent = Arc<Mutex<Vec<(String, Instant)>>>;

fn lock(sent: &Sent) -> MutexGuard<'_, Vec<(String, Instant)>> {
    sent.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A model that notes when it sends the first piece of each reply. It is silent before the first piece, so that the program comes
/// to rest, and before the rest, and calls a tool in every reply but the last, so that one run has many first pieces.
fn serving(replies: usize) -> Result<(Serving, Sent)> {
    let sent = Sent::default();
    let noted = sent.clone();
    let serving = runtime().block_on(serve(move |asked| {
        // Whatever is asked beside the turn (nothing is offered then) gets a short answer that does not count.
        let counts = serde_json::from_slice::<Value>(&asked.body).is_ok_and(|it| it["tools"].is_array());
        let number = if counts { lock(&noted).len() } else { replies };
        let mark = format!("mark{number:04}");
        let first = chunk(&json!({"role": "assistant", "content": format!("{mark} ")}), &Value::Null);
        let (call, finish) = match number + 1 < replies {
            true => (chunk(&read_file(number), &Value::Null), "tool_calls"),
            false => (String::new(), "stop"),
        };
        let rest = call + &chunk(&json!({}), &json!(finish)) + "data: [DONE]\n\n";
        let noted = noted.clone();
        let note = move |piece| {
            if counts && piece == 0 {
                lock(&noted).push((mark.clone(), Instant::now()));
            }
        };
        Answer { pause: SILENCE, sending: Some(Arc::new(note)), ..Answer::events(vec![first, rest]) }
    }))?;
    Ok((serving, sent))
}

fn read_file(number: usize) -> Value {
    let function = json!({"name": "read_file", "arguments": json!({"path": script::path(number)}).to_string()});
    json!({"tool_calls": [{"index": 0, "id": format!("call_{number}"), "type": "function", "function": function}]})
}

fn chunk(delta: &Value, finish: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    let chunk =
        json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [choice]});
    format!("data: {chunk}\n\n")
}

/// What is read, piece by piece, each with the moment at which it was there.
fn read(mut out: impl Read) -> Vec<(String, Instant)> {
    let (mut pieces, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    while let Ok(length @ 1..) = out.read(&mut buffer) {
        pieces.push((String::from_utf8_lossy(&buffer[..length]).into_owned(), Instant::now()));
    }
    pieces
}

/// The value below which so many percent of the sorted ones lie.
pub fn at(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles() {
        let values: Vec<f64> = (0..60).map(f64::from).collect();
        assert_eq!((at(&values, 50), at(&values, 99), at(&[7.0], 99)), (30.0, 59.0, 7.0));
    }
}
