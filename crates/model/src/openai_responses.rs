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

use crate::exchange;
use crate::http::{Http, Patience, Timeouts};
use crate::learnt::Learnt;
use crate::{Model, Piece, Reply, Request};

/// A model behind a Responses endpoint.
#[derive(Debug)]
pub struct OpenAiResponses {
    facts: ModelFacts,
    /// The model's name as the endpoint knows it.
    model: String,
    url: String,
    /// The key and the header that carries it.
    key: Option<(&'static str, String)>,
    learnt: Learnt,
    http: Http,
}

impl OpenAiResponses {
    /// The model `name` below `base_url` (which usually ends in `/v1`). Opens no connection yet.
    pub fn new(facts: ModelFacts, name: &str, base_url: &str, key: Option<String>) -> OpenAiResponses {
        OpenAiResponses::with_patience(facts, name, base_url, key, Patience::long())
    }

    /// The same with other limits of patience.
    pub fn with_patience(
        facts: ModelFacts,
        name: &str,
        base_url: &str,
        key: Option<String>,
        patience: Patience,
    ) -> OpenAiResponses {
        let base_url = base_url.trim_end_matches('/');
        OpenAiResponses {
            facts,
            model: name.to_string(),
            url: format!("{base_url}/responses"),
            key: key.map(|key| ("authorization", key.trim().to_string())),
            learnt: Learnt::default(),
            http: Http::new(base_url, patience),
        }
    }

    /// The same with the key in a header of its own instead of a bearer token (Azure).
    #[must_use]
    pub fn with_key_header(mut self, header: &'static str) -> OpenAiResponses {
        self.key = self.key.map(|(_, key)| (header, key));
        self
    }

    /// The same with the limits of patience that the user set.
    #[must_use]
    pub fn within(mut self, said: Timeouts) -> OpenAiResponses {
        self.http = self.http.within(said);
        self
    }

    async fn once(&self, request: &Request, show: &(dyn Fn(Piece<'_>) + Send + Sync)) -> Result<Reply, Failure> {
        let body = request::body(&self.model, &self.facts, request, &self.learnt);
        let body = serde_json::to_vec(&body).expect("a JSON value always serialises");
        let mut headers = vec![("accept", "text/event-stream".to_string())];
        headers.extend(self.key.iter().map(|(name, key)| match *name {
            "authorization" => ("authorization", format!("Bearer {key}")),
            other => (other, key.clone()),
        }));
        let secrets: Vec<&str> = self.key.iter().map(|(_, key)| key.as_str()).collect();
        let answer = self.http.post(&self.url, &headers, body, &secrets).await?;
        exchange::receive(answer, stream::Stream::default(), show).await
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
