//! What a request brings, read with errors that say what to do.

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::Operation;
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use ox_protocol::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// The longest body, in bytes: a prompt with a few pictures.
pub(crate) const LONGEST_BODY: usize = 64 << 20;

/// How many are answered where nobody says how many.
pub(crate) fn ten() -> usize {
    10
}

/// A body in JSON.
pub(crate) struct Body<T>(pub T);

/// Parameters behind the `?`.
pub(crate) struct Params<T>(pub T);

/// Parameters within the path.
pub(crate) struct At<T>(pub T);

/// A conversation in an address.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Named {
    /// Its id.
    pub id: String,
}

/// A call of a conversation in an address.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NamedCall {
    /// The conversation.
    pub id: String,
    /// The call that waits.
    pub call: String,
}

/// A project in an address.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Keyed {
    /// Its key.
    pub project: String,
}

/// A recorded state of a project in an address.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct KeyedState {
    /// The project's key.
    pub project: String,
    /// The id of the state.
    pub state: String,
}

fn unreadable(status: StatusCode, code: &str, why: impl std::fmt::Display) -> Failure {
    Failure::new(status, Problem::new(code).with("why", why))
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &S) -> Result<Self, Failure> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
        if kind.split(';').next().map(str::trim) != Some("application/json") {
            return Err(unreadable(StatusCode::UNSUPPORTED_MEDIA_TYPE, "server.not_json", kind));
        }
        let bytes = axum::body::to_bytes(request.into_body(), LONGEST_BODY).await.map_err(|error| {
            let too_long =
                std::error::Error::source(&error).is_some_and(|it| it.is::<http_body_util::LengthLimitError>());
            match too_long {
                true => unreadable(StatusCode::PAYLOAD_TOO_LARGE, "server.too_long", LONGEST_BODY >> 20),
                false => unreadable(StatusCode::BAD_REQUEST, "server.bad_body", error),
            }
        })?;
        let read = serde_json::from_slice(&bytes);
        read.map(Body).map_err(|error| unreadable(StatusCode::BAD_REQUEST, "server.bad_body", error))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let read = Query::<T>::from_request_parts(parts, state).await;
        read.map(|it| Params(it.0))
            .map_err(|error| unreadable(StatusCode::BAD_REQUEST, "server.bad_parameters", error.body_text()))
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for At<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let read = Path::<T>::from_request_parts(parts, state).await;
        read.map(|it| At(it.0))
            .map_err(|error| unreadable(StatusCode::BAD_REQUEST, "server.bad_parameters", error.body_text()))
    }
}

impl<T: JsonSchema> OperationInput for Body<T> {
    fn operation_input(cx: &mut GenContext, operation: &mut Operation) {
        Json::<T>::operation_input(cx, operation);
    }
}

impl<T: JsonSchema> OperationInput for Params<T> {
    fn operation_input(cx: &mut GenContext, operation: &mut Operation) {
        Query::<T>::operation_input(cx, operation);
    }
}

impl<T: JsonSchema> OperationInput for At<T> {
    fn operation_input(cx: &mut GenContext, operation: &mut Operation) {
        Path::<T>::operation_input(cx, operation);
    }
}
