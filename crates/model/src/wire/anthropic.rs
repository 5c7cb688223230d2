//! Anthropic Messages.
//!
//! Reasoning goes back exactly as it came, at the place where it stood; where the endpoint refuses it (the history before it
//! was pruned, or another account produced it) the request is sent once more without. No other request is repeated here.

mod quirks;
mod request;
mod stream;
#[cfg(test)]
mod tests;

pub(crate) use request::claude_version;
#[cfg(test)]
pub(crate) use stream::Stream;

use ox_protocol::{Failure, ModelFacts};

use crate::model::Request;
use crate::wire::endpoint::{Endpoint, bytes};
use crate::wire::format::Format;
use crate::wire::http::Patience;

use quirks::Quirks;

/// The version of the API that this is written for.
const VERSION: &str = "2023-06-01";

/// Anthropic's Messages format; the base address may or may not end in `/v1`.
#[derive(Debug, Default)]
pub struct Anthropic {
    quirks: Quirks,
}

impl Format for Anthropic {
    type Reading = stream::Stream;

    fn endpoint(&self, _name: &str, base_url: &str) -> Endpoint {
        let url = format!("{}/v1/messages", base_url.trim_end_matches("/v1"));
        Endpoint::new(url, Patience::default()).with("anthropic-version", VERSION)
    }

    fn key_header(&self) -> &'static str {
        "x-api-key"
    }

    fn body(&self, model: &str, facts: &ModelFacts, request: &Request) -> Vec<u8> {
        bytes(&request::body(model, facts, request, &self.quirks))
    }

    fn learn(&self, failure: &Failure, request: &Request) -> bool {
        self.quirks.learn(failure, request.messages.len())
    }
}
