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

use ox_protocol::{Failure, ModelFacts};

use crate::model::Request;
use crate::wire::endpoint::{Endpoint, bytes};
use crate::wire::format::Format;
use crate::wire::http::Patience;
use crate::wire::learnt::Learnt;

/// Gemini's format; the base address may or may not end in a version such as `/v1beta`.
#[derive(Debug, Default)]
pub struct Gemini {
    learnt: Learnt,
}

/// `v1`, `v1beta`, `v1alpha`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
}

impl Format for Gemini {
    type Reading = stream::Stream;

    fn endpoint(&self, name: &str, base_url: &str) -> Endpoint {
        let version = if base_url.rsplit('/').next().is_some_and(is_version) { "" } else { "/v1beta" };
        let name = name.strip_prefix("models/").unwrap_or(name);
        let url = format!("{base_url}{version}/models/{name}:streamGenerateContent?alt=sse");
        Endpoint::new(url, Patience::long())
    }

    fn key_header(&self) -> &'static str {
        "x-goog-api-key"
    }

    fn body(&self, model: &str, _facts: &ModelFacts, request: &Request) -> Vec<u8> {
        bytes(&request::body(model, request, &self.learnt))
    }

    fn learn(&self, failure: &Failure, _request: &Request) -> bool {
        self.learnt.learn(failure, request::LESSONS)
    }
}
