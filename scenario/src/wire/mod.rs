//! Providers on this machine: servers that play a script in each provider's wire format and check every request to the
//! letter.
//!
//! A request that a provider would refuse, or that breaks one of our own promises about caching and pairing, is answered
//! 400 in the provider's own error shape and kept as a violation, so that a test fails by it. Never speaks to any network
//! beyond loopback.

mod anthropic;
mod check;
mod gemini;
pub mod images;
mod openai;
mod responses;
mod server;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ox_model::anthropic::Anthropic;
use ox_model::openai_chat::{Dialect, OpenAiChat};
use ox_model::scripted::Step;
use ox_model::{Model, Reply};
use ox_protocol::{Failure, FailureKind, ModelFacts, Tokens, Usage};
use serde_json::Value;
use tokio::task::JoinHandle;

use server::{Answer, Asked, Serving};

/// The key that the servers want.
pub const KEY: &str = "mock-key-0123456789";
/// The model that they serve.
pub const MODEL: &str = "mock-model";

/// A provider's wire format, as its server speaks it.
trait Format: Send + Sync {
    /// True for the path that is posted to.
    fn is_path(&self, path: &str) -> bool;
    /// Everything that is wrong with a request.
    fn check(&self, asked: &Asked, body: &Value) -> Vec<String>;
    /// A refusal that comes before the script is asked.
    fn refusal(&self, _body: &Value) -> Option<Failure> {
        None
    }
    /// The events of an answer, each as it stands in the stream.
    fn events(&self, reply: &Reply, usage: Usage, number: usize) -> Vec<String>;
    /// The events of an answer that never ends.
    fn beginning(&self, text: &str) -> Vec<String>;
    /// An error as the provider words it.
    fn error(&self, failure: &Failure) -> Value;
    /// The messages of a request without what may change from request to request.
    fn messages(&self, body: &Value) -> Vec<Value>;
    /// A model that asks this server.
    fn model(&self, facts: ModelFacts, base_url: &str) -> Arc<dyn Model>;
}

/// A running server.
pub struct Mock {
    /// The address to give to Ox.
    pub base_url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
    connections: Arc<AtomicUsize>,
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
    start(script, Box::new(openai::OpenAi { tools: true, checks: true })).await
}

/// A server that speaks OpenAI chat completions to a program of others: what that asks is not checked.
pub async fn behind(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::new(openai::OpenAi { tools: true, checks: false })).await
}

/// A server that speaks Anthropic Messages.
pub async fn anthropic(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::<anthropic::Anthropic>::default()).await
}

/// A server that speaks OpenAI chat completions, refuses tools, and writes its calls as XML.
pub async fn xml(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::new(openai::OpenAi { tools: false, checks: true })).await
}

/// A server that speaks OpenAI Responses.
pub async fn responses(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::<responses::Responses>::default()).await
}

/// A server that speaks Gemini's `streamGenerateContent`.
pub async fn gemini(script: Vec<Step>) -> std::io::Result<Mock> {
    start(script, Box::<gemini::Gemini>::default()).await
}

async fn start(script: Vec<Step>, format: Box<dyn Format>) -> std::io::Result<Mock> {
    let state = Mutex::new(State { script: script.into(), ..State::default() });
    let shared = Arc::new(Shared { format, state });
    let answering = shared.clone();
    let Serving { url, task, connections } = server::serve(move |asked| answering.answer(&asked)).await?;
    Ok(Mock { base_url: url, shared, task, connections })
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
        self.connections.load(Ordering::Relaxed)
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

impl Drop for Mock {
    fn drop(&mut self) {
        self.task.abort();
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

    fn fail(&self, failure: &Failure) -> Answer {
        match failure.kind {
            FailureKind::Cut => Answer::cut(self.format.beginning(&failure.partial)),
            FailureKind::Connect | FailureKind::Tls | FailureKind::Timeout => Answer::nothing(),
            FailureKind::Malformed => Answer::stream(vec!["data: {broken\n\n".to_string()]),
            _ => {
                let mut headers = vec![("content-type", "application/json".to_string())];
                headers.extend(failure.retry_after_ms.map(|ms| ("retry-after-ms", ms.to_string())));
                let status = failure.status.unwrap_or_else(|| usual_status(failure.kind));
                Answer {
                    status,
                    headers,
                    pieces: vec![self.format.error(failure).to_string().into_bytes()],
                    whole: true,
                }
            }
        }
    }
}

fn plain(kind: FailureKind, status: u16, message: &str) -> Failure {
    let message = message.to_string();
    Failure { kind, status: Some(status), message, retry_after_ms: None, partial: String::new() }
}

/// The status under which a failure of this kind usually comes.
fn usual_status(kind: FailureKind) -> u16 {
    match kind {
        FailureKind::RateLimited => 429,
        FailureKind::Overloaded => 529,
        FailureKind::Server => 500,
        FailureKind::Auth => 401,
        FailureKind::Quota => 402,
        FailureKind::UnknownModel => 404,
        _ => 400,
    }
}

/// The error code that names a kind, where providers have one.
fn usual_code(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Quota => "insufficient_quota",
        FailureKind::UnknownModel => "model_not_found",
        FailureKind::ContextTooLong => "context_length_exceeded",
        FailureKind::ContentFilter => "content_filter",
        FailureKind::Overloaded => "overloaded_error",
        FailureKind::RateLimited => "rate_limit_error",
        FailureKind::Auth => "authentication_error",
        FailureKind::Server => "api_error",
        _ => "invalid_request_error",
    }
}

/// The words of a failure; kinds that are told by words alone get them.
fn words(failure: &Failure) -> String {
    let needed = match failure.kind {
        FailureKind::ToolsRejected => "does not support tools",
        FailureKind::ToolChoiceRejected => "tool_choice",
        _ => "",
    };
    match failure.message.to_lowercase().contains(needed) {
        true => failure.message.clone(),
        false => format!("{} ({needed})", failure.message),
    }
}

/// Four bytes a token.
fn estimate(reply: &Reply, prompt: usize) -> Usage {
    let output: usize = reply.text.len() + reply.calls.iter().map(|it| it.name.len() + it.args.len()).sum::<usize>();
    Usage { input: Tokens(prompt as u64 / 4), output: Tokens(output as u64 / 4 + 1), ..Usage::default() }
}

fn chat_model(facts: ModelFacts, base_url: &str) -> Arc<dyn Model> {
    let base_url = format!("{base_url}/v1");
    Arc::new(OpenAiChat::new(facts, MODEL, &base_url, Some(KEY.to_string()), Dialect::default()))
}

fn messages_model(facts: ModelFacts, base_url: &str) -> Arc<dyn Model> {
    Arc::new(Anthropic::new(facts, MODEL, base_url, Some(KEY.to_string())))
}

/// The text in pieces of a few characters, as it streams.
fn pieces(text: &str) -> Vec<String> {
    const LENGTH: usize = 9;
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(LENGTH).map(|it| it.iter().collect()).collect()
}

#[cfg(test)]
mod tests;
