//! Turns what an endpoint or the network said into a `Failure`, as data that retries are decided from.
//!
//! The provider's own words are kept, keys are not. Nothing here decides whether to ask again.

use std::error::Error;
use std::time::{Duration, SystemTime};

use ox_protocol::{Failure, FailureKind};
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::failure_kind;
use crate::keys::redact;

/// The longest message that is kept, in bytes; some proxies answer with whole web pages.
const MESSAGE_LIMIT: usize = 2000;

/// A failure that is not an answer: only its kind and our words.
pub(crate) fn failure(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure { kind, status: None, message: message.into(), retry_after_ms: None, partial: String::new() }
}

/// An answer with a status that is not a success.
pub(crate) fn from_answer(status: u16, headers: &HeaderMap, body: &str, url: &str, secrets: &[&str]) -> Failure {
    let parsed = serde_json::from_str(body).unwrap_or(Value::Null);
    let mut said = Said::read(&parsed);
    if said.message.is_empty() {
        said.message = plain_words(body);
    }
    let kind = failure_kind::of(Some(status), &said.code, &said.message);
    let unexplained = said.code.is_empty() && matches!(status, 300..=399 | 404 | 405);
    let message = match (unexplained, said.message.is_empty()) {
        (true, _) => format!(
            "{url} answered {status}{}; check the base URL{}",
            headers.get("location").and_then(|it| it.to_str().ok()).map(|to| format!(" to {to}")).unwrap_or_default(),
            if said.message.is_empty() { String::new() } else { format!(" ({})", said.message) },
        ),
        (false, true) => format!("{url} answered {status} without saying why"),
        (false, false) => said.message,
    };
    let asked = asked_in_body(&parsed);
    let kind = match kind {
        // A provider that says when to come again speaks of its pace, though it calls that a quota.
        FailureKind::Quota if status == 429 && asked.is_some() => FailureKind::RateLimited,
        kind => kind,
    };
    Failure {
        status: Some(status),
        retry_after_ms: retry_after(headers, SystemTime::now()).or(asked),
        ..failure(kind, cut(&redact(&message, secrets)))
    }
}

/// How long Google asks to wait: `"retryDelay": "34.5s"` among the error's details.
fn asked_in_body(body: &Value) -> Option<u64> {
    let body = body.as_array().and_then(|it| it.first()).unwrap_or(body);
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|it| it.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Some((seconds.max(0.0) * 1000.0) as u64)
}

/// An error object inside a stream that began well.
pub(crate) fn from_event(value: &Value) -> Failure {
    let said = Said::read(value);
    let status = said.status;
    let kind = match failure_kind::of(status, &said.code, &said.message) {
        // Without a status nothing says that the request is wrong, and the endpoint had accepted it.
        FailureKind::BadRequest if status.is_none() && !said.code.contains("invalid") => FailureKind::Server,
        kind => kind,
    };
    let message = if said.message.is_empty() { value.to_string() } else { said.message };
    Failure { status, ..failure(kind, cut(&redact(&message, &[]))) }
}

/// The network failed before an answer came.
pub(crate) fn from_transport(error: &reqwest::Error, url: &str) -> Failure {
    let words = chain(error);
    let kind = if speaks_of_tls(error, &words) {
        FailureKind::Tls
    } else if error.is_timeout() {
        FailureKind::Timeout
    } else if error.is_connect() || error.is_request() {
        FailureKind::Connect
    } else if error.is_builder() {
        FailureKind::BadRequest
    } else {
        FailureKind::Cut
    };
    let what = match kind {
        FailureKind::Tls => "no secure connection to",
        FailureKind::Timeout => "no connection in time to",
        FailureKind::Connect => "cannot reach",
        FailureKind::BadRequest => "cannot ask",
        _ => "the connection broke to",
    };
    let hint = match kind {
        FailureKind::Tls if words.contains("UnknownIssuer") => "; name the issuer's certificate in SSL_CERT_FILE",
        _ => "",
    };
    failure(kind, cut(&redact(&format!("{what} {url}: {words}{hint}"), &[])))
}

/// The error and its causes, outermost first, without reqwest's own repetition of the address.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut next = error.source().or(Some(error));
    while let Some(error) = next {
        let text = error.to_string();
        // The HTTP library's own layers say nothing that a user could act on.
        let layer = text.starts_with("client error (") && error.source().is_some();
        if !layer && !words.iter().any(|it| it.contains(&text)) {
            words.push(text);
        }
        next = error.source();
    }
    words.join(": ")
}

fn speaks_of_tls(error: &(dyn Error + 'static), words: &str) -> bool {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if error.is::<rustls::Error>() {
            return true;
        }
        next = error.source();
    }
    let words = words.to_ascii_lowercase();
    ["certificate", "tls", "handshake", "corrupt message"].iter().any(|it| words.contains(it))
}

/// How long the provider asks to wait: in milliseconds, or `retry-after` as seconds or as a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|it| it.to_str().ok()).map(str::trim);
    let in_ms = ["retry-after-ms", "x-ms-retry-after-ms"].iter().find_map(|it| text(it)?.parse::<f64>().ok());
    if let Some(ms) = in_ms.filter(|it| !it.is_nan()) {
        return Some(ms.max(0.0) as u64);
    }
    let value = text("retry-after")?;
    if let Some(seconds) = value.parse::<f64>().ok().filter(|it| !it.is_nan()) {
        return Some((seconds.max(0.0) * 1000.0) as u64);
    }
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(now).unwrap_or(Duration::ZERO).as_millis() as u64)
}

