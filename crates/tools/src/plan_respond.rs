//! `plan_respond`: the plan that a planning turn ends with.

use ox_protocol::CallKind;
use serde_json::{Map, Value, json};

use crate::tool::{Offered, Run, Tool, object};

/// The most steps of a plan (T7).
const STEPS: usize = 5;

pub(crate) static TOOL: Tool = Tool {
    name: "plan_respond",
    also: &["plan_mode_respond", "exit_plan_mode", "present_plan", "submit_plan"],
    words: "Give the finished plan and end the turn: which files change, how, how it is checked. Call it alone.",
    schema,
    kind: CallKind::Conclude,
    offered: Offered::Plan,
    adapt,
    senseless: |args| {
        let steps = args["steps"].as_array().map_or(0, Vec::len);
        (steps > STEPS).then(|| format!("a plan has at most {STEPS} steps, not {steps}: join what belongs together"))
    },
    run: Run::Wanted,
    ..Tool::BASE
};

fn schema() -> Value {
    object(
        &["response"],
        json!({"response": {"type": "string", "description": "Markdown"}, "steps": {"type": "array", "items": {"type": "string"}, "description": "at most 5"}, "options": {"type": "array", "items": {"type": "string"}, "description": "what the user may choose between"}}),
    )
}

/// Steps and options may come as objects with a text.
fn adapt(args: &mut Map<String, Value>) {
    for key in ["steps", "options"] {
        let Some(Value::Array(items)) = args.get_mut(key) else { continue };
        for step in items.iter_mut().filter(|it| it.is_object()) {
            let keys = ["text", "step", "label", "content", "title", "description"];
            let text = keys.iter().find_map(|key| step[*key].as_str());
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
