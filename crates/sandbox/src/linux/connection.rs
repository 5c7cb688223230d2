//! The helper, as Ox sees it: started, told its plan, listened to, and never left behind.
//!
//! Dropping the link kills everything inside: the helper's socket ends, and it holds the lifeline.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as Socket;
use std::sync::Arc;

use ox_protocol::{BoxFuture, RunError};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::{Shutdown, shutdown};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::process::Child;

use super::forwards::Forwards;
use super::message::{ASK_TO_END, CALL, HelperMessage, Limit};
use super::plan::Plan;
use super::shared_network::SharedNetwork;
use super::{helper_program, sys};
use crate::running_job::{Ended, ProcessTree};

/// `plan` in a file that is in memory alone.
fn written(plan: &Plan) -> io::Result<File> {
    let mut file = File::from(memfd_create(c"ox", MemfdFlags::CLOEXEC)?);
    file.write_all(&plan.encode()?)?;
    Ok(file)
}

/// A helper with a command inside.
#[derive(Debug)]
pub(crate) struct HelperConnection {
    socket: UnixStream,
    // Held so that the helper is collected when it ends.
    _child: Child,
    // Held so that its ways out end with the command.
    forwards: Option<Forwards>,
    read: Vec<u8>,
    plan: Box<Plan>,
    gone: bool,
}

impl HelperConnection {
    /// Starts the helper with `plan` and the command's ends of its streams.
    pub(crate) fn start(
        plan: Plan,
        input: OwnedFd,
        output: OwnedFd,
        forwards: Option<(Forwards, OwnedFd)>,
        shared_network: Option<Arc<SharedNetwork>>,
    ) -> io::Result<HelperConnection> {
        let (ours, theirs) = Socket::pair()?;
        let file = written(&plan)?;
        let child = tokio::process::Command::from(helper_program::command(CALL, theirs)?).spawn()?;
        let mut fds = vec![file.as_fd(), input.as_fd(), output.as_fd()];
        fds.extend(forwards.iter().map(|it| it.1.as_fd()));
        fds.extend(shared_network.iter().flat_map(|it| it.namespaces()).map(|it| it.as_fd()));
        sys::send(&ours, &fds)?;
        ours.set_nonblocking(true)?;
        Ok(HelperConnection {
            socket: UnixStream::from_std(ours)?,
            _child: child,
            forwards: forwards.map(|it| it.0),
            read: Vec::new(),
            plan: Box::new(plan),
            gone: false,
        })
    }

    fn program(&self) -> String {
        self.plan.argv.first().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn explain(&self, limit: Limit) -> Option<String> {
        Some(match limit {
            Limit::Memory => format!("[ended: its processes took more than {} MiB of memory]", self.plan.memory >> 20),
            Limit::Processes => format!("[ended: more than {} processes and threads at once]", self.plan.processes),
            Limit::Disk => format!(
                "[ended: it took more than {} MiB of the disk, or left less than 1 of 20 parts of it free]",
                self.plan.disk >> 20
            ),
            Limit::HiddenFileReplaced => {
                "[ended: a file that is hidden from commands was replaced outside meanwhile; run it again]".into()
            }
        })
    }

    /// The next message. A helper that is silent for ever has ended, which is told like its last word.
    async fn next(&mut self) -> HelperMessage {
        loop {
            if let Some(message) = HelperMessage::take(&mut self.read) {
                self.gone |= message == HelperMessage::Exited;
                return message;
            }
            let read = if self.gone { 0 } else { self.socket.read_buf(&mut self.read).await.unwrap_or(0) };
            if read == 0 {
                self.gone = true;
                return HelperMessage::Exited;
            }
        }
    }
}

impl ProcessTree for HelperConnection {
    fn ended(&mut self) -> BoxFuture<'_, Result<Ended, RunError>> {
        Box::pin(async move {
            match self.next().await {
                HelperMessage::Ended(0) => Ok(Ended::of(0)),
                HelperMessage::Ended(status) => {
                    Ok(Ended { note: self.forwards.as_ref().and_then(Forwards::refused_hosts), ..Ended::of(status) })
                }
                HelperMessage::LimitExceeded(limit) => {
                    Ok(Ended { note: self.explain(limit), ..Ended::of(libc::SIGKILL) })
                }
                HelperMessage::NotFound => Err(RunError::NotFound(self.program())),
                HelperMessage::Failed(reason) => Err(RunError::Start { program: self.program(), reason }),
                // Everything inside was killed before the first process could be waited for.
                HelperMessage::Exited => Ok(Ended::of(libc::SIGKILL)),
            }
        })
    }

    fn ask(&self) {
        // The helper reads each byte at once; when it cannot, it is about to end.
        let _ = self.socket.try_write(&[ASK_TO_END]);
    }

    fn kill(&mut self) {
        // A socket whose other end is gone needs no telling.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }

    fn gone(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            while !self.gone {
                self.next().await;
            }
        })
    }
}

/// Builds the whole sandbox once around nothing, without a runtime, and tells why when they cannot be built.
pub(crate) fn attempt(plan: &Plan) -> io::Result<()> {
    let (ours, theirs) = Socket::pair()?;
    let mut child = helper_program::command(CALL, theirs)?.spawn()?;
    let null = File::options().read(true).write(true).open("/dev/null")?;
    sys::send(&ours, &[written(plan)?.as_fd(), null.as_fd(), null.as_fd()])?;
    let mut bytes = Vec::new();
    // The helper keeps its end until everything inside is gone; nothing inside can keep it open.
    io::Read::read_to_end(&mut &ours, &mut bytes)?;
    child.wait()?;
    match HelperMessage::take(&mut bytes) {
        Some(HelperMessage::Ended(0)) => Ok(()),
        Some(HelperMessage::Failed(reason)) => Err(io::Error::other(reason)),
        Some(HelperMessage::Exited) | None => Err(io::Error::other("the helper ended before it was done")),
        Some(_) => Err(io::Error::other("the first program inside did not run")),
    }
}
