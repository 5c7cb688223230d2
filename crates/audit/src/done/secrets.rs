//! Secrets on lines that were added.

use ox_core::secrets::redact;
use ox_protocol::{AuditFinding, AuditKind};

use crate::pair::{Pair, finding};

pub(crate) fn findings(pair: &Pair<'_>) -> Vec<AuditFinding> {
    let change = pair.change;
    // Samples of secrets are what tests of secrets are made of.
    if ox_syntax::is_test(&change.path) {
        return Vec::new();
    }
    let Some(after) = &change.after else { return Vec::new() };
    if redact(after).found.is_empty() {
        return Vec::new();
    }
    let before = change.before_text();
    let mut out = Vec::new();
    for &(number, line) in &pair.diff.added {
        let shown = redact(line);
        if let Some(secret) = shown.found.first()
            && !before.contains(line.trim())
        {
            out.push(finding(AuditKind::SecretAdded, &change.path, number, secret.kind, ("", &shown.text)));
        }
    }
    out
}
