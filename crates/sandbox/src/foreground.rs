//! A job whose starter waits for its end.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use ox_protocol::{Exit, Job, Live, RunError};
use tokio::io::unix::AsyncFd;
use tokio::task::JoinHandle;

use crate::buffer::Buffer;
use crate::running_job::{ProcessTree, RunningJob};
use crate::streams::Streams;

/// In a flood, at most one piece of output in this time is shown live.
const SHOWN: Duration = Duration::from_millis(100);

/// Starts a job with its ends of the streams: standard input, and output with error.
pub(crate) type Spawn<'a> = &'a (dyn Fn(&Job, OwnedFd, OwnedFd) -> Result<Box<dyn ProcessTree>, RunError> + Sync);

/// The error of a job that could not be started.
pub(crate) fn refused(job: &Job, error: impl std::fmt::Display) -> RunError {
    RunError::Start { program: job.argv.first().cloned().unwrap_or_default(), reason: error.to_string() }
}

/// What must be right before anything is started.
pub(crate) fn look(job: &Job) -> Result<(), RunError> {
    match job.cwd.is_dir() {
        true => Ok(()),
        false => Err(refused(job, format!("the working folder `{}` does not exist", job.cwd.display()))),
    }
}

/// Runs `job` to its end.
pub(crate) async fn run(job: Job, live: Option<Live<'_>>, spawn: Spawn<'_>) -> Result<Exit, RunError> {
    let start = Instant::now();
    look(&job)?;
    let streams = Streams::open(job.terminal, !job.stdin.is_empty()).map_err(|it: io::Error| refused(&job, it))?;
    let tree = spawn(&job, streams.input, streams.output)?;
    // The input is fed beside the reading, so that neither side can block the other.
    let feeder = streams.writer.map(|writer| Feeder(tokio::spawn(feed(writer, job.stdin))));
    let mut kept = Kept { buffer: Buffer::new(job.rights.output), limit: job.rights.output as u64, shown: start };
    let sink = Box::new(|read_chunk: &[u8]| kept.push(read_chunk, live));
    let job = RunningJob { tree, reader: streams.reader, sink, start, time: job.rights.time, stop: None };
    let exit = job.run().await;
    drop(feeder);
    Ok(Exit { output: kept.buffer.finish(), ..exit? })
}

struct Kept {
    buffer: Buffer,
    limit: u64,
    shown: Instant,
}

impl Kept {
    fn push(&mut self, read_chunk: &[u8], live: Option<Live<'_>>) {
        self.buffer.push(read_chunk);
        let Some(live) = live else { return };
        if self.buffer.seen() <= self.limit || self.shown.elapsed() >= SHOWN {
            self.shown = Instant::now();
            live(read_chunk);
        }
    }
}

async fn feed(writer: AsyncFd<OwnedFd>, input: Vec<u8>) {
    // A process need not read what it is given.
    let _ = write_all(&writer, &input).await;
}

/// Writes everything, waiting whenever the other side does not read.
pub(crate) async fn write_all(writer: &AsyncFd<OwnedFd>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let mut ready = writer.writable().await?;
        match ready.try_io(|fd| Ok(rustix::io::write(fd.get_ref(), bytes)?)) {
            Ok(Ok(count)) => bytes = &bytes[count..],
            Ok(Err(error)) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(())
}

/// Stops feeding when the job is over.
struct Feeder(JoinHandle<()>);

impl Drop for Feeder {
    fn drop(&mut self) {
        self.0.abort();
    }
}
