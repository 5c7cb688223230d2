//! The plain runner: no isolation, but bounded time and memory, and nothing outlives its job.
//!
//! A job is over when its main process is. What it left behind in its process group gets a moment to finish its output and
//! is then ended; it never keeps the job waiting.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use ox_protocol::{BoxFuture, Exit, Job, RunError, Runner};
use rustix::process::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::{sleep, sleep_until};

use crate::buffer::Buffer;
use crate::environment::cleaned;
use crate::family::{Family, MARK, new_mark};

/// Between the polite and the impolite end of a job at its time limit.
const GRACE: Duration = Duration::from_millis(500);
/// How long output may be silent after the main process ended before it counts as complete.
const SILENCE: Duration = Duration::from_millis(150);
/// How long output may go on after the main process ended.
const LINGER: Duration = Duration::from_secs(1);
/// Bytes read at once.
const CHUNK: usize = 64 << 10;
/// In a flood, at most one piece of output in this time is shown live.
const SHOWN: Duration = Duration::from_millis(100);

/// Runs processes with the user's own rights; see the crate's words on what it does not do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

/// Receives output as it arrives.
type Live<'a> = Option<&'a (dyn Fn(&[u8]) + Send + Sync)>;

impl Runner for Plain {
    /// Runs `job`. Once more came than `rights.output`, `live` gets samples instead of every piece.
    fn run<'a>(&'a self, job: Job, live: Live<'a>) -> BoxFuture<'a, Result<Exit, RunError>> {
        Box::pin(run(job, live))
    }
}

async fn run(job: Job, live: Live<'_>) -> Result<Exit, RunError> {
    let start = Instant::now();
    let program = job.argv.first().cloned().unwrap_or_default();
    let refused = |it: io::Error| RunError::Start { program: program.clone(), reason: it.to_string() };
    if !job.cwd.is_dir() {
        let reason = format!("the working folder `{}` does not exist", job.cwd.display());
        return Err(RunError::Start { program, reason });
    }
    let (reader, writer) = io::pipe().map_err(refused)?;
    let mark = new_mark();
    let mut child = spawn(&job, writer, &mark).map_err(|it| match it.kind() {
        io::ErrorKind::NotFound => RunError::NotFound(program.clone()),
        _ => refused(it),
    })?;
    let id = child.id().and_then(|it| Pid::from_raw(it as i32)).expect("a child that was not waited for has an id");
    let mut family = Family { leader: id, mark, over: false };
    let mut reader = pipe::Receiver::from_owned_fd(OwnedFd::from(reader)).map_err(refused)?;
    let mut out = Out::new(job.rights.output, live);
    // The input is fed beside the reading, so that neither side can block the other.
    let feeder = child.stdin.take().map(|mut stdin| {
        let input = job.stdin;
        Feeder(tokio::spawn(async move {
            // A process need not read what it is given.
            let _ = stdin.write_all(&input).await;
        }))
    });
    let mut deadline = start.checked_add(job.rights.time).unwrap_or_else(|| start + Duration::from_secs(1 << 30));
    let mut timed_out = false;
    let status = loop {
        tokio::select! {
            biased;
            status = child.wait() => break status.map_err(refused)?,
            () = sleep_until(deadline.into()) => {
                if timed_out { family.kill() } else { family.ask() }
                timed_out = true;
                deadline = Instant::now() + GRACE;
            }
            () = out.read(&mut reader), if !out.ended => {}
        }
    };
    drop(feeder);
    if timed_out {
        family.kill();
    }
    finish_output(&mut out, &mut reader).await;
    family.sweep(GRACE / 5).await;
    Ok(exit(status, timed_out, out, start))
}

fn exit(status: ExitStatus, timed_out: bool, out: Out<'_>, start: Instant) -> Exit {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    Exit { code: status.code(), signal, timed_out, output: out.buffer.finish(), duration: start.elapsed() }
}

/// Reads what is still in the pipe, and for a moment what background processes still write.
async fn finish_output(out: &mut Out<'_>, reader: &mut pipe::Receiver) {
    let end = Instant::now() + LINGER;
    while !out.ended && Instant::now() < end {
        tokio::select! {
            biased;
            () = out.read(reader) => {}
            () = sleep(SILENCE) => break,
        }
    }
}

fn spawn(job: &Job, output: io::PipeWriter, mark: &str) -> io::Result<Child> {
    let [program, arguments @ ..] = job.argv.as_slice() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program was named"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&job.cwd)
        .env_clear()
        .envs(cleaned())
        .envs(job.env.iter().map(|(name, value)| (name, value)))
        .env(MARK, mark)
        .stdin(if job.stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(output.try_clone()?)
        .stderr(output)
        .kill_on_drop(true);
    lead_session(&mut command);
    // The command holds the pipe's writing end and goes here, so that the pipe ends with the processes.
    command.spawn()
}

/// Gives the process its own session: no terminal to ask at, and one group to end it by.
#[allow(unsafe_code)]
fn lead_session(command: &mut Command) {
    // SAFETY: between fork and exec only async-signal-safe calls are allowed. `setsid` and `setrlimit` are plain system
    // calls here, and neither allocates nor locks.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
            rustix::process::setrlimit(rustix::process::Resource::Core, none)?;
            Ok(())
        });
    }
}

/// What arrives from the process.
struct Out<'a> {
    buffer: Buffer,
    chunk: Vec<u8>,
    live: Live<'a>,
    limit: u64,
    shown: Instant,
    ended: bool,
}

impl<'a> Out<'a> {
    fn new(limit: usize, live: Live<'a>) -> Out<'a> {
        let chunk = vec![0; CHUNK];
        Out { buffer: Buffer::new(limit), chunk, live, limit: limit as u64, shown: Instant::now(), ended: false }
    }

    /// Takes the next piece. Nothing is lost when this future is dropped half-way.
    async fn read(&mut self, reader: &mut pipe::Receiver) {
        let count = match reader.read(&mut self.chunk).await {
            Ok(0) | Err(_) => {
                self.ended = true;
                return;
            }
            Ok(count) => count,
        };
        let piece = &self.chunk[..count];
        self.buffer.push(piece);
        let Some(live) = self.live else { return };
        if self.buffer.seen() <= self.limit || self.shown.elapsed() >= SHOWN {
            self.shown = Instant::now();
            live(piece);
        }
    }
}

/// Stops feeding when the job is over.
struct Feeder(tokio::task::JoinHandle<()>);

impl Drop for Feeder {
    fn drop(&mut self) {
        self.0.abort();
    }
}
