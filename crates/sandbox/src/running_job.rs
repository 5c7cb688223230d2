//! From a started process to its end: output, time limit, and what it left behind. The same for every way to start one.
//!
//! A job is over when its main process is. What it left behind gets a moment to finish its output and is then ended; it
//! never keeps the job waiting.

use std::future::pending;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use ox_protocol::{BoxFuture, Exit, Output, RunError};
use rustix::io::Errno;
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;
use tokio::time::{sleep, sleep_until};

/// Between the polite and the impolite end of a job.
pub(crate) const GRACE: Duration = Duration::from_millis(500);
/// How long output may be silent after the main process ended before it counts as complete.
const SILENCE: Duration = Duration::from_millis(150);
/// How long output may go on after the main process ended.
const LINGER: Duration = Duration::from_secs(1);
/// Bytes read at once.
const CHUNK: usize = 64 << 10;

/// How the main process of a job ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    /// Said at the end of the output.
    pub(crate) note: Option<String>,
}

impl Ended {
    /// From a wait status.
    pub(crate) fn of(status: i32) -> Ended {
        let status = <std::process::ExitStatus as std::os::unix::process::ExitStatusExt>::from_raw(status);
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        Ended { code: status.code(), signal, note: None }
    }
}

/// The processes of a started job. Dropping it kills them all.
pub(crate) trait ProcessTree: Send {
    /// Waits for the main process. May be dropped and called again.
    fn ended(&mut self) -> BoxFuture<'_, Result<Ended, RunError>>;

    /// Asks all processes to end.
    fn ask(&self);

    /// Kills all processes.
    fn kill(&mut self);

    /// Waits until no process is left.
    fn gone(&mut self) -> BoxFuture<'_, ()>;

    /// Ends what the main process left behind: politely, then not. Returns when nothing is left.
    fn sweep(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.ask();
            if tokio::time::timeout(GRACE / 5, self.gone()).await.is_err() {
                self.kill();
                self.gone().await;
            }
        })
    }
}

/// Where output goes.
pub(crate) type Sink<'a> = Box<dyn FnMut(&[u8]) + Send + 'a>;

/// A started job with our end of its output.
pub(crate) struct RunningJob<'a> {
    pub(crate) tree: Box<dyn ProcessTree>,
    pub(crate) reader: AsyncFd<OwnedFd>,
    pub(crate) sink: Sink<'a>,
    pub(crate) start: Instant,
    pub(crate) time: Duration,
    /// Rung when somebody wants the job to end; none when nobody can.
    pub(crate) stop: Option<&'a Notify>,
}

impl RunningJob<'_> {
    /// Goes with the job to its end; the output is left empty.
    pub(crate) async fn run(mut self) -> Result<Exit, RunError> {
        let mut deadline =
            self.start.checked_add(self.time).unwrap_or_else(|| self.start + Duration::from_secs(1 << 30));
        let (mut asked, mut timed_out, mut chunk, mut open) = (false, false, vec![0; CHUNK], true);
        let ended = loop {
            tokio::select! {
                biased;
                ended = self.tree.ended() => break ended?,
                () = sleep_until(deadline.into()) => {
                    if asked { self.tree.kill() } else { self.tree.ask() }
                    timed_out |= !asked;
                    asked = true;
                    deadline = Instant::now() + GRACE;
                }
                () = notified(self.stop), if !asked => {
                    self.tree.ask();
                    asked = true;
                    deadline = Instant::now() + GRACE;
                }
                more = read_chunk(&self.reader, &mut chunk, &mut self.sink), if open => open = more,
            }
        };
        if asked {
            self.tree.kill();
        }
        self.finish_output(&mut chunk, open).await;
        if let Some(note) = &ended.note {
            (self.sink)(format!("\n{note}\n").as_bytes());
        }
        self.tree.sweep().await;
        let (code, signal, duration) = (ended.code, ended.signal, self.start.elapsed());
        Ok(Exit { code, signal, timed_out, output: Output::default(), duration })
    }

    /// Reads what is still in the pipe, and for a moment what background processes still write.
    async fn finish_output(&mut self, chunk: &mut [u8], mut open: bool) {
        let end = Instant::now() + LINGER;
        while open && Instant::now() < end {
            tokio::select! {
                biased;
                more = read_chunk(&self.reader, chunk, &mut self.sink) => open = more,
                () = sleep(SILENCE) => break,
            }
        }
    }
}

async fn notified(bell: Option<&Notify>) {
    match bell {
        Some(bell) => bell.notified().await,
        None => pending().await,
    }
}

/// Takes the next piece; false at the end. Nothing is lost when this future is dropped half-way.
async fn read_chunk(reader: &AsyncFd<OwnedFd>, chunk: &mut [u8], sink: &mut Sink<'_>) -> bool {
    loop {
        let Ok(mut ready) = reader.readable().await else { return false };
        // A terminal whose last user is gone answers with an error instead of an end. Linux looks for input before it looks
        // whether the other end is closed, so what is written and closed in between is had by reading again.
        let read = |fd: &AsyncFd<OwnedFd>, chunk: &mut [u8]| match rustix::io::read(fd.get_ref(), &mut *chunk) {
            Err(Errno::IO) => rustix::io::read(fd.get_ref(), chunk),
            read => read,
        };
        match ready.try_io(|fd| Ok(read(fd, chunk)?)) {
            Ok(Ok(0) | Err(_)) => return false,
            Ok(Ok(count)) => {
                sink(&chunk[..count]);
                return true;
            }
            Err(_) => {}
        }
    }
}
