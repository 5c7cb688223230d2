//! One session: what the client asks of it goes in, what happens goes out, until one of the two ends it.
//!
//! Promise: every request is answered once, also where the session ends by itself. A session that is closed has ended its
//! commands, or is left behind after a few seconds.

use std::collections::HashMap;
use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    CloseSessionResponse, ContentBlock, PromptResponse, RequestPermissionRequest, RequestPermissionResponse, SessionId,
    SessionNotification, SessionUpdate, SetSessionConfigOptionRequest, SetSessionConfigOptionResponse,
    SetSessionModeResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Client as Editor, Error};
use ox_app::Project;
use ox_client::view::Asked;
use ox_client::{Client, Control, Update};
use ox_protocol::locale::Language;
use ox_protocol::{CallId, Command, CommandId, Delivery, Effort, Mode, Problem, Stop};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};

use super::updates::Updates;
use super::{consent, errors, options, prompt, stops};
use crate::commands;
use crate::composer::Item;
use crate::picker::choices::DEFAULT_EFFORT;
use crate::session::{PATIENCE, completion};

/// What the client asks of a session.
#[allow(clippy::large_enum_variant)] // A handful at most wait at a time.
pub(super) enum Ask {
    Prompt(Vec<ContentBlock>, Responder<PromptResponse>),
    Cancel,
    Mode(String, Responder<SetSessionModeResponse>),
    Option(SetSessionConfigOptionRequest, Responder<SetSessionConfigOptionResponse>),
    /// The user answered a request for permission.
    Answered(Asked, Result<RequestPermissionResponse, Error>),
    /// None where the client has left.
    Close(Option<Responder<CloseSessionResponse>>),
}

/// A request that waits for what becomes of its command.
enum Pending {
    /// For the end of the turn.
    Turn(Responder<PromptResponse>),
    /// For the command itself, which was written as a prompt.
    Command(Responder<PromptResponse>),
    Mode(Responder<SetSessionModeResponse>),
    Option(Responder<SetSessionConfigOptionResponse>),
}

/// A session, as its follower has it.
pub(super) struct Following {
    pub(super) id: SessionId,
    pub(super) project: Arc<Project>,
    pub(super) client: Client,
    /// The work itself; an error is one of the session, not of a turn.
    pub(super) served: JoinHandle<Result<(), String>>,
    pub(super) updates: Updates,
    pub(super) editor: ConnectionTo<Editor>,
    pub(super) asks: mpsc::UnboundedReceiver<Ask>,
    /// For what comes back by itself.
    pub(super) back: mpsc::WeakUnboundedSender<Ask>,
}

struct Session {
    is: Following,
    language: Language,
    custom: Vec<Item>,
    pending: Vec<(CommandId, Pending)>,
    /// Requests for permission that are open.
    requests: HashMap<CallId, AbortHandle>,
    /// A question that the next prompt answers.
    awaits: Option<CallId>,
    /// The client has cancelled what runs.
    cancelled: bool,
}

/// Follows a session to its end.
pub(super) async fn follow(is: Following) {
    let language = is.project.settings.language;
    let custom = commands::custom(is.project.custom_commands(&commands::is_taken)).collect();
    let mut session =
        Session { is, language, custom, pending: Vec::new(), requests: HashMap::new(), awaits: None, cancelled: false };
    session.run().await;
}

impl Session {
    async fn run(&mut self) {
        let commands = self.is.updates.commands(&self.custom);
        self.show([commands]);
        loop {
            tokio::select! {
                ask = self.is.asks.recv() => match ask {
                    Some(Ask::Close(responder)) => return self.close(responder).await,
                    Some(ask) => self.asked(ask),
                    None => return self.close(None).await,
                },
                update = self.is.client.next() => match update {
                    Some(update) => self.update(&update),
                    None => return self.close(None).await,
                },
            }
        }
    }

    fn show(&self, updates: impl IntoIterator<Item = SessionUpdate>) {
        for update in updates {
            // A client that is gone is seen where its requests are read.
            let _ = self.is.editor.send_notification(SessionNotification::new(self.is.id.clone(), update));
        }
    }

    fn asked(&mut self, ask: Ask) {
        match ask {
            Ask::Prompt(blocks, responder) => self.prompt(&blocks, responder),
            Ask::Cancel if !self.pending.is_empty() || self.is.updates.view.busy => {
                self.cancelled = !self.pending.is_empty();
                self.is.client.send(Command::Interrupt);
            }
            Ask::Cancel | Ask::Close(_) => {}
            Ask::Mode(name, responder) => match Mode::named(&name) {
                Some(mode) => self.send(Command::SetMode { mode }, Pending::Mode(responder)),
                None => refuse(responder, self.language, &Problem::new("acp.unknown_mode").with("name", name)),
            },
            Ask::Option(request, responder) => self.option(&request, responder),
            Ask::Answered(asked, outcome) => self.answered(&asked, outcome),
        }
    }

