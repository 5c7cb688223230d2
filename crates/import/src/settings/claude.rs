//! `settings.json` and `.claude.json` of Claude Code.

use std::path::Path;

use ox_protocol::RuleAction;
use serde_json::Value;

use super::rules;
use super::servers::{Entry, texts, words};
use super::taken::{Settings, left};
use crate::lines::text;

/// Settings that are taken, or read by Ox where they stand.
const KNOWN: &[&str] = &["$schema", "enabledPlugins", "env", "hooks", "mcpServers", "model", "permissions"];

pub(super) fn take(settings: &mut Settings, file: &Path, value: &Value, clean: &dyn Fn(String) -> String) {
    settings.servers(&value["mcpServers"], clean, entry);
    // The other file is the program's own notes.
    if !file.ends_with("settings.json") {
        return;
    }
    settings.others(file, value, KNOWN);
    settings.model = match text(value, "model").split('[').next().unwrap_or_default() {
        "" | "default" | "opusplan" => None,
        model if model.starts_with("claude-") => Some(format!("anthropic/{model}")),
        model => Some(model.to_owned()),
    };
    if ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].iter().any(|it| value["env"][it].is_string()) {
        settings.left.push(left("key", &file.display().to_string()).with("provider", "anthropic"));
    }
    let permissions = &value["permissions"];
    for (action, key) in [(RuleAction::Allow, "allow"), (RuleAction::Ask, "ask"), (RuleAction::Deny, "deny")] {
        for rule in words(&permissions[key]) {
            let shown = clean(rule.clone());
            match rules::of_claude(action, &rule).filter(|_| shown == rule) {
                Some(same) => settings.rules.extend(same),
                None => settings.left.push(left("rule", &format!("{key}: {shown}"))),
            }
        }
    }
    for key in ["additionalDirectories", "defaultMode"] {
        if !permissions[key].is_null() {
            settings.left.push(left("rule", &format!("permissions.{key} = {}", permissions[key])));
        }
    }
}

fn entry(value: &Value) -> Result<Entry, String> {
    if text(value, "type") == "sse" {
        return Err("Ox has no servers of type `sse`; ask for its `http` address".into());
    }
    let command = [text(value, "command").to_owned()].into_iter().filter(|it| !it.is_empty());
    Ok(Entry {
        command: command.chain(words(&value["args"])).collect(),
        env: texts(&value["env"]),
        url: text(value, "url").to_owned(),
        headers: texts(&value["headers"]),
    })
}
