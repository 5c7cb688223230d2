//! What a user can do about a model that could not be asked, where that depends on the configuration.
//!
//! It names variables and keys of the configuration; it never sees the key itself.

use ox_config::Settings;
use ox_model::Choice;
use ox_protocol::{FailureKind, Problem};

/// Where keys are made and looked at.
const PAGES: [(&str, &str); 9] = [
    ("anthropic", "https://console.anthropic.com/settings/keys"),
    ("openai", "https://platform.openai.com/api-keys"),
    ("openrouter", "https://openrouter.ai/settings/keys"),
    ("deepseek", "https://platform.deepseek.com/api_keys"),
    ("mistral", "https://console.mistral.ai/api-keys"),
    ("groq", "https://console.groq.com/keys"),
    ("gemini", "https://aistudio.google.com/apikey"),
    ("dashscope", "https://modelstudio.console.alibabacloud.com/?tab=playground#/api-key"),
    ("azure", "https://ai.azure.com"),
];

/// Advice about a failure of `model`, written `provider/model`; none where the failure's own words are enough. `is_set`: whether
/// a variable of the environment is, which wins over a stored key.
pub(crate) fn advice(
    settings: &Settings,
    model: &str,
    kind: FailureKind,
    is_set: impl Fn(&str) -> bool,
) -> Option<Problem> {
    if kind != FailureKind::Auth {
        return None;
    }
    let provider = model.split('/').next().filter(|it| !it.is_empty())?;
    let layer = settings.providers.get(provider);
    let variable = layer.and_then(|it| it.key_env.clone()).or_else(|| own_variable(provider));
    let own_address = settings.base_url.is_some() || layer.is_some_and(|it| it.base_url.is_some());
    let page = PAGES.iter().find(|(name, _)| *name == provider && !own_address);
    let code = match (&variable, page) {
        (Some(name), _) if is_set(name) => "model.key_rejected_variable",
        (None, _) => "model.key_rejected_unnamed",
        (Some(_), None) => "model.key_rejected_own",
        (Some(_), Some(_)) => "model.key_rejected",
    };
    let problem = Problem::new(code).with("provider", provider);
    let problem = problem.with("variable", variable.unwrap_or_default());
    Some(problem.with("page", page.map_or("", |(_, page)| page)))
}

/// The variable in which a provider that Ox knows has its key.
fn own_variable(provider: &str) -> Option<String> {
    ox_model::providers(&Choice::default()).into_iter().find(|(name, _)| name == provider)?.1
}

#[cfg(test)]
mod tests {
    use ox_protocol::ProviderLayer;
    use ox_protocol::locale::Language;

    use super::*;

    #[test]
    fn a_rejected_key_is_named_by_where_it_comes_from() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().display().to_string();
        let env = |name: &str| (name == "OX_HOME").then(|| home.clone());
        let mut settings =
            ox_config::load(root.path(), ox_config::ProjectConfig::Use, ox_config::Flags::default(), &env).unwrap();
        let office = ProviderLayer { key_env: Some("OFFICE_KEY".into()), ..ProviderLayer::default() };
        settings.providers.insert("office".into(), office);
        settings.providers.insert("bare".into(), ProviderLayer::default());
        let said = |settings: &Settings, model| {
            let problem = advice(settings, model, FailureKind::Auth, |name| name == "SET_KEY").unwrap();
            Language::En.problem(&problem)
        };
        let set = ProviderLayer { key_env: Some("SET_KEY".into()), ..ProviderLayer::default() };
        settings.providers.insert("set".into(), set);
        expect_test::expect!["set rejected the key in SET_KEY, which wins over a stored one. Correct or unset SET_KEY, start Ox again with ox -c, then /continue."]
        .assert_eq(&said(&settings, "set/x"));
        expect_test::expect![[r#"
            openai rejected the key. Ox takes it from OPENAI_API_KEY, then from the keys that you have stored, then from providers.openai.key in your configuration.
            Check the key or create a new one at https://platform.openai.com/api-keys and store it: /login openai (in a shell: ox login openai). Then /continue (ox -c)."#]]
        .assert_eq(&said(&settings, "openai/gpt-x"));
        expect_test::expect![[r#"
            The endpoint of office rejected the key. Ox takes it from OFFICE_KEY, then from the keys that you have stored, then from providers.office.key in your configuration.
            Store a valid one: /login office (in a shell: ox login office). Then /continue (ox -c)."#]]
        .assert_eq(&said(&settings, "office/x"));
        expect_test::expect!["The endpoint of bare needs a key, or rejected the one it got. Store a valid one: /login bare (in a shell: ox login bare), or set providers.bare.key or providers.bare.key_env in your configuration. Then /continue (ox -c)."]
        .assert_eq(&said(&settings, "bare/x"));
        settings.base_url = Some("http://localhost:1".into());
        assert!(said(&settings, "openai/gpt-x").starts_with("The endpoint of openai rejected the key."));
        assert_eq!(advice(&settings, "openai/gpt-x", FailureKind::Server, |_| true), None);
    }
}
