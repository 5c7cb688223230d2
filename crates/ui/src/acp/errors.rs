//! Problems as JSON-RPC errors: the protocol's code, the sentence that says what to do, and the problem itself as data.

use agent_client_protocol::{Error, ErrorCode};
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use serde_json::json;

/// The error that says `problem`.
pub(super) fn error(language: Language, problem: &Problem) -> Error {
    let error = Error::new(code(&problem.code), language.problem(problem));
    error.data(json!({ "code": problem.code, "args": problem.args }))
}

/// The protocol's code for a kind of problem.
fn code(problem: &str) -> ErrorCode {
    match problem {
        "no_model" | "model.no_key" => ErrorCode::AUTH_REQUIRED,
        "acp.unknown_session" | "store.not_found" => ErrorCode::RESOURCE_NOT_FOUND,
        "acp.ended" => ErrorCode::INTERNAL_ERROR,
        _ if ["acp.", "usage.", "config.", "model."].iter().any(|it| problem.starts_with(it)) => {
            ErrorCode::INVALID_PARAMS
        }
        _ => ErrorCode::INTERNAL_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_code_of_the_protocol_and_says_what_to_do() {
        let table = [
            (Problem::new("model.no_key").with("provider", "anthropic"), -32000),
            (Problem::new("acp.unknown_session").with("id", "x"), -32002),
            (Problem::new("acp.bad_cwd").with("path", "x"), -32602),
            (Problem::new("error.session").with("why", "x"), -32603),
        ];
        for (problem, code) in table {
            let error = error(Language::En, &problem);
            assert_eq!(i32::from(error.code), code, "{}", problem.code);
            assert!(error.message.contains(' ') && error.data.unwrap()["code"] == problem.code);
        }
    }
}
