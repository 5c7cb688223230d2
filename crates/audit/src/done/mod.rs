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

pub(crate) fn findings(ground: &Ground<'_>) -> Vec<AuditFinding> {
    let mut out = Vec::new();
    for change in ground.changes {
        out.extend(parses::findings(change));
        out.extend(secrets::findings(change));
    }
    out.extend(scope::findings(ground));
    out.extend(plan::findings(ground));
    if let Some(index) = ground.index {
        out.extend(imports::findings(ground, index));
        out.extend(cycles::findings(ground, index));
    }
    out
}
