//! A plan from the arguments of the call that gives it.

use serde_json::Value;

use super::{Plan, PlanQuestion, PlanStep};

impl Plan {
    /// The plan that `plan_respond` was called with. Steps are texts or objects with a `text` and `files`.
    pub fn of_arguments(args: &Value) -> Plan {
        let question = |text: String| PlanQuestion { text, answer: String::new() };
        let mut plan = Plan {
            id: String::new(),
            goal: text(&args["goal"]),
            text: text(&args["response"]),
            steps: args["steps"].as_array().into_iter().flatten().map(step).collect(),
            risks: texts(&args["risks"]),
            questions: texts(&args["questions"]).into_iter().map(question).collect(),
            options: texts(&args["options"]),
        };
        plan.steps.retain(|it| !it.text.is_empty());
        plan.number();
        plan
    }
}

fn step(value: &Value) -> PlanStep {
    if value.is_string() {
        return PlanStep::new(text(value));
    }
    let files = texts(&value["files"]).into_iter().map(|it| it.trim_start_matches("./").to_owned()).collect();
    PlanStep { files, ..PlanStep::new(text(&value["text"])) }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().trim().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).filter(|it| !it.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_come_as_texts_and_as_objects() {
        let plan = Plan::of_arguments(&json!({
            "response": " Do it. ", "goal": "done",
            "steps": ["a", "", {"text": "b", "files": ["./src/b.rs", ""]}],
            "risks": ["slow"], "questions": ["Which?"], "options": ["x", "y"],
        }));
        let steps: Vec<_> = plan.steps.iter().map(|it| (it.id, it.text.as_str(), it.files.concat())).collect();
        assert_eq!(steps, [(1, "a", String::new()), (2, "b", "src/b.rs".to_owned())]);
        assert_eq!((plan.text.as_str(), plan.goal.as_str(), plan.options.len()), ("Do it.", "done", 2));
        assert_eq!((plan.risks.as_slice(), plan.questions[0].text.as_str()), (&["slow".to_owned()][..], "Which?"));
        assert_eq!(Plan::of_arguments(&json!({"response": "x"})).steps, []);
    }
}
