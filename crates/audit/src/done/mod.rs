//! Whether a change is finished: its files parse, what they import is there, nothing new goes in a circle, nothing lies
//! outside of the scope, no secret came in, and what the plan names was done.

mod cycles;
mod imports;
mod parses;
mod plan;
mod scope;
mod secrets;

use ox_protocol::AuditFinding;

use crate::ground::Ground;
use crate::pair::Pair;

pub(crate) fn findings(ground: &Ground<'_>, pairs: &[&Pair<'_>]) -> Vec<AuditFinding> {
    let mut out = Vec::new();
    for pair in pairs {
        out.extend(parses::findings(pair));
        out.extend(secrets::findings(pair));
    }
    out.extend(scope::findings(ground));
    out.extend(plan::findings(ground));
    if let Some(index) = ground.index {
        out.extend(imports::findings(ground, pairs, index));
        out.extend(cycles::findings(pairs, index));
    }
    out
}
