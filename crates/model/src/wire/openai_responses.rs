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

use ox_protocol::{Failure, ModelFacts};

use crate::model::Request;
use crate::wire::endpoint::{BEARER, Endpoint, bytes};
use crate::wire::format::Format;
use crate::wire::http::Patience;
use crate::wire::learnt::Learnt;

/// The Responses format; the base address usually ends in `/v1`.
#[derive(Debug)]
pub struct OpenAiResponses {
    key_header: &'static str,
    learnt: Learnt,
}

impl OpenAiResponses {
    /// With the key in a header of its own instead of a bearer token (Azure).
    pub(crate) fn with_key_header(key_header: &'static str) -> OpenAiResponses {
        OpenAiResponses { key_header, learnt: Learnt::default() }
    }
}

impl Default for OpenAiResponses {
    fn default() -> OpenAiResponses {
        OpenAiResponses::with_key_header(BEARER)
    }
}

impl Format for OpenAiResponses {
    type Reading = stream::Stream;

    fn endpoint(&self, _name: &str, base_url: &str) -> Endpoint {
        Endpoint::new(format!("{base_url}/responses"), Patience::long())
    }

    fn key_header(&self) -> &'static str {
        self.key_header
    }

    fn body(&self, model: &str, facts: &ModelFacts, request: &Request) -> Vec<u8> {
        bytes(&request::body(model, facts, request, &self.learnt))
    }

    fn learn(&self, failure: &Failure, _request: &Request) -> bool {
        self.learnt.learn(failure, request::LESSONS)
    }
}
