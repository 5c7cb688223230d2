//! From a started process to its end: output, time limit, and what it left behind. The same for every way to start one.
//!
//! A job is over when its main process is. What it left behind gets a moment to finish its output and is then ended; it
//! never keeps the job waiting.

use std::future::pending;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use ox_protocol::{Exit, Output, RunError};
use tokio::io::unix::AsyncFd;
use tokio::sync::Notify;
use tokio::time::{sleep, sleep_until};

use crate::plain;

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

/// What holds a started job. Dropping it kills the whole process tree.
pub(crate) enum Leash {
    /// A process with the user's own rights.
    Plain(plain::Process),
    /// A command behind walls.
    #[cfg(target_os = "linux")]
    Walled(crate::linux::link::Link),
    /// A command in a container.
    Contained(crate::container::Task),
}

impl Leash {
    /// Waits for the main process. May be dropped and called again.
    async fn ended(&mut self) -> Result<Ended, RunError> {
        match self {
            Leash::Plain(process) => process.ended().await,
            #[cfg(target_os = "linux")]
            Leash::Walled(link) => link.ended().await,
            Leash::Contained(task) => task.ended().await,
        }
    }

    fn ask(&self) {
        match self {
            Leash::Plain(process) => process.family.ask(),
            #[cfg(target_os = "linux")]
            Leash::Walled(link) => link.ask(),
            Leash::Contained(task) => task.ask(),
        }
    }

    fn kill(&mut self) {
        match self {
            Leash::Plain(process) => process.family.kill(),
            #[cfg(target_os = "linux")]
            Leash::Walled(link) => link.kill(),
            Leash::Contained(task) => task.kill(),
        }
    }

    /// Ends what the main process left behind: politely, then not. Returns when nothing is left.
    async fn sweep(&mut self) {
        match self {
            Leash::Plain(process) => process.family.sweep(GRACE / 5).await,
            #[cfg(target_os = "linux")]
            Leash::Walled(link) => {
                link.ask();
                if tokio::time::timeout(GRACE / 5, link.gone()).await.is_err() {
                    link.kill();
                    link.gone().await;
                }
            }
            Leash::Contained(task) => {
                task.ask();
                if tokio::time::timeout(GRACE / 5, task.gone()).await.is_err() {
                    task.kill();
                    task.gone().await;
                }
            }
        }
    }
}

/// Where output goes.
pub(crate) type Sink<'a> = Box<dyn FnMut(&[u8]) + Send + 'a>;

/// A started job with our end of its output.
pub(crate) struct Course<'a> {
    pub(crate) leash: Leash,
    pub(crate) reader: AsyncFd<OwnedFd>,
    pub(crate) sink: Sink<'a>,
    pub(crate) start: Instant,
    pub(crate) time: Duration,
    /// Rung when somebody wants the job to end; none when nobody can.
    pub(crate) stop: Option<&'a Notify>,
}

impl Course<'_> {
    /// Goes with the job to its end; the output is left empty.
    pub(crate) async fn run(mut self) -> Result<Exit, RunError> {
        let mut deadline =
            self.start.checked_add(self.time).unwrap_or_else(|| self.start + Duration::from_secs(1 << 30));
        let (mut asked, mut timed_out, mut chunk, mut open) = (false, false, vec![0; CHUNK], true);
        let ended = loop {
            tokio::select! {
                biased;
                ended = self.leash.ended() => break ended?,
                () = sleep_until(deadline.into()) => {
                    if asked { self.leash.kill() } else { self.leash.ask() }
                    timed_out |= !asked;
                    asked = true;
                    deadline = Instant::now() + GRACE;
                }
                () = rung(self.stop), if !asked => {
                    self.leash.ask();
                    asked = true;
                    deadline = Instant::now() + GRACE;
                }
                more = piece(&self.reader, &mut chunk, &mut self.sink), if open => open = more,
            }
        };
        if asked {
            self.leash.kill();
        }
        self.finish_output(&mut chunk, open).await;
        if let Some(note) = &ended.note {
            (self.sink)(format!("\n{note}\n").as_bytes());
        }
        self.leash.sweep().await;
        let (code, signal, duration) = (ended.code, ended.signal, self.start.elapsed());
        Ok(Exit { code, signal, timed_out, output: Output::default(), duration })
    }

    /// Reads what is still in the pipe, and for a moment what background processes still write.
    async fn finish_output(&mut self, chunk: &mut [u8], mut open: bool) {
        let end = Instant::now() + LINGER;
        while open && Instant::now() < end {
            tokio::select! {
                biased;
                more = piece(&self.reader, chunk, &mut self.sink) => open = more,
                () = sleep(SILENCE) => break,
            }
        }
    }
}

async fn rung(bell: Option<&Notify>) {
    match bell {
        Some(bell) => bell.notified().await,
        None => pending().await,
    }
}

/// Takes the next piece; false at the end. Nothing is lost when this future is dropped half-way.
async fn piece(reader: &AsyncFd<OwnedFd>, chunk: &mut [u8], sink: &mut Sink<'_>) -> bool {
    loop {
        let Ok(mut ready) = reader.readable().await else { return false };
        match ready.try_io(|fd| Ok(rustix::io::read(fd.get_ref(), &mut *chunk)?)) {
            // A terminal whose last user is gone answers with an error instead of an end.
            Ok(Ok(0) | Err(_)) => return false,
            Ok(Ok(count)) => {
                sink(&chunk[..count]);
                return true;
            }
            Err(_) => {}
        }
    }
}
