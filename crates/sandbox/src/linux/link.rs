//! The helper, as Ox sees it: started, told its plan, listened to, and never left behind.
//!
//! Dropping the link kills everything inside: the helper's socket ends, and it holds the leash.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as Socket;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ox_protocol::RunError;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::{Shutdown, shutdown};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::process::Child;

use super::door::Doors;
use super::helper::{ASK_TO_END, CALL};
use super::plan::Plan;
use super::record::{Limit, Record};
use super::room::Room;
use super::sys;
use crate::drive::Ended;

/// True once this program has shown that it answers as the helper.
static ANSWERS: AtomicBool = AtomicBool::new(false);

/// Notes that this program's main function calls [`crate::helper`] first.
pub(crate) fn answers() {
    ANSWERS.store(true, Ordering::Relaxed);
}

/// The program to start as the helper: this very one, or the one that was built beside a test.
fn program() -> io::Result<PathBuf> {
    if ANSWERS.load(Ordering::Relaxed) {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    let own = std::env::current_exe()?;
    let beside = own.ancestors().skip(1).take(2).map(|it| it.join("ox-sandbox-helper")).find(|it| it.is_file());
    beside.ok_or_else(|| {
        io::Error::other("this program does not answer as the sandbox's helper, and none lies beside it")
    })
}

/// The helper that does what `call` names, not started yet, with its end of a socket. That end must end with the helper, so
/// nobody may hold this any longer than until it is started.
pub(super) fn helper(call: &str, theirs: Socket) -> io::Result<Command> {
    let mut command = Command::new(program()?);
    command.arg0("ox-sandbox-helper").arg(call).env_clear();
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// `plan` in a file that is in memory alone.
fn written(plan: &Plan) -> io::Result<File> {
    let mut file = File::from(memfd_create(c"ox", MemfdFlags::CLOEXEC)?);
    file.write_all(&plan.encode())?;
    Ok(file)
}

/// A helper with a command inside.
#[derive(Debug)]
pub(crate) struct Link {
    socket: UnixStream,
    // Held so that the helper is collected when it ends.
    _child: Child,
    // Held so that its ways out end with the command.
    doors: Option<Doors>,
    read: Vec<u8>,
    plan: Box<Plan>,
    gone: bool,
}

impl Link {
    /// Starts the helper with `plan` and the command's ends of its streams.
    pub(crate) fn start(
        plan: Plan,
        input: OwnedFd,
        output: OwnedFd,
        doors: Option<(Doors, OwnedFd)>,
        room: Option<Arc<Room>>,
    ) -> io::Result<Link> {
        let (ours, theirs) = Socket::pair()?;
        let file = written(&plan)?;
        let child = tokio::process::Command::from(helper(CALL, theirs)?).spawn()?;
        let mut fds = vec![file.as_fd(), input.as_fd(), output.as_fd()];
        fds.extend(doors.iter().map(|it| it.1.as_fd()));
        fds.extend(room.iter().flat_map(|it| it.spaces()).map(|it| it.as_fd()));
        sys::send(&ours, &fds)?;
        ours.set_nonblocking(true)?;
        Ok(Link {
            socket: UnixStream::from_std(ours)?,
            _child: child,
            doors: doors.map(|it| it.0),
            read: Vec::new(),
            plan: Box::new(plan),
            gone: false,
        })
    }

    /// Waits for the end of the command's first process. May be dropped and called again.
    pub(crate) async fn ended(&mut self) -> Result<Ended, RunError> {
        match self.next().await {
            Record::Ended(0) => Ok(Ended::of(0)),
            Record::Ended(status) => {
                Ok(Ended { note: self.doors.as_ref().and_then(Doors::turned), ..Ended::of(status) })
            }
            Record::Over(limit) => Ok(Ended { note: self.explain(limit), ..Ended::of(libc::SIGKILL) }),
            Record::NotFound => Err(RunError::NotFound(self.program())),
            Record::Failed(reason) => Err(RunError::Start { program: self.program(), reason }),
            // Everything inside was killed before the first process could be waited for.
            Record::Gone => Ok(Ended::of(libc::SIGKILL)),
        }
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
            Limit::Cover => {
                "[ended: a file that is hidden from commands was replaced outside meanwhile; run it again]".into()
            }
        })
    }

    /// Waits until nothing is left inside.
    pub(crate) async fn gone(&mut self) {
        while !self.gone {
            self.next().await;
        }
    }

    /// Asks everything inside to end.
    pub(crate) fn ask(&self) {
        // The helper reads each byte at once; when it cannot, it is about to end.
        let _ = self.socket.try_write(&[ASK_TO_END]);
    }

    /// Kills everything inside.
    pub(crate) fn kill(&mut self) {
        // A socket whose other end is gone needs no telling.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }

    /// The next message. A helper that is silent for ever has ended, which is told like its last word.
    async fn next(&mut self) -> Record {
        loop {
            if let Some(record) = Record::take(&mut self.read) {
                self.gone |= record == Record::Gone;
                return record;
            }
            let read = if self.gone { 0 } else { self.socket.read_buf(&mut self.read).await.unwrap_or(0) };
            if read == 0 {
                self.gone = true;
                return Record::Gone;
            }
        }
    }
}

/// Builds all walls once around nothing, without a runtime, and tells why when they cannot be built.
pub(crate) fn attempt(plan: &Plan) -> io::Result<()> {
    let (ours, theirs) = Socket::pair()?;
    let mut child = helper(CALL, theirs)?.spawn()?;
    let null = File::options().read(true).write(true).open("/dev/null")?;
    sys::send(&ours, &[written(plan)?.as_fd(), null.as_fd(), null.as_fd()])?;
    let mut bytes = Vec::new();
    // The helper keeps its end until everything inside is gone; nothing inside can keep it open.
    io::Read::read_to_end(&mut &ours, &mut bytes)?;
    child.wait()?;
    match Record::take(&mut bytes) {
        Some(Record::Ended(0)) => Ok(()),
        Some(Record::Failed(reason)) => Err(io::Error::other(reason)),
        Some(Record::Gone) | None => Err(io::Error::other("the helper ended before it was done")),
        Some(_) => Err(io::Error::other("the first program inside did not run")),
    }
}
