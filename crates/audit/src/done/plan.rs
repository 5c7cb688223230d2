//! Files that a step of the plan names and that were not touched.

use ox_protocol::{AuditFinding, AuditKind};

use crate::ground::Ground;
use crate::pair::finding;

pub(crate) fn findings(ground: &Ground<'_>) -> Vec<AuditFinding> {
    let mut out = Vec::new();
    for step in ground.planned {
        for word in step.split_whitespace() {
            let path = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/')));
            let is_file = path.rsplit_once('.').is_some_and(|(stem, ending)| {
                !stem.is_empty() && (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
            });
            let is_touched = ground.touched.iter().any(|it| it == path || it.ends_with(&format!("/{path}")));
            // Only what is a file of the project, or has a folder, is surely one.
            let is_known = ground.index.is_some_and(|it| it.has(path)) || (ground.read)(path).is_some();
            if is_file && !is_touched && is_known && says_change(step) {
                out.push(finding(AuditKind::PlannedFileLeft, path, 0, step, ("", "")));
            }
        }
    }
    out
}

/// Steps that only look need not touch anything.
fn says_change(step: &str) -> bool {
    let low = step.to_lowercase();
    let first =
        low.trim_start_matches(|c: char| !c.is_alphabetic()).split_whitespace().next().unwrap_or_default().to_owned();
    !["read", "look", "check", "run", "verify", "review", "inspect", "see", "understand", "test"]
        .contains(&first.as_str())
}
