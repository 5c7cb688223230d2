//! `plan_respond`: the plan that a planning turn ends with.

use ox_protocol::{CallKind, PLAN_STEPS, Plan, Presentation, Statement};
use serde_json::{Map, Value, json};

use crate::call::tool::{Alias, Availability, Run, Tool, object};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "plan_respond".into(),
        aliases: Alias::list("plan_mode_respond exit_plan_mode present_plan submit_plan"),
        description:
            "Give the finished plan and end the turn: which files change, how, how it is checked. Call it alone.".into(),
        schema: object(
            &["response"],
            json!({
                "response": {"type": "string", "description": "Markdown"},
                "goal": {"type": "string", "description": "one line"},
                "steps": {"type": "array", "description": "at most 5", "items": {"type": "object", "properties": {"text": {"type": "string"}, "files": {"type": "array", "items": {"type": "string"}, "description": "paths it changes"}}, "required": ["text"]}},
                "risks": {"type": "array", "items": {"type": "string"}},
                "questions": {"type": "array", "items": {"type": "string"}, "description": "open ones, for the user"},
                "options": {"type": "array", "items": {"type": "string"}, "description": "what the user may choose between"},
            }),
        ),
        kind: CallKind::Conclude,
        availability: Availability::Plan,
        normalize,
        validate: |args| {
            let steps = args["steps"].as_array().map_or(0, Vec::len);
            (steps > PLAN_STEPS)
                .then(|| format!("a plan has at most {PLAN_STEPS} steps, not {steps}: join what belongs together"))
        },
        classify: |_, args, facts| facts.statement = Some(Statement::Plan { plan: Plan::of_arguments(args) }),
        run: Run::Core,
        presentation: Presentation::Separate,
        pinned: true,
        ..Tool::base()
    }
}

/// Steps may come as texts, and all else as objects with one.
fn normalize(args: &mut Map<String, Value>) {
    for key in ["steps", "risks", "questions", "options"] {
        if let Some(Value::String(text)) = args.get(key) {
            let lines = || text.lines().map(|it| it.trim_start_matches(['-', '*', ' ']).into()).collect();
            let list = serde_json::from_str(text).unwrap_or_else(|_| Value::Array(lines()));
            args.insert(key.into(), list);
        }
        let Some(Value::Array(items)) = args.get_mut(key) else { continue };
        for item in items {
            let keys = ["text", "step", "label", "content", "title", "description", "question"];
            let text = item.as_str().or_else(|| keys.iter().find_map(|key| item[*key].as_str())).map(str::to_string);
            let Some(text) = text else { continue };
            let files = ["files", "paths"].iter().find_map(|it| item.get(*it)).filter(|it| it.is_array()).cloned();
            *item = match (key, files) {
                ("steps", Some(files)) => json!({"text": text, "files": files}),
                ("steps", None) => json!({"text": text}),
                _ => Value::String(text),
            };
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
            ("plan_respond", json!({"response": "Do it.", "steps": [{"text": "a"}, {"text": "b"}]}))
        );
    }
}
