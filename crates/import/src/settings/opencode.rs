//! `opencode.json` and `opencode.jsonc`.

use std::collections::BTreeMap;
use std::path::Path;

use ox_protocol::RuleAction;
use ox_syntax::plain_json;
use serde_json::Value;

use super::rules;
use super::servers::{Entry, texts, words};
use super::taken::{Settings, left};
use crate::lines::text;

/// Settings that are taken.
const KNOWN: &[&str] = &["$schema", "mcp", "model", "permission", "provider"];

/// JSON with comments, and with commas before closing brackets.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(&plain_json(text)).map_err(|error| error.to_string())
}

pub(super) fn take(settings: &mut Settings, file: &Path, value: &Value, clean: &dyn Fn(String) -> String) {
    settings.servers(&value["mcp"], clean, entry);
    settings.others(file, value, KNOWN);
    settings.model = Some(text(value, "model").to_owned()).filter(|it| !it.is_empty()).or(settings.model.take());
    for (provider, it) in value["provider"].as_object().into_iter().flatten() {
        if it["options"]["apiKey"].is_string() {
            settings.left.push(left("key", &file.display().to_string()).with("provider", provider));
        } else {
            settings
                .left
                .push(left("provider", provider).with("url", clean(text(&it["options"], "baseURL").to_owned())));
        }
    }
    match &value["permission"] {
        Value::Object(all) => all.iter().for_each(|(tool, it)| permission(settings, tool, it, clean)),
        Value::String(action) => settings.left.push(left("rule", &format!("permission = {action}"))),
        _ => {}
    }
}

fn permission(settings: &mut Settings, tool: &str, value: &Value, clean: &dyn Fn(String) -> String) {
    let one = Value::Object([("*".to_owned(), value.clone())].into_iter().collect());
    let patterns = if value.is_string() { &one } else { value };
    for (pattern, action) in patterns.as_object().into_iter().flatten() {
        let action = match action.as_str() {
            Some("allow") => Some(RuleAction::Allow),
            Some("ask") => Some(RuleAction::Ask),
            Some("deny") => Some(RuleAction::Deny),
            _ => None,
        };
        let shown = clean(pattern.clone());
        match action.and_then(|it| rules::of_opencode(it, tool, pattern)).filter(|_| shown == *pattern) {
            Some(same) => settings.rules.extend(same),
            None => settings.left.push(left("rule", &format!("permission.{tool}: {shown}"))),
        }
    }
}

fn entry(value: &Value) -> Result<Entry, String> {
    if value["enabled"] == false {
        return Err("it is turned off".into());
    }
    let variables = |all: BTreeMap<String, String>| -> BTreeMap<String, String> {
        all.into_iter().map(|(key, it)| (key, it.replace("{env:", "${"))).collect()
    };
    let command = words(&value["command"]).into_iter().map(|it| it.replace("{env:", "${")).collect();
    let (env, headers) = (variables(texts(&value["environment"])), variables(texts(&value["headers"])));
    if env.values().chain(headers.values()).any(|it| it.contains("{file:")) {
        return Err("it takes a value from a file, which Ox does not".into());
    }
    Ok(Entry { command, env, url: text(value, "url").replace("{env:", "${"), headers })
}
