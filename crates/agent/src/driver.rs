//! The loop: keep in flight exactly what the turn wants, and record what comes of it.
//!
//! It remembers nothing about outstanding work beyond handles; what is wanted is computed anew after every fact.

use ox_core::Want;
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
            desk.brought(work.drain().await).into_iter().for_each(|event| journal.note(event));
        }
        while let Some(event) = journal.turn().follows() {
            journal.note(event);
        }
        let wants = journal.turn().wants();
        work.keep(&wants);
        let new: Vec<Want> = wants.into_iter().filter(|want| !work.has(want.id())).collect();
        for want in &new {
            desk.announce(want, journal).into_iter().for_each(|event| journal.note(event));
        }
        journal.commit()?;
        if let Some(stop) = journal.turn().stopped() {
            work.drain().await;
            return Ok(stop);
        }
        for want in new {
            let future = desk.perform(&want, journal);
            work.start(want, future);
        }
        let events = tokio::select! {
            biased;
            command = inbox.recv(), if !*closed => {
                let command = command.unwrap_or(Command::Close);
                *closed |= command == Command::Close;
                desk.command(&command, journal)
            }
            events = work.next() => desk.brought(events),
        };
        events.into_iter().for_each(|event| journal.note(event));
    }
}
