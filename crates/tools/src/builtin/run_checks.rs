//! `run_checks`: the project's own checks. The turn runs them, so that the model's run and the final one are the same.

use ox_protocol::{CallKind, Level, Presentation};

use crate::call::tool::{Alias, Availability, Run, Tool};

pub(crate) fn tool() -> Tool {
    Tool {
        name: ox_protocol::CHECKS_RULE.into(),
        aliases: Alias::list("run_build run_tests run_test run_lint check get_errors get_diagnostics verify"),
        description:
            "Run the project's own checks (types, lint, build, tests). They also run by themselves when you finish."
                .into(),
        kind: CallKind::Checks,
        level: Level::Edit,
        explores: true,
        availability: Availability::Build,
        run: Run::Core,
        presentation: Presentation::Separate,
        ..Tool::base()
    }
}
