//! Ctrl-C and termination from outside, for when no key reader is there to see them.
//!
//! Promise: where the signals cannot be watched, nothing is reported rather than something wrong.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// SIGINT: to stop the turn.
    Stop,
    /// SIGTERM: to leave.
    Leave,
}

/// Watches SIGINT and SIGTERM.
pub(crate) struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
}

impl Signals {
    pub(crate) fn watch() -> Signals {
        Signals { interrupt: signal(SignalKind::interrupt()).ok(), terminate: signal(SignalKind::terminate()).ok() }
    }

    /// Waits for the next one. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Asked {
        tokio::select! {
            () = received(&mut self.interrupt) => Asked::Stop,
            () = received(&mut self.terminate) => Asked::Leave,
        }
    }
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
