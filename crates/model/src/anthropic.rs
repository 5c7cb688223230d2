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

use crate::exchange;
use crate::http::{Http, Patience, Timeouts};
use crate::{Model, Piece, Reply, Request};

use quirks::Quirks;

/// The version of the API that this is written for.
const VERSION: &str = "2023-06-01";

/// A model behind a Messages endpoint.
#[derive(Debug)]
pub struct Anthropic {
    facts: ModelFacts,
    model: String,
    url: String,
    key: Option<String>,
    quirks: Quirks,
    http: Http,
}

impl Anthropic {
    /// The model `name` below `base_url` (without `/v1`). Opens no connection yet.
    pub fn new(facts: ModelFacts, name: &str, base_url: &str, key: Option<String>) -> Anthropic {
        Anthropic::with_patience(facts, name, base_url, key, Patience::default())
    }

    /// The same with other limits of patience.
    pub fn with_patience(
        facts: ModelFacts,
        name: &str,
        base_url: &str,
        key: Option<String>,
        patience: Patience,
    ) -> Anthropic {
        let base_url = base_url.trim_end_matches('/').trim_end_matches("/v1");
        Anthropic {
            facts,
            model: name.to_string(),
            url: format!("{base_url}/v1/messages"),
            key,
            quirks: Quirks::default(),
            http: Http::new(base_url, patience),
        }
    }

    /// The same with the limits of patience that the user set.
    #[must_use]
    pub fn within(mut self, said: Timeouts) -> Anthropic {
        self.http = self.http.within(said);
        self
    }

    async fn once(&self, request: &Request, show: &(dyn Fn(Piece<'_>) + Send + Sync)) -> Result<Reply, Failure> {
        let body = request::body(&self.model, &self.facts, request, &self.quirks);
        let body = serde_json::to_vec(&body).expect("a JSON value always serialises");
        let mut headers = vec![("anthropic-version", VERSION.to_string()), ("accept", "text/event-stream".to_string())];
        headers.extend(self.key.iter().map(|key| ("x-api-key", key.trim().to_string())));
        let secrets: Vec<&str> = self.key.as_deref().map(str::trim).into_iter().collect();
        let answer = self.http.post(&self.url, &headers, body, &secrets).await?;
        exchange::receive(answer, stream::Stream::default(), show).await
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
        Box::pin(async move {
            loop {
                match self.once(request, show).await {
                    // Each refusal teaches something that was not known before, so this ends.
                    Err(failure) if self.quirks.learn(&failure, request.messages.len()) => {}
                    done => return done,
                }
            }
        })
    }
}
