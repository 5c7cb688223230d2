//! The loop: keep in flight exactly what the turn wants, and record what comes of it.
//!
//! It remembers nothing about outstanding work beyond handles; what is wanted is computed anew after every fact.

use ox_protocol::{Command, Stop};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::desk::Desk;
use crate::work::Work;
use crate::{AgentError, Journal};

/// Runs the agent loop of a turn to its end. `closed` is set when the interface asked to leave.
pub async fn drive(
    journal: &mut Journal,
    desk: &Desk,
    inbox: &mut UnboundedReceiver<Command>,
    closed: &mut bool,
) -> Result<Stop, AgentError> {
    let mut work = Work::default();
    loop {
        if journal.turn().is_stopping() {
            desk.cancel();
            journal.record_all(work.drain().await)?;
        }
        while let Some(event) = journal.turn().follows() {
            journal.record(event)?;
        }
        if let Some(stop) = journal.turn().stopped() {
            work.drain().await;
            return Ok(stop);
        }
        let wants = journal.turn().wants();
        work.keep(&wants);
        for want in wants {
            if !work.has(want.id()) {
                journal.record_all(desk.announce(&want, journal))?;
                let future = desk.perform(&want, journal);
                work.start(want, future);
            }
        }
        tokio::select! {
            biased;
            command = inbox.recv(), if !*closed => match command {
                Some(command) => {
                    *closed |= command == Command::Close;
                    journal.record_all(desk.command(&command, journal))?;
                }
                None => {
                    *closed = true;
                    journal.record_all(desk.command(&Command::Close, journal))?;
                }
            },
            events = work.next() => journal.record_all(events)?,
        }
    }
}
