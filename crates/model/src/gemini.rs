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

use crate::exchange;
use crate::http::{Http, Patience, Timeouts};
use crate::learnt::Learnt;
use crate::{Model, Piece, Reply, Request};

/// A model behind a Gemini endpoint.
#[derive(Debug)]
pub struct Gemini {
    facts: ModelFacts,
    model: String,
    url: String,
    key: Option<String>,
    learnt: Learnt,
    http: Http,
}

impl Gemini {
    /// The model `name` below `base_url`, which may or may not end in a version such as `/v1beta`. Opens no connection yet.
    pub fn new(facts: ModelFacts, name: &str, base_url: &str, key: Option<String>) -> Gemini {
        Gemini::with_patience(facts, name, base_url, key, Patience::long())
    }

    /// The same with other limits of patience.
    pub fn with_patience(
        facts: ModelFacts,
        name: &str,
        base_url: &str,
        key: Option<String>,
        patience: Patience,
    ) -> Gemini {
        let base_url = base_url.trim_end_matches('/');
        let version = if base_url.rsplit('/').next().is_some_and(is_version) { "" } else { "/v1beta" };
        let name = name.strip_prefix("models/").unwrap_or(name);
        Gemini {
            facts,
            model: name.to_string(),
            url: format!("{base_url}{version}/models/{name}:streamGenerateContent?alt=sse"),
            key: key.map(|key| key.trim().to_string()),
            learnt: Learnt::default(),
            http: Http::new(base_url, patience),
        }
    }

    /// The same with the limits of patience that the user set.
    #[must_use]
    pub fn within(mut self, said: Timeouts) -> Gemini {
        self.http = self.http.within(said);
        self
    }

    async fn once(&self, request: &Request, show: &(dyn Fn(Piece<'_>) + Send + Sync)) -> Result<Reply, Failure> {
        let body = request::body(&self.model, request, &self.learnt);
        let body = serde_json::to_vec(&body).expect("a JSON value always serialises");
        let mut headers = vec![("accept", "text/event-stream".to_string())];
        headers.extend(self.key.iter().map(|key| ("x-goog-api-key", key.clone())));
        let secrets: Vec<&str> = self.key.as_deref().into_iter().collect();
        let answer = self.http.post(&self.url, &headers, body, &secrets).await?;
        exchange::receive(answer, stream::Stream::default(), show).await
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
        Box::pin(async move {
            loop {
                match self.once(request, show).await {
                    // Each refusal teaches one thing that was not known before, so this ends.
                    Err(failure) if self.learnt.learn(&failure, request::LESSONS) => {}
                    done => return done,
                }
            }
        })
    }
}
