//! Who may ask: every request goes through here first, and every answer on its way back.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use ox_protocol::Problem;
use ox_protocol::locale::Language;

use crate::failure::Failure;
use crate::secret::Proof;
use crate::shared::Shared;

/// The name of the page's cookie.
pub(crate) const COOKIE: &str = "ox_session";

/// Paths that need neither token nor cookie. The style is there for the page of whoever has neither.
const FREE: [&str; 4] = ["/health", "/openapi.json", "/open", "/app.css"];

/// What the page may load and do: what this server hands out, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
                      font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Lets through what may be asked, words errors, and adds what browsers have to hold to.
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let language = language(request.headers(), shared.language);
    let wants_page = request.method() == Method::GET && accepts_html(request.headers());
    let (began, method, path) = (Instant::now(), request.method().clone(), request.uri().path().to_owned());
    let mut response = match admitted(&shared, &request) {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    // Without the query: that of a one-time link is a secret.
    let (status, ms) = (response.status().as_u16(), began.elapsed().as_millis() as u64);
    tracing::info!(%method, path, status, ms, "request");
    if let Some(failure) = response.extensions_mut().remove::<Failure>() {
        let (status, allow) = (response.status(), response.headers_mut().remove(header::ALLOW));
        response = match wants_page && status == StatusCode::UNAUTHORIZED {
            true => (status, Html(sorry(language))).into_response(),
            false => failure.said(language),
        };
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(allow) = allow {
            response.headers_mut().insert(header::ALLOW, allow);
        }
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn admitted(shared: &Shared, request: &Request) -> Result<(), Failure> {
    let headers = request.headers();
    let text = |name: header::HeaderName| headers.get(name).and_then(|it| it.to_str().ok());
    let refused = |status, code: &str, value: &str| Err(Failure::new(status, Problem::new(code).with("value", value)));
    let host = text(header::HOST).or_else(|| request.uri().authority().map(|it| it.as_str())).unwrap_or_default();
    if !shared.hosts.iter().any(|it| it.eq_ignore_ascii_case(host)) {
        return refused(StatusCode::FORBIDDEN, "server.wrong_host", host);
    }
    let origin = headers.get(header::ORIGIN).map(|it| it.to_str().unwrap_or("?"));
    if let Some(origin) = origin {
        let own = shared.hosts.iter().any(|it| origin.eq_ignore_ascii_case(&format!("{}://{it}", shared.scheme)));
        if !own {
            return refused(StatusCode::FORBIDDEN, "server.wrong_origin", origin);
        }
    }
    if FREE.contains(&request.uri().path()) {
        return Ok(());
    }
    let bearer = text(header::AUTHORIZATION).map(|it| it.strip_prefix("Bearer ").unwrap_or(it).trim());
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(';'));
    let cookie = cookies.filter_map(|it| it.trim().strip_prefix(COOKIE)?.strip_prefix('=')).next();
    match shared.secrets.proof(bearer, cookie) {
        // A browser says where a request that changes something comes from.
        Some(Proof::Cookie) if origin.is_none() && !request.method().is_safe() => {
            refused(StatusCode::FORBIDDEN, "server.wrong_origin", "")
        }
        Some(_) => Ok(()),
        None => Err(Failure::new(StatusCode::UNAUTHORIZED, Problem::new("server.no_token"))),
    }
}

/// The language that is asked for, else that of the configuration.
pub(crate) fn language(headers: &HeaderMap, configured: Language) -> Language {
    match headers.get(header::ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok()) {
        Some(tag) if !tag.starts_with('*') => Language::from_tag(tag),
        _ => configured,
    }
}

fn accepts_html(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).and_then(|it| it.to_str().ok()).is_some_and(|it| it.contains("text/html"))
}

/// The page for whoever opens the address without the link.
fn sorry(language: Language) -> String {
    let sentence = language.say("server.open_link", &[]);
    let said: String = sentence
        .split('`')
        .enumerate()
        .map(|(at, it)| if at % 2 == 1 { format!("<code>{it}</code>") } else { it.to_owned() })
        .collect();
    let tag = match language {
        Language::En => "en",
        Language::Zh => "zh-CN",
    };
    format!(
        "<!doctype html><html lang={tag}><meta charset=utf-8><meta name=viewport content='width=device-width'>\
         <title>Ox</title><link rel=icon href='data:,'><link rel=stylesheet href=/app.css>\
         <body class=app><main class=home><h1>Ox</h1><p>{said}</p></main>"
    )
}
