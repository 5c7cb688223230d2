//! One command while it runs: what it printed, whether it ended, and how to wait for either.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ox_protocol::{Exit, Output, Rights, Running};
use ox_sandbox::Kept;
use tokio::sync::Notify;

use crate::call::consent::CallConsent;
use crate::text::plain;

/// Bytes of output that a reply holds at most.
const BYTES: usize = 24 << 10;
/// Bytes that are held for whoever watches it live.
const LIVE: usize = 64 << 10;

/// A command that was started.
pub(crate) struct Job {
    /// The command line.
    pub command: String,
    /// What runs.
    pub running: Arc<dyn Running>,
    /// What it may do; none where nothing holds it to that.
    pub rights: Option<Rights>,
    began: Instant,
    state: Mutex<State>,
    stirred: Notify,
    /// What was opened for it stays as long as it may run.
    _consent: CallConsent,
}

struct State {
    kept: Kept,
    live: Vec<u8>,
    new: bool,
    ended: Option<Ended>,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// As the runner tells it.
    pub exit: Exit,
    /// How long it ran.
    pub after: Duration,
}

impl Job {
    /// Follows `running`; output that is cut goes whole into the file `whole`.
    pub(crate) fn new(
        command: String,
        running: Arc<dyn Running>,
        rights: Option<Rights>,
        whole: PathBuf,
        consent: CallConsent,
    ) -> Job {
        let state = State { kept: Kept::new(BYTES, whole, plain), live: Vec::new(), new: false, ended: None };
        let (began, state) = (Instant::now(), Mutex::new(state));
        Job { command, running, rights, began, state, stirred: Notify::new(), _consent: consent }
    }

    /// Waits until it printed something or ended, and takes that in. False when it has ended. May be given up at any time and
    /// taken up again.
    pub(crate) async fn step(&self) -> bool {
        if self.ended().is_some() {
            return false;
        }
        self.running.stirred().await;
        self.absorb();
        self.ended().is_none()
    }

    /// Takes in what it printed and whether it ended.
    pub(crate) fn absorb(&self) {
        // Asked first: what an ended command printed is complete.
        let exit = self.running.exit();
        let Output { head, tail, dropped } = self.running.take();
        let mut state = self.lock();
        for (piece, lost) in [(&head, dropped), (&tail, 0)] {
            if !piece.is_empty() {
                state.kept.push(piece);
                state.new = true;
                let room = LIVE.saturating_sub(state.live.len()).min(piece.len());
                state.live.extend_from_slice(&piece[..room]);
            }
            state.kept.lose(lost);
        }
        if state.ended.is_none() {
            state.ended = exit.map(|exit| Ended { exit, after: self.began.elapsed() });
        }
        drop(state);
        self.stirred.notify_waiters();
    }

    /// Waits until it ended, or with `any` until there is output that nobody has seen.
    pub(crate) async fn wait(&self, any: bool) {
        loop {
            let stirred = self.stirred.notified();
            tokio::pin!(stirred);
            // Listening begins before looking, so that nothing is missed between the two.
            stirred.as_mut().enable();
            if self.is_over(any) {
                return;
            }
            stirred.await;
        }
    }

    fn is_over(&self, any: bool) -> bool {
        let state = self.lock();
        state.ended.is_some() || any && state.new
    }

    /// Ends it and everything that it started.
    pub(crate) async fn stop(&self) {
        self.running.stop().await;
        self.absorb();
    }

    /// What it printed since the last call, and the file that holds everything where some of that is left out.
    pub(crate) fn take(&self) -> (Output, Option<PathBuf>) {
        let mut state = self.lock();
        state.new = false;
        state.kept.take()
    }

    /// What it printed since the last call, for whoever watches; more than is shown anyway is left out.
    pub(crate) fn live(&self) -> Vec<u8> {
        std::mem::take(&mut self.lock().live)
    }

    /// True while it has printed nothing that is still to be told.
    pub(crate) fn is_silent(&self) -> bool {
        !self.lock().new
    }

    /// How it ended; none while it runs.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.lock().ended.clone()
    }

    /// How long it runs or ran.
    pub(crate) fn age(&self) -> Duration {
        self.ended().map_or_else(|| self.began.elapsed(), |it| it.after)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
