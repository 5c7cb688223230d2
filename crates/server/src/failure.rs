//! Errors as answers: a status, and the problem in the words of whoever asked.

use aide::OperationOutput;
use aide::generate::GenContext;
use aide::openapi::{Operation, Response as ApiResponse};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of a route.
pub(crate) type Answer<T> = Result<Json<T>, Failure>;

/// Why a request has no effect.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    status: StatusCode,
    problem: Problem,
}

/// The body of an answer that is an error.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// What went wrong, for programs.
    pub code: String,
    /// The same for people, in the language that `Accept-Language` asks for.
    pub message: String,
    /// The values in the message.
    pub args: std::collections::BTreeMap<String, String>,
}

impl Failure {
    pub fn new(status: StatusCode, problem: Problem) -> Failure {
        Failure { status, problem }
    }

    /// A command that has no effect.
    pub fn conflict(problem: Problem) -> Failure {
        match Failure::from(problem) {
            it if it.status == StatusCode::UNPROCESSABLE_ENTITY => Failure { status: StatusCode::CONFLICT, ..it },
            it => it,
        }
    }

    /// The answer in a language.
    pub fn said(&self, language: Language) -> Response {
        let message = language.problem(&self.problem);
        let body = ErrorBody { code: self.problem.code.clone(), message, args: self.problem.args.clone() };
        (self.status, Json(body)).into_response()
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        let status = match problem.code.as_str() {
            "store.not_found"
            | "server.no_project"
            | "server.no_route"
            | "server.no_file"
            | "checkpoints.unknown"
            | "checkpoints.near"
            | "memory.unknown"
            | "server.no_picture" => StatusCode::NOT_FOUND,
            "store.ambiguous"
            | "checkpoints.many"
            | "store.tree_busy"
            | "store.tree_busy_by"
            | "store.conversation_busy"
            | "store.conflict"
            | "store.exists" => StatusCode::CONFLICT,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Failure { status, problem }
    }
}

/// The guard words it, since it knows the language: until then the answer carries the failure itself.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl OperationOutput for Failure {
    type Inner = ErrorBody;

    fn operation_response(cx: &mut GenContext, operation: &mut Operation) -> Option<ApiResponse> {
        Json::<ErrorBody>::operation_response(cx, operation)
    }
}
