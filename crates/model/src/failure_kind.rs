//! Which kind of failure an answer is, from its status, its error code and its words. A table, because providers
//! agree on little: the words beside each rule are what they are known to say.

use std::sync::LazyLock;

use ox_protocol::FailureKind;

/// The rules, as a kind with its statuses on a line, and its words on the lines beneath.
const TABLE: &str = include_str!("failure_kinds.txt");

/// Statuses and words that mean one kind of failure; the first rule that matches wins.
struct Rule {
    kind: FailureKind,
    /// Statuses under which the words count; empty means any.
    statuses: Vec<u16>,
    /// Lower-case fragments of code or message, any of which is enough.
    words: Vec<&'static str>,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let mut rules: Vec<Rule> = Vec::new();
    for line in TABLE.lines().filter(|it| !it.starts_with('#')) {
        if let (Some(words), Some(rule)) = (line.strip_prefix("    "), rules.last_mut()) {
            rule.words.push(words);
            continue;
        }
        let (kind, statuses) = line.split_once(' ').unwrap_or((line, ""));
        let kind = serde_json::from_value(kind.into()).expect("invariant: a test reads the table");
        let statuses = statuses.split(',').filter_map(|it| it.parse().ok()).collect();
        rules.push(Rule { kind, statuses, words: Vec::new() });
    }
    rules
});

/// The kind of a failure. `code` is the error's type and code in lower case.
pub(crate) fn of(status: Option<u16>, code: &str, message: &str) -> FailureKind {
    let text = format!("{code}\n{}", message.to_lowercase());
    let matching = |rule: &&Rule| {
        let counts = rule.statuses.is_empty() || status.is_none_or(|it| rule.statuses.contains(&it));
        counts && rule.words.iter().any(|it| text.contains(it))
    };
    if let Some(rule) = RULES.iter().find(matching) {
        return rule.kind;
    }
    match status {
        Some(401 | 403) => FailureKind::Auth,
        Some(402) => FailureKind::Quota,
        Some(404) if names_a_model(&text) => FailureKind::UnknownModel,
        Some(400) if names_a_model(&text) => FailureKind::UnknownModel,
        Some(413) => FailureKind::ContextTooLong,
        Some(429) => FailureKind::RateLimited,
        Some(529) => FailureKind::Overloaded,
        Some(408 | 409 | 425 | 500..) => FailureKind::Server,
        Some(_) => FailureKind::BadRequest,
        None => of_code(code),
    }
}

fn names_a_model(text: &str) -> bool {
    text.contains("model") && ["not found", "does not exist", "not exist", "no such"].iter().any(|it| text.contains(it))
}

/// The kind where there is only an error type, inside a stream.
fn of_code(code: &str) -> FailureKind {
    match code {
        _ if code.contains("authentication") || code.contains("permission") => FailureKind::Auth,
        _ if code.contains("server") || code.contains("api_error") || code.contains("timeout") => FailureKind::Server,
        _ => FailureKind::BadRequest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FailureKind::*;

    #[test]
    fn what_providers_say() {
        let cases: &[(u16, &str, &str, FailureKind)] = &[
            (401, "invalid_api_key", "Incorrect API key provided", Auth),
            (401, "authentication_error", "invalid x-api-key", Auth),
            (403, "permission_error", "Your API key does not have permission", Auth),
            (404, "model_not_found", "The model `gpt-9` does not exist or you do not have access to it.", UnknownModel),
            (404, "not_found_error", "model: claude-9", UnknownModel),
            (404, "api_error", "model \"nope\" not found, try pulling it first", UnknownModel),
            (400, "", "nope is not a valid model ID", UnknownModel),
            (400, "invalid_request_error", "Model Not Exist", UnknownModel),
            (404, "", "", BadRequest),
            (429, "insufficient_quota", "You exceeded your current quota, please check your plan", Quota),
            (429, "rate_limit_exceeded", "Rate limit reached for gpt-5 on tokens per min", RateLimited),
            (429, "rate_limit_error", "This request would exceed the rate limit of 40,000 input tokens", RateLimited),
            (402, "", "Insufficient Balance", Quota),
            (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", Quota),
            (400, "context_length_exceeded", "This model's maximum context length is 128000 tokens.", ContextTooLong),
            (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", ContextTooLong),
            (413, "request_too_large", "Request exceeds the maximum allowed number of bytes.", ContextTooLong),
            (400, "exceed_context_size_error", "the request exceeds the available context size", ContextTooLong),
            (400, "400", "litellm.ContextWindowExceededError: litellm.BadRequestError: too long", ContextTooLong),
            (413, "tokens_limit_reached", "Request body too large for the model.", ContextTooLong),
            (400, "", "the initial prompt is greater than the context length", ContextTooLong),
            (400, "", "registry.ollama.ai/library/gemma:2b does not support tools", ToolsRejected),
            (404, "", "No endpoints found that support tool use.", ToolsRejected),
            (500, "", "tools param requires --jinja flag", ToolsRejected),
            (400, "", "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser", ToolsRejected),
            (400, "", "deepseek-reasoner does not support this tool_choice", ToolChoiceRejected),
            (
                400,
                "invalid_request_error",
                "Thinking may not be enabled when tool_choice forces tool use.",
                ToolChoiceRejected,
            ),
            (404, "", "No endpoints found that support the provided 'tool_choice' value.", ToolChoiceRejected),
            (400, "content_filter", "The response was filtered", ContentFilter),
            (529, "overloaded_error", "Overloaded", Overloaded),
            (503, "", "The engine is currently overloaded, please try again later", Overloaded),
            (503, "", "no healthy upstream", Server),
            (500, "server_error", "The server had an error", Server),
            (502, "", "bad gateway", Server),
            (409, "", "conflict", Server),
            (422, "", "extra inputs are not permitted", BadRequest),
            (400, "invalid_request_error", "messages: at least one message is required", BadRequest),
        ];
        for (status, code, message, kind) in cases {
            assert_eq!(of(Some(*status), code, message), *kind, "{status} {code} {message}");
        }
    }
}
