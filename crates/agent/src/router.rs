//! Asks the router model what a prompt asks for: beside whatever else happens, so that nothing waits for it.

use std::sync::Arc;

use ox_core::intent::{self, Routed};
use ox_model::{Model, Request};
use ox_protocol::{Event, Frame, Image, IntentDecision, Message, Part, Role, Tokens, ToolChoice, WantId};
use ox_repo::Tree;
use tokio::task::JoinSet;

use crate::project_index::ProjectIndex;

/// A question to the router, and its answer once it is there. Dropped, it is not waited for any more.
#[derive(Default)]
pub(crate) struct Routing {
    asked: JoinSet<Routed>,
    answer: Option<Routed>,
}

/// What the router is asked about.
pub(crate) struct Asked<'a> {
    /// The user's words.
    pub prompt: &'a str,
    /// Pictures that came with them.
    pub images: &'a [Image],
    /// The agent's last words in the conversation.
    pub last_words: String,
}

impl Routing {
    /// Asks `model`.
    pub fn begin(model: Arc<dyn Model>, asked: Asked<'_>, tree: Tree, index: Option<ProjectIndex>) -> Routing {
        let Asked { prompt, images, last_words } = asked;
        let (prompt, images) = (prompt.to_owned(), images.to_vec());
        let mut set = JoinSet::new();
        set.spawn(async move {
            let files = index.map(|it| near_the_root(&it)).unwrap_or_default();
            let text = intent::question(&prompt, &last_words, files.iter().map(String::as_str));
            ask(model.as_ref(), text, images, &tree).await
        });
        Routing { asked: set, answer: None }
    }

    /// True once somebody was asked.
    pub fn is_asked(&self) -> bool {
        !self.asked.is_empty() || self.answer.is_some()
    }

    /// The answer, as far as it is there by now.
    pub fn answer(&mut self) -> Option<&Routed> {
        while let Some(done) = self.asked.try_join_next() {
            self.answer = done.ok();
        }
        self.answer.as_ref()
    }

    /// Waits for the answer.
    pub async fn finish(mut self) -> Routed {
        while let Some(done) = self.asked.join_next().await {
            self.answer = done.ok();
        }
        self.answer.unwrap_or_else(|| Routed { failure: "it broke off".to_owned(), ..Routed::default() })
    }
}

/// The fact that follows from an answer.
pub(crate) fn event(want: WantId, routed: Routed) -> Event {
    let Routed { intent, usage, cost, failure } = routed;
    Event::Intent { decision: IntentDecision { want, intent, usage, cost, failure } }
}

/// The agent's last words so far; empty at the beginning.
pub(crate) fn last_words(frames: &[Frame]) -> &str {
    let words = |it: &'_ Frame| matches!(&it.event, Event::Summary { .. });
    match frames.iter().rfind(|it| words(it)).map(|it| &it.event) {
        Some(Event::Summary { summary }) => &summary.text,
        _ => "",
    }
}

/// The files that the index knows, those nearest to the root first.
fn near_the_root(index: &ProjectIndex) -> Vec<String> {
    let snapshot = index.snapshot();
    let mut files: Vec<String> = snapshot.paths().map(str::to_owned).collect();
    files.sort_by_cached_key(|it| (it.matches('/').count(), it.clone()));
    files
}

async fn ask(model: &dyn Model, text: String, images: Vec<Image>, tree: &Tree) -> Routed {
    let pictures = images.into_iter().map(|image| Part::Image { image });
    let parts = pictures.chain([Part::Text { text }]).collect();
    let request = Request {
        system: intent::SYSTEM.trim().to_owned(),
        tools: Vec::new(),
        messages: vec![Arc::new(Message { role: Role::User, parts })],
        tool_choice: ToolChoice::Auto,
        max_output: Tokens(intent::LONGEST_ANSWER).min(model.facts().max_output),
        temperature: None,
        effort: None,
    };
    match model.ask(&request, &|_| {}).await {
        Ok(reply) => {
            let usage = reply.usage.unwrap_or_default();
            let cost = ox_core::price::cost(usage, model.facts());
            let intent = Some(intent::read(&reply.text, &|path| tree.root().join(path).is_file()));
            Routed { intent, usage, cost, failure: String::new() }
        }
        Err(failure) => Routed { failure: failure.message, ..Routed::default() },
    }
}
