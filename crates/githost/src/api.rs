//! One request to a host and its answer: where it goes, what it carries, how much is read, and what a refusal means.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LINK, RETRY_AFTER, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Method, Response, StatusCode};
use serde_json::Value;
use url::Url;

use crate::{Error, Host};

/// Bytes of an answer that are read.
const MOST: usize = 8 << 20;
/// For one request, connecting included.
const TIME: Duration = Duration::from_secs(30);
/// Pages of a list that are read.
const PAGES: usize = 20;
/// Characters of what a host says that are repeated.
const SAID: usize = 400;

/// What every request to a host carries.
pub(crate) struct Api {
    pub host: Host,
    http: reqwest::Client,
    headers: HeaderMap,
    token: Option<String>,
}

/// One request.
pub(crate) struct Call<'a> {
    pub method: Method,
    /// Segments of the path behind the address of the interface, not encoded; a slash in one is part of its name.
    pub path: &'a [&'a str],
    pub query: &'a [(&'a str, &'a str)],
    pub accept: &'a str,
    pub body: Option<Value>,
}

impl<'a> Call<'a> {
    /// Reading JSON.
    pub(crate) fn get(path: &'a [&'a str], accept: &'a str) -> Call<'a> {
        Call { method: Method::GET, path, query: &[], accept, body: None }
    }

    /// Sending JSON.
    pub(crate) fn post(path: &'a [&'a str], accept: &'a str, body: Value) -> Call<'a> {
        Call { method: Method::POST, body: Some(body), ..Call::get(path, accept) }
    }

    fn what(&self) -> String {
        format!("{} /{}", self.method, self.path.join("/"))
    }
}

impl Api {
    /// `headers`: what the host wants in every request; values are not logged.
    pub(crate) fn new(
        host: Host,
        builder: ClientBuilder,
        headers: &[(&'static str, String)],
        token: Option<String>,
    ) -> Result<Api, Error> {
        let unreachable = |why: String| Error::Unreachable { host: host.name.clone(), why };
        let http = builder.redirect(Policy::none()).timeout(TIME).build();
        let http = http.map_err(|error| unreachable(innermost(&error)))?;
        let mut map = HeaderMap::new();
        map.insert(USER_AGENT, HeaderValue::from_static(concat!("ox/", env!("CARGO_PKG_VERSION"))));
        for (name, value) in headers {
            let mut value =
                HeaderValue::from_str(value).map_err(|_| unreachable("the token has odd characters".into()))?;
            value.set_sensitive(true);
            map.insert(HeaderName::from_static(name), value);
        }
        Ok(Api { host, http, headers: map, token })
    }

    /// The JSON that a request brings.
    pub(crate) async fn json(&self, call: &Call<'_>) -> Result<Value, Error> {
        let text = self.text(call).await?;
        self.parsed(call, &text)
    }

    /// The text that a request brings.
    pub(crate) async fn text(&self, call: &Call<'_>) -> Result<String, Error> {
        let response = self.send(call, self.url(call)).await?;
        self.read(response).await
    }

    /// The entries of a list, page by page, until `wanted` takes one. The next page is where the `Link` header says (RFC 8288).
    pub(crate) async fn first<T>(
        &self,
        call: &Call<'_>,
        wanted: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let mut url = self.url(call);
        for _ in 0..PAGES {
            let response = self.send(call, url).await?;
            let next = next_page(response.headers());
            let page = self.read(response).await?;
            let page = self.parsed(call, &page)?;
            let entries = page.as_array().ok_or_else(|| self.unreadable(call, "it is no list"))?;
            if let Some(found) = entries.iter().find_map(&wanted) {
                return Ok(Some(found));
            }
            let Some(next) = next else { return Ok(None) };
            let next = Url::parse(&next).map_err(|_| self.unreadable(call, "the address of the next page is none"))?;
            // The token goes to its own host alone.
            if next.origin() != self.host.api.origin() {
                return Err(self.unreadable(call, "the next page is on another host"));
            }
            url = next;
        }
        Ok(None)
    }

    /// That an answer is not as documented.
    pub(crate) fn unreadable(&self, call: &Call<'_>, why: &str) -> Error {
        Error::Unreadable { host: self.host.name.clone(), what: call.what(), why: why.to_owned() }
    }

    fn url(&self, call: &Call<'_>) -> Url {
        let mut url = self.host.api.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(call.path);
        }
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(call.query);
        }
        url
    }

    async fn send(&self, call: &Call<'_>, url: Url) -> Result<Response, Error> {
        let mut request = self.http.request(call.method.clone(), url).headers(self.headers.clone());
        request = request.header(ACCEPT, call.accept);
        if let Some(body) = &call.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        if response.status().is_success() { Ok(response) } else { Err(self.refusal(call, response).await) }
    }