    fn send(&mut self, command: Command, pending: Pending) {
        let id = self.is.client.send(command);
        self.pending.push((id, pending));
    }

    fn prompt(&mut self, blocks: &[ContentBlock], responder: Responder<PromptResponse>) {
        self.is.updates.begin();
        let command = match prompt::read(blocks, &self.is.project.root, self.language, &self.custom) {
            Err(problem) => return refuse(responder, self.language, &problem),
            Ok(prompt::Asked::Refused(why)) => {
                let said = self.is.updates.say(&why);
                self.show([said]);
                return answer(responder, Ok(stops::response(Stop::Answered)));
            }
            Ok(prompt::Asked::Command(Command::Continue)) => Command::Continue,
            Ok(prompt::Asked::Command(command)) => return self.send(command, Pending::Command(responder)),
            Ok(prompt::Asked::Prompt { text, images }) => {
                if let Err(problem) = self.is.project.check_attached(&images) {
                    return refuse(responder, self.language, &problem);
                }
                match self.awaits.take().filter(|it| self.is.updates.view.asked.iter().any(|asked| asked.call() == it))
                {
                    Some(call) => Command::Answer { call, text },
                    None => Command::Prompt { text, images, mode: None, delivery: Delivery::Steer },
                }
            }
        };
        let id = self.is.client.send(command);
        self.is.updates.sent(id.clone());
        self.pending.push((id, Pending::Turn(responder)));
    }

    fn option(
        &mut self,
        request: &SetSessionConfigOptionRequest,
        responder: Responder<SetSessionConfigOptionResponse>,
    ) {
        let value = request.value.as_value_id().map(ToString::to_string).unwrap_or_default();
        let command = match &*request.config_id.0 {
            options::MODE => Mode::named(&value)
                .map(|mode| Command::SetMode { mode })
                .ok_or_else(|| Problem::new("acp.unknown_mode").with("name", &value)),
            options::MODEL => Ok(Command::SetModel { model: value }),
            options::EFFORT if value == DEFAULT_EFFORT => Ok(Command::SetEffort { effort: None }),
            options::EFFORT => Effort::named(&value)
                .map(|effort| Command::SetEffort { effort: Some(effort) })
                .ok_or_else(|| Problem::new("acp.unknown_effort").with("name", &value)),
            other => Err(Problem::new("acp.unknown_option").with("name", other)),
        };
        match command {
            Ok(command) => self.send(command, Pending::Option(responder)),
            Err(problem) => refuse(responder, self.language, &problem),
        }
    }

    fn update(&mut self, update: &Update) {
        let shown = self.is.updates.of(update);
        self.show(shown);
        match update {
            Update::Control(Control::Accepted { command, .. }) => self.settled(command, None),
            Update::Control(Control::Rejected { command, why, .. }) => self.settled(command, Some(why)),
            // Too much was missed to say how the turn ended.
            Update::Control(Control::Snapshot { view }) if !view.busy => self.over(view.stop.unwrap_or(Stop::Internal)),
            _ => {}
        }
        if let Some(stop) = completion(&self.is.client, update) {
            self.over(stop);
        }
        self.ask();
    }

    /// What became of a command. A turn that began is answered at its end.
    fn settled(&mut self, command: &CommandId, why: Option<&Problem>) {
        let Some(at) = self.pending.iter().position(|(id, _)| id == command) else { return };
        if why.is_none() && matches!(self.pending[at].1, Pending::Turn(_)) {
            return;
        }
        let (_, pending) = self.pending.remove(at);
        let language = self.language;
        match (pending, why) {
            (Pending::Turn(it), Some(why)) => refuse(it, language, why),
            (Pending::Mode(it), Some(why)) => refuse(it, language, why),
            (Pending::Option(it), Some(why)) => refuse(it, language, why),
            (Pending::Mode(it), None) => answer(it, Ok(SetSessionModeResponse::new())),
            (Pending::Option(it), None) => {
                let options = self.is.updates.chosen().options(language);
                answer(it, Ok(SetSessionConfigOptionResponse::new(options)));
            }
            (Pending::Command(it), why) => {
                let words = why.map(|why| language.problem(why));
                let words = words.or_else(|| (!self.is.updates.has_said()).then(|| language.say("acp.done", &[])));
                let said = words.map(|it| self.is.updates.say(&it));
                self.show(said);
                let stop = if std::mem::take(&mut self.cancelled) { Stop::Interrupted } else { Stop::Answered };
                answer(it, Ok(stops::response(stop)));
            }
            (Pending::Turn(_), None) => {}
        }
    }

