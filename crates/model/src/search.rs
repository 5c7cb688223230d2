//! Searching the web by a service that the user names: one question, one answer, within limits of time and size. Only the
//! question and the service's own key are sent, and no redirect is followed.
//!
//! Services and their interfaces: Brave (<https://api-dashboard.search.brave.com/app/documentation/web-search>), Tavily
//! (<https://docs.tavily.com/documentation/api-reference/endpoint/search>), SearXNG (<https://docs.searxng.org/dev/search_api.html>).

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder, Url};
use serde_json::{Value, json};

use crate::keys;
use crate::web_address::{self, host, innermost};
use crate::with_roots;

/// For names, connecting and the answer.
const TIME: Duration = Duration::from_secs(20);
/// Bytes of an answer that are read.
const MOST: usize = 1 << 20;

/// What answers a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebSearch {
    /// A service with an interface of its own.
    Service {
        /// Which interface.
        kind: SearchKind,
        /// Its address.
        url: String,
        /// The variable that holds its key; none where it needs none.
        key_env: Option<String>,
    },
    /// A tool of an MCP server, which takes a `query`.
    Mcp {
        /// The server.
        server: String,
        /// Its tool.
        tool: String,
    },
}

/// The interface of a search service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// Brave Search.
    Brave,
    /// Tavily.
    Tavily,
    /// SearXNG, with its JSON format switched on.
    Searxng,
}

impl WebSearch {
    /// What the configuration names: a provider, and what differs from its usual address and key. `tool` is `SERVER/TOOL`.
    /// None where no provider is named, or one of an MCP server without its tool.
    pub fn of(
        provider: Option<&str>,
        url: Option<&str>,
        key_env: Option<&str>,
        tool: Option<&str>,
    ) -> Option<WebSearch> {
        let (kind, usual, key) = match provider? {
            "brave" => (SearchKind::Brave, "https://api.search.brave.com/res/v1/web/search", Some("BRAVE_API_KEY")),
            "tavily" => (SearchKind::Tavily, "https://api.tavily.com/search", Some("TAVILY_API_KEY")),
            "searxng" => (SearchKind::Searxng, "http://localhost:8080/search", None),
            _ => {
                let (server, tool) = tool?.split_once('/')?;
                return Some(WebSearch::Mcp { server: server.to_owned(), tool: tool.to_owned() });
            }
        };
        let key_env = key_env.or(key).map(str::to_owned);
        Some(WebSearch::Service { kind, url: url.unwrap_or(usual).to_owned(), key_env })
    }
}

/// A page that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// Its title; may be empty.
    pub title: String,
    /// What it is about; may be empty.
    pub summary: String,
}

/// Asks a service for at most `limit` pages.
///
/// # Errors
/// A sentence: the key is not set, the service does not answer in time, or not with a list.
pub async fn search(
    kind: SearchKind,
    url: &str,
    key_env: Option<&str>,
    query: &str,
    limit: usize,
) -> Result<Vec<Page>, String> {
    let url = web_address::parse(url)?;
    let key = key_env.map(key).transpose()?;
    let asked = tokio::time::timeout(TIME, send(kind, &url, key.as_deref(), query, limit));
    let bytes =
        asked.await.unwrap_or_else(|_| Err(format!("`{}` did not answer within {} s", host(&url), TIME.as_secs())))?;
    let answer =
        serde_json::from_slice(&bytes).map_err(|why| format!("`{}` did not answer in JSON: {why}", host(&url)))?;
    pages(&url, &answer, limit)
}

/// The key in this variable, which is kept out of logs from now on.
fn key(name: &str) -> Result<String, String> {
    let key = std::env::var(name).ok().filter(|it| !it.trim().is_empty());
    let key = key.ok_or_else(|| {
        format!("the search service needs a key, and {name} is not set. The user sets it, or another provider under `web_search`.")
    })?;
    keys::know(&key);
    Ok(key)
}

/// The answer of a service, as it came.
async fn send(kind: SearchKind, url: &Url, key: Option<&str>, query: &str, limit: usize) -> Result<Vec<u8>, String> {
    let builder = Client::builder().redirect(reqwest::redirect::Policy::none());
    let client = with_roots(builder, url.scheme() == "https")?.build().map_err(|error| failed(url, &error))?;
    let count = limit.to_string();
    let bearer = key.map(|it| format!("Bearer {it}"));
    let request = match kind {
        SearchKind::Brave => {
            let asked = with(url, &[("q", query), ("count", &count), ("text_decorations", "false")]);
            secret(client.get(asked), "X-Subscription-Token", key)?
        }
        SearchKind::Searxng => {
            let asked = with(url, &[("q", query), ("format", "json")]);
            secret(client.get(asked), AUTHORIZATION.as_str(), bearer.as_deref())?
        }
        SearchKind::Tavily => {
            let body = json!({"query": query, "max_results": limit}).to_string();
            let request = client.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body);
            secret(request, AUTHORIZATION.as_str(), bearer.as_deref())?
        }
    };
    let answer = request.header(ACCEPT, "application/json").send().await;
    let mut answer = answer.map_err(|error| failed(url, &error))?;
    if !answer.status().is_success() {
        return Err(format!("`{}` answered {}", host(url), answer.status()));
    }
    let mut bytes = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|error| failed(url, &error))? {
        if bytes.len() + piece.len() > MOST {
            return Err(format!("`{}` answered with more than {} KiB", host(url), MOST >> 10));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

fn failed(url: &Url, error: &reqwest::Error) -> String {
    format!("`{}` could not be asked: {}", host(url), innermost(error))
}

fn with(url: &Url, pairs: &[(&str, &str)]) -> Url {
    let mut url = url.clone();
    url.query_pairs_mut().extend_pairs(pairs);
    url
}

fn secret(request: RequestBuilder, name: &str, value: Option<&str>) -> Result<RequestBuilder, String> {
    let Some(value) = value else { return Ok(request) };
    let mut value =
        HeaderValue::try_from(value).map_err(|_| "the key of the search service cannot be sent".to_owned())?;
    value.set_sensitive(true);
    Ok(request.header(name, value))
}

/// The pages of an answer. All three services name title and address alike; the summary has two names.
fn pages(url: &Url, answer: &Value, limit: usize) -> Result<Vec<Page>, String> {
    let list = answer.pointer("/web/results").or_else(|| answer.get("results"));
    // Brave leaves the list out where nothing was found.
    let none = Vec::new();
    let list = match list.map(Value::as_array) {
        Some(Some(list)) => list,
        None if answer.is_object() && answer.get("error").is_none() => &none,
        _ => return Err(format!("`{}` answered without a list of results", host(url))),
    };
    let page = |it: &Value| {
        let field = |name: &str| it[name].as_str().map(str::to_owned);
        let summary = field("description").or_else(|| field("content")).unwrap_or_default();
        Some(Page { url: field("url")?, title: field("title").unwrap_or_default(), summary })
    };
    Ok(list.iter().take(limit).filter_map(page).collect())
}

#[cfg(test)]
mod tests;
