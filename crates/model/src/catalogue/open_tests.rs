//! What the user writes, and what is opened for it.

use super::*;

fn choice<'a>(model: &str, env: &'a dyn Fn(&str) -> Option<String>) -> Choice<'a> {
    let model = (!model.is_empty()).then(|| model.to_string());
    Choice { model, env, ..Choice::default() }
}

fn problem(choice: &Choice<'_>) -> String {
    match open(choice) {
        Ok(model) => panic!("opened {}", model.facts().name),
        Err(problem) => format!("{} {:?}", problem.code, problem.args),
    }
}

#[test]
fn what_a_model_is_called() {
    let env = |name: &str| name.ends_with("_API_KEY").then(|| "k".to_string());
    let cases = [
        ("openai/gpt-5.6", None, "openai/gpt-5.6"),
        ("gpt-5.6", None, "openai/gpt-5.6"),
        ("claude-opus-5-5", None, "anthropic/claude-opus-5-5"),
        ("openrouter/qwen/qwen3", None, "openrouter/qwen/qwen3"),
        ("ollama/llama3", None, "ollama/llama3"),
        ("qwen/qwen3", Some("http://localhost:8000/v1"), "openai/qwen/qwen3"),
        ("mine/big", None, "mine/big"),
    ];
    for (model, base_url, expected) in cases {
        let mut choice = choice(model, &env);
        choice.base_url = base_url.map(str::to_string);
        let layer = ProviderLayer { base_url: Some("http://mine:1/v1".into()), ..ProviderLayer::default() };
        choice.providers.insert("mine".into(), layer);
        assert_eq!(open(&choice).unwrap().facts().name, expected);
    }
}

