//! The end of a session, and answers where there is no user: what every interface without a terminal shares.
//!
//! Promise: a session that does not end when it is told to is left behind.

use std::time::Duration;

use ox_client::{Client, Update};
use ox_protocol::locale::Language;
use ox_protocol::{Command, Decision, Event, Stop};

/// How long a session may take to wind up after it was told to close.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// Closes the session and takes in what it still says.
pub(crate) async fn close(client: &mut Client, show: &mut impl FnMut(&Update)) -> Option<Stop> {
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
        self.note(event);
        match event {
            _ if self.headless => None,
            Event::ApprovalRequest { call, .. } => {
                Some(Command::Decide { call: call.clone(), decision: Decision::Deny { reason: words(), stop: false } })
            }
            Event::Question { call, .. } => Some(Command::Answer { call: call.clone(), text: words() }),
            _ => None,
        }
    }

    /// Takes in who refuses in this turn.
    pub(crate) fn note(&mut self, event: &Event) {
        if let Event::TurnStart { rules, .. } = event {
            self.headless = rules.headless;
        }
    }

    /// True when refusals are this one's own.
    pub(crate) fn refuses(&self) -> bool {
        !self.headless
    }
}
