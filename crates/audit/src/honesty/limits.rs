//! Time limits and numbers of tries of tests that were raised.

use ox_protocol::{AuditFinding, AuditKind};

use crate::pair::Pair;
use crate::reading::flat;

pattern!(
    /// Words for a limit beside which a number stands.
    LIMIT,
    r"(?i)time_?out|retr(?:y|ies)|reruns?|deadline|max_?wait|attempts|\btries\b|flaky|wait_?for"
);
pattern!(
    /// What gives a test more tries or time than others have.
    ADDED,
    r"\bjest\.(?:setTimeout|retryTimes)\(|@pytest\.mark\.flaky|\bthis\.(?:retries|timeout)\(|@(?:RetryingTest|Flaky)\b|\breruns\s*[=:]|--reruns\b|\bretries:\s*[1-9]|\[Retry\("
);
pattern!(NUMBER, r"\b\d[\d_]*(?:\.\d+)?");
pattern!(
    /// Settings of test runners.
    SETTINGS,
    r"(?:^|/)(?:(?:jest|vitest|playwright|cypress|karma|wdio)\.config\.\w+|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|package\.json|\.mocharc\.\w+|nextest\.toml)$"
);

pub(crate) fn findings(pair: &Pair<'_>) -> Vec<AuditFinding> {
    if !pair.is_test() && !SETTINGS.is_match(pair.path()) || pair.change.before.is_none() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (number, line) in &pair.diff.added {
        let now = line.trim();
        let is_code = |it: &str| !it.starts_with("//") && !it.starts_with('#') && !it.starts_with('*');
        if !is_code(now) {
            continue;
        }
        let raised = LIMIT.is_match(now).then(|| pair.diff.removed.iter().find(|it| is_raised(it.1, now))).flatten();
        let added = ADDED.find(now).filter(|it| !pair.before.text.contains(it.as_str()));
        if let Some((_, old)) = raised {
            out.push(pair.finding(AuditKind::LimitRaised, *number, &about(now), old, now));
        } else if let Some(mark) = added
            && !pair.before.tests.is_empty()
        {
            out.push(pair.finding(AuditKind::LimitRaised, *number, mark.as_str(), "", now));
        }
    }
    out
}

fn about(line: &str) -> String {
    LIMIT.find(line).map_or(String::new(), |it| it.as_str().to_owned())
}

/// True for the same line with one number that is larger now.
fn is_raised(old: &str, now: &str) -> bool {
    let shape = |it: &str| NUMBER.replace_all(&flat(it), "§").into_owned();
    if shape(old) != shape(now) {
        return false;
    }
    let numbers = |it: &str| -> Vec<f64> {
        NUMBER.find_iter(it).filter_map(|it| it.as_str().replace('_', "").parse().ok()).collect()
    };
    let (before, after) = (numbers(old), numbers(now));
    let changed: Vec<(&f64, &f64)> = before.iter().zip(&after).filter(|(a, b)| a != b).collect();
    let at = before.iter().zip(&after).position(|(a, b)| a != b);
    // The number is that of the limit.
    let stands = at.and_then(|it| NUMBER.find_iter(now).nth(it)).map_or(0, |it| it.start());
    let near = LIMIT.find_iter(&now[..stands]).last().is_some_and(|it| stands - it.end() <= 16);
    matches!(changed[..], [(a, b)] if b > a) && near
}
