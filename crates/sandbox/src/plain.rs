//! The plain runner: no isolation, but bounded time and memory, and nothing outlives its job.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use ox_protocol::{BoxFuture, Exit, Job, Live, RunError, Runner, Running};
use rustix::process::Pid;
use tokio::process::{Child, Command};

use crate::environment::cleaned;
use crate::process_group::{MARK, ProcessGroup, new_mark};
use crate::running_job::{Ended, GRACE, ProcessTree};
use crate::{background, foreground};

/// Runs processes with the user's own rights; see the crate's words on what it does not do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Runner for Plain {
    fn start<'a>(&'a self, job: Job) -> BoxFuture<'a, Result<Arc<dyn Running>, RunError>> {
        Box::pin(async move { background::start(job, &Plain::spawn, None) })
    }

    /// Runs `job`. Once more came than `rights.output`, `live` gets samples instead of every piece.
    fn run<'a>(&'a self, job: Job, live: Option<Live<'a>>) -> BoxFuture<'a, Result<Exit, RunError>> {
        Box::pin(foreground::run(job, live, &Plain::spawn))
    }
}

/// A process and everything that it started.
struct Process {
    child: Child,
    process_group: ProcessGroup,
}

impl ProcessTree for Process {
    fn ended(&mut self) -> BoxFuture<'_, Result<Ended, RunError>> {
        Box::pin(async {
            let status = self.child.wait().await;
            let status = status.map_err(|it| RunError::Start { program: String::new(), reason: it.to_string() })?;
            Ok(Ended::of(std::os::unix::process::ExitStatusExt::into_raw(status)))
        })
    }

    fn ask(&self) {
        self.process_group.ask();
    }

    fn kill(&mut self) {
        self.process_group.kill();
    }

    fn gone(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(self.process_group.sweep(GRACE / 5))
    }

    fn sweep(&mut self) -> BoxFuture<'_, ()> {
        self.gone()
    }
}

impl Plain {
    /// Starts `job` with its ends of the streams.
    pub(crate) fn spawn(job: &Job, input: OwnedFd, output: OwnedFd) -> Result<Box<dyn ProcessTree>, RunError> {
        let program = job.argv.first().cloned().unwrap_or_default();
        let mark = new_mark();
        let child = child(job, input, output, &mark).map_err(|it| match it.kind() {
            io::ErrorKind::NotFound => RunError::NotFound(program.clone()),
            _ => RunError::Start { program, reason: it.to_string() },
        })?;
        let id = child.id().and_then(|it| Pid::from_raw(it as i32)).expect("a child that was not waited for has an id");
        Ok(Box::new(Process { child, process_group: ProcessGroup { leader: id, mark, over: false } }))
    }
}

fn child(job: &Job, input: OwnedFd, output: OwnedFd, mark: &str) -> io::Result<Child> {
    let [program, arguments @ ..] = job.argv.as_slice() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program was named"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&job.cwd)
        .env_clear()
        .envs(cleaned(job.terminal.is_some()))
        .envs(job.rights.scratch.iter().map(|it| ("TMPDIR", it)))
        .envs(job.env.iter().map(|(name, value)| (name, value)))
        .env(MARK, mark)
        .stdin(input)
        .stdout(output.try_clone()?)
        .stderr(output)
        .kill_on_drop(true);
    lead_session(&mut command, job.terminal.is_some());
    // The command holds the writing end of its output and goes here, so that the pipe ends with the processes.
    command.spawn()
}

/// Gives the process its own session: no terminal to ask at but its own, and one group to end it by. An interrupt ends it,
/// also where Ox itself was started in the background, which has it ignored.
#[allow(unsafe_code)]
fn lead_session(command: &mut Command, terminal: bool) {
    // SAFETY: between fork and exec only async-signal-safe calls are allowed. `setsid`, `signal`, `setrlimit` and `ioctl` are
    // plain system calls here, and none allocates or locks.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            for signal in [libc::SIGINT, libc::SIGQUIT] {
                libc::signal(signal, libc::SIG_DFL);
            }
            let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
            rustix::process::setrlimit(rustix::process::Resource::Core, none)?;
            if terminal && libc::ioctl(0, libc::TIOCSCTTY as _, 0) == -1 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
}
