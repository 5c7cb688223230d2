//! `bench model`: how soon the first piece of a reply is on the screen, and how fast answers are read.
//!
//! The pieces come from a server on loopback that notes when it sends them; what is timed ends where the text leaves the
//! program, at the other end of its pipe or its terminal. The speed of reading is measured by the example `speed` of the
//! crate that reads.

mod server;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::measure::Place;
use crate::workspace::{cargo, root};
use server::Server;

/// Replies of one run, each with a first piece; a run may take 100.
const REPLIES: usize = 60;
/// The most that the median may be, in milliseconds.
const MOST: f64 = 1.0;
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

/// Measures; true if every limit was kept.
pub fn run(args: &[String]) -> Result<bool> {
    let mut ox = None;
    for option in args.chunks(2) {
        match option {
            [name, file] if name == "--ox" => ox = Some(PathBuf::from(file)),
            _ => bail!("usage: cargo xtask bench model [--ox FILE]"),
        }
    }
    let ox = ox.map_or_else(build, Ok)?;
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
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "from the server's write to the reader of what is shown; the limit holds for the median; load {}\n",
        load.trim()
    );
    let mut speed = cargo();
    speed.args(["run", "--quiet", "--release", "--package", "ox-model", "--example", "reading"]);
    Ok(speed.status().context("measuring how fast answers are read")?.success() && good)
}

fn build() -> Result<PathBuf> {
    let built = cargo().args(["build", "--quiet", "--release", "--package", "ox"]).status().context("building ox")?;
    ensure!(built.success(), "ox does not compile");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release/ox"))
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
    let server = Server::start(REPLIES)?;
    let mut command = (interface.start)(ox, &server.url);
    super::measure::isolate(&mut command, &place);
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
    let sent = server.sent();
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

/// What is read, piece by piece, each with the moment at which it was there.
fn read(mut out: impl Read) -> Vec<(String, Instant)> {
    let (mut pieces, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    while let Ok(length @ 1..) = out.read(&mut buffer) {
        pieces.push((String::from_utf8_lossy(&buffer[..length]).into_owned(), Instant::now()));
    }
    pieces
}

/// The value below which so many percent of the sorted ones lie.
fn at(sorted: &[f64], percent: usize) -> f64 {
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
