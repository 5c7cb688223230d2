//! A model behind an endpoint, whatever its wire format; a format adds the body of a request, what refusals teach about it,
//! and the reading of the answer.

use std::borrow::Cow;

use ox_protocol::{BoxFuture, Failure, ModelFacts};
use serde_json::{Value, json};

use crate::model::{Model, Piece, Reply, Request};
use crate::wire::effort::Efforts;
use crate::wire::endpoint::Endpoint;
use crate::wire::exchange::{self, Collector};
use crate::wire::http::Timeouts;

/// A wire format. What it learns of its endpoint it keeps itself.
pub trait Format: Send + Sync {
    /// Reads an answer.
    type Reading: Collector + Default;
    /// Where the model `name` is asked below `base_url`, and with which headers; the key is not known here.
    fn endpoint(&self, name: &str, base_url: &str) -> Endpoint;
    /// The header that carries the key.
    fn key_header(&self) -> &'static str;
    /// The body of a streaming request, as JSON text.
    fn body(&self, model: &str, facts: &ModelFacts, request: &Request) -> Vec<u8>;
    /// True when the failure is a refusal that teaches something new, so that asking again differently is worth while.
    fn learn(&self, failure: &Failure, request: &Request) -> bool;
}

/// A model that is asked in the wire format `F`.
#[derive(Debug)]
pub struct WireModel<F> {
    format: F,
    facts: ModelFacts,
    /// The model's name as the endpoint knows it.
    model: String,
    endpoint: Endpoint,
    efforts: Efforts,
}

impl<F: Format> WireModel<F> {
    /// The model `name` below `base_url`. Opens no connection yet.
    pub fn new(format: F, facts: ModelFacts, name: &str, base_url: &str, key: Option<String>) -> WireModel<F> {
        let endpoint = format.endpoint(name, base_url.trim_end_matches('/')).with("accept", exchange::ACCEPT);
        let endpoint = endpoint.keyed(format.key_header(), key);
        WireModel { format, facts, model: name.to_string(), endpoint, efforts: Efforts::default() }
    }

    /// The same with the time limits that the user set.
    #[must_use]
    pub fn within(self, limits: Timeouts) -> WireModel<F> {
        WireModel { endpoint: self.endpoint.within(limits), ..self }
    }
}

impl<F: Format> Model for WireModel<F> {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        let body = || self.format.body(&self.model, &self.facts, &self.efforts.fit(request));
        let learn = |failure: &Failure| self.efforts.learn(failure, request) || self.format.learn(failure, request);
        Box::pin(exchange::ask::<F::Reading>(&self.endpoint, request.max_output, body, learn, show))
    }
}

/// A temperature in JSON: through text, so that 0.2 does not become 0.20000000298.
pub(crate) fn temperature(it: f32) -> Value {
    serde_json::from_str(&it.to_string()).unwrap_or(json!(it))
}

/// A tool's name as every provider accepts it: a model may have made up one with other characters.
pub(crate) fn function_name(name: &str) -> Cow<'_, str> {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    if (1..=64).contains(&name.len()) && name.chars().all(fits) {
        return name.into();
    }
    let plain: String = name.chars().take(64).map(|it| if fits(it) { it } else { '_' }).collect();
    if plain.is_empty() { "unnamed".into() } else { plain.into() }
}
