//! The last steps before the command's own code runs.

use std::ffi::{CString, OsStr};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;

use rustix::process::{Resource, Rlimit, getrlimit, ioctl_tiocsctty, setrlimit, setsid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout, stdin};

use super::message::HelperMessage;
use super::plan::Plan;
use super::seccomp::{self, Brokered};
use super::sys;

/// Bytes of the largest file that a command may write.
pub(crate) const FILE_SIZE: u64 = 8 << 30;

/// Open files of one process: sockets and pipes hold memory that is nobody's. Well above what tools want.
const FILES: u64 = 4096;

/// The descriptors that come with a plan.
pub(super) struct CommandStreams {
    /// The command's standard input.
    pub(super) input: OwnedFd,
    /// Its standard output and error.
    pub(super) output: OwnedFd,
    /// Where the listeners of its port forwards are waited for.
    pub(super) forwards: Option<OwnedFd>,
}

/// Turns this process into the command; never returns.
pub(super) fn exec(
    plan: &Plan,
    ends: &CommandStreams,
    brokered: Brokered,
    socket: &UnixStream,
    first: &UnixStream,
) -> ! {
    let error = prepare(plan, ends, brokered, first).and_then(|()| execute(plan));
    let message = match error {
        Ok(ExecFailure::Program) => HelperMessage::NotFound,
        Ok(ExecFailure::Nothing(error)) | Err(error) => HelperMessage::Failed(error.to_string()),
    };
    let _ = (&mut &*socket).write_all(&message.encode());
    std::process::exit(127)
}

fn prepare(plan: &Plan, ends: &CommandStreams, brokered: Brokered, first: &UnixStream) -> io::Result<()> {
    // It fails only for a process that leads a group already, which is as good.
    let _ = setsid();
    dup2_stdin(&ends.input)?;
    dup2_stdout(&ends.output)?;
    dup2_stderr(&ends.output)?;
    if plan.terminal {
        ioctl_tiocsctty(stdin())?;
    }
    sys::close_on_exec_from(3)?;
    let files = getrlimit(Resource::Nofile).maximum.map_or(FILES, |it| FILES.min(it));
    let limits = [
        (Resource::Core, 0),
        (Resource::Fsize, FILE_SIZE),
        (Resource::Nofile, files),
        (Resource::Cpu, plan.seconds),
        // Root is not held by this one; for everybody else it counts inside this user namespace alone.
        (Resource::Nproc, plan.processes),
    ];
    for (resource, most) in limits {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    sys::reset_signals();
    // Whoever answers is the first process; the command itself must not hold this.
    sys::send(first, &[seccomp::install(brokered)?.as_fd()])
}

/// Why a program did not start.
enum ExecFailure {
    Program,
    Nothing(io::Error),
}

/// Looks for the program along the command's own search path and becomes it.
fn execute(plan: &Plan) -> io::Result<ExecFailure> {
    let strings = |all: &[std::ffi::OsString]| -> io::Result<Vec<CString>> {
        all.iter().map(|it| CString::new(it.as_bytes()).map_err(io::Error::from)).collect()
    };
    let (arguments, environment) = (strings(&plan.argv)?, strings(&plan.env)?);
    let Some(program) = plan.argv.first() else { return Err(io::Error::other("no program was named")) };
    let path = plan.env.iter().find_map(|it| it.as_bytes().strip_prefix(b"PATH="));
    let candidates: Vec<Vec<u8>> = match program.as_bytes().contains(&b'/') {
        true => vec![program.as_bytes().to_vec()],
        false => along(path.unwrap_or(b"/usr/local/bin:/usr/bin:/bin"), program),
    };
    let mut worst = ExecFailure::Program;
    for candidate in candidates {
        let error = sys::execute(&CString::new(candidate)?, &arguments, &environment);
        if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            worst = ExecFailure::Nothing(error);
        }
    }
    Ok(worst)
}

fn along(path: &[u8], program: &OsStr) -> Vec<Vec<u8>> {
    let join = |folder: &[u8]| [if folder.is_empty() { b"." } else { folder }, b"/", program.as_bytes()].concat();
    path.split(|it| *it == b':').map(join).collect()
}
