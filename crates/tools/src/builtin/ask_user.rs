//! `ask_user`: a question that only the user can answer. The turn waits for the answer.

use ox_protocol::{CallKind, Presentation, Statement};
use serde_json::{Map, Value, json};

use crate::args::{text, texts};
use crate::call::tool::{Alias, Availability, Run, Tool, object};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "ask_user".into(),
        aliases: Alias::list(
            "ask_followup_question ask_user_question request_user_input ask_question ask ask_human question",
        ),
        description: "Ask the user what only they can decide; not what the files can tell.".into(),
        schema: object(
            &["question"],
            json!({"question": {"type": "string"}, "options": {"type": "array", "items": {"type": "string"}, "description": "answers to choose from"}}),
        ),
        kind: CallKind::Question,
        availability: Availability::Always,
        normalize,
        validate: |args| text(args, "question").trim().is_empty().then(|| "`question` is empty".into()),
        classify: |_, args, facts| {
            let options = texts(args, "options").into_iter().map(str::to_string).collect();
            facts.statement = Some(Statement::Question { text: text(args, "question").to_string(), options });
        },
        run: Run::Core,
        presentation: Presentation::Separate,
        pinned: true,
        ..Tool::base()
    }
}

/// Other agents ask several questions at once, each with options that are objects.
fn normalize(args: &mut Map<String, Value>) {
    if let Some(Value::Array(questions)) = args.get("questions").cloned() {
        let words = |it: &Value| it.as_str().or_else(|| it["question"].as_str()).unwrap_or_default().to_string();
        let all: Vec<String> = questions.iter().map(words).filter(|it| !it.is_empty()).collect();
        args.entry("question").or_insert_with(|| Value::String(all.join("\n")));
        if let [only] = questions.as_slice()
            && let Some(options) = only.get("options")
        {
            args.entry("options").or_insert_with(|| options.clone());
        }
    }
    if let Some(Value::Array(options)) = args.get_mut("options") {
        for option in options.iter_mut().filter(|it| it.is_object()) {
            let label = ["label", "text", "title", "value"].iter().find_map(|key| option[*key].as_str());
            if let Some(label) = label {
                *option = Value::String(label.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use serde_json::json;

    #[test]
    fn questions_of_other_agents_become_ours() {
        let fixture = Fixture::new();
        let call = fixture.call(
            "AskUserQuestion",
            json!({"questions": [{"question": "Which?", "header": "x", "options": [{"label": "A", "description": "d"}, {"label": "B"}]}]}),
        );
        assert_eq!((call.tool.as_str(), call.args), ("ask_user", json!({"question": "Which?", "options": ["A", "B"]})));
        let call = fixture.call("ask_followup_question", json!({"question": "Why?", "follow_up": "[\"x\"]"}));
        assert_eq!(call.args, json!({"question": "Why?", "options": ["x"]}));
    }
}
