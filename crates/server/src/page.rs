//! The web page: three files that are part of the program. They are built from `web/` and compared in the tests.

use std::io::Write;
use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use ox_protocol::Problem;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::Failure;
use crate::guard::COOKIE;
use crate::input::Params;
use crate::shared::Shared;

/// A file of the page, as it is and compressed.
struct Asset {
    kind: &'static str,
    plain: &'static [u8],
    compressed: LazyLock<Vec<u8>>,
}

macro_rules! asset {
    ($name:literal, $kind:literal) => {{
        static BYTES: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist/", $name));
        Asset { kind: $kind, plain: BYTES, compressed: LazyLock::new(|| gzip(BYTES)) }
    }};
}

static INDEX: Asset = asset!("index.html", "text/html; charset=utf-8");
static SCRIPT: Asset = asset!("app.js", "text/javascript; charset=utf-8");
static STYLE: Asset = asset!("app.css", "text/css; charset=utf-8");

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("invariant: writing into memory does not fail")
}

impl Asset {
    fn answer(&'static self, headers: &HeaderMap) -> Response {
        let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|it| it.to_str().ok()).unwrap_or_default();
        let always =
            [(header::CONTENT_TYPE, self.kind), (header::CACHE_CONTROL, "no-cache"), (header::VARY, "Accept-Encoding")];
        match accepted.split(',').any(|it| it.trim().split(';').next() == Some("gzip")) {
            true => (always, [(header::CONTENT_ENCODING, "gzip")], self.compressed.as_slice()).into_response(),
            false => (always, self.plain).into_response(),
        }
    }
}

pub(crate) async fn index(headers: HeaderMap) -> Response {
    INDEX.answer(&headers)
}

pub(crate) async fn script(headers: HeaderMap) -> Response {
    SCRIPT.answer(&headers)
}

pub(crate) async fn style(headers: HeaderMap) -> Response {
    STYLE.answer(&headers)
}

/// A one-time link.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Code {
    #[serde(default)]
    code: String,
}

/// Gives the browser the page's cookie, once for each link.
pub(crate) async fn open(State(shared): State<Arc<Shared>>, Params(Code { code }): Params<Code>) -> Response {
    let Some(session) = shared.secrets.opened(&code) else {
        return Failure::new(StatusCode::UNAUTHORIZED, Problem::new("server.used_link")).into_response();
    };
    let secure = if shared.scheme == "https" { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict{secure}");
    (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, "/".to_owned())]).into_response()
}
