//! How a turn ended, in the protocol's terms. Pure.

use agent_client_protocol::v1::schema::{Meta, PromptResponse, StopReason};
use agent_client_protocol::{Error, ErrorCode};
use ox_protocol::{FailureKind, Stop};
use serde_json::json;

/// The answer to a prompt whose turn ended so.
pub(super) fn response(stop: Stop) -> PromptResponse {
    let mut meta = Meta::new();
    meta.insert("ox".to_owned(), json!({ "stop": stop.code(), "exitCode": stop.exit_code() }));
    PromptResponse::new(reason(stop)).meta(meta)
}

/// The reason. What has no word in the protocol ended by itself; the conversation says why.
fn reason(stop: Stop) -> StopReason {
    match stop {
        Stop::Interrupted => StopReason::Cancelled,
        Stop::IterationLimit | Stop::StopHookRetries | Stop::CostBudget | Stop::TimeBudget => {
            StopReason::MaxTurnRequests
        }
        Stop::TokenBudget | Stop::WindowFull => StopReason::MaxTokens,
        Stop::ModelFailed { kind: FailureKind::ContentFilter } => StopReason::Refusal,
        _ => StopReason::EndTurn,
    }
}

/// The error of a turn that something else than its own course ended; none for all others. `failure`: the provider's words.
pub(super) fn error(stop: Stop, words: &str, failure: Option<&str>) -> Option<Error> {
    let code = match stop {
        Stop::ModelFailed { kind: FailureKind::ContentFilter } => return None,
        Stop::ModelFailed { kind: FailureKind::Auth } => ErrorCode::AUTH_REQUIRED,
        Stop::ModelFailed { .. } | Stop::Failed | Stop::Internal => ErrorCode::INTERNAL_ERROR,
        _ => return None,
    };
    let failure = failure.filter(|it| matches!(stop, Stop::ModelFailed { .. }) && !words.contains(*it));
    let message = failure.map_or_else(|| words.to_owned(), |it| format!("{words} ({it})"));
    Some(Error::new(code, message).data(json!({ "code": stop.code() })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_its_reason_or_its_error() {
        let failed = |kind| Stop::ModelFailed { kind };
        let table = [
            (Stop::Done, StopReason::EndTurn, None),
            (Stop::ChecksFailing, StopReason::EndTurn, None),
            (Stop::Interrupted, StopReason::Cancelled, None),
            (Stop::IterationLimit, StopReason::MaxTurnRequests, None),
            (Stop::TokenBudget, StopReason::MaxTokens, None),
            (failed(FailureKind::ContentFilter), StopReason::Refusal, None),
            (failed(FailureKind::Auth), StopReason::EndTurn, Some(-32000)),
            (failed(FailureKind::Server), StopReason::EndTurn, Some(-32603)),
            (Stop::Failed, StopReason::EndTurn, Some(-32603)),
        ];
        for (stop, expected, code) in table {
            assert_eq!(reason(stop), expected, "{stop:?}");
            assert_eq!(error(stop, "It failed.", Some("500")).map(|it| i32::from(it.code)), code, "{stop:?}");
        }
        let response = serde_json::to_value(response(Stop::ChecksFailing)).unwrap();
        assert_eq!(response["_meta"]["ox"], json!({"stop": "stop.checks_failing", "exitCode": 3}));
        let error = error(failed(FailureKind::Server), "It failed.", Some("500 oops")).unwrap();
        assert_eq!(error.message, "It failed. (500 oops)");
    }
}
