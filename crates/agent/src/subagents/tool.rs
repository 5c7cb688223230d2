//! `spawn_subagent`: a part of the task for an agent of its own, with a context of its own.
//!
//! It stands here and not among the built-in tools because what it offers depends on the kinds that a session knows.

use std::fmt::Write as _;

use ox_protocol::{AgentRequest, Call, CallKind, Level, Presentation, Statement};
use ox_tools::{Alias, Tool, object};
use serde_json::{Map, Value, json};

use super::kinds::AgentKinds;

/// Its name.
pub(crate) const SPAWN: &str = "spawn_subagent";

/// The tool over these kinds.
pub fn tool(kinds: &AgentKinds) -> Tool {
    let mut description =
        "Give a part of the task to a sub-agent with a context of its own; several of one reply run side by side. It sees only what you write here, and you read only its last words. Kinds:".to_owned();
    for kind in kinds.all() {
        let _ = write!(description, " {} ({}).", kind.name, kind.description.trim_end_matches('.'));
    }
    let names: Vec<&str> = kinds.all().iter().map(|it| it.name.as_str()).collect();
    let paths = |words: &str| json!({"type": "array", "items": {"type": "string"}, "description": words});
    Tool {
        name: SPAWN.into(),
        aliases: Alias::list("task new_task agent dispatch_agent run_agent delegate subagent sub_agent spawn_agent"),
        description: description.into(),
        schema: object(
            &["kind", "task"],
            json!({
                "kind": {"type": "string", "description": names.join(", ")},
                "task": {"type": "string", "description": "all that it needs to know"},
                "files": paths("where to begin"),
                "scope": paths("globs that its edits stay within"),
            }),
        ),
        kind: CallKind::Agent,
        level: Level::Read,
        explores: true,
        presentation: Presentation::Named,
        pinned: true,
        argument_aliases: "kind: subagent_type agent_type agent\ntask: prompt message instructions question",
        normalize,
        validate: |args| word(args, "task").trim().is_empty().then(|| "`task` is empty".into()),
        classify: |_, args, facts| {
            facts.statement = Some(Statement::Agent {
                request: AgentRequest {
                    kind: word(args, "kind").to_owned(),
                    task: word(args, "task").to_owned(),
                    files: words(args, "files"),
                    scope: words(args, "scope"),
                    worktree: false,
                },
            });
        },
        ..Tool::base()
    }
}

/// Adds to a call what follows from its kind: how far it reaches, or that there is no such kind.
pub(crate) fn judge(kinds: &AgentKinds, call: &mut Call) {
    let Some(Statement::Agent { request }) = &mut call.facts.statement else { return };
    match kinds.get(&request.kind) {
        Some(kind) if kind.mode.may_change() => {
            request.worktree = kind.worktree;
            call.facts.level = call.facts.level.max(Level::Edit);
        }
        Some(_) => {}
        None => {
            let names: Vec<&str> = kinds.all().iter().map(|it| it.name.as_str()).collect();
            let words = format!("There is no sub-agent of kind `{}`; there are {}.", request.kind, names.join(", "));
            call.facts.rejected.get_or_insert(words);
        }
    }
}

/// Other agents name their general sub-agent otherwise.
fn normalize(args: &mut Map<String, Value>) {
    const GENERAL: &[&str] = &["general-purpose", "general", "default", "Explore", "explorer"];
    for key in ["kind", "subagent_type", "agent_type"] {
        if args.get(key).and_then(Value::as_str).is_some_and(|it| GENERAL.contains(&it)) {
            args.insert(key.into(), "explore".into());
        }
    }
}

fn word<'a>(args: &'a Value, key: &str) -> &'a str {
    args[key].as_str().unwrap_or_default()
}

fn words(args: &Value, key: &str) -> Vec<String> {
    let list = args[key].as_array().into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}
