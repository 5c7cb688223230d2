//! The first process inside: builds the sandbox, starts the command, collects the dead, and counts what the living take.
//!
//! When it ends, the kernel ends everything else inside; so a limit is kept by ending. It holds no capability once the
//! command runs, and the command cannot look into it; a signal that the command sends it is passed on to the command alone.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions};
use rustix::process::{set_dumpable_behavior, set_parent_process_death_signal, wait};

use super::broker::Broker;
use super::command;
use super::command::CommandStreams;
use super::landlock;
use super::message::{HelperMessage, Limit};
use super::mounts::{self, HiddenMounts, MountNamespace};
use super::plan::{Forward, NetworkAccess, Plan};
use super::seccomp::Brokered;
use super::sockets::Sockets;
use super::sys;
use super::usage;

/// Between two looks at what the command takes: when it takes much, and when little.
const CLOSE: Duration = Duration::from_millis(20);
const FAR: Duration = Duration::from_millis(100);
/// How long what the command left behind may run on when its first process ended.
const LINGER: Duration = Duration::from_millis(1_500);

/// Builds, starts and waits; never returns.
pub(super) fn run(plan: &Plan, ends: CommandStreams, socket: &UnixStream, alive: &OwnedFd) -> ! {
    let tell = |message: HelperMessage| {
        let _ = (&mut &*socket).write_all(&message.encode());
    };
    match start(plan, ends, socket).and_then(|it| it.watch(plan, alive, &tell)) {
        Ok(Some(limit)) => tell(HelperMessage::LimitExceeded(limit)),
        Ok(None) => {}
        Err(error) => tell(HelperMessage::Failed(error.to_string())),
    }
    std::process::exit(0)
}

/// A command that runs.
struct RunningCommand {
    command: Pid,
    signals: OwnedFd,
    private: Vec<File>,
    hidden_mounts: HiddenMounts,
    disks: Vec<usage::Disk>,
    start: usage::Baseline,
    /// Nothing but counting holds the number of processes.
    counted: bool,
}

fn start(plan: &Plan, ends: CommandStreams, socket: &UnixStream) -> io::Result<RunningCommand> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let terminal = format!("/proc/self/fd/{}", ends.input.as_raw_fd());
    let terminal = fs::read_link(terminal).ok().filter(|_| plan.terminal);
    let mounted = mounts::build(plan, terminal.as_deref())?;
    if plan.network != NetworkAccess::All && !plan.shared {
        sys::loopback_up()?;
    }
    if let Some(forwards) = &ends.forwards {
        // The listeners live in here, whoever accepts at them lives outside: no other way leads out.
        let open =
            |it: &Forward| TcpListener::bind(("::", it.port)).or_else(|_| TcpListener::bind(("0.0.0.0", it.port)));
        let listeners = plan.forwards.iter().map(open).collect::<io::Result<Vec<_>>>()?;
        sys::send(forwards, &listeners.iter().map(|it| it.as_fd()).collect::<Vec<_>>())?;
    }
    // The kernel's limit for one user spares root.
    let counted = rustix::process::geteuid().is_root() && !usage::limit_numbers(plan.processes);
    // When memory runs out on the machine, it is not Ox that goes first.
    let _ = fs::write("/proc/self/oom_score_adj", "500");
    mounts::seal_processes()?;
    landlock::restrict(plan)?;
    sys::drop_capabilities()?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let signals = sys::signals(&[libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGHUP])?;
    let guard = &mounted.guard;
    let brokered = Brokered { names: !guard.is_empty(), removals: guard.has_links() };
    let (ours, theirs) = UnixStream::pair()?;
    let Some(command) = sys::fork()? else { command::exec(plan, &ends, brokered, socket, &theirs) };
    drop((ends, theirs));
    sys::close_standard();
    let MountNamespace { guard, private, hidden_mounts } = mounted;
    let (disks, start) = (usage::disks(&plan.write), usage::Baseline::now(plan.memory));
    if let Some(listener) = sys::receive(ours)?.into_iter().next() {
        Broker::new(listener, guard, Sockets::new(plan)).start()?;
    }
    Ok(RunningCommand { command, signals, private, hidden_mounts, disks, start, counted })
}

impl RunningCommand {
    /// Waits until nothing is left to wait for. Answers with the limit that ended it.
    fn watch(self, plan: &Plan, alive: &OwnedFd, tell: &dyn Fn(HelperMessage)) -> io::Result<Option<Limit>> {
        let mut over: Option<Instant> = None;
        let mut next_look = Instant::now() + CLOSE;
        loop {
            // The table of mounts can always be read; that it changed is told like an error.
            let mut fds = [
                PollFd::new(&self.signals, PollFlags::IN),
                PollFd::new(alive, PollFlags::IN),
                PollFd::new(&self.hidden_mounts.table, PollFlags::empty()),
            ];
            let left = Timespec::try_from(next_look.saturating_duration_since(Instant::now()));
            // When it fails nothing is ready, and it is tried again.
            let _ = poll(&mut fds, left.ok().as_ref());
            let [signals, ended, hidden_mounts] = fds.map(|it| !it.revents().is_empty());
            if ended || over.is_some_and(|it| it.elapsed() > LINGER) {
                return Ok(None);
            }
            if hidden_mounts && self.hidden_mounts.are_fewer()? {
                return Ok(Some(Limit::HiddenFileReplaced));
            }
            if signals {
                while let Some(signal) = sys::next_signal(&self.signals) {
                    if signal != libc::SIGCHLD {
                        sys::signal_all(signal);
                    }
                }
                if self.collect(&mut over, tell)? {
                    return Ok(None);
                }
            }
            if Instant::now() < next_look {
                continue;
            }
            if self.counted && usage::is_over_task_limit(plan.processes)? {
                return Ok(Some(Limit::Processes));
            }
            let used = usage::measure(&self.private, &self.start, plan.network == NetworkAccess::All)?;
            if used.memory > plan.memory {
                return Ok(Some(Limit::Memory));
            }
            if self.disks.iter().any(|it| it.is_over(plan.disk)) {
                return Ok(Some(Limit::Disk));
            }
            if self.counted && used.tasks > plan.processes {
                return Ok(Some(Limit::Processes));
            }
            let much = self.counted || used.memory > plan.memory / 4 || used.tasks > plan.processes / 4;
            next_look = Instant::now() + if much { CLOSE } else { FAR };
        }
    }

    /// Collects what died. True when nothing is left inside.
    fn collect(&self, over: &mut Option<Instant>, tell: &dyn Fn(HelperMessage)) -> io::Result<bool> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.command => {
                    tell(HelperMessage::Ended(status.as_raw()));
                    *over = Some(Instant::now());
                }
                Ok(Some(_)) => {}
                Ok(None) => return Ok(false),
                Err(Errno::CHILD) => return Ok(over.is_some()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}
