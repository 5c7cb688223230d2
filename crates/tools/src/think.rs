//! `think`: room for a private draft. It does nothing; the draft stands in the log with the call.

use serde_json::{Value, json};

use crate::tool::{Run, Tool, object};

pub(crate) static TOOL: Tool = Tool {
    name: "think",
    also: &["sequential_thinking", "sequentialthinking", "scratchpad", "reflect"],
    words: "Write down a thought before acting. Nothing happens; the user may read it.",
    schema: || -> Value { object(&["thought"], json!({"thought": {"type": "string"}})) },
    run: Run::Quick(|_, _| Ok(ox_protocol::Outcome::ok("noted").into())),
    ..Tool::BASE
};

#[cfg(test)]
mod tests {
    #[test]
    fn a_thought_is_noted_and_changes_nothing() {
        let world = crate::testing::World::new();
        let ran = world.run("think", serde_json::json!({"thoughts": "what if"}));
        assert_eq!(ran.outcome.output, "noted");
        assert!(!ran.outcome.mutated() && ran.events.is_empty());
        assert!(world.fails("think", serde_json::json!({})).contains("`thought` is missing"));
    }
}