#[test]
fn an_address_is_that_of_the_main_models_provider_alone() {
    let cases = [
        ("openai/gpt-5.6", "openai/small", true),
        ("big", "small", true),
        ("openai/gpt-5.6", "qwen/qwen3", true),
        ("claude-opus-5-5", "anthropic/claude-haiku-5-5", true),
        ("openai/gpt-5.6", "anthropic/claude-haiku-5-5", false),
        ("anthropic/claude-opus-5-5", "gpt-5.6", false),
        ("manual", "openai/gpt-5.6", false),
    ];
    for (main, name, kept) in cases {
        let mut choice = choice(name, &|_| None);
        choice.base_url = Some("http://gateway:1".into());
        assert_eq!(choice.beside(main).base_url.is_some(), kept, "{name} beside {main}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let none = |_: &str| None;
    assert_eq!(
        problem(&choice("openai/gpt-5.6", &none)),
        r#"model.no_key {"provider": "openai", "variable": "OPENAI_API_KEY"}"#
    );
    assert_eq!(problem(&choice("fantasy", &none)), r#"model.bad_name {"model": "fantasy"}"#);
    assert!(problem(&choice("nobody/x", &none)).starts_with("model.unknown_provider"));
    assert!(problem(&choice("scripted/absent.ox", &none)).starts_with("model.script_unreadable"));
    assert!(problem(&choice("cassette/absent.jsonl", &none)).starts_with("model.cassette_unreadable"));
    let mut odd = choice("openai/x", &none);
    odd.base_url = Some("localhost:1".into());
    assert!(problem(&odd).starts_with("model.bad_base_url"));
}

#[test]
fn where_a_key_comes_from() {
    let env = |name: &str| match name {
        "OPENAI_API_KEY" => Some(" from-env \n".to_string()),
        "MY_KEY" => Some("named".to_string()),
        "OPENAI_BASE_URL" => Some("http://proxy:1/v1".to_string()),
        _ => None,
    };
    let mut choice = choice("openai/x", &env);
    let found = |choice: &Choice<'_>, name: &str| {
        let it = endpoint(choice, name).unwrap();
        format!("{name} {} {:?} {}", it.base_url, it.wire, it.key.unwrap_or_default())
    };
    assert_eq!(found(&choice, "openai"), "openai http://proxy:1/v1 OpenaiChat from-env");
    let mine = ProviderLayer {
        wire: Some(Wire::Anthropic),
        base_url: Some("https://mine".into()),
        key_env: Some("MY_KEY".into()),
        key: Some("in-file".into()),
    };
    choice.providers.insert("mine".into(), mine.clone());
    assert_eq!(found(&choice, "mine"), "mine https://mine Anthropic named");
    choice.providers.insert("mine".into(), ProviderLayer { key_env: None, ..mine });
    assert_eq!(found(&choice, "mine"), "mine https://mine Anthropic in-file");
    choice.base_url = Some("http://flag/v1".into());
    assert_eq!(found(&choice, "openai"), "openai http://flag/v1 OpenaiChat from-env");
}

#[test]
fn which_format_is_spoken_where() {
    let found = |provider: &str, url: Option<&str>| {
        let env = |name: &str| name.ends_with("_KEY").then(|| "k".to_string());
        let mut choice = choice("", &env);
        choice.base_url = url.map(str::to_string);
        let it = endpoint(&choice, provider).unwrap();
        format!("{:?} {}", it.wire, it.base_url)
    };
    assert_eq!(found("openai", None), "OpenaiResponses https://api.openai.com/v1");
    assert_eq!(found("openai", Some("https://api.openai.com/v1/")), "OpenaiResponses https://api.openai.com/v1");
    assert_eq!(found("openai", Some("http://localhost:8000/v1")), "OpenaiChat http://localhost:8000/v1");
    assert_eq!(
        found("azure", Some("https://me.openai.azure.com/")),
        "OpenaiResponses https://me.openai.azure.com/openai/v1"
    );
    assert_eq!(found("gemini", None), "Gemini https://generativelanguage.googleapis.com/v1beta");
}

#[test]
fn where_ollama_is() {
    for (host, url) in [
        ("", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("box:9999", "http://box:9999/v1"),
        ("http://box:9999/", "http://box:9999/v1"),
        ("https://ollama.example.org", "https://ollama.example.org/v1"),
    ] {
        let env = |name: &str| (name == "OLLAMA_HOST").then(|| host.to_string());
        assert_eq!(ollama_url(&choice("", &env)), url);
    }
}

#[test]
fn the_first_key_chooses() {
    let env = |name: &str| match name {
        "GROQ_API_KEY" => Some("k".to_string()),
        "OPENAI_API_KEY" => Some(" ".to_string()),
        _ => None,
    };
    assert_eq!(choose(&choice("", &env)).unwrap(), "groq/openai/gpt-oss-120b");
    // A port where nobody listens.
    let nobody = |name: &str| (name == "OLLAMA_HOST").then(|| "127.0.0.1:1".to_string());
    let problem = choose(&choice("", &nobody)).unwrap_err();
    assert_eq!(problem.code, "no_model");
    assert!(problem.args["variables"].contains("ANTHROPIC_API_KEY, OPENAI_API_KEY"));
}

#[test]
fn every_problem_has_its_sentence() {
    for code in [
        "no_model",
        "model.no_key",
        "model.bad_name",
        "model.unknown_provider",
        "model.no_base_url",
        "model.bad_base_url",
        "model.script_unreadable",
        "model.cassette_unreadable",
        "model.manual_folder",
    ] {
        assert!(ox_protocol::locale::Language::En.has(code), "{code}");
    }
}

#[test]
fn whoever_sits_at_the_other_end_has_the_facts_that_the_user_gives() {
    let env = |_: &str| None;
    let mut choice = choice("manual/angles", &env);
    let folder = tempfile::tempdir().unwrap();
    choice.manual_dir = Some(folder.path().join("replies"));
    assert_eq!(open(&choice).unwrap().facts().tools, ToolFormat::Native);
    let layer = ModelLayer { tools: Some(ToolFormat::Xml), window: Some(9_000), ..ModelLayer::default() };
    choice.models.insert("manual/angles".to_string(), layer);
    let opened = open(&choice).unwrap();
    let facts = opened.facts();
    assert_eq!((facts.name.as_str(), facts.tools, facts.window.0), ("manual/angles", ToolFormat::Xml, 9_000));
    choice.model = Some("manual".to_string());
    assert_eq!(open(&choice).unwrap().facts().tools, ToolFormat::Native);
}

#[test]
fn the_first_model_that_can_be_asked_is_meant() {
    let env = |name: &str| (name == "OPENROUTER_API_KEY").then(|| "k".to_owned());
    let with_key = Choice { env: &env, ..Choice::default() };
    assert_eq!(meant(&with_key, "sonnet"), Some("openrouter/anthropic/claude-sonnet-5.5"));
    assert_eq!(meant(&Choice::default(), "Sonnet"), Some("anthropic/claude-sonnet-5-5"));
    assert_eq!(meant(&Choice::default(), "qwen3"), None);
    let own = Choice { base_url: Some("http://127.0.0.1:1/v1".into()), ..Choice::default() };
    assert_eq!(meant(&own, "sonnet"), None);
}
