//! A job that runs beside its starter.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ox_protocol::{BoxFuture, Exit, Job, Output, RunError, Running};
use tokio::io::unix::AsyncFd;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::task::JoinHandle;

use crate::buffer::Buffer;
use crate::foreground::{Spawn, look, refused, write_all};
use crate::running_job::RunningJob;
use crate::streams::Streams;

/// Ends the input at a terminal, typed at the start of a line.
const END_OF_INPUT: u8 = 4;

/// Starts `job` and goes with it in the background; `permit` is given back when it ended.
pub(crate) fn start(
    mut job: Job,
    spawn: Spawn<'_>,
    permit: Option<OwnedSemaphorePermit>,
) -> Result<Arc<dyn Running>, RunError> {
    let start = Instant::now();
    look(&job)?;
    let streams = Streams::open(job.terminal, true).map_err(|it| refused(&job, it))?;
    let tree = spawn(&job, streams.input, streams.output)?;
    let shared = Arc::new(Shared::new(job.rights.output));
    let writer = streams.writer.map(Arc::new);
    let first = writer.clone().filter(|_| !job.stdin.is_empty()).map(|writer| {
        let input = std::mem::take(&mut job.stdin);
        let terminal = job.terminal.is_some();
        tokio::spawn(async move {
            // A process need not read what it is given. Pipes end when the last handle on them goes.
            let _ = write_all(&writer, &input).await;
            if terminal {
                let _ = write_all(&writer, &[END_OF_INPUT]).await;
            }
        })
    });
    // What was given beforehand is all that comes.
    let writer = if first.is_some() { None } else { writer };
    let (reader, time, going) = (streams.reader, job.rights.time, shared.clone());
    let task = tokio::spawn(async move {
        let sink = Box::new(|read_chunk: &[u8]| going.push(read_chunk));
        let job = RunningJob { tree, reader, sink, start, time, stop: Some(&going.stop) };
        let exit = job.run().await;
        drop(permit);
        going.end(exit, start);
    });
    let program = job.argv.into_iter().next().unwrap_or_default();
    let tasks = [Some(task), first].into_iter().flatten().collect();
    Ok(Arc::new(Handle { shared, writer: Mutex::new(writer), terminal: job.terminal.is_some(), tasks, program }))
}

/// What the going task and the handles share.
struct Shared {
    state: Mutex<State>,
    /// Rung at every change.
    changed: Notify,
    /// Rung when it is to end.
    stop: Notify,
}

struct State {
    buffer: Buffer,
    limit: usize,
    exit: Option<Exit>,
}

impl Shared {
    fn new(limit: usize) -> Shared {
        let state = State { buffer: Buffer::new(limit), limit, exit: None };
        Shared { state: Mutex::new(state), changed: Notify::new(), stop: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, read_chunk: &[u8]) {
        self.state().buffer.push(read_chunk);
        self.changed.notify_waiters();
    }

    fn end(&self, exit: Result<Exit, RunError>, start: Instant) {
        let exit = exit.unwrap_or_else(|error| {
            // It broke only after it was started, so it is told where its output is read.
            self.state().buffer.push(format!("[{error}]\n").as_bytes());
            let output = Output::default();
            Exit { code: Some(127), signal: None, timed_out: false, output, duration: start.elapsed() }
        });
        self.state().exit = Some(exit);
        self.changed.notify_waiters();
    }

    /// Waits until `is` holds.
    async fn until(&self, is: impl Fn(&State) -> bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Waiting starts before looking, so that no change falls between.
            changed.as_mut().enable();
            if is(&self.state()) {
                return;
            }
            changed.await;
        }
    }
}

struct Handle {
    shared: Arc<Shared>,
    writer: Mutex<Option<Arc<AsyncFd<OwnedFd>>>>,
    terminal: bool,
    tasks: Vec<JoinHandle<()>>,
    program: String,
}

impl Handle {
    fn writer(&self) -> MutexGuard<'_, Option<Arc<AsyncFd<OwnedFd>>>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running for Handle {
    fn take(&self) -> Output {
        let mut state = self.shared.state();
        let fresh = Buffer::new(state.limit);
        std::mem::replace(&mut state.buffer, fresh).finish()
    }

    fn write<'a>(&'a self, bytes: &'a [u8]) -> BoxFuture<'a, Result<(), RunError>> {
        let writer = self.writer().clone();
        let failed = |reason: String| RunError::Start { program: self.program.clone(), reason };
        Box::pin(async move {
            let Some(writer) = writer else { return Err(failed("its input has ended".into())) };
            tokio::select! {
                biased;
                () = self.shared.until(|it| it.exit.is_some()) => Err(failed("it has ended".into())),
                written = write_all(&writer, bytes) => written.map_err(|it| failed(it.to_string())),
            }
        })
    }

    fn close_input(&self) {
        let Some(writer) = self.writer().take() else { return };
        if self.terminal {
            // A terminal cannot be closed from one side; its reader is told instead. A full one has a reader that stalls.
            let _ = rustix::io::write(writer.get_ref(), &[END_OF_INPUT]);
        }
    }

    fn exit(&self) -> Option<Exit> {
        self.shared.state().exit.clone()
    }

    fn stirred(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.until(|it| it.exit.is_some() || it.buffer.seen() > 0))
    }

    fn stop(&self) -> BoxFuture<'_, ()> {
        self.shared.stop.notify_one();
        Box::pin(self.shared.until(|it| it.exit.is_some()))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // The task holds the process tree, and dropping that kills.
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}
