//! Gemini's `streamGenerateContent`.
//!
//! The signatures of the model's thoughts go back in the very parts that they came with. What an endpoint refuses is left
//! out from then on, at most once per field; no other request is ever repeated here.

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
use crate::learnt::Learnt;
use crate::{Model, Piece, Reply, Request};

/// A model behind a Gemini endpoint.
#[derive(Debug)]
pub struct Gemini {
    facts: ModelFacts,
    model: String,
    learnt: Learnt,
    endpoint: Endpoint,
}

impl Gemini {
    /// The model `name` below `base_url`, which may or may not end in a version such as `/v1beta`. Opens no connection yet.
    pub fn new(facts: ModelFacts, name: &str, base_url: &str, key: Option<String>) -> Gemini {
        let base_url = base_url.trim_end_matches('/');
        let version = if base_url.rsplit('/').next().is_some_and(is_version) { "" } else { "/v1beta" };
        let name = name.strip_prefix("models/").unwrap_or(name);
        let url = format!("{base_url}{version}/models/{name}:streamGenerateContent?alt=sse");
        let endpoint =
            Endpoint::new(url, Patience::long()).with("accept", exchange::ACCEPT).keyed("x-goog-api-key", key);
        Gemini { facts, model: name.to_string(), learnt: Learnt::default(), endpoint }
    }

    /// The same with the limits of patience that the user set.
    #[must_use]
    pub fn within(self, said: Timeouts) -> Gemini {
        Gemini { endpoint: self.endpoint.within(said), ..self }
    }
}

/// `v1`, `v1beta`, `v1alpha`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
}

impl Model for Gemini {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        let body = || request::body(&self.model, request, &self.learnt);
        let learn = |failure: &Failure| self.learnt.learn(failure, request::LESSONS);
        Box::pin(exchange::ask::<stream::Stream>(&self.endpoint, request.max_output, body, learn, show))
    }
}
