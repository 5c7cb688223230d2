//! Newly failing tests of which nobody saw whether they failed before the edits: they are run once over the tree as it was then.
//!
//! The working tree is never touched: the run gets a private copy of it. What it says stands in the result, so that a reader of
//! the log compares with it as with a baseline.

use std::sync::Arc;

use ox_core::verify;
use ox_protocol::{BoxFuture, Check, CheckReport, CheckResult};

use super::again::{saw_a_test, second};

/// Runs one check over the tree as it was before the turn's edits; none where that is not known.
pub type RunEarlier = Arc<dyn Fn(Check) -> BoxFuture<'static, Option<CheckResult>> + Send + Sync>;

/// The result, with what the same tests said before the edits.
pub(super) async fn if_unknown(
    run: &RunEarlier,
    baseline: Option<&CheckReport>,
    mut result: CheckResult,
) -> CheckResult {
    let report = CheckReport { results: vec![result.clone()], tree: String::new() };
    if verify::compare(baseline, &report).iter().all(|it| it.is_certain) {
        return result;
    }
    let Some((_, checks)) = second(baseline, &result) else { return result };
    let mut earlier = Vec::new();
    for check in checks {
        match run(check).await.filter(|it| it.status.is_answer() && saw_a_test(it)) {
            Some(seen) => earlier.push(seen),
            // Of one that could not run nothing follows, and so neither of the others.
            None => return result,
        }
    }
    result.earlier = earlier;
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use ox_protocol::{CheckKind, CheckStatus, Diagnostic, Tests};

    fn failed(check: &Check, names: &[&str]) -> CheckResult {
        let failure = |name: &&str| Diagnostic {
            file: format!("{}.java", name.split('.').next().unwrap()),
            line: 3,
            column: 0,
            code: (*name).to_owned(),
            message: "expected: <4> but was: <0>".into(),
        };
        CheckResult {
            diagnostics: names.iter().map(failure).collect(),
            tests: Some(Tests { passed: 1, failed: 1 }),
            ..CheckResult::ended(check.clone(), CheckStatus::Failed)
        }
    }

    #[tokio::test]
    async fn a_test_that_failed_before_the_edits_too_is_not_held_against_them() {
        let check = Check::new("mvn test", CheckKind::Test, "mvn -B test", 1, "pom.xml");
        let check = Check { one: Some("mvn -B test -Dtest=CLASS#METHOD".into()), ..check };
        let now = failed(&check, &["ATest.adds", "BTest.divides"]);
        // Which of the two failed before, and the failures that are new for that.
        let table: [(&[&str], &[&str]); 3] = [
            (&["ATest.adds", "BTest.divides"], &[]),
            (&["ATest.adds"], &["BTest.divides"]),
            (&[], &["ATest.adds", "BTest.divides"]),
        ];
        for (before, new) in table {
            let run: RunEarlier = Arc::new(move |it: Check| {
                assert!(it.command.starts_with("mvn -B test -Dtest="), "{}", it.command);
                let fails = before.iter().find(|name| it.command.contains(&name.replace('.', "#")));
                let passed = CheckResult {
                    tests: Some(Tests { passed: 1, failed: 0 }),
                    ..CheckResult::ended(it.clone(), CheckStatus::Passed)
                };
                let ended = fails.map_or(passed, |name| failed(&it, &[*name]));
                Box::pin(async move { Some(ended) })
            });
            let results = vec![if_unknown(&run, None, now.clone()).await];
            let report = CheckReport { results, tree: String::new() };
            let failing = verify::compare(None, &report);
            let named: Vec<&str> = failing.iter().flat_map(|it| &it.new).map(|it| it.code.as_str()).collect();
            assert_eq!((named.as_slice(), failing.iter().all(|it| it.is_certain)), (new, true), "{before:?}");
            assert!(verify::is_proof(None, &report) || !new.is_empty(), "{before:?}");
        }
        let unknown: RunEarlier = Arc::new(|_| Box::pin(async { None }));
        assert_eq!(if_unknown(&unknown, None, now.clone()).await, now);
    }
}
