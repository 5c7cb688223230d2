//! OpenAI chat completions, and whatever is compatible with them by URL.
//!
//! Endpoints differ in which optional fields they take. What is known is data in [`Dialect`]; what is not is learnt from
//! the endpoint's own refusal, at most once per field, and the same request is sent again without it. No other request
//! is ever repeated here.

mod calls;
mod dialect;
mod quirks;
mod request;
mod stream;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use stream::Stream;

use ox_protocol::{BoxFuture, Failure, ModelFacts};

use crate::endpoint::Endpoint;
use crate::exchange;
use crate::http::{Patience, Timeouts};
use crate::{Model, Piece, Reply, Request};

pub use dialect::{Dialect, Structured};
use quirks::Quirks;

/// A model behind a chat completions endpoint.
#[derive(Debug)]
pub struct OpenAiChat {
    facts: ModelFacts,
    /// The model's name as the endpoint knows it.
    model: String,
    dialect: Dialect,
    quirks: Quirks,
    endpoint: Endpoint,
}

impl OpenAiChat {
    /// The model `name` below `base_url` (which usually ends in `/v1`). Opens no connection yet.
    pub fn new(facts: ModelFacts, name: &str, base_url: &str, key: Option<String>, dialect: Dialect) -> OpenAiChat {
        let patience = if dialect.patient { Patience::long() } else { Patience::default() };
        let url = format!("{}/chat/completions", base_url.trim_end_matches('/'));
        let endpoint = Endpoint::new(url, patience).with("accept", exchange::ACCEPT).keyed(dialect.key_header, key);
        OpenAiChat { facts, model: name.to_string(), dialect, quirks: Quirks::default(), endpoint }
    }

    /// The same with the limits of patience that the user set.
    #[must_use]
    pub fn within(self, said: Timeouts) -> OpenAiChat {
        OpenAiChat { endpoint: self.endpoint.within(said), ..self }
    }
}

impl Model for OpenAiChat {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        let body = || request::body(&self.model, request, &self.dialect, &self.quirks);
        let learn = |failure: &Failure| self.quirks.learn(failure);
        Box::pin(exchange::ask::<stream::Stream>(&self.endpoint, request.max_output, body, learn, show))
    }
}
