//! The helper, as Ox sees it: started, told its plan, listened to, and never left behind.
//!
//! Dropping the link kills everything inside: the helper's socket ends, and it holds the leash.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ox_protocol::RunError;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::door::Doors;
use super::helper::{ASK_TO_END, CALL};
use super::plan::Plan;
use super::record::{Limit, Record};
use super::room::Room;
use super::sys;
use super::usage;
use crate::drive::Ended;

/// True once this program has shown that it answers as the helper.
static ANSWERS: AtomicBool = AtomicBool::new(false);

/// Notes that this program's main function calls [`crate::helper`] first.
pub(crate) fn answers() {
    ANSWERS.store(true, Ordering::Relaxed);
}

/// The program to start as the helper: this very one, or the one that was built beside a test.
pub(crate) fn program() -> io::Result<PathBuf> {
    if ANSWERS.load(Ordering::Relaxed) {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    let own = std::env::current_exe()?;
    let beside = own.ancestors().skip(1).take(2).map(|it| it.join("ox-sandbox-helper")).find(|it| it.is_file());
    beside.ok_or_else(|| {
        io::Error::other("this program does not answer as the sandbox's helper, and none lies beside it")
    })
}

/// A helper with a command inside.
#[derive(Debug)]
pub(crate) struct Link {
    socket: Option<UnixStream>,
    // Held so that the helper is collected when it ends.
    _child: Child,
    // Held so that its ways out end with the command.
    doors: Option<Doors>,
    room: Option<(Arc<Room>, u32)>,
    read: Vec<u8>,
    program: String,
    plan: Shown,
    gone: bool,
}

/// Of the plan, what an explanation needs.
#[derive(Debug)]
struct Shown {
    memory: u64,
    processes: u64,
}

impl Link {
    /// Starts the helper with `plan` and the command's ends of its streams.
    pub(crate) fn start(
        plan: &Plan,
        input: OwnedFd,
        output: OwnedFd,
        doors: Option<(Doors, OwnedFd)>,
        room: Option<Arc<Room>>,
    ) -> io::Result<Link> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        let mut file = File::from(sys::memory_file()?);
        file.write_all(&plan.encode())?;
        let mut command = Command::new(program()?);
        command.arg0("ox-sandbox-helper").arg(CALL).env_clear();
        let child =
            command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut fds = vec![file.as_raw_fd(), input.as_raw_fd(), output.as_raw_fd()];
        fds.extend(doors.iter().map(|it| it.1.as_raw_fd()));
        fds.extend(room.iter().flat_map(|it| it.spaces()).map(|it| it.as_raw_fd()));
        sys::send_with(ours.as_fd(), &[0], &fds)?;
        ours.set_nonblocking(true)?;
        let room = room.zip(child.id());
        if let Some((room, id)) = &room {
            room.enter(*id);
        }
        Ok(Link {
            socket: Some(UnixStream::from_std(ours)?),
            _child: child,
            doors: doors.map(|it| it.0),
            room,
            read: Vec::new(),
            program: plan.argv.first().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default(),
            plan: Shown { memory: plan.memory, processes: plan.processes },
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
            Record::NotFound => Err(RunError::NotFound(self.program.clone())),
            Record::Failed(reason) => Err(RunError::Start { program: self.program.clone(), reason }),
            // Everything inside was killed before the first process could be waited for.
            Record::Gone => Ok(Ended::of(libc::SIGKILL)),
        }
    }

    fn explain(&self, limit: Limit) -> Option<String> {
        Some(match limit {
            Limit::Memory => format!("[ended: its processes took more than {} MiB of memory]", self.plan.memory >> 20),
            Limit::Processes => format!("[ended: more than {} processes and threads at once]", self.plan.processes),
            Limit::Disk => format!(
                "[ended: it took more than {} GiB of the disk, or left less than 1 of 20 parts of it free]",
                usage::DISK >> 30
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
        if let Some(socket) = &self.socket {
            // The helper reads each byte at once; when it cannot, it is about to end.
            let _ = socket.try_write(&[ASK_TO_END]);
        }
    }

    /// Kills everything inside.
    pub(crate) fn kill(&mut self) {
        if let Some(socket) = &self.socket {
            sys::end_writing(socket.as_fd());
        }
    }

    /// The next message. A helper that is silent for ever has ended, which is told like its last word.
    async fn next(&mut self) -> Record {
        loop {
            if let Some(record) = Record::take(&mut self.read) {
                self.gone |= record == Record::Gone;
                return record;
            }
            let read = match &mut self.socket {
                Some(socket) if !self.gone => socket.read_buf(&mut self.read).await.unwrap_or(0),
                _ => 0,
            };
            if read == 0 {
                self.gone = true;
                return Record::Gone;
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some((room, id)) = &self.room {
            room.exit(*id);
        }
    }
}

/// Builds all walls once around nothing, without a runtime, and tells why when they cannot be built.
pub(crate) fn attempt(plan: &Plan) -> io::Result<()> {
    use std::os::unix::process::CommandExt;
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    let mut file = File::from(sys::memory_file()?);
    file.write_all(&plan.encode())?;
    let mut command = std::process::Command::new(program()?);
    command.arg0("ox-sandbox-helper").arg(CALL).env_clear();
    let mut child = command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // The command holds the helper's end of the socket, which must end with the helper.
    drop(command);
    let null = File::options().read(true).write(true).open("/dev/null")?;
    sys::send_with(ours.as_fd(), &[0], &[file.as_raw_fd(), null.as_raw_fd(), null.as_raw_fd()])?;
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
