//! Ctrl-C, termination from outside and a closed terminal, for when no key reader is there to see them.
//!
//! Promise: where the signals cannot be watched, nothing is reported rather than something wrong.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// SIGINT: to stop the turn.
    Stop,
    /// SIGTERM, or SIGHUP when the terminal is closed: to leave.
    Leave,
}

/// Watches SIGINT, SIGTERM and SIGHUP.
pub(crate) struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hang_up: Option<Signal>,
}

impl Signals {
    pub(crate) fn watch() -> Signals {
        Signals {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
            hang_up: if under_nohup() { None } else { signal(SignalKind::hangup()).ok() },
        }
    }

    /// Waits for the next one. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Asked {
        tokio::select! {
            () = received(&mut self.interrupt) => Asked::Stop,
            () = received(&mut self.terminate) => Asked::Leave,
            () = received(&mut self.hang_up) => Asked::Leave,
        }
    }
}

/// True where whoever started this process wants it to outlive its terminal: SIGHUP, the first bit, is ignored.
fn under_nohup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 1)
}

async fn received(signal: &mut Option<Signal>) {
    let came = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if came.is_none() {
        std::future::pending::<()>().await;
    }
}
