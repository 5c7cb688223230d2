//! Changes by their texts, and what an audit says of them in few words.

use std::collections::BTreeSet;

use ox_audit::{Changed, Ground, audit};
use ox_protocol::AuditFinding;

/// What is found in files that are changed together.
pub fn found(changes: &[Changed], failed: &[(&str, &str)]) -> Vec<AuditFinding> {
    found_for("", changes, failed)
}

/// The same for a task in these words.
pub fn found_for(task: &str, changes: &[Changed], failed: &[(&str, &str)]) -> Vec<AuditFinding> {
    let failed: BTreeSet<(String, String)> = failed.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
    let ground =
        Ground { changes, touched: &[], index: None, read: &|_| None, scope: &[], failed: &failed, task, planned: &[] };
    audit(&ground)
}

/// The codes of what is found in one changed file, without their prefix.
pub fn codes(path: &str, before: &str, after: &str) -> String {
    let found = found(&[Changed::new(path, Some(before), Some(after))], &[]);
    let codes: Vec<&str> = found.iter().map(|it| it.kind.code().trim_start_matches("audit.")).collect();
    codes.join(" ")
}

/// What is replaced, and by what.
pub type Edit<'a> = (&'a str, &'a str);
/// A path, the text before, the edits of it, and what is found.
type Row<'a> = (&'a str, &'a str, &'a [Edit<'a>], &'a str);

/// Checks a table of paths, texts before, edits of them and what is found; tells all that differ.
pub fn table(rows: &[Row<'_>]) {
    let mut wrong = String::new();
    for (path, before, edits, expected) in rows {
        let mut after = (*before).to_owned();
        for (old, new) in *edits {
            assert!(after.contains(old), "{path}: {old:?} is not in it");
            after = after.replace(old, new);
        }
        let seen = codes(path, before, &after);
        if seen != *expected {
            wrong += &format!("{path} {edits:?}\n  expected {expected:?}, seen {seen:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
