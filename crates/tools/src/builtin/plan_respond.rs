//! `plan_respond`: the plan that a planning turn ends with.

use ox_protocol::{CallKind, Plan, PlanStep, Presentation, Statement};
use serde_json::{Map, Value, json};

use crate::args::{text, texts};
use crate::call::tool::{Alias, Availability, Run, Tool, object};

/// The most steps of a plan.
const STEPS: usize = 5;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "plan_respond".into(),
        aliases: Alias::list("plan_mode_respond exit_plan_mode present_plan submit_plan"),
        description:
            "Give the finished plan and end the turn: which files change, how, how it is checked. Call it alone.".into(),
        schema: object(
            &["response"],
            json!({"response": {"type": "string", "description": "Markdown"}, "steps": {"type": "array", "items": {"type": "string"}, "description": "at most 5"}, "options": {"type": "array", "items": {"type": "string"}, "description": "what the user may choose between"}}),
        ),
        kind: CallKind::Conclude,
        availability: Availability::Plan,
        normalize,
        validate: |args| {
            let steps = args["steps"].as_array().map_or(0, Vec::len);
            (steps > STEPS)
                .then(|| format!("a plan has at most {STEPS} steps, not {steps}: join what belongs together"))
        },
        classify: |_, args, facts| {
            let step = |text: &str| PlanStep { text: text.to_string(), done: false };
            let options = texts(args, "options").into_iter().map(str::to_string).collect();
            let steps = texts(args, "steps").into_iter().map(step).collect();
            let plan = Plan { text: text(args, "response").to_string(), steps, options };
            facts.statement = Some(Statement::Plan { plan });
        },
        run: Run::Core,
        presentation: Presentation::Separate,
        pinned: true,
        ..Tool::base()
    }
}

/// Steps and options may come as objects with a text.
fn normalize(args: &mut Map<String, Value>) {
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
    use crate::tests::testing::Fixture;
    use serde_json::json;

    #[test]
    fn plans_of_other_agents_become_ours() {
        let fixture = Fixture::new();
        let call = fixture.call("plan_mode_respond", json!({"plan": "Do it.", "steps": [{"step": "a"}, "b"]}));
        assert_eq!(
            (call.tool.as_str(), call.args),
            ("plan_respond", json!({"response": "Do it.", "steps": ["a", "b"]}))
        );
    }
}
