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

use crate::exchange;
use crate::http::{Http, Patience, Timeouts};
use crate::{Model, Piece, Reply, Request};

pub use dialect::{Dialect, Structured};
use quirks::Quirks;

/// A model behind a chat completions endpoint.
#[derive(Debug)]
pub struct OpenAiChat {
    facts: ModelFacts,
    /// The model's name as the endpoint knows it.
    model: String,
    url: String,
    key: Option<String>,
    dialect: Dialect,
    quirks: Quirks,
    http: Http,
}

impl OpenAiChat {
    /// The model `name` below `base_url` (which usually ends in `/v1`). Opens no connection yet.
    pub fn new(facts: ModelFacts, name: &str, base_url: &str, key: Option<String>, dialect: Dialect) -> OpenAiChat {
        let patience = if dialect.patient { Patience::long() } else { Patience::default() };
        OpenAiChat::with_patience(facts, name, base_url, key, dialect, patience)
    }

    /// The same with other limits of patience.
    pub fn with_patience(
        facts: ModelFacts,
        name: &str,
        base_url: &str,
        key: Option<String>,
        dialect: Dialect,
        patience: Patience,
    ) -> OpenAiChat {
        let base_url = base_url.trim_end_matches('/');
        OpenAiChat {
            facts,
            model: name.to_string(),
            url: format!("{base_url}/chat/completions"),
            key,
            dialect,
            quirks: Quirks::default(),
            http: Http::new(base_url, patience),
        }
    }

    /// The same with the limits of patience that the user set.
    #[must_use]
    pub fn within(mut self, said: Timeouts) -> OpenAiChat {
        self.http = self.http.within(said);
        self
    }

    async fn once(&self, request: &Request, show: &(dyn Fn(Piece<'_>) + Send + Sync)) -> Result<Reply, Failure> {
        let body = request::body(&self.model, request, &self.dialect, &self.quirks);
        let body = serde_json::to_vec(&body).expect("a JSON value always serialises");
        let mut headers = vec![("accept", "text/event-stream".to_string())];
        headers.extend(self.key.iter().map(|key| match self.dialect.key_header {
            "authorization" => ("authorization", format!("Bearer {}", key.trim())),
            other => (other, key.trim().to_string()),
        }));
        let secrets: Vec<&str> = self.key.as_deref().map(str::trim).into_iter().collect();
        let answer = self.http.post(&self.url, &headers, body, &secrets).await?;
        exchange::receive(answer, stream::Stream::default(), show).await
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
        Box::pin(async move {
            loop {
                match self.once(request, show).await {
                    // Each refusal teaches one quirk that was not known before, so this ends.
                    Err(failure) if self.quirks.learn(&failure) => {}
                    done => return done,
                }
            }
        })
    }
}
