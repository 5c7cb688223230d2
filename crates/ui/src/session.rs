//! Follows a session without a terminal to its completion: the loop that plain output and JSON lines share.
//!
//! Promise: the first Ctrl-C stops the turn, the second leaves; a session that does not end after that is left behind.

use std::time::Duration;

use ox_client::{Client, Update};
use ox_protocol::locale::Language;
use ox_protocol::{Command, Decision, Event, Stop};

use crate::signals::{Asked, Signals};

/// How long a session may take to wind up after it was told to close.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// What `show` wants to go on with.
pub(crate) enum Next {
    /// The next update.
    Go,
    /// To send this first.
    Send(Command),
    /// To leave: the output takes no more, because nobody reads it or for this reason.
    Leave(std::io::Error),
}

/// Hands every update to `show` until the turn is complete. `None` when the session ended without a completion. An error
/// is that of an output which its reader did not close.
pub(crate) async fn follow(
    client: &mut Client,
    mut show: impl FnMut(&Update) -> Next,
) -> std::io::Result<Option<Stop>> {
    let mut signals = Signals::watch();
    let mut asked: u32 = 0;
    loop {
        let update = tokio::select! {
            update = client.next() => match update {
                Some(update) => update,
                None => return Ok(None),
            },
            signal = signals.next() => {
                asked += 1;
                if asked > 1 || signal == Asked::Leave {
                    return Ok(close(client, &mut show).await);
                }
                client.send(Command::Interrupt);
                continue;
            }
        };
        match show(&update) {
            Next::Go => {}
            Next::Send(command) => drop(client.send(command)),
            Next::Leave(error) => {
                let stop = close(client, &mut |_| Next::Go).await;
                return if error.kind() == std::io::ErrorKind::BrokenPipe { Ok(stop) } else { Err(error) };
            }
        }
        if let Some(stop) = completion(client, &update) {
            return Ok(Some(stop));
        }
    }
}

/// Closes the session and takes in what it still says.
pub(crate) async fn close(client: &mut Client, show: &mut impl FnMut(&Update) -> Next) -> Option<Stop> {
    client.send(Command::Close);
    let rest = async {
        while let Some(update) = client.next().await {
            show(&update);
            if let Some(stop) = completion(client, &update) {
                return stop;
            }
        }
        Stop::Interrupted
    };
    Some(tokio::time::timeout(PATIENCE, rest).await.unwrap_or(Stop::Interrupted))
}

/// The reason of a completion; that of a sub-agent is none.
pub(crate) fn completion(client: &Client, update: &Update) -> Option<Stop> {
    match update.frame().filter(|_| client.is_own(update))?.event {
        Event::Completion { stop, .. } => Some(stop),
        _ => None,
    }
}

/// Answers in the place of a user who is not there, so that nothing waits for ever.
#[derive(Debug, Default)]
pub(crate) struct Unattended {
    /// True when the agent itself refuses what would need a question.
    headless: bool,
}

impl Unattended {
    /// The answer to a request for consent or a question; `None` for everything else. The words go to the model.
    pub(crate) fn answer(&mut self, event: &Event) -> Option<Command> {
        let words = || Language::En.say("ui.nobody", &[]);
        match event {
            Event::TurnStart { rules, .. } => {
                self.headless = rules.headless;
                None
            }
            _ if self.headless => None,
            Event::ApprovalRequest { call, .. } => {
                Some(Command::Decide { call: call.clone(), decision: Decision::Deny { reason: words() } })
            }
            Event::Question { call, .. } => Some(Command::Answer { call: call.clone(), text: words() }),
            _ => None,
        }
    }

    /// True when refusals are this one's own.
    pub(crate) fn refuses(&self) -> bool {
        !self.headless
    }
}
