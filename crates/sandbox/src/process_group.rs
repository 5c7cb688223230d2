//! Everything that a process started, and its end.
//!
//! The process leads its own session and group. What leaves the group is found by a mark in its environment, which every
//! descendant inherits. A process that clears its environment *and* starts its own session is out of reach; isolation
//! with its own process namespace is what will end that.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// The variable that marks a job's processes.
pub(crate) const MARK: &str = "OX_JOB";

/// A value of the mark that no other job has. Jobs within jobs carry all their marks.
pub(crate) fn new_mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let own = format!("<{}.{}.{}>", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed), clock());
    std::env::var(MARK).unwrap_or_default() + &own
}

fn clock() -> u128 {
    // Tells this process from an earlier one with the same id.
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |it| it.as_nanos())
}

/// The processes of one job; all are killed when it is dropped.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    pub(crate) leader: Pid,
    pub(crate) mark: String,
    /// Nothing is left to kill.
    pub(crate) over: bool,
}

impl ProcessGroup {
    /// Asks all processes to end.
    pub(crate) fn ask(&self) {
        let _ = kill_process_group(self.leader, Signal::TERM);
        self.strays(Signal::TERM);
    }

    /// Kills all processes, also those that left the group.
    pub(crate) fn kill(&mut self) {
        self.over = true;
        let _ = kill_process_group(self.leader, Signal::KILL);
        // A process may fork while its siblings are being killed.
        let _ = (0..3).find(|_| self.strays(Signal::KILL) == 0);
    }

    /// Ends what the group still holds after its leader ended: politely, then not. Costs nothing where there is nothing.
    pub(crate) async fn sweep(&mut self, grace: Duration) {
        self.over = true;
        let alive = || test_kill_process_group(self.leader).is_ok();
        if !alive() {
            return;
        }
        let _ = kill_process_group(self.leader, Signal::TERM);
        let start = Instant::now();
        while alive() && start.elapsed() < grace {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// Signals marked processes outside the group; answers with how many there were.
    #[cfg(target_os = "linux")]
    fn strays(&self, signal: Signal) -> usize {
        use rustix::process::{PidfdFlags, getpgid, pidfd_open, pidfd_send_signal};
        let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
        let marked = |raw: i32| {
            let pid = Pid::from_raw(raw)?;
            // Opened before it is looked at, so that the signal cannot reach another process with the same id.
            let handle = pidfd_open(pid, PidfdFlags::empty()).ok()?;
            let environment = std::fs::read(format!("/proc/{raw}/environ")).ok()?;
            let found = environment.windows(self.mark.len()).any(|it| it == self.mark.as_bytes());
            let outside = getpgid(Some(pid)).is_ok_and(|it| it != self.leader);
            (found && outside && raw != std::process::id() as i32).then_some(handle)
        };
        let pids = processes.flatten().filter_map(|it| it.file_name().to_str()?.parse().ok());
        pids.filter_map(marked).filter(|it| pidfd_send_signal(it, signal).is_ok()).count()
    }

    #[cfg(not(target_os = "linux"))]
    fn strays(&self, _signal: Signal) -> usize {
        0
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.over {
            self.kill();
        }
    }
}
