//! OpenAI Responses, without storage at the provider: every request carries the whole conversation.
//!
//! Reasoning comes back encrypted and goes back unchanged, at the place where it stood. What an endpoint refuses is left
//! out from then on, at most once per field; no other request is ever repeated here.

mod items;
mod request;
mod stream;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use stream::Stream;

use ox_protocol::{BoxFuture, Failure, ModelFacts};

use crate::endpoint::{BEARER, Endpoint};
use crate::exchange;
use crate::http::{Patience, Timeouts};
use crate::learnt::Learnt;
use crate::{Model, Piece, Reply, Request};

/// A model behind a Responses endpoint.
#[derive(Debug)]
pub struct OpenAiResponses {
    facts: ModelFacts,
    /// The model's name as the endpoint knows it.
    model: String,
    learnt: Learnt,
    endpoint: Endpoint,
}

impl OpenAiResponses {
    /// The model `name` below `base_url` (which usually ends in `/v1`). Opens no connection yet.
    pub fn new(facts: ModelFacts, name: &str, base_url: &str, key: Option<String>) -> OpenAiResponses {
        let url = format!("{}/responses", base_url.trim_end_matches('/'));
        let endpoint = Endpoint::new(url, Patience::long()).with("accept", exchange::ACCEPT).keyed(BEARER, key);
        OpenAiResponses { facts, model: name.to_string(), learnt: Learnt::default(), endpoint }
    }

    /// The same with the key in a header of its own instead of a bearer token (Azure).
    #[must_use]
    pub fn with_key_header(self, header: &'static str) -> OpenAiResponses {
        OpenAiResponses { endpoint: self.endpoint.keyed_in(header), ..self }
    }

    /// The same with the limits of patience that the user set.
    #[must_use]
    pub fn within(self, said: Timeouts) -> OpenAiResponses {
        OpenAiResponses { endpoint: self.endpoint.within(said), ..self }
    }
}

impl Model for OpenAiResponses {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        let body = || request::body(&self.model, &self.facts, request, &self.learnt);
        let learn = |failure: &Failure| self.learnt.learn(failure, request::LESSONS);
        Box::pin(exchange::ask::<stream::Stream>(&self.endpoint, request.max_output, body, learn, show))
    }
}
