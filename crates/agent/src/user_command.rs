//! A command of the user's own: it runs in the project with the user's rights, and the model reads it with the next prompt.
//!
//! It is the user who runs it, so nothing is asked and no sandbox holds it; secrets are taken out of what is recorded of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ox_protocol::{CallId, Command, Delta, Event, Job, Network, Rights, Runner as _, UserCommand};
use ox_sandbox::{Plain, shell};

use crate::session::Session;

/// As long as it wants: the user stops it.
const TIME: Duration = Duration::from_secs(7 * 24 * 3600);

impl Session {
    /// Runs it to its end. What else is asked meanwhile waits; an interrupt, or leaving, stops it.
    pub(crate) async fn run_for_user(&mut self, line: String) -> Event {
        let began = Instant::now();
        let (hub, offset) = (self.journal.hub().clone(), AtomicU64::new(0));
        let printed = Mutex::new(String::new());
        let live = |piece: &[u8]| {
            let delta = String::from_utf8_lossy(piece).into_owned();
            printed.lock().unwrap_or_else(PoisonError::into_inner).push_str(&delta);
            let offset = offset.fetch_add(delta.len() as u64, Ordering::Relaxed);
            hub.delta(Delta::output(CallId::user_command(), offset, delta));
        };
        let root = self.env.tree.root().to_path_buf();
        let rights = Rights { network: Network::All, memory: u64::MAX, ..Rights::command(root.clone(), TIME) };
        let job = Job { argv: shell(&line), cwd: root, env: Vec::new(), stdin: Vec::new(), terminal: None, rights };
        let running = Plain.run(job, Some(&live));
        tokio::pin!(running);
        let exit = loop {
            tokio::select! {
                biased;
                submission = self.inbox.recv(), if !self.closed => match submission {
                    Some(it) if it.command == Command::Interrupt => {
                        self.journal.hub().accept(it.id);
                        break None;
                    }
                    Some(it) if it.command != Command::Close => self.waiting.push_back(it),
                    _ => {
                        self.closed = true;
                        break None;
                    }
                },
                exit = &mut running => break Some(exit),
            }
        };
        let (output, exit_code) = match exit {
            None => (printed.lock().unwrap_or_else(PoisonError::into_inner).clone(), None),
            Some(Err(error)) => (error.to_string(), None),
            Some(Ok(exit)) => (exit.output.text(|dropped| format!("[{dropped} bytes left out]")), exit.code),
        };
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Event::UserCommand(UserCommand { command: line, output, exit_code, duration_ms })
    }
}
