//! What makes the evidence for a change weaker than that for what it replaces: tests, what they assert, marks on them, and
//! what tells checks not to look.
//!
//! Precision comes first: what moved, was renamed, or lost its subject in the same change is none of it.

mod assertions;
mod config;
mod limits;
mod marks;
mod special;
mod swallowed;
mod tests;
mod vacuous;

use ox_protocol::AuditFinding;

use crate::ground::Ground;
use crate::pair::{Pair, Removed};

pub(crate) fn findings(ground: &Ground<'_>, pairs: &[Pair<'_>]) -> Vec<AuditFinding> {
    let matched = tests::matched(pairs);
    let removed = Removed::new(Box::new(|| tests::removed_names(pairs)));
    let mut out = tests::findings(pairs, &matched, ground, &removed);
    out.extend(assertions::findings(pairs, &matched, ground.failed, &removed));
    out.extend(marks::findings(pairs, ground.failed));
    out.extend(vacuous::findings(pairs, &matched));
    out.extend(special::findings(pairs, ground));
    for pair in pairs {
        out.extend(config::findings(pair));
        out.extend(limits::findings(pair));
        out.extend(swallowed::findings(pair));
    }
    out
}