    /// A turn is over.
    fn over(&mut self, stop: Stop) {
        let (turns, rest) =
            std::mem::take(&mut self.pending).into_iter().partition(|(_, it)| matches!(it, Pending::Turn(_)));
        self.pending = rest;
        // A cancel is answered as one, also where the end came first.
        let stop = if std::mem::take(&mut self.cancelled) { Stop::Interrupted } else { stop };
        let is_answered = turns.is_empty();
        let words = self.is.updates.verdict_words(stop);
        let failure = self.is.updates.view.failure.as_ref().map(|it| it.message.clone());
        let error = stops::error(stop, &words, failure.as_deref());
        if error.is_none() || is_answered {
            let verdict = self.is.updates.verdict(stop);
            self.show(verdict);
        }
        for (_, pending) in turns {
            if let Pending::Turn(it) = pending {
                answer(it, error.clone().map_or_else(|| Ok(stops::response(stop)), Err));
            }
        }
    }

    /// Asks the user what waits for an answer, and asks no longer what has one.
    fn ask(&mut self) {
        let waiting: Vec<Asked> = self.is.updates.view.asked.iter().cloned().collect();
        let waits = |call: &CallId| waiting.iter().any(|it| it.call() == call);
        self.requests.retain(|call, request| {
            waits(call) || {
                request.abort();
                false
            }
        });
        self.awaits = self.awaits.take().filter(|it| waits(it));
        for asked in waiting {
            if self.requests.contains_key(asked.call()) || self.awaits.as_ref() == Some(asked.call()) {
                continue;
            }
            let Some((call, options)) = consent::request(self.language, &self.is.project.root, &asked) else {
                self.wait_for_words(&asked);
                continue;
            };
            let (editor, back) = (self.is.editor.clone(), self.is.back.clone());
            let request = RequestPermissionRequest::new(self.is.id.clone(), call, options);
            let id = asked.call().clone();
            let task = tokio::spawn(async move {
                let outcome = editor.send_request(request).block_task().await;
                if let Some(back) = back.upgrade() {
                    let _ = back.send(Ask::Answered(asked, outcome));
                }
            });
            self.requests.insert(id, task.abort_handle());
        }
    }

    /// A question that only words can answer: it is said, the prompt ends, and the next prompt is the answer.
    fn wait_for_words(&mut self, asked: &Asked) {
        let Asked::Question { call, text, .. } = asked else { return };
        self.awaits = Some(call.clone());
        let said = self.is.updates.say(text);
        self.show([said]);
        let all = std::mem::take(&mut self.pending);
        for (id, pending) in all {
            match pending {
                Pending::Turn(it) => answer(it, Ok(stops::response(Stop::Answered))),
                other => self.pending.push((id, other)),
            }
        }
    }

    fn answered(&mut self, asked: &Asked, outcome: Result<RequestPermissionResponse, Error>) {
        if self.requests.remove(asked.call()).is_none() {
            return;
        }
        let command = match &outcome {
            Ok(response) => consent::answer(asked, &response.outcome),
            Err(error) => consent::refused(asked, &error.message),
        };
        match command {
            Some(command) => drop(self.is.client.send(command)),
            None => self.wait_for_words(asked),
        }
    }

    /// Ends the session, its commands too, and answers what still waits.
    async fn close(&mut self, responder: Option<Responder<CloseSessionResponse>>) {
        // Who asks as soon as the end is answered is told that there is no such session.
        self.is.asks.close();
        self.requests.values().for_each(AbortHandle::abort);
        self.is.client.send(Command::Close);
        let rest = async {
            while let Some(update) = self.is.client.next().await {
                let shown = self.is.updates.of(&update);
                self.show(shown);
            }
            (&mut self.is.served).await
        };
        let ended = tokio::time::timeout(PATIENCE, rest).await;
        self.is.served.abort();
        let problem = match ended {
            Ok(Ok(Err(why))) => Some(Problem::new("error.session").with("why", why)),
            _ => None,
        };
        for (_, pending) in std::mem::take(&mut self.pending) {
            let gone = problem.clone().unwrap_or_else(|| Problem::new("acp.ended"));
            match pending {
                Pending::Turn(it) | Pending::Command(it) if problem.is_none() => {
                    answer(it, Ok(stops::response(Stop::Interrupted)));
                }
                Pending::Turn(it) | Pending::Command(it) => refuse(it, self.language, &gone),
                Pending::Mode(it) => refuse(it, self.language, &gone),
                Pending::Option(it) => refuse(it, self.language, &gone),
            }
        }
        if let Some(it) = responder {
            answer(it, Ok(CloseSessionResponse::new()));
        }
    }
}

/// Answers a request; a client that is gone needs no answer.
pub(super) fn answer<T: agent_client_protocol::JsonRpcResponse>(responder: Responder<T>, with: Result<T, Error>) {
    let _ = responder.respond_with_result(with);
}

/// Answers a request with the reason why it has no effect.
pub(super) fn refuse<T: agent_client_protocol::JsonRpcResponse>(
    responder: Responder<T>,
    language: Language,
    problem: &Problem,
) {
    answer(responder, Err(errors::error(language, problem)));
}
