//! The way to the API: within this process, or over HTTP.

use std::pin::Pin;
use std::time::Duration;

use futures_util::stream::{Stream, StreamExt, TryStreamExt};
use ox_server::{Body, Embedded, Request};
use reqwest::{Client, Method};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::Error;

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may say nothing: the server says something every 15 s on a stream of events.
const SILENCE: Duration = Duration::from_secs(60);

/// The body of an answer as it comes.
pub(crate) type Pieces = Pin<Box<dyn Stream<Item = Result<Vec<u8>, Error>> + Send>>;

/// A way to the API.
pub(crate) enum Link {
    Here(Box<Embedded>),
    There { client: Client, base: Url, token: String },
}

/// A request: its method and path, the query, a body in JSON, and the key under which it takes effect once.
pub(crate) struct Asked<'a> {
    pub method: Method,
    pub path: &'a [&'a str],
    pub query: &'a [(&'a str, String)],
    pub body: Option<Vec<u8>>,
    pub key: Option<String>,
}

impl<'a> Asked<'a> {
    pub fn get(path: &'a [&'a str]) -> Asked<'a> {
        Asked { method: Method::GET, path, query: &[], body: None, key: None }
    }

    pub fn with(method: Method, path: &'a [&'a str], body: &impl Serialize) -> Asked<'a> {
        let body = serde_json::to_vec(body).expect("invariant: what is asked is JSON");
        Asked { method, body: Some(body), ..Asked::get(path) }
    }
}

impl Link {
    /// To the server at `base`. An error: the address is none, or no client can be made.
    pub fn to(base: &str, token: &str) -> Result<Link, Error> {
        let base = Url::parse(base).map_err(|error| Error::connection(format!("{base}: {error}")))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(Error::connection(format!("{base}: an address begins with http:// or https://")));
        }
        let builder = Client::builder()
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .tcp_nodelay(true)
            .redirect(reqwest::redirect::Policy::none());
        let builder = ox_model::with_roots(builder, base.scheme() == "https").map_err(Error::connection)?;
        let client = builder.build().map_err(Error::connection)?;
        Ok(Link::There { client, base, token: token.to_owned() })
    }

    /// What a route answers.
    pub async fn ask<T: DeserializeOwned>(&self, asked: Asked<'_>) -> Result<T, Error> {
        let body = self.content(asked).await?;
        serde_json::from_slice(&body).map_err(Error::protocol)
    }

    /// The body of an answer.
    pub async fn content(&self, asked: Asked<'_>) -> Result<Vec<u8>, Error> {
        self.stream(asked).await?.try_concat().await
    }

    /// The same as it comes.
    pub async fn stream(&self, asked: Asked<'_>) -> Result<Pieces, Error> {
        let (status, pieces) = match self {
            Link::Here(embedded) => here(embedded, asked).await?,
            Link::There { client, base, token } => there(client, base, token, asked).await?,
        };
        if status < 300 {
            return Ok(pieces);
        }
        let body = pieces.try_concat().await?;
        Err(Error::answered(status, &body))
    }
}

async fn here(embedded: &Embedded, asked: Asked<'_>) -> Result<(u16, Pieces), Error> {
    let base = Url::parse("http://localhost").expect("invariant: an address");
    let url = address(&base, &asked)?;
    let target = url[url::Position::BeforePath..].to_owned();
    let mut request = Request::builder().method(asked.method.as_str()).uri(target);
    if asked.body.is_some() {
        request = request.header("content-type", "application/json");
    }
    if let Some(key) = asked.key {
        request = request.header("idempotency-key", key);
    }
    let request = request.body(asked.body.map_or_else(Body::empty, Body::from)).map_err(Error::protocol)?;
    let response = embedded.ask(request).await;
    let status = response.status().as_u16();
    let pieces = response.into_body().into_data_stream();
    Ok((status, Box::pin(pieces.map(|it| it.map(Into::into).map_err(Error::connection)))))
}

async fn there(client: &Client, base: &Url, token: &str, asked: Asked<'_>) -> Result<(u16, Pieces), Error> {
    let mut request = client.request(asked.method.clone(), address(base, &asked)?).bearer_auth(token);
    if let Some(body) = asked.body {
        request = request.header("content-type", "application/json").body(body);
    }
    if let Some(key) = asked.key {
        request = request.header("idempotency-key", key);
    }
    let response = request.send().await.map_err(unreached)?;
    let status = response.status().as_u16();
    let pieces = futures_util::stream::try_unfold(response, |mut response| async move {
        let piece = response.chunk().await.map_err(unreached)?;
        Ok(piece.map(|it| (it.into(), response)))
    });
    Ok((status, Box::pin(pieces)))
}

/// With the causes: the error itself names the address alone.
fn unreached(error: reqwest::Error) -> Error {
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |it| it.source());
    Error::connection(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}

fn address(base: &Url, asked: &Asked<'_>) -> Result<Url, Error> {
    let mut url = base.clone();
    let unusable = || Error::connection(format!("{base}: no address of a server"));
    url.path_segments_mut().map_err(|()| unusable())?.pop_if_empty().extend(asked.path);
    if !asked.query.is_empty() {
        url.query_pairs_mut().extend_pairs(asked.query);
    }
    Ok(url)
}
