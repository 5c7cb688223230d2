//! Providers that need no configuration, one row of `catalogue/providers.txt` each. An endpoint of the user's own replaces a row's address.

use std::sync::LazyLock;

use ox_protocol::Wire;

const TABLE: &str = include_str!("providers.txt");

/// A provider.
#[derive(Debug)]
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
    pub(crate) key_env: Vec<&'static str>,
    /// How its keys begin, as no other provider's do; empty where that is not known.
    pub(crate) key_begins: Vec<&'static str>,
    /// The model that is chosen where only the key is there; empty where none is.
    pub(crate) favourite: &'static str,
    /// True for a server that the user runs.
    pub(crate) local: bool,
}

/// Providers, in the order in which their keys are looked for.
pub(crate) static PROVIDERS: LazyLock<Vec<Provider>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|it| !it.starts_with('#'));
    rows.map(|it| Provider::row(it).expect("invariant: a test reads the table")).collect()
});

impl Default for Provider {
    fn default() -> Provider {
        let (wire, elsewhere) = (Wire::OpenaiChat, Wire::OpenaiChat);
        let (base_url, path, url_env, favourite) = ("", "", "", "");
        let (key_env, key_begins) = (Vec::new(), Vec::new());
        Provider { name: "", wire, elsewhere, base_url, path, url_env, key_env, key_begins, favourite, local: false }
    }
}

impl Provider {
    fn row(line: &'static str) -> Option<Provider> {
        let mut words = line.split(' ');
        let mut it = Provider { name: words.next()?, ..Provider::default() };
        for word in words {
            let wire = |name: &str| serde_json::from_value(name.into()).ok();
            match word.split_once('=').unwrap_or((word, "")) {
                ("wire", name) => it.wire = wire(name)?,
                ("elsewhere", name) => it.elsewhere = wire(name)?,
                ("base_url", url) => it.base_url = url,
                ("path", path) => it.path = path,
                ("url_env", name) => it.url_env = name,
                ("key_env", names) => it.key_env = names.split(',').collect(),
                ("key_begins", begins) => it.key_begins = begins.split(',').collect(),
                ("favourite", model) => it.favourite = model,
                ("local", _) => it.local = true,
                _ => return None,
            }
        }
        Some(it)
    }
}

/// The provider whose keys begin as this one does; none where that tells nothing.
pub fn provider_of_key(key: &str) -> Option<&'static str> {
    let begins = |it: &&Provider| it.key_begins.iter().any(|it| key.starts_with(it));
    PROVIDERS.iter().find(begins).map(|it| it.name)
}

/// The provider of this name.
pub(crate) fn find(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|it| it.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_its_provider_where_no_other_provider_has_such_keys() {
        let cases = [
            ("sk-ant-api03-x", Some("anthropic")),
            ("sk-proj-x", Some("openai")),
            ("sk-or-v1-x", Some("openrouter")),
            ("AIzaSyx", Some("gemini")),
            ("gsk_x", Some("groq")),
            // OpenAI's older keys, DeepSeek's and others begin alike.
            ("sk-0123", None),
            ("", None),
        ];
        for (key, provider) in cases {
            assert_eq!(provider_of_key(key), provider, "{key}");
        }
    }
}
