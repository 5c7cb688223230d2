//! Secrets on lines that were added.

use ox_core::secrets::redact;
use ox_protocol::{AuditFinding, AuditKind};

use crate::change::Changed;
use crate::diff::Diff;
use crate::pair::finding;

pub(crate) fn findings(change: &Changed) -> Vec<AuditFinding> {
    // Samples of secrets are what tests of secrets are made of.
    if ox_syntax::is_test(&change.path) {
        return Vec::new();
    }
    let Some(after) = &change.after else { return Vec::new() };
    if redact(after).found.is_empty() {
        return Vec::new();
    }
    let before = change.before_text();
    let diff = Diff::of(before, after);
    let mut out = Vec::new();
    for (number, line) in diff.added {
        let shown = redact(line);
        if let Some(secret) = shown.found.first()
            && !before.contains(line.trim())
        {
            out.push(finding(AuditKind::SecretAdded, &change.path, number, secret.kind, ("", &shown.text)));
        }
    }
    out
}
