//! `think`: room for a private draft. It does nothing; the draft stands in the log with the call.

use serde_json::json;

use crate::call::tool::{Alias, Run, Tool, object};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "think".into(),
        aliases: Alias::list("sequential_thinking sequentialthinking scratchpad reflect"),
        description: "Write down a thought before acting. Nothing happens; the user may read it.".into(),
        schema: object(&["thought"], json!({"thought": {"type": "string"}})),
        run: Run::Sync(|_, _| Ok(ox_protocol::Outcome::ok("noted").into())),
        ..Tool::base()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_thought_is_noted_and_changes_nothing() {
        let fixture = crate::tests::testing::Fixture::new();
        let ran = fixture.run("think", serde_json::json!({"thoughts": "what if"}));
        assert_eq!(ran.outcome.output, "noted");
        assert!(!ran.outcome.mutated() && ran.events.is_empty());
        assert!(fixture.fails("think", serde_json::json!({})).contains("`thought` is missing"));
    }
}
