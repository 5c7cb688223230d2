//! What a run of the project's tests that the model saw says.

use ox_core::test_runs::runs_tests;
use ox_protocol::{Call, Evidence, Outcome, Status};

use crate::parse::counts::counts;

/// A run of tests by the model that passed: its command, and how many there were. A run whose status a pipe or a further
/// command may hide counts by its own words alone.
pub fn passed_tests(call: &Call, outcome: &Outcome) -> Option<Evidence> {
    let command = call.facts.command.as_ref()?;
    let runs = match call.facts.commands.as_slice() {
        [] => runs_tests(command),
        parts => parts.iter().any(|it| runs_tests(&it.text)),
    };
    if !runs || outcome.status != Status::Ok || outcome.exit_code != Some(0) {
        return None;
    }
    let tests = counts(&outcome.output);
    let hides = command.replace("2>&1", "").replace("&&", "").contains(['|', ';', '&', '\n']);
    let passed = tests.map_or(!hides, |it| it.failed == 0 && it.passed > 0);
    passed.then(|| evidence(command, tests, outcome))
}

/// The run of a command as what shows something: its last line is the excerpt.
pub fn evidence(command: &str, tests: Option<ox_protocol::Tests>, outcome: &Outcome) -> Evidence {
    let last = outcome.output.lines().map(str::trim).rfind(|it| !it.is_empty() && !it.starts_with('['));
    let last = last.unwrap_or_default();
    Evidence {
        command: command.to_owned(),
        exit_code: outcome.exit_code,
        duration_ms: outcome.duration_ms,
        tree: String::new(),
        tests,
        excerpt: Evidence::excerpt_of(last),
    }
}

#[cfg(test)]
mod tests {
    use ox_protocol::{CallFacts, CallId, SimpleCommand, Tests};

    use super::*;

    #[test]
    fn a_run_counts_by_its_status_or_where_that_may_be_hidden_by_its_words() {
        let run = |command: &str, code, output: &str| {
            let parts = command.split(['|', ';']).map(|it| SimpleCommand {
                text: it.trim().replace(" 2>&1", ""),
                level: ox_protocol::Level::Shell,
                prefix: None,
            });
            let facts = CallFacts { command: Some(command.into()), commands: parts.collect(), ..CallFacts::default() };
            let args = serde_json::json!({});
            let call = Call { id: CallId("c".into()), tool: "run_command".into(), args, facts, as_written: None };
            let outcome = Outcome { exit_code: Some(code), output: output.into(), ..Outcome::default() };
            passed_tests(&call, &outcome).map(|it| it.tests)
        };
        let counted = |passed| Some(Some(Tests { passed, failed: 0 }));
        let table = [
            (run("pytest -q a.py", 0, "3 passed in 0.1s"), counted(3)),
            (run("pytest -q a.py 2>&1 | tail -3", 0, "3 passed in 0.1s"), counted(3)),
            (run("pytest -q a.py | tail -3", 0, "1 failed, 3 passed in 0.1s"), None),
            (run("pytest -q a.py | tail -1", 0, "that is all"), None),
            (run("make test", 0, "all good"), Some(None)),
            (run("make test", 2, "3 passed in 0.1s"), None),
            (run("cat log", 0, "3 passed in 0.1s"), None),
            (run("cargo test", 0, "test result: ok. 0 passed; 0 failed;"), None),
        ];
        for (at, (found, expected)) in table.into_iter().enumerate() {
            assert_eq!(found, expected, "case {at}");
        }
    }
}
