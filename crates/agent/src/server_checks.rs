//! What language servers that run anyway say of a session's edits, as further results of a round of checks.
//!
//! No server is started for it, only errors count that came with the edits, and where a type check of the project's own
//! has run, that is believed instead.

use std::sync::Arc;
use std::time::Instant;

use ox_protocol::{Check, CheckKind, CheckReport, CheckResult, CheckStatus, Diagnostic};
use ox_repo::Tree;
use ox_tools::{CallContext, ToolEnv};

/// How long a server may take, for the record; the servers keep it themselves.
const LIMIT_MS: u64 = 20_000;

/// `report` with what the running servers find in the files that were edited. Nothing is added where they find nothing.
pub async fn with_servers(mut report: CheckReport, tree: &Tree, tools: &Arc<ToolEnv>) -> CheckReport {
    if is_typed(&report) || tools.servers.running().is_empty() {
        return report;
    }
    let cx = CallContext::new(tree.clone(), tools.clone());
    let began = Instant::now();
    let found = ox_tools::new_diagnostics(&cx).await;
    let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    report.results.extend(found.into_iter().filter_map(|(name, diagnostics)| result(name, diagnostics, took)));
    report
}

/// True where a type check of the project has said something.
fn is_typed(report: &CheckReport) -> bool {
    report.results.iter().any(|it| it.check.kind == CheckKind::Types && it.status.is_answer())
}

fn result(name: &str, diagnostics: Vec<Diagnostic>, duration_ms: u64) -> Option<CheckResult> {
    // It has no command line; results are told apart by theirs.
    let check = Check::new(name, CheckKind::Types, name, LIMIT_MS, "language server");
    let failed = CheckResult::ended(check, CheckStatus::Failed);
    (!diagnostics.is_empty()).then_some(CheckResult { diagnostics, duration_ms, ..failed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_errors_fail_a_round_and_a_project_with_types_is_left_to_its_own_check() {
        let error = Diagnostic { file: "a.py".into(), line: 1, column: 1, code: "c".into(), message: "m".into() };
        assert_eq!(result("pyright", Vec::new(), 1), None);
        let found = result("pyright", vec![error], 1).expect("there is an error");
        let report = CheckReport { results: vec![found.clone()], tree: String::new() };
        let failing = ox_core::verify::compare(Some(&CheckReport::default()), &report);
        assert_eq!(failing[0].new.len(), 1);
        assert!(is_typed(&report));
        let status =
            |status| CheckReport { results: vec![CheckResult { status, ..found.clone() }], tree: String::new() };
        assert_eq!([CheckStatus::Passed, CheckStatus::NotInstalled].map(|it| is_typed(&status(it))), [true, false]);
    }
}
