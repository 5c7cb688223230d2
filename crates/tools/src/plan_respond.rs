//! `plan_respond`: the plan that a planning turn ends with.

use ox_protocol::CallKind;
use serde_json::{Map, Value, json};

use crate::tool::{Offered, Run, Tool, object};

pub(crate) static TOOL: Tool = Tool {
    name: "plan_respond",
    also: &["plan_mode_respond", "exit_plan_mode", "present_plan", "submit_plan"],
    words: "Give the finished plan and end the turn: which files change, how, how it is checked. Call it alone.",
    schema,
    kind: CallKind::Conclude,
    offered: Offered::Plan,
    adapt,
    run: Run::Wanted,
    ..Tool::BASE
};

fn schema() -> Value {
    object(
        &["response"],
        json!({"response": {"type": "string", "description": "Markdown"}, "steps": {"type": "array", "items": {"type": "string"}, "description": "at most 5"}}),
    )
}

/// Steps may come as objects with a text.
fn adapt(args: &mut Map<String, Value>) {
    if let Some(Value::Array(steps)) = args.get_mut("steps") {
        for step in steps.iter_mut().filter(|it| it.is_object()) {
            let text = ["text", "step", "content", "title", "description"].iter().find_map(|key| step[*key].as_str());
            if let Some(text) = text {
                *step = Value::String(text.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::World;
    use serde_json::json;

    #[test]
    fn plans_of_other_agents_become_ours() {
        let world = World::new();
        let call = world.call("plan_mode_respond", json!({"plan": "Do it.", "steps": [{"step": "a"}, "b"]}));
        assert_eq!(
            (call.tool.as_str(), call.args),
            ("plan_respond", json!({"response": "Do it.", "steps": ["a", "b"]}))
        );
    }
}
