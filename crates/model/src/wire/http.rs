//! The HTTP connection to one endpoint: one client, built at the first request, with three limits of patience.
//!
//! It never follows a redirect (a key must not travel elsewhere), never loads certificates for an `http://` address,
//! and never sends a request to a loopback address through a proxy.

use std::sync::OnceLock;
use std::time::Duration;

use ox_protocol::{Failure, FailureKind};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response};

use crate::address::is_loopback;
use crate::failure::{self, failure};
use crate::keys::redact;
use crate::wire::roots;

/// The most bytes that are read of an answer that is not a stream.
const BODY_LIMIT: usize = 32 << 20;
/// How long the end of a stream is awaited after its last event, so that the connection can be used again.
const DRAIN: Duration = Duration::from_millis(50);

/// How long an endpoint may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the first byte of the answer.
    pub first_byte: Duration,
    /// Between two pieces of the answer.
    pub idle: Duration,
}

/// What the user says about the three limits; what is none stays as the wire format and the provider have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Option<Duration>,
    /// Until the first byte of the answer.
    pub first_byte: Option<Duration>,
    /// Between two pieces of the answer.
    pub idle: Option<Duration>,
}

impl Default for Patience {
    fn default() -> Patience {
        let seconds = Duration::from_secs;
        Patience { connect: seconds(10), first_byte: seconds(120), idle: seconds(120) }
    }
}

impl Patience {
    /// The same with what the user says.
    pub(crate) fn within(self, said: Timeouts) -> Patience {
        Patience {
            connect: said.connect.unwrap_or(self.connect),
            first_byte: said.first_byte.unwrap_or(self.first_byte),
            idle: said.idle.unwrap_or(self.idle),
        }
    }

    /// For an endpoint that may be silent for long: a local server loading a model, or a model that reasons unseen.
    pub(crate) fn long() -> Patience {
        let ten_minutes = Duration::from_secs(600);
        Patience { first_byte: ten_minutes, idle: ten_minutes, ..Patience::default() }
    }
}

/// A lazily built client for the endpoints of one address.
#[derive(Debug)]
pub(crate) struct Http {
    client: OnceLock<Result<Client, String>>,
    secure: bool,
    loopback: bool,
    patience: Patience,
}

/// An answer with a successful status, read piece by piece.
pub(crate) struct Answer {
    response: Response,
    idle: Duration,
    url: String,
}

impl Http {
    /// For requests below `base_url`. Does nothing yet.
    pub(crate) fn new(base_url: &str, patience: Patience) -> Http {
        Http { client: OnceLock::new(), secure: needs_tls(base_url), loopback: is_loopback(base_url), patience }
    }

    /// The same with the limits of patience that the user set, before the first request.
    pub(crate) fn within(self, said: Timeouts) -> Http {
        Http { patience: self.patience.within(said), client: OnceLock::new(), ..self }
    }

    fn client(&self) -> Result<&Client, Failure> {
        let client = self.client.get_or_init(|| {
            let mut builder = Client::builder()
                .connect_timeout(self.patience.connect)
                .redirect(reqwest::redirect::Policy::none())
                .tcp_nodelay(true)
                .pool_idle_timeout(Duration::from_secs(90))
                .user_agent(concat!("ox/", env!("CARGO_PKG_VERSION")));
            if self.loopback {
                builder = builder.no_proxy();
            }
            roots::install(builder, self.secure)?.build().map_err(|error| failure::chain(&error))
        });
        client.as_ref().map_err(|words| failure(FailureKind::Tls, format!("no HTTP client could be made: {words}")))
    }

    /// Sends a JSON body. A status that is not a success is a failure; `secrets` never appear in its message.
    pub(crate) async fn post(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
        secrets: &[&str],
    ) -> Result<Answer, Failure> {
        let request = self.client()?.post(url).headers(header_map(headers)?).header(CONTENT_TYPE, "application/json");
        // An address may hold a password, and every message below names it.
        self.send(request.body(body), &redact(url, secrets), secrets).await
    }

    /// Fetches an address, without any key. A status that is not a success is a failure.
    pub(crate) async fn get(&self, url: &str) -> Result<Answer, Failure> {
        self.send(self.client()?.get(url), &redact(url, &[]), &[]).await
    }

    async fn send(&self, request: reqwest::RequestBuilder, url: &str, secrets: &[&str]) -> Result<Answer, Failure> {
        let limit = self.patience.first_byte;
        let sent = tokio::time::timeout(limit, request.send()).await;
        let response = match sent {
            Err(_) => return Err(too_slow(url, "first byte", limit)),
            Ok(Err(error)) => return Err(failure::from_transport(&error, url)),
            Ok(Ok(response)) => response,
        };
        let status = response.status();
        let headers = response.headers().clone();
        let answer = Answer { response, idle: self.patience.idle, url: url.to_string() };
        if status.is_success() {
            return Ok(answer);
        }
        let body = answer.rest(Vec::new()).await.unwrap_or_default();
        let body = String::from_utf8_lossy(&body);
        Err(failure::from_answer(status.as_u16(), &headers, &body, url, secrets))
    }
}

impl Answer {
    /// The next piece; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<impl AsRef<[u8]> + Send + use<>>, Failure> {
        match tokio::time::timeout(self.idle, self.response.chunk()).await {
            Err(_) => Err(too_slow(&self.url, "next byte", self.idle)),
            Ok(Err(error)) => {
                let words = failure::chain(&error);
                Err(failure(FailureKind::Cut, format!("the stream from {} broke: {words}", self.url)))
            }
            Ok(Ok(chunk)) => Ok(chunk),
        }
    }

    /// `begun` and everything that is still to come.
    pub(crate) async fn rest(mut self, begun: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let mut body = begun;
        while let Some(chunk) = self.next().await? {
            body.extend_from_slice(chunk.as_ref());
            if body.len() > BODY_LIMIT {
                return Err(failure(FailureKind::Malformed, format!("the answer of {} is too long", self.url)));
            }
        }
        Ok(body)
    }

    /// Reads the end of the body after the last event, briefly: a connection is used again only when it was read out.
    pub(crate) async fn drain(mut self) {
        let _ = tokio::time::timeout(DRAIN, async { while let Ok(Some(_)) = self.response.chunk().await {} }).await;
    }

    /// Where the answer comes from.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

fn too_slow(url: &str, what: &str, limit: Duration) -> Failure {
    failure(FailureKind::Timeout, format!("no {what} from {url} within {limit:?}"))
}

fn header_map(headers: &[(&'static str, String)]) -> Result<HeaderMap, Failure> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let value = HeaderValue::from_str(value.trim());
        let mut value = value.map_err(|_| {
            failure(
                FailureKind::Auth,
                format!("the value of header `{name}` has characters that no key has; check the key"),
            )
        })?;
        value.set_sensitive(true);
        map.insert(HeaderName::from_static(name), value);
    }
    Ok(map)
}

fn needs_tls(base_url: &str) -> bool {
    let proxy = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
    let secure_proxy = || proxy.iter().any(|it| std::env::var(it).is_ok_and(|url| url.starts_with("https")));
    !base_url.starts_with("http://") || (!is_loopback(base_url) && secure_proxy())
}