/// What an error body says, whichever of the usual shapes it has.
#[derive(Debug, Default)]
struct Said {
    /// Error type and code, lower-case, joined by a blank.
    code: String,
    message: String,
    /// A status inside the body (OpenRouter, Google).
    status: Option<u16>,
}

impl Said {
    fn read(body: &Value) -> Said {
        let body = body.as_array().and_then(|it| it.first()).unwrap_or(body);
        let error = match body.get("error") {
            Some(Value::String(message)) => return Said { message: message.clone(), ..Said::default() },
            Some(error) if !error.is_null() => error,
            _ => body,
        };
        let mut said = Said::default();
        for key in ["type", "code", "status"] {
            match error.get(key) {
                Some(Value::String(text)) if text != "error" => said.code += &format!("{} ", text.to_lowercase()),
                Some(Value::Number(number)) => {
                    said.status = number.as_u64().and_then(|it| u16::try_from(it).ok()).filter(|it| *it >= 300);
                }
                _ => {}
            }
        }
        said.code.truncate(said.code.trim_end().len());
        said.message = ["message", "detail", "msg", "title"]
            .iter()
            .filter_map(|key| error.get(*key))
            .map(words)
            .find(|it| !it.is_empty())
            .unwrap_or_default();
        // OpenRouter wraps the words of the provider behind it.
        if let Some(raw) = error.pointer("/metadata/raw").map(words).filter(|it| !it.is_empty()) {
            said.message = format!("{}: {raw}", said.message);
        }
        said
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The words of a body that is not JSON; a web page is reduced to its title.
fn plain_words(body: &str) -> String {
    let body = body.trim();
    if body.starts_with('{') || body.starts_with('[') {
        return body.to_string();
    }
    match body.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>")) {
        Some((title, _)) => title.trim().to_string(),
        None if body.starts_with('<') => String::new(),
        None => body.to_string(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().find(|(at, _)| *at >= MESSAGE_LIMIT) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_times() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let cases = [
            ("retry-after", "3", Some(3000)),
            ("retry-after", "0.25", Some(250)),
            ("retry-after-ms", "1500", Some(1500)),
            ("x-ms-retry-after-ms", "20", Some(20)),
            ("retry-after", "-5", Some(0)),
            ("retry-after", "NaN", None),
            ("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT", Some(10_000)),
            ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("retry-after", "Thu, 29 Feb 1996 00:00:00 GMT", Some(41_440_223_000)),
            ("retry-after", "soon", None),
            ("x-other", "3", None),
        ];
        for (name, value, expected) in cases {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            assert_eq!(retry_after(&headers, now), expected, "{name}: {value}");
        }
    }

    #[test]
    fn keys_never_stay() {
        assert_eq!(redact("key secret-key-1 is wrong", &["secret-key-1"]), "key [key] is wrong");
        assert_eq!(
            redact("Incorrect API key provided: sk-proj-abc***wxyz. See x", &[]),
            "Incorrect API key provided: [key]. See x"
        );
        assert_eq!(redact("task-manager-is-fine, sk-1 is short", &[]), "task-manager-is-fine, sk-1 is short");
        let cases = [
            ("AIzaSyA-1234567890 and gsk_0123456789", "[key] and [key]"),
            ("Authorization: Bearer abc.def-ghi", "Authorization: [key]"),
            (
                "cannot reach http://me:pass@proxy:3128/v1 via https://x/@y",
                "cannot reach http://[key]@proxy:3128/v1 via https://x/@y",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(redact(text, &[]), expected);
        }
    }

    #[test]
    fn a_web_page_instead_of_an_answer_names_the_address() {
        let page = "<!doctype html><html><head><title>404 Not Found</title></head></html>";
        let failure = from_answer(404, &HeaderMap::new(), page, "http://localhost/x", &[]);
        assert_eq!(failure.kind, FailureKind::BadRequest);
        assert_eq!(failure.message, "http://localhost/x answered 404; check the base URL (404 Not Found)");
        let empty = from_answer(500, &HeaderMap::new(), "", "http://localhost/x", &[]);
        assert_eq!(empty.message, "http://localhost/x answered 500 without saying why");
    }

    #[test]
    fn a_quota_that_ends_soon_is_a_pace() {
        let body = |details: &str| {
            format!(
                "{{\"error\":{{\"code\":429,\"message\":\"You exceeded your current quota\",\"status\":\"RESOURCE_EXHAUSTED\"{details}}}}}"
            )
        };
        let delay = ",\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"3.5s\"}]";
        let soon = from_answer(429, &HeaderMap::new(), &body(delay), "http://x", &[]);
        assert_eq!((soon.kind, soon.retry_after_ms), (FailureKind::RateLimited, Some(3500)));
        assert_eq!(from_answer(429, &HeaderMap::new(), &body(""), "http://x", &[]).kind, FailureKind::Quota);
    }

    #[test]
    fn errors_inside_a_stream() {
        let cases = [
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, FailureKind::Overloaded),
            (r#"{"error":{"message":"The server had an error","type":"server_error"}}"#, FailureKind::Server),
            (r#"{"error":{"code":429,"message":"Rate limit exceeded"}}"#, FailureKind::RateLimited),
            (r#"{"error":"model runner has unexpectedly stopped"}"#, FailureKind::Server),
            (r#"{"error":{"type":"invalid_request_error","message":"bad"}}"#, FailureKind::BadRequest),
        ];
        for (body, kind) in cases {
            assert_eq!(from_event(&serde_json::from_str(body).unwrap()).kind, kind, "{body}");
        }
    }
}
