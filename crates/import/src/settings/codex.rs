//! `config.toml` of Codex.

use std::path::Path;

use serde_json::Value;

use super::servers::{Entry, texts, words};
use super::taken::{Settings, left};
use crate::lines::text;

/// Settings that are taken, and the program's own notes.
const KNOWN: &[&str] = &["mcp_servers", "model", "model_provider", "model_providers", "notice", "projects", "tui"];

pub(super) fn take(settings: &mut Settings, file: &Path, value: &Value, clean: &dyn Fn(String) -> String) {
    settings.servers(&value["mcp_servers"], clean, entry);
    settings.others(file, value, KNOWN);
    let (model, provider) = (text(value, "model"), text(value, "model_provider"));
    match provider {
        _ if model.is_empty() => {}
        "" | "openai" => settings.model = Some(format!("openai/{model}")),
        // A server of the user's own: Ox knows it by its address.
        own if value["model_providers"][own].is_object() => {
            let url = text(&value["model_providers"][own], "base_url");
            settings.left.push(left("provider", &format!("{own}/{model}")).with("url", clean(url.to_owned())));
        }
        other => settings.model = Some(format!("{other}/{model}")),
    }
}

fn entry(value: &Value) -> Result<Entry, String> {
    if value["enabled"] == false {
        return Err("it is turned off".into());
    }
    let mut env = texts(&value["env"]);
    env.extend(words(&value["env_vars"]).into_iter().map(|it| (it.clone(), format!("${{{it}}}"))));
    let mut headers = texts(&value["http_headers"]);
    let named = texts(&value["env_http_headers"]);
    headers.extend(named.into_iter().map(|(header, variable)| (header, format!("${{{variable}}}"))));
    if let Some(variable) = value["bearer_token_env_var"].as_str() {
        headers.insert("Authorization".into(), format!("Bearer ${{{variable}}}"));
    }
    let command = [text(value, "command").to_owned()].into_iter().filter(|it| !it.is_empty());
    let command = command.chain(words(&value["args"])).collect();
    Ok(Entry { command, env, url: text(value, "url").to_owned(), headers })
}
