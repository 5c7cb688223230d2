//! Questions that others have for the user while a call of theirs runs. They are asked and answered like those of the agent, one
//! at a time of each call, and end with it.

use ox_mcp::UserInput;
use ox_protocol::locale::Language;
use ox_protocol::{CallId, Event};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::Journal;

/// A question, and where its answer goes.
struct Question {
    call: CallId,
    text: String,
    options: Vec<String>,
    answer: oneshot::Sender<String>,
}

/// Where calls ask.
#[derive(Clone)]
pub(crate) struct Ask(UnboundedSender<Question>);

impl Ask {
    /// Whoever is asked on behalf of this call.
    pub(crate) fn of(&self, call: &CallId, language: Language) -> UserInput {
        let (sender, call) = (self.0.clone(), call.clone());
        let ask = move |text, options| {
            let (answer, answered) = oneshot::channel();
            let asked = sender.send(Question { call: call.clone(), text, options, answer });
            // Nobody answers any more where the call has ended, or the turn.
            let answered: ox_protocol::BoxFuture<'static, Option<String>> = Box::pin(async move {
                asked.ok()?;
                answered.await.ok()
            });
            answered
        };
        UserInput { language, ask: std::sync::Arc::new(ask) }
    }
}

/// The questions of a turn.
pub(crate) struct Questions {
    asked: UnboundedReceiver<Question>,
    open: Vec<(CallId, oneshot::Sender<String>)>,
}

impl Questions {
    pub(crate) fn new() -> (Ask, Questions) {
        let (sender, asked) = unbounded_channel();
        (Ask(sender), Questions { asked, open: Vec::new() })
    }

    /// The next question of a call that runs.
    pub(crate) async fn next(&mut self, journal: &Journal) -> Event {
        loop {
            let Some(question) = self.asked.recv().await else { return std::future::pending().await };
            let Question { call, text, options, answer } = question;
            // Whoever asked may have given up and ask anew.
            self.open.retain(|it| !it.1.is_closed());
            let is_first = self.open.iter().all(|it| it.0 != call);
            if is_first && journal.conversation().is_at_work(&call) {
                self.open.push((call.clone(), answer));
                return Event::Question { call, text, options };
            }
        }
    }

    /// Notes what has happened, and hands an answer to whoever waits for it.
    pub(crate) fn note(&mut self, journal: &mut Journal, event: Event) {
        match &event {
            Event::Answer { call, text } => {
                if let Some(at) = self.open.iter().position(|it| it.0 == *call) {
                    // It may have been given up meanwhile.
                    let _ = self.open.swap_remove(at).1.send(text.clone());
                }
            }
            Event::ToolComplete { call, .. } => self.open.retain(|it| it.0 != *call),
            _ => {}
        }
        journal.note(event);
    }
}
