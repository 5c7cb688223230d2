//! Providers that need no configuration, one row each. An endpoint of the user's own replaces a row's address.

use ox_protocol::Wire;

/// A provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Provider {
    pub(crate) name: &'static str,
    /// The wire format at the provider's own address.
    pub(crate) wire: Wire,
    /// The wire format that is assumed at any other address.
    pub(crate) elsewhere: Wire,
    /// Empty where each user has an own address.
    pub(crate) base_url: &'static str,
    /// What is added to an address of the user's own that has no path.
    pub(crate) path: &'static str,
    /// The variable that replaces `base_url`; empty where there is none.
    pub(crate) url_env: &'static str,
    /// The variables that may hold the key, the usual one first; empty where none is needed.
    pub(crate) key_env: &'static [&'static str],
    /// The model that is chosen where only the key is there; empty where none is.
    pub(crate) favourite: &'static str,
    /// True for a server that the user runs.
    pub(crate) local: bool,
}

const CHAT: Provider = Provider {
    name: "",
    wire: Wire::OpenaiChat,
    elsewhere: Wire::OpenaiChat,
    base_url: "",
    path: "",
    url_env: "",
    key_env: &[],
    favourite: "",
    local: false,
};

/// Providers, in the order in which their keys are looked for.
pub(crate) const PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        wire: Wire::Anthropic,
        elsewhere: Wire::Anthropic,
        base_url: "https://api.anthropic.com",
        path: "",
        url_env: "ANTHROPIC_BASE_URL",
        key_env: &["ANTHROPIC_API_KEY"],
        favourite: "claude-sonnet-5-5",
        local: false,
    },
    Provider {
        name: "openai",
        wire: Wire::OpenaiResponses,
        base_url: "https://api.openai.com/v1",
        url_env: "OPENAI_BASE_URL",
        key_env: &["OPENAI_API_KEY"],
        favourite: "gpt-6.1-terra",
        ..CHAT
    },
    Provider {
        name: "gemini",
        wire: Wire::Gemini,
        elsewhere: Wire::Gemini,
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        path: "",
        url_env: "GOOGLE_GEMINI_BASE_URL",
        key_env: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        favourite: "gemini-3.8-flash",
        local: false,
    },
    Provider {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        key_env: &["OPENROUTER_API_KEY"],
        favourite: "anthropic/claude-sonnet-5.5",
        ..CHAT
    },
    Provider {
        name: "deepseek",
        base_url: "https://api.deepseek.com/v1",
        key_env: &["DEEPSEEK_API_KEY"],
        favourite: "deepseek-v4-pro",
        ..CHAT
    },
    Provider {
        name: "mistral",
        base_url: "https://api.mistral.ai/v1",
        key_env: &["MISTRAL_API_KEY"],
        favourite: "devstral-latest",
        ..CHAT
    },
    Provider {
        name: "groq",
        base_url: "https://api.groq.com/openai/v1",
        key_env: &["GROQ_API_KEY"],
        favourite: "openai/gpt-oss-120b",
        ..CHAT
    },
    Provider {
        name: "dashscope",
        base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        url_env: "DASHSCOPE_BASE_URL",
        key_env: &["DASHSCOPE_API_KEY"],
        favourite: "qwen3-coder-plus",
        ..CHAT
    },
    // Each user's resource has its own address, and each deployment the name that its user gave it.
    Provider {
        name: "azure",
        wire: Wire::OpenaiResponses,
        elsewhere: Wire::OpenaiResponses,
        path: "/openai/v1",
        url_env: "AZURE_OPENAI_ENDPOINT",
        key_env: &["AZURE_OPENAI_API_KEY"],
        ..CHAT
    },
    Provider { name: "ollama", local: true, base_url: "http://127.0.0.1:11434/v1", ..CHAT },
    Provider { name: "lmstudio", local: true, base_url: "http://127.0.0.1:1234/v1", ..CHAT },
    Provider { name: "vllm", local: true, base_url: "http://127.0.0.1:8000/v1", ..CHAT },
    Provider { name: "llamacpp", local: true, base_url: "http://127.0.0.1:8080/v1", ..CHAT },
];

/// The provider of this name.
pub(crate) fn find(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|it| it.name == name)
}
