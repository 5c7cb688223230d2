//! `run_checks`: the project's own checks. The turn runs them, so that the model's run and the final one are the same.

use ox_protocol::{CallKind, Level};

use crate::tool::{Offered, Run, Tool};

pub(crate) static TOOL: Tool = Tool {
    name: "run_checks",
    also: &["run_build", "run_tests", "run_test", "run_lint", "check", "get_errors", "get_diagnostics", "verify"],
    words: "Run the project's own checks (types, lint, build, tests). They also run by themselves when you finish.",
    kind: CallKind::Checks,
    level: Level::Edit,
    explores: true,
    offered: Offered::Build,
    run: Run::Wanted,
    ..Tool::BASE
};