    async fn read(&self, mut response: Response) -> Result<String, Error> {
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            if bytes.len() + piece.len() > MOST {
                return Err(Error::TooLong { host: self.host.name.clone(), most: MOST });
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn parsed(&self, call: &Call<'_>, text: &str) -> Result<Value, Error> {
        serde_json::from_str(text).map_err(|error| self.unreadable(call, &error.to_string()))
    }

    fn unreachable(&self, error: &reqwest::Error) -> Error {
        Error::Unreachable { host: self.host.name.clone(), why: innermost(error) }
    }

    async fn refusal(&self, call: &Call<'_>, response: Response) -> Error {
        let (status, limit) = (response.status(), limit(&response));
        let host = self.host.name.clone();
        let said = said(&self.read(response).await.unwrap_or_default());
        let why = self.token.iter().fold(said, |said, token| said.replace(token, "[key]"));
        let variables = self.host.kind.variables().join(", ");
        match status {
            StatusCode::TOO_MANY_REQUESTS => Error::RateLimited { host, wait: limit.flatten() },
            StatusCode::FORBIDDEN if limit.is_some() => Error::RateLimited { host, wait: limit.flatten() },
            StatusCode::UNAUTHORIZED => Error::Unauthorized { host, variables, why },
            StatusCode::FORBIDDEN => Error::Forbidden { host, scope: self.host.kind.scope().to_owned(), why },
            StatusCode::NOT_FOUND => Error::NotFound { host, what: call.what(), variables },
            StatusCode::BAD_REQUEST | StatusCode::CONFLICT | StatusCode::UNPROCESSABLE_ENTITY => {
                Error::Refused { host, why }
            }
            it if it.is_redirection() => Error::Moved { host, what: call.what() },
            it => Error::Status { host, status: it.as_u16(), why },
        }
    }
}

/// Whether a refusal is for asking too much, and how long to wait then. GitHub says so with 403 too ("Rate limits for the
/// REST API": `retry-after`, or `x-ratelimit-remaining: 0` with `x-ratelimit-reset`).
fn limit(response: &Response) -> Option<Option<Duration>> {
    let number = |name: &str| response.headers().get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let after = number(RETRY_AFTER.as_str()).map(Duration::from_secs);
    let spent = number("x-ratelimit-remaining") == Some(0);
    (after.is_some() || spent).then_some(after)
}

/// The address of the page whose relation is `next`.
fn next_page(headers: &HeaderMap) -> Option<String> {
    let links = headers.get_all(LINK).iter().filter_map(|it| it.to_str().ok());
    links.flat_map(|it| it.split(", <")).find_map(|link| {
        let (address, rest) = link.trim().trim_start_matches('<').split_once('>')?;
        rest.split(';').any(|it| matches!(it.trim(), "rel=\"next\"" | "rel=next")).then(|| address.to_owned())
    })
}

/// What a host says of a refusal, in one line: `message`, `error`, and what is listed below `errors`.
fn said(body: &str) -> String {
    fn collect(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::String(text) => into.push(text.clone()),
            Value::Array(all) => all.iter().for_each(|it| collect(it, into)),
            Value::Object(fields) => fields
                .iter()
                .filter(|(name, _)| !["documentation_url", "url", "status", "resource"].contains(&name.as_str()))
                .for_each(|(_, it)| collect(it, into)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    match serde_json::from_str(body) {
        Ok(value) => collect(&value, &mut all),
        Err(_) => all.push(body.trim().to_owned()),
    }
    let line = all.join("; ").chars().map(|it| if it.is_control() { ' ' } else { it }).take(SAID).collect::<String>();
    if line.is_empty() { "-".to_owned() } else { line }
}

/// The innermost cause of an error, which is the one that tells something; no address, for one may hold a secret.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut inner = error;
    while let Some(cause) = inner.source() {
        inner = cause;
    }
    inner.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_among_links() {
        let of = |link: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(LINK, HeaderValue::from_str(link).unwrap());
            next_page(&headers)
        };
        let both = "<https://a/p?page=1>; rel=\"prev\", <https://a/p?page=3>; rel=\"next\", <https://a/p?page=9>; rel=\"last\"";
        assert_eq!(of(both).as_deref(), Some("https://a/p?page=3"));
        assert_eq!(of("<https://a/p?q=x, y>; rel=\"next\"").as_deref(), Some("https://a/p?q=x, y"));
        assert_eq!(of("<https://a/p>; rel=\"last\""), None);
        assert_eq!(next_page(&HeaderMap::new()), None);
    }

    #[test]
    fn what_a_host_says_becomes_one_line() {
        let table = [
            (
                r#"{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"No commits between main and x"}],"documentation_url":"https://docs"}"#,
                "Validation Failed; custom; No commits between main and x",
            ),
            (
                r#"{"message":["Another open merge request already exists for this source branch: !1"]}"#,
                "Another open merge request already exists for this source branch: !1",
            ),
            (r#"{"message":{"base":["is gone"]}}"#, "is gone"),
            ("<html>\n\u{1b}[31mno", "<html>  [31mno"),
            ("", "-"),
        ];
        for (body, expected) in table {
            assert_eq!(said(body), expected);
        }
        assert_eq!(said(&"x".repeat(9000)).len(), SAID);
    }
}
