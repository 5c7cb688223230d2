//! A turn, driven in three ways: by its events, in a terminal, or with callbacks.

use std::collections::BTreeSet;
use std::io::Write;

use ox_client::view::{ApprovalRequest, Asked, View};
use ox_client::{Control, Update};
use ox_protocol::locale::Language;
use ox_protocol::{CallId, Decision, Event};
use ox_screen::report::{self, Look};
use ox_server::answers::Admitted;
use ox_text::wrap;

use crate::{Conversation, Error, Events, Prompt};

/// Who answers while a turn runs. What is answered with nothing is left to others, who may be asked too.
pub trait Answers {
    /// Decides about a call.
    fn decide(&mut self, _request: &ApprovalRequest, _view: &View) -> Option<Decision> {
        None
    }

    /// Answers a question of the agent; `options` may be empty.
    fn answer(&mut self, _question: &str, _options: &[String], _view: &View) -> Option<String> {
        None
    }

    /// Hears of everything that happens, after the view has taken it in.
    fn hear(&mut self, _update: &Update, _view: &View) {}
}

/// Allows every call and answers no question: for a folder whose loss would not matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

impl Answers for AllowAll {
    fn decide(&mut self, _: &ApprovalRequest, _: &View) -> Option<Decision> {
        Some(Decision::Allow)
    }
}

/// A turn from its prompt to its end. Dropping it leaves the turn running.
pub struct Run {
    conversation: Conversation,
    events: Events,
    admitted: Admitted,
    view: View,
    begun: bool,
    over: bool,
    /// Calls that `Answers` was asked about.
    asked: BTreeSet<CallId>,
}

impl Conversation {
    /// Sends a prompt and follows the turn that it begins.
    pub async fn run(&self, prompt: impl Into<Prompt>) -> Result<Run, Error> {
        let view = self.view().await?;
        let (admitted, events) = (self.prompt(prompt).await?, self.events(view.seq));
        Ok(Run {
            conversation: self.clone(),
            events,
            admitted,
            view,
            begun: false,
            over: false,
            asked: BTreeSet::new(),
        })
    }
}

impl Run {
    /// The conversation.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// What a screen shows of the conversation, up to the last update.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The next update; `None` after the end of the turn. After an error comes nothing more; the turn may go on.
    pub async fn next(&mut self) -> Option<Result<Update, Error>> {
        let update = self.arrival().await?;
        if let Ok(update) = &update {
            self.take(update);
        }
        Some(update)
    }

    /// The next update, which the view does not know yet.
    async fn arrival(&mut self) -> Option<Result<Update, Error>> {
        if self.over {
            return None;
        }
        let update = self.events.next().await?;
        self.over = update.is_err();
        Some(update)
    }

    fn take(&mut self, update: &Update) {
        match update {
            Update::Frame(frame) => self.view.apply(frame),
            Update::Control(Control::Snapshot { view }) => self.view = (**view).clone(),
            Update::Control(_) | Update::Delta(_) => {}
        }
        self.begun |= self.is_begun_by(update);
        self.over = self.begun && self.is_ended_by(update);
    }

    /// Waits for the end of the turn; who answers is asked about what waits for the user, once each. An error of the
    /// connection ends the waiting, and the turn goes on.
    pub async fn finish(mut self, answers: &mut (dyn Answers + Send)) -> Result<View, Error> {
        self.put(answers).await?;
        while let Some(update) = self.next().await {
            answers.hear(&update?, &self.view);
            self.put(answers).await?;
        }
        Ok(self.view)
    }

    /// The same, and writes what happens as a terminal of so many columns shows it; with colours, those that the environment asks
    /// for.
    pub async fn print(
        mut self,
        out: &mut (dyn Write + Send),
        columns: usize,
        colours: bool,
        answers: &mut (dyn Answers + Send),
    ) -> Result<View, Error> {
        let setting = if colours { "auto" } else { "none" };
        let theme = ox_text::detect(setting, |name| std::env::var(name).ok());
        let look = Look::new(Language::En, columns);
        self.put(answers).await?;
        while let Some(update) = self.arrival().await.transpose()? {
            if let Update::Frame(frame) = &update {
                let said = match &frame.event {
                    Event::StreamComplete { text, .. } if !self.view.is_of_agent(&frame.conversation) => {
                        ox_text::markdown::lines(text, columns)
                    }
                    _ => Vec::new(),
                };
                for line in said.iter().chain(&report::lines(&look, &self.view, frame)).flat_map(|it| wrap(it, columns))
                {
                    writeln!(out, "{}", theme.paint(&line)).map_err(Error::connection)?;
                }
            }
            self.take(&update);
            answers.hear(&update, &self.view);
            self.put(answers).await?;
        }
        Ok(self.view)
    }

    /// Puts what waits for the user to `answers`, once each.
    async fn put(&mut self, answers: &mut (dyn Answers + Send)) -> Result<(), Error> {
        let waiting: Vec<Asked> = self.view.asked.iter().cloned().collect();
        self.asked.retain(|call| waiting.iter().any(|it| it.call() == call));
        for it in waiting {
            if !self.asked.insert(it.call().clone()) {
                continue;
            }
            let answered = match &it {
                Asked::Approval(request) => match answers.decide(request, &self.view) {
                    Some(decision) => self.conversation.decide(it.call(), &decision).await,
                    None => continue,
                },
                Asked::Question { text, options, .. } => match answers.answer(text, options, &self.view) {
                    Some(text) => self.conversation.answer(it.call(), &text).await,
                    None => continue,
                },
            };
            match answered {
                // Another client was faster, or the turn is over.
                Err(error) if error.status == Some(409) => {}
                answered => drop(answered?),
            }
        }
        Ok(())
    }

    /// True where an update is an effect of the prompt, or can only be one.
    fn is_begun_by(&self, update: &Update) -> bool {
        match update {
            Update::Control(Control::Snapshot { view }) => view.seq > self.admitted.seq,
            Update::Frame(frame) => {
                let begins = matches!(frame.event, Event::TurnStart { .. }) && frame.seq > self.admitted.seq;
                begins || frame.command.as_ref() == Some(&self.admitted.command_id)
            }
            Update::Control(_) | Update::Delta(_) => false,
        }
    }

    /// True where the turn that answers the prompt has ended.
    fn is_ended_by(&self, update: &Update) -> bool {
        let waits = self.view.queue.iter().any(|it| it.id == self.admitted.command_id);
        if self.view.busy || waits {
            return false;
        }
        match update {
            Update::Control(Control::Snapshot { .. }) => true,
            Update::Frame(frame) => {
                matches!(frame.event, Event::Completion { .. }) && !self.view.is_of_agent(&frame.conversation)
            }
            Update::Control(_) | Update::Delta(_) => false,
        }
    }
}
