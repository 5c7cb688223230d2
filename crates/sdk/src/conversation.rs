//! A conversation: what can be asked of it, one function for each route.

use std::sync::Arc;

use ox_client::view::View;
use ox_protocol::{CallId, Command, ConversationId, Decision, Delivery, Frame, Image, Mode, Over, Seq};
use ox_server::answers::{
    Admitted, Changes, ConversationInfo, Frames, Recorded, RecordedTurn, ReviewedFile, Settled, UndoPreview,
};
use reqwest::Method;
use serde::Serialize;
use serde_json::json;

use crate::link::{Asked, Link};
use crate::{Error, Events};

/// What the user says.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Prompt {
    /// The words.
    pub text: String,
    /// Pictures, in order.
    pub images: Vec<Image>,
    /// Changes the mode from this turn on.
    pub mode: Option<Mode>,
    /// When it is delivered while a turn runs.
    pub delivery: Delivery,
}

impl<T: Into<String>> From<T> for Prompt {
    fn from(text: T) -> Prompt {
        Prompt { text: text.into(), ..Prompt::default() }
    }
}

/// One conversation. It can be asked from several tasks at once.
#[derive(Clone)]
pub struct Conversation {
    link: Arc<Link>,
    id: ConversationId,
}

impl Conversation {
    pub(crate) fn new(link: Arc<Link>, id: ConversationId) -> Conversation {
        Conversation { link, id }
    }

    /// Its id.
    pub fn id(&self) -> &ConversationId {
        &self.id
    }

    fn path<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        [&["api", "conversations", self.id.0.as_str()], rest].concat()
    }

    async fn get<T: serde::de::DeserializeOwned>(&self, rest: &[&str]) -> Result<T, Error> {
        self.link.ask(Asked::get(&self.path(rest))).await
    }

    async fn post<T: serde::de::DeserializeOwned>(&self, rest: &[&str], body: &impl Serialize) -> Result<T, Error> {
        self.link.ask(Asked::with(Method::POST, &self.path(rest), body)).await
    }

    /// What a list shows of it.
    pub async fn info(&self) -> Result<ConversationInfo, Error> {
        self.get(&[]).await
    }

    /// What a screen shows of it now.
    pub async fn view(&self) -> Result<View, Error> {
        self.get(&["view"]).await
    }

    /// Its recorded events behind a number.
    pub async fn frames(&self, after: Seq) -> Result<Vec<Frame>, Error> {
        let query = [("after", after.0.to_string())];
        let path = self.path(&["frames"]);
        let asked = Asked { query: &query, ..Asked::get(&path) };
        Ok(self.link.ask::<Frames>(asked).await?.frames)
    }

    /// Its updates behind an event, 0 for all: what happened and what happens from now on.
    pub fn events(&self, after: Seq) -> Events {
        Events::new(self.link.clone(), self.id.clone(), after)
    }

    /// Sends a prompt and does not wait for what comes of it. A connection that breaks is tried once more; the prompt is taken
    /// once.
    pub async fn prompt(&self, prompt: impl Into<Prompt>) -> Result<Admitted, Error> {
        let (prompt, key) = (prompt.into(), format!("{:032x}", fastrand::u128(..)));
        let path = self.path(&["prompts"]);
        let asked = || Asked { key: Some(key.clone()), ..Asked::with(Method::POST, &path, &prompt) };
        match self.link.ask(asked()).await {
            Err(error) if error.code == "connection" => self.link.ask(asked()).await,
            answer => answer,
        }
    }

    /// Sends any other command.
    pub async fn send(&self, command: &Command) -> Result<Admitted, Error> {
        self.post(&["commands"], command).await
    }

    /// Stops the running turn; its state is kept.
    pub async fn interrupt(&self) -> Result<Admitted, Error> {
        self.post(&["interrupt"], &json!({})).await
    }

    /// Answers a request for consent. The first answer counts.
    pub async fn decide(&self, call: &CallId, decision: &Decision) -> Result<Admitted, Error> {
        self.post(&["approvals", &call.0], &json!({ "decision": decision })).await
    }

    /// Answers a question of the agent.
    pub async fn answer(&self, call: &CallId, text: &str) -> Result<Admitted, Error> {
        self.post(&["questions", &call.0], &json!({ "text": text })).await
    }

    /// What the last run changed, by file and hunk.
    pub async fn changes(&self) -> Result<Vec<ReviewedFile>, Error> {
        Ok(self.get::<Changes>(&["changes"]).await?.files)
    }

    /// Accepts hunks and takes others back, by their ids or by paths of whole files.
    pub async fn settle(&self, accept: &[String], reject: &[String]) -> Result<Settled, Error> {
        self.post(&["changes"], &json!({ "accept": accept, "reject": reject })).await
    }

    /// What an undo would change, and what of it was changed since.
    pub async fn would_undo(&self) -> Result<UndoPreview, Error> {
        self.get(&["undo"]).await
    }

    /// Takes back what the last turn changed that changed something.
    pub async fn undo(&self, over: Over) -> Result<Admitted, Error> {
        self.post(&["undo"], &json!({ "over": over })).await
    }

    /// Takes the last undo back.
    pub async fn redo(&self) -> Result<Admitted, Error> {
        self.post(&["redo"], &json!({})).await
    }

    /// The states of the project's files that its turns recorded, newest turn first.
    pub async fn checkpoints(&self) -> Result<Vec<RecordedTurn>, Error> {
        let project = self.info().await?.project.key;
        let path = ["api", "projects", &project, "checkpoints"];
        let all = self.link.ask::<Recorded>(Asked::get(&path)).await?.turns;
        Ok(all.into_iter().filter(|it| it.conversation.as_deref() == Some(&self.id.0)).collect())
    }

    /// A copy up to the end of a turn, or of all.
    pub async fn fork(&self, turn: Option<u32>) -> Result<Conversation, Error> {
        let info: ConversationInfo = self.post(&["fork"], &json!({ "turn": turn })).await?;
        Ok(Conversation::new(self.link.clone(), info.id))
    }

    /// Names it; an empty name takes the name away.
    pub async fn rename(&self, name: &str) -> Result<ConversationInfo, Error> {
        self.link.ask(Asked::with(Method::PATCH, &self.path(&[]), &json!({ "name": name }))).await
    }

    /// The whole conversation as Markdown.
    pub async fn markdown(&self) -> Result<String, Error> {
        let body = self.link.content(Asked::get(&self.path(&["export"]))).await?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// Deletes it for good; the project's files stay.
    pub async fn delete(self) -> Result<(), Error> {
        let path = self.path(&[]);
        let asked = Asked { method: Method::DELETE, ..Asked::get(&path) };
        self.link.content(asked).await.map(drop)
    }
}
