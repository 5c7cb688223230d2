//! `attempt_completion`: the model's claim that it is done. The turn decides whether that is so.

use ox_protocol::CallKind;
use serde_json::{Value, json};

use crate::tool::{Offered, Run, Tool, object};

pub(crate) static TOOL: Tool = Tool {
    name: "attempt_completion",
    also: &["finish", "submit", "complete", "task_complete", "complete_task", "done", "final_answer"],
    words: "End the turn when the task is done. Call it alone, after the results of all other calls.",
    schema,
    kind: CallKind::Conclude,
    offered: Offered::Build,
    run: Run::Wanted,
    ..Tool::BASE
};

fn schema() -> Value {
    object(
        &["result"],
        json!({
            "result": {"type": "string", "description": "what you did and why"},
            "verify": {"type": "string", "description": "how to see that it works"},
            "undone": {"type": "array", "items": {"type": "string"}, "description": "what is left"},
            "no_change": {"type": "string", "description": "why nothing had to be edited, if so"},
        }),
    )
}

#[cfg(test)]
mod tests {
    use crate::testing::World;
    use serde_json::json;

    #[test]
    fn completions_of_other_agents_become_ours() {
        let world = World::new();
        let call =
            world.call("attempt_completion", json!({"result": "Done.", "command": "cargo test", "undone": "docs"}));
        assert_eq!(call.args, json!({"result": "Done.", "verify": "cargo test", "undone": ["docs"]}));
        assert_eq!(world.call("finish", json!({"message": "Done."})).args, json!({"result": "Done."}));
    }
}
