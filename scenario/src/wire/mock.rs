//! Servers that play a script in a wire format, and check every request to the letter.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ox_model::Model;
use ox_model::scripted::Step;
use ox_protocol::{FailureKind, ModelFacts};
use serde_json::Value;

use super::anthropic::Anthropic;
use super::format::{Format, estimate, plain, usual_status};
use super::gemini::Gemini;
use super::openai::OpenAi;
use super::responses::Responses;
use super::server::{self, Answer, Asked, End, Serving};

/// A running server.
pub struct Mock {
    /// The address to give to Ox.
    pub base_url: String,
    shared: Arc<Shared>,
    serving: Serving,
}

struct Shared {
    format: Box<dyn Format>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    script: VecDeque<Step>,
    requests: Vec<Value>,
    violations: Vec<String>,
    rewritten: usize,
}

/// A server that speaks OpenAI chat completions.
pub async fn openai(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::new(OpenAi { tools: true, checks: true })).await
}

/// A server that speaks OpenAI chat completions to a program of others: what that asks is not checked.
pub async fn behind(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::new(OpenAi { tools: true, checks: false })).await
}

/// A server that speaks Anthropic Messages.
pub async fn anthropic(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::<Anthropic>::default()).await
}

/// A server that speaks OpenAI chat completions, refuses tools, and writes its calls as XML.
pub async fn xml(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::new(OpenAi { tools: false, checks: true })).await
}

/// A server that speaks OpenAI Responses.
pub async fn responses(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::<Responses>::default()).await
}

/// A server that speaks Gemini's `streamGenerateContent`.
pub async fn gemini(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::<Gemini>::default()).await
}

async fn start(script: Vec<Step>, format: Box<dyn Format>) -> std::io::Result<Mock> {
    let state = Mutex::new(State { script: script.into(), ..State::default() });
    let shared = Arc::new(Shared { format, state });
    let answering = shared.clone();
    let serving = server::serve(move |asked| answering.answer(&asked)).await?;
    Ok(Mock { base_url: serving.url.clone(), shared, serving })
}

impl Mock {
    /// Bodies of all requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.shared.lock().requests.clone()
    }

    /// What was wrong with them; a test asserts that it is empty.
    pub fn violations(&self) -> Vec<String> {
        self.shared.lock().violations.clone()
    }

    /// How many requests did not begin with the messages of the one before, so that no cache could be hit.
    pub fn rewritten(&self) -> usize {
        self.shared.lock().rewritten
    }

    /// How many connections were opened; a good client opens a new one only when one broke.
    pub fn connections(&self) -> usize {
        self.serving.connections()
    }

    /// Steps of the script that were not asked for.
    pub fn left(&self) -> usize {
        self.shared.lock().script.len()
    }

    /// A model that asks this server, as Ox would open it.
    pub fn model(&self, facts: ModelFacts) -> Arc<dyn Model> {
        self.shared.format.model(facts, &self.base_url)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, asked: &Asked) -> Answer {
        let mut state = self.lock();
        let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
        let mut wrong = self.format.check(asked, &body);
        if !asked.line.strip_prefix("POST ").is_some_and(|path| self.format.is_path(path)) {
            wrong.push(format!("{} is not where the model is asked", asked.line));
        }
        let number = state.requests.len() + 1;
        if let Some(refusal) = self.format.refusal(&body) {
            return self.fail(&refusal);
        }
        if let Some(before) = state.requests.last() {
            let (before, now) = (self.format.messages(before), self.format.messages(&body));
            state.rewritten += usize::from(!now.starts_with(&before));
        }
        state.requests.push(body.clone());
        if !wrong.is_empty() {
            let message = wrong.join("; ");
            state.violations.extend(wrong.into_iter().map(|it| format!("request {number}: {it}")));
            return self.fail(&plain(FailureKind::BadRequest, 400, &message));
        }
        match state.script.pop_front() {
            Some(Step::Reply(reply)) => {
                let usage = reply.usage.unwrap_or_else(|| estimate(&reply, asked.body.len()));
                Answer::stream(self.format.events(&reply, usage, number))
            }
            Some(Step::Fail(failure)) => self.fail(&failure),
            None => {
                let message = format!("the script is at its end, and request {number} came");
                state.violations.push(message.clone());
                self.fail(&plain(FailureKind::BadRequest, 400, &message))
            }
        }
    }

    fn fail(&self, failure: &ox_protocol::Failure) -> Answer {
        match failure.kind {
            FailureKind::Cut => Answer { end: End::Cut, ..Answer::stream(self.format.beginning(&failure.partial)) },
            FailureKind::Connect | FailureKind::Tls | FailureKind::Timeout => Answer::nothing(),
            FailureKind::Malformed => Answer::stream(vec!["data: {broken\n\n".to_string()]),
            _ => {
                let status = failure.status.unwrap_or_else(|| usual_status(failure.kind));
                let mut answer = Answer::json(status, &self.format.error(failure));
                answer.headers.extend(failure.retry_after_ms.map(|ms| ("retry-after-ms".to_string(), ms.to_string())));
                answer
            }
        }
    }
}
