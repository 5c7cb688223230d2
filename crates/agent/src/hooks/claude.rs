//! What a hook of Claude Code's format reads, and what its answer means. It can restrict and nothing else: an answer that
//! allows changes nothing, and one that would have the user asked denies.

use std::path::Path;

use ox_extensions::{foreign_event, foreign_tool};
use ox_protocol::HookPoint;
use serde_json::{Map, Value, json};

/// What such a hook reads, made of what Ox's own read.
pub(super) fn input(at: HookPoint, payload: &Value, root: &Path) -> Value {
    let mode = payload["mode"].as_str().unwrap_or_default();
    let mut out = json!({
        "session_id": payload["conversation"],
        // There is no such file.
        "transcript_path": "",
        "cwd": root,
        "permission_mode": if matches!(mode, "chat" | "plan") { "plan" } else { "default" },
        "hook_event_name": foreign_event(at),
    });
    if let Some(tool) = payload["tool"].as_str() {
        out["tool_name"] = foreign_tool(tool).into();
        out["tool_input"] = arguments(&payload["args"], root);
    }
    for (own, foreign) in [("prompt", "prompt"), ("outcome", "tool_response"), ("stop_hook_active", "stop_hook_active")]
    {
        if let Some(value) = payload.get(own) {
            out[foreign] = value.clone();
        }
    }
    out
}

/// The arguments of a call, and beside them those of the same meaning by their names there.
fn arguments(args: &Value, root: &Path) -> Value {
    let mut all: Map<String, Value> = args.as_object().cloned().unwrap_or_default();
    for (own, foreign) in [("old", "old_string"), ("new", "new_string")] {
        if let Some(value) = args.get(own) {
            all.entry(foreign).or_insert_with(|| value.clone());
        }
    }
    if let Some(path) = args["path"].as_str() {
        all.entry("file_path").or_insert_with(|| root.join(path).to_string_lossy().into());
    }
    Value::Object(all)
}

/// Why a hook that ended well objects all the same; none where it does not.
pub(super) fn objection(said: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(said.trim()).ok()?;
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let specific = &answer["hookSpecificOutput"];
    let reason = match (answer["decision"].as_str(), specific["permissionDecision"].as_str()) {
        (Some("block"), _) => word(&answer["reason"]),
        (_, Some("deny" | "ask")) => word(&specific["permissionDecisionReason"]),
        _ if answer["continue"] == false => word(&answer["stopReason"]),
        _ => return None,
    };
    Some(if reason.trim().is_empty() { "it objects and says nothing".to_owned() } else { reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_the_names_of_the_format() {
        let payload = json!({
            "event": "before_tool", "conversation": "c1", "mode": "build", "tool": "edit_file",
            "args": {"path": "src/a.rs", "old": "x", "new": "y"},
        });
        let read = input(HookPoint::BeforeTool, &payload, Path::new("/p"));
        let expected = json!({
            "session_id": "c1", "transcript_path": "", "cwd": "/p", "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": "Edit",
            "tool_input": {"path": "src/a.rs", "old": "x", "new": "y", "old_string": "x", "new_string": "y", "file_path": "/p/src/a.rs"},
        });
        assert_eq!(read, expected);
        let stop = input(HookPoint::BeforeStop, &json!({"stop_hook_active": true}), Path::new("/p"));
        assert_eq!((&stop["hook_event_name"], &stop["stop_hook_active"]), (&json!("Stop"), &json!(true)));
    }

    #[test]
    fn an_answer_restricts_or_changes_nothing() {
        let why = |it: Value| objection(&it.to_string());
        let decides = |decision: &str| json!({"hookSpecificOutput": {"permissionDecision": decision, "permissionDecisionReason": "no"}});
        assert_eq!(why(json!({"decision": "block", "reason": "tests first"})), Some("tests first".to_owned()));
        assert_eq!([why(decides("deny")), why(decides("ask"))], [Some("no".to_owned()), Some("no".to_owned())]);
        assert_eq!(why(json!({"continue": false})), Some("it objects and says nothing".to_owned()));
        assert_eq!(
            [why(decides("allow")), why(json!({"decision": "approve"})), objection("plain words")],
            [None, None, None]
        );
    }
}
