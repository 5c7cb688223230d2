//! OpenAI chat completions, and whatever is compatible with them by URL.
//!
//! Endpoints differ in which optional fields they take. What is known is data in [`Dialect`]; what is not is learnt from
//! the endpoint's own refusal, at most once per field, and the same request is sent again without it. No other request
//! is ever repeated here.

mod calls;
mod dialect;
mod messages;
mod quirks;
mod request;
mod stream;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use stream::Stream;

use ox_protocol::{Failure, ModelFacts};

use crate::model::Request;
use crate::wire::endpoint::Endpoint;
use crate::wire::format::Format;
use crate::wire::http::Patience;

pub use dialect::Dialect;
use quirks::Quirks;

/// The format of chat completions, as one kind of server speaks it; the base address usually ends in `/v1`.
#[derive(Debug, Default)]
pub struct OpenAiChat {
    dialect: Dialect,
    quirks: Quirks,
}

impl OpenAiChat {
    /// As a server of this dialect speaks it.
    pub(crate) fn new(dialect: Dialect) -> OpenAiChat {
        OpenAiChat { dialect, quirks: Quirks::default() }
    }
}

impl Format for OpenAiChat {
    type Reading = stream::Stream;

    fn endpoint(&self, _name: &str, base_url: &str) -> Endpoint {
        let patience = if self.dialect.patient { Patience::long() } else { Patience::default() };
        Endpoint::new(format!("{base_url}/chat/completions"), patience)
    }

    fn key_header(&self) -> &'static str {
        self.dialect.key_header
    }

    fn body(&self, model: &str, _facts: &ModelFacts, request: &Request) -> Vec<u8> {
        request::body(model, request, &self.dialect, &self.quirks)
    }

    fn learn(&self, failure: &Failure, _request: &Request) -> bool {
        self.quirks.learn(failure)
    }
}
