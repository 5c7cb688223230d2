//! New tests that cannot fail.

use ox_protocol::{AuditFinding, AuditKind};

use super::tests::Matched;
use crate::pair::Pair;
use crate::reading::{Strength, Test};

pub(crate) fn findings(pairs: &[Pair<'_>], matched: &Matched<'_>) -> Vec<AuditFinding> {
    let mut out = Vec::new();
    for (number, test) in &matched.new {
        if proves_nothing(test) {
            let shown = test.assertions.first().map_or(test.short.as_str(), |it| it.text.as_str());
            out.push(pairs[*number].finding(AuditKind::TestProvesNothing, test.line, &test.name, "", shown));
        }
    }
    out
}

/// True where nothing in a test can make it fail: it asserts constants alone, or does nothing.
fn proves_nothing(test: &Test) -> bool {
    let constant = !test.assertions.is_empty() && test.assertions.iter().all(|it| it.strength == Strength::None);
    let other = calls(&test.plain).saturating_sub(test.assertions.iter().map(|it| calls(&it.text)).sum());
    constant && other <= 1 || (test.assertions.is_empty() && is_empty(test))
}

/// How often something is called, the test's own head included.
fn calls(plain: &str) -> usize {
    let is_name = |it: &str| it.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '!'));
    plain.match_indices('(').filter(|(at, _)| is_name(&plain[..*at])).count()
}

/// True where a test has no body to speak of.
fn is_empty(test: &Test) -> bool {
    let start = test.plain.find(&test.short).map_or(0, |it| it + test.short.len());
    let body = test.plain[start..].trim_start_matches(|c: char| c != '{' && c != ':' && c != '\n');
    let words: Vec<&str> = body.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|it| !it.is_empty()).collect();
    test.plain.len() > start && words.iter().all(|it| matches!(*it, "pass" | "return" | "end" | "Ok" | "true" | "None"))
}
