//! How the endpoints that speak chat completions differ, as one row of `dialects.txt` for each that is known.
//!
//! A row says what its documentation says. It decides nothing that a refusal could not also teach (`quirks.rs`): it saves
//! the refusal, and helps where an endpoint ignores what it does not take.

use std::sync::LazyLock;

use crate::address::{authority, is_loopback};

/// What is known of an endpoint beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The server or service.
    pub name: &'static str,
    /// Ends of the host names, or `:port` on this machine, by which it is known, with commas between.
    pub hosts: &'static str,
    /// The header that carries the key; a bearer token in `authorization`.
    pub key_header: &'static str,
    /// True where the reply's limit is called `max_completion_tokens`; `max_tokens` otherwise.
    pub max_completion_tokens: bool,
    /// True where `parallel_tool_calls` is known, and several calls come only when it is set.
    pub parallel_tool_calls: bool,
    /// True where tools are accepted only with `reasoning_effort: none` (OpenAI's models from GPT-5.4 on).
    pub tools_without_effort: bool,
    /// True where other efforts than `low`, `medium` and `high` are known, or refused with those that are.
    pub all_efforts: bool,
    /// True where the usage comes only when `stream_options` asks for it.
    pub stream_options: bool,
    /// True where the model's `reasoning_content` must be sent back beside its calls.
    pub reasoning_back: bool,
    /// True where ids of calls must be nine letters or digits.
    pub short_ids: bool,
    /// The part of a model's name by which those are known that cache only what is marked; empty where none is.
    pub cache_marks_for: &'static str,
    /// True where `prompt_cache_key` brings the requests of a conversation to the same cache.
    pub cache_key: bool,
    /// True where PDF documents are taken as `file` parts.
    pub documents: bool,
    /// True where the endpoint may be silent for minutes.
    pub patient: bool,
}

/// An endpoint of which nothing is known: only what all of them take.
const PLAIN: Dialect = Dialect {
    name: "compatible",
    hosts: "",
    key_header: "authorization",
    max_completion_tokens: false,
    parallel_tool_calls: false,
    tools_without_effort: false,
    all_efforts: false,
    stream_options: true,
    reasoning_back: false,
    short_ids: false,
    cache_marks_for: "",
    cache_key: false,
    documents: false,
    patient: false,
};

/// The endpoints that are known.
static DIALECTS: LazyLock<Vec<Dialect>> = LazyLock::new(|| {
    let rows = include_str!("dialects.txt").lines().filter(|it| !it.starts_with('#'));
    rows.map(|it| Dialect::row(it).expect("invariant: a test reads the table")).collect()
});

impl Default for Dialect {
    fn default() -> Dialect {
        PLAIN
    }
}

impl Dialect {
    fn row(line: &'static str) -> Option<Dialect> {
        let mut words = line.split(' ');
        let mut it = Dialect { name: words.next()?, ..PLAIN };
        for word in words {
            match word.split_once('=').unwrap_or((word, "")) {
                ("hosts", hosts) => it.hosts = hosts,
                ("key_header", name) => it.key_header = name,
                ("cache_marks_for", name) => it.cache_marks_for = name,
                ("max_completion_tokens", _) => it.max_completion_tokens = true,
                ("parallel_tool_calls", _) => it.parallel_tool_calls = true,
                ("all_efforts", _) => it.all_efforts = true,
                ("no_stream_options", _) => it.stream_options = false,
                ("reasoning_back", _) => it.reasoning_back = true,
                ("short_ids", _) => it.short_ids = true,
                ("cache_key", _) => it.cache_key = true,
                ("documents", _) => it.documents = true,
                ("patient", _) => it.patient = true,
                _ => return None,
            }
        }
        Some(it)
    }

    /// What is known of `model` of `provider` at `base_url`. The address tells more than the provider's name, behind which
    /// any server may stand; a model on this machine may take long to load.
    pub(crate) fn of(provider: &str, model: &str, base_url: &str) -> Dialect {
        let by_host = DIALECTS.iter().find(|it| it.hosts.split(',').any(|end| is_at(base_url, end)));
        let own_name = || DIALECTS.iter().find(|it| it.name == provider && it.hosts.starts_with(':'));
        let mut dialect = by_host.or_else(own_name).copied().unwrap_or_default();
        dialect.patient |= is_loopback(base_url);
        if matches!(dialect.name, "openai" | "azure") {
            dialect.tools_without_effort = takes_tools_without_effort_only(model);
        }
        dialect
    }
}

/// True where the host of `base_url` ends in `end`, or where it is this machine and `end` its port.
fn is_at(base_url: &str, end: &str) -> bool {
    let (_, authority) = authority(base_url);
    if end.starts_with(':') {
        return is_loopback(base_url) && authority.ends_with(end);
    }
    let host = authority.split(':').next().unwrap_or_default();
    let before = host.strip_suffix(end);
    before.is_some_and(|it| it.is_empty() || it.ends_with('.') || end.starts_with('.'))
}

/// OpenAI's models from GPT-5.4 on.
fn takes_tools_without_effort_only(model: &str) -> bool {
    let number = model.strip_prefix("gpt-").and_then(|it| it.split('-').next()).unwrap_or_default();
    let mut parts = number.split('.').map(|it| it.parse::<u32>().unwrap_or_default());
    let (major, minor) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    (major, minor) >= (5, 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_openai_models_take_tools_only_without_effort() {
        for (model, expected) in [
            ("gpt-5.6-terra", true),
            ("gpt-6-sol", true),
            ("gpt-5.1", false),
            ("gpt-5.10", true),
            ("gpt-4o", false),
            ("o3", false),
        ] {
            assert_eq!(
                Dialect::of("openai", model, "https://api.openai.com/v1").tools_without_effort,
                expected,
                "{model}"
            );
        }
    }

    #[test]
    fn an_endpoint_is_known_by_its_address() {
        let cases = [
            ("mine", "https://openrouter.ai/api/v1", "openrouter"),
            ("azure", "https://me.openai.azure.com/openai/v1", "azure"),
            ("openai", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen"),
            ("ollama", "http://127.0.0.1:11434/v1", "ollama"),
            ("mine", "https://me:word@openrouter.ai/api/v1", "openrouter"),
            ("openai", "http://me:word@127.0.0.1:1234/v1", "lmstudio"),
            ("mine", "https://openrouter.ai:1@models.example/v1", "compatible"),
            ("ollama", "http://gpu.example:11434/v1", "ollama"),
            ("vllm", "http://gpu.example:9000/v1", "vllm"),
            ("openai", "http://localhost:1234/v1", "lmstudio"),
            ("openai", "http://gpu.example:1234/v1", "compatible"),
            ("openai", "https://api.openai.com.evil.example/v1", "compatible"),
            ("openai", "https://notapi.openai.com/v1", "compatible"),
            ("deepseek", "http://proxy.example/v1", "compatible"),
        ];
        for (provider, url, name) in cases {
            assert_eq!(Dialect::of(provider, "m", url).name, name, "{provider} at {url}");
        }
        assert!(Dialect::of("mine", "m", "http://localhost:5/v1").patient);
    }
}
