//! An address that is asked with JSON, and the key that goes with it.
//!
//! The key goes to this address alone, in one header, and is taken out of whatever the answer says.

use ox_protocol::Failure;
use serde::Serialize;

use crate::wire::http::{Answer, Http, Patience, Timeouts};

/// The header that carries a key as a bearer token.
pub(crate) const BEARER: &str = "authorization";

/// Where requests go, and with what.
#[derive(Debug)]
pub struct Endpoint {
    url: String,
    headers: Vec<(&'static str, String)>,
    /// The key and the header that carries it.
    key: Option<(&'static str, String)>,
    http: Http,
}

impl Endpoint {
    /// The address `url`, without any key. Opens no connection yet.
    pub(crate) fn new(url: String, patience: Patience) -> Endpoint {
        let http = Http::new(&url, patience);
        Endpoint { url, headers: Vec::new(), key: None, http }
    }

    /// The same with the key, if there is one, in this header.
    pub(crate) fn keyed(self, header: &'static str, key: Option<String>) -> Endpoint {
        Endpoint { key: key.map(|it| (header, it.trim().to_string())), ..self }
    }

    /// The same with a further header.
    pub(crate) fn with(mut self, header: &'static str, value: &str) -> Endpoint {
        self.headers.push((header, value.to_string()));
        self
    }

    /// The same with the limits of patience that the user set.
    pub(crate) fn within(self, said: Timeouts) -> Endpoint {
        Endpoint { http: self.http.within(said), ..self }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sends `body`, which is JSON. A status that is not a success is a failure.
    pub(crate) async fn post(&self, body: Vec<u8>) -> Result<Answer, Failure> {
        let mut headers = self.headers.clone();
        headers.extend(self.key.iter().map(|(header, key)| {
            let value = if *header == BEARER { format!("Bearer {key}") } else { key.clone() };
            (*header, value)
        }));
        let secrets: Vec<&str> = self.key.iter().map(|(_, key)| key.as_str()).collect();
        self.http.post(&self.url, &headers, body, &secrets).await
    }
}

/// A body as JSON text.
pub(crate) fn bytes(body: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("invariant: a body has texts for keys")
}
