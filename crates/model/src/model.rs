//! What a model is asked and what it answers, independent of any provider, and the trait that every model implements.

use std::sync::Arc;

use ox_protocol::{
    BoxFuture, Effort, Failure, Finish, Image, Message, ModelFacts, Reasoning, Tokens, ToolChoice, ToolSpec, Usage,
};
use serde::{Deserialize, Serialize};

/// What a model is asked, independent of any wire format.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The system prompt; the stable prefix that providers cache.
    pub system: String,
    /// Tools on offer, in an order that stays the same from request to request.
    #[serde(default)]
    pub tools: Vec<ToolSpec>,
    /// The conversation so far; every call has its result.
    pub messages: Vec<Arc<Message>>,
    /// What the model may or must do about tools.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// Longest reply in tokens; zero leaves it to the model's own limit.
    #[serde(default)]
    pub max_output: Tokens,
    /// Sampling temperature; the provider's default when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// How much to reason; the provider's default when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reply {
    /// Its text, all of it, as it was streamed.
    pub text: String,
    /// Its reasoning, to be sent back unchanged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<Reasoning>,
    /// Its calls, in the order in which it made them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<RawCall>,
    /// Pictures that it made, in the order in which they came.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Why it ended.
    pub finish: Finish,
    /// What it used, where the provider says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// A call as the model wrote it; neither its name nor its arguments have been checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as raw JSON text; `{}` where the model gave none.
    pub args: String,
}

/// A piece of a reply while it streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A piece of the text.
    Text(&'a str),
    /// A piece of the reasoning.
    Thinking(&'a str),
}

/// A model that can be asked. Dropping the future ends the request.
pub trait Model: Send + Sync {
    /// What is known of the model.
    fn facts(&self) -> &ModelFacts;

    /// Asks once, streaming text and reasoning to `show`. The pieces of text shown add up to the reply's text, or to
    /// the failure's `partial`.
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>>;
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn facts(&self) -> &ModelFacts {
        (**self).facts()
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        (**self).ask(request, show)
    }
}
