//! Anthropic Messages.
//!
//! Reasoning goes back exactly as it came, at the place where it stood; where the endpoint refuses it (the history before it
//! was pruned, or another account produced it) the request is sent once more without. No other request is repeated here.

mod quirks;
mod request;
mod stream;

pub(crate) use request::claude_version;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use stream::Stream;

use ox_protocol::{BoxFuture, Failure, ModelFacts};

use crate::endpoint::Endpoint;
use crate::exchange;
use crate::http::{Patience, Timeouts};
use crate::{Model, Piece, Reply, Request};

use quirks::Quirks;

/// The version of the API that this is written for.
const VERSION: &str = "2023-06-01";

/// A model behind a Messages endpoint.
#[derive(Debug)]
pub struct Anthropic {
    facts: ModelFacts,
    model: String,
    quirks: Quirks,
    endpoint: Endpoint,
}

impl Anthropic {
    /// The model `name` below `base_url` (without `/v1`). Opens no connection yet.
    pub fn new(facts: ModelFacts, name: &str, base_url: &str, key: Option<String>) -> Anthropic {
        let base_url = base_url.trim_end_matches('/').trim_end_matches("/v1");
        let endpoint = Endpoint::new(format!("{base_url}/v1/messages"), Patience::default());
        let endpoint = endpoint.with("anthropic-version", VERSION).with("accept", exchange::ACCEPT);
        let endpoint = endpoint.keyed("x-api-key", key);
        Anthropic { facts, model: name.to_string(), quirks: Quirks::default(), endpoint }
    }

    /// The same with the limits of patience that the user set.
    #[must_use]
    pub fn within(self, said: Timeouts) -> Anthropic {
        Anthropic { endpoint: self.endpoint.within(said), ..self }
    }
}

impl Model for Anthropic {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        let body = || request::body(&self.model, &self.facts, request, &self.quirks);
        let learn = |failure: &Failure| self.quirks.learn(failure, request.messages.len());
        Box::pin(exchange::ask::<stream::Stream>(&self.endpoint, request.max_output, body, learn, show))
    }
}
