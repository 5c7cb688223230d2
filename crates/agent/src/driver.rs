//! The loop: keep in flight exactly what the turn wants, and record what comes of it.
//!
//! It remembers nothing about outstanding work beyond handles; what is wanted is computed anew after every fact.

use ox_core::Want;
use ox_protocol::{Command, Event, Problem, Stop, Submission};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::turn::in_flight::InFlight;
use crate::turn::{TurnContext, announce, command, perform, previewed};
use crate::{AgentError, Journal};

/// Runs the agent loop of a turn to its end. `closed` is set when the interface asked to leave.
pub async fn drive(
    journal: &mut Journal,
    cx: &TurnContext,
    inbox: &mut UnboundedReceiver<Submission>,
    closed: &mut bool,
) -> Result<Stop, AgentError> {
    let mut work = InFlight::default();
    let mut questions = cx.questions.lock().await;
    loop {
        if journal.conversation().is_stopping() {
            cx.cancel();
            cx.brought(work.drain().await).into_iter().for_each(|event| journal.note(event));
        }
        while let Some(event) = journal.conversation().next_event() {
            let event = previewed(cx, journal, event);
            if let Event::Todo { items } = &event {
                cx.board.set(items.clone());
            }
            journal.note(event);
        }
        let wants = journal.conversation().wants();
        work.keep(&wants);
        let new: Vec<Want> = wants.into_iter().filter(|want| !work.has(want.id())).collect();
        for want in &new {
            announce(want, journal).into_iter().for_each(|event| journal.note(event));
        }
        journal.commit()?;
        if let Some(stop) = journal.conversation().stopped() {
            work.drain().await;
            return Ok(stop);
        }
        for want in new {
            let future = perform(cx, &want, journal);
            work.start(want, future);
        }
        tokio::select! {
            biased;
            submission = inbox.recv(), if !*closed => {
                // Whoever owned the session may be gone without a word; then nobody is answered.
                let Some(submission) = submission else {
                    *closed = true;
                    journal.note(Event::Interrupted);
                    continue;
                };
                let Some(mut submission) = cx.agents.route(submission) else { continue };
                *closed |= submission.command == Command::Close;
                if journal.answer(&submission.id) {
                    cx.env.expand(&mut submission.command);
                    let calls = |it: &Command| matches!(it, Command::Prompt { text, .. } if text.trim_start().starts_with("/mcp__"));
                    let why = match command::answer(cx, &submission, journal) {
                        // Its server would be waited for, and the turn with it.
                        _ if calls(&submission.command) => Some(Problem::new("mcp.prompt_later")),
                        Ok(events) => {
                            events.into_iter().for_each(|event| questions.note(journal, event));
                            None
                        }
                        Err(why) => Some(why),
                    };
                    journal.answered(why);
                }
            }
            events = work.next() => cx.brought(events).into_iter().for_each(|event| questions.note(journal, event)),
            question = questions.next(journal) => journal.note(question),
        }
    }
}
