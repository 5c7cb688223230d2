//! Hooks as Claude Code's settings state them, as hooks of Ox: those whose events mean the same here.
//!
//! Hooks can only restrict here, whatever they answer; events that Ox has no equal for are said and passed over.

use ox_protocol::{Hook, HookFormat, HookPoint};
use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::source::Source;

/// Seconds that a hook may take where nobody says.
const SECONDS: u64 = 60;

/// The events, with what they are here.
const EVENTS: &[(&str, HookPoint)] = &[
    ("UserPromptSubmit", HookPoint::RunStart),
    ("PreToolUse", HookPoint::BeforeTool),
    ("PostToolUse", HookPoint::AfterTool),
    ("Stop", HookPoint::BeforeStop),
];

/// Tools by their names there, with those that do the same here.
const TOOLS: &[(&str, &str)] = &[
    ("Bash", "run_command"),
    ("Read", "read_file"),
    ("Write", "write_file"),
    ("Edit", "edit_file replace_in_file edit_lines edit_symbol apply_patch"),
    ("MultiEdit", "edit_file replace_in_file edit_lines edit_symbol apply_patch"),
    ("Glob", "list_files"),
    ("LS", "list_files"),
    ("Grep", "search_code"),
    ("WebFetch", "web_fetch"),
    ("Task", "spawn_subagent"),
    ("Agent", "spawn_subagent"),
    ("TodoWrite", "todo_write"),
    ("Skill", "skill"),
];

/// The name of a tool there; its own where it has no other.
pub fn foreign_tool(name: &str) -> &str {
    let has = |it: &&(&str, &str)| it.1.split(' ').any(|own| own == name);
    TOOLS.iter().find(has).map_or(name, |it| it.0)
}

/// The names here of a tool of Claude Code; none where it has no equal.
pub fn own_tools(name: &str) -> Vec<&'static str> {
    TOOLS.iter().filter(|it| it.0 == name).flat_map(|it| it.1.split(' ')).collect()
}

/// The name there of an event.
pub fn foreign_event(at: HookPoint) -> &'static str {
    EVENTS.iter().find(|it| it.1 == at).map_or("SessionEnd", |it| it.0)
}

#[derive(Deserialize)]
struct Group {
    #[serde(default)]
    matcher: String,
    #[serde(default)]
    hooks: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    command: String,
    timeout: Option<u64>,
}

/// The hooks of a file's `hooks`, and what of it is passed over, in words.
///
/// # Errors
/// The file has another form; in words.
pub(crate) fn hooks(text: &str, source: &Source) -> Result<(Vec<Hook>, Vec<String>), String> {
    let file: Map<String, Value> = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("it is no JSON object: {error}"))?;
    let events = match file.get("hooks") {
        None | Some(Value::Null) => return Ok((Vec::new(), Vec::new())),
        Some(Value::Object(events)) => events,
        Some(_) => return Err("its `hooks` is no object".to_owned()),
    };
    let (mut all, mut passed) = (Vec::new(), Vec::new());
    for (event, groups) in events {
        let Some((_, at)) = EVENTS.iter().find(|it| it.0 == event) else {
            passed.push(format!("hooks for `{event}`, which Ox does not have"));
            continue;
        };
        let groups: Vec<Group> = serde_json::from_value(groups.clone())
            .map_err(|error| format!("its hooks for `{event}` cannot be read: {error}"))?;
        for group in groups {
            let tools = match tools(&group.matcher) {
                Ok(tools) => tools,
                Err(why) => {
                    passed.push(format!("hooks for `{event}`: {why}"));
                    continue;
                }
            };
            for entry in group.hooks {
                match entry.kind.as_str() {
                    "command" if !entry.command.trim().is_empty() => all.push(Hook {
                        at: *at,
                        command: source.placed(&entry.command),
                        tools: tools.clone(),
                        limit_ms: entry.timeout.unwrap_or(SECONDS).saturating_mul(1000),
                        source: source.scope.to_string(),
                        format: HookFormat::Claude,
                    }),
                    kind => passed.push(format!("a hook of type `{kind}` for `{event}`; Ox runs commands")),
                }
            }
        }
    }
    Ok((all, passed))
}

/// The tools here that a matcher names; empty for all.
fn tools(matcher: &str) -> Result<Vec<String>, String> {
    if matches!(matcher.trim(), "" | "*" | ".*") {
        return Ok(Vec::new());
    }
    let pattern = Regex::new(&format!("^(?:{matcher})$")).map_err(|_| format!("`{matcher}` is no pattern"))?;
    let mut all: Vec<String> = Vec::new();
    for (name, own) in TOOLS {
        let own = own.split(' ').filter(|it| pattern.is_match(name) || pattern.is_match(it));
        all.extend(own.map(str::to_owned));
    }
    // Tools of servers have the same names there and here.
    let servers =
        matcher.split('|').map(|it| it.trim_matches(['(', ')', '^', '$'])).filter(|it| it.starts_with("mcp__"));
    all.extend(servers.map(|it| it.replace(".*", "*")));
    all.sort();
    all.dedup();
    match all.is_empty() {
        true => Err(format!("Ox has no tool that `{matcher}` matches")),
        false => Ok(all),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn hooks_whose_events_mean_the_same_are_taken_and_others_are_said() {
        let text = r#"{"permissions": {}, "hooks": {
            "PreToolUse": [{"matcher": "Bash|mcp__db__.*", "hooks": [
                {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/guard.sh", "timeout": 5},
                {"type": "prompt", "prompt": "Is it safe?"}]},
              {"matcher": "NotebookEdit", "hooks": [{"type": "command", "command": "x"}]}],
            "Stop": [{"hooks": [{"type": "command", "command": "check"}]}],
            "SessionStart": [{"hooks": []}]}}"#;
        let source = Source::of_plugin("kit", Path::new("/kit"));
        let (all, passed) = hooks(text, &source).unwrap();
        let hook = |at, command: &str, tools: &[&str], limit_ms| Hook {
            at,
            command: command.to_owned(),
            tools: tools.iter().map(|it| (*it).to_owned()).collect(),
            limit_ms,
            source: "plugin kit".to_owned(),
            format: HookFormat::Claude,
        };
        let expected = [
            hook(HookPoint::BeforeTool, "/kit/guard.sh", &["mcp__db__*", "run_command"], 5_000),
            hook(HookPoint::BeforeStop, "check", &[], 60_000),
        ];
        assert_eq!(all, expected);
        assert_eq!(
            passed,
            [
                "a hook of type `prompt` for `PreToolUse`; Ox runs commands",
                "hooks for `PreToolUse`: Ox has no tool that `NotebookEdit` matches",
                "hooks for `SessionStart`, which Ox does not have",
            ]
        );
        assert!(hooks("[]", &source).is_err() && hooks(r#"{"hooks": []}"#, &source).is_err());
        assert_eq!(hooks("{}", &source), Ok((Vec::new(), Vec::new())));
    }

    #[test]
    fn tools_are_matched_as_patterns_of_their_names_there() {
        assert_eq!(tools("Edit|Write").unwrap().len(), 6);
        assert_eq!(tools("Web.*").unwrap(), ["web_fetch"]);
        assert_eq!(tools("Wr").unwrap_err(), "Ox has no tool that `Wr` matches");
        assert_eq!(tools("(").unwrap_err(), "`(` is no pattern");
        assert_eq!((foreign_tool("edit_lines"), foreign_tool("recall")), ("Edit", "recall"));
        assert_eq!(foreign_event(HookPoint::BeforeStop), "Stop");
    }
}
