//! `attempt_completion`: the model's claim that it is done. The turn decides whether that is so.

use ox_protocol::{CallKind, Claim, Presentation, Statement};
use serde_json::json;

use crate::args::{text, texts};
use crate::call::tool::{Alias, Availability, Run, Tool, object};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "attempt_completion".into(),
        aliases: Alias::list("finish submit complete task_complete complete_task done final_answer"),
        description:
            "End the turn when the task is done. Alone, or last after edits and commands: it counts if all succeed."
                .into(),
        schema: object(
            &["result"],
            json!({
                "result": {"type": "string", "description": "what you did and why"},
                "verify": {"type": "string", "description": "how to see that it works"},
                "undone": {"type": "array", "items": {"type": "string"}, "description": "what is left"},
                "claims": {"type": "array", "items": {"type": "string"}, "description": "what works: `command that showed it`"},
                "no_change": {"type": "string", "description": "why nothing had to be edited, if so"},
            }),
        ),
        kind: CallKind::Conclude,
        availability: Availability::Build,
        classify: |_, args, facts| {
            let given = |key: &str| text(args, key).trim().to_string();
            let undone = texts(args, "undone").into_iter().map(str::to_string).collect();
            let (result, verify, no_change) = (given("result"), given("verify"), given("no_change"));
            let claims = texts(args, "claims").into_iter().map(Claim::of).collect();
            facts.statement = Some(Statement::Completion { result, verify, undone, no_change, claims });
        },
        run: Run::Core,
        presentation: Presentation::Separate,
        ..Tool::base()
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use serde_json::json;

    #[test]
    fn completions_of_other_agents_become_ours() {
        let fixture = Fixture::new();
        let call =
            fixture.call("attempt_completion", json!({"result": "Done.", "command": "cargo test", "undone": "docs"}));
        assert_eq!(call.args, json!({"result": "Done.", "verify": "cargo test", "undone": ["docs"]}));
        assert_eq!(fixture.call("finish", json!({"message": "Done."})).args, json!({"result": "Done."}));
    }
}
