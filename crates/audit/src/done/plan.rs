//! Files that a step of the plan names and that were not touched.

use ox_protocol::{AuditFinding, AuditKind, PlanStep};

use crate::ground::Ground;
use crate::pair::finding;

pub(crate) fn findings(ground: &Ground<'_>) -> Vec<AuditFinding> {
    let mut out = Vec::new();
    for step in ground.planned {
        for path in step.paths() {
            let is_touched = ground.touched.iter().any(|it| PlanStep::covers(&path, it));
            // What the words of a step name is surely a file only where there is one.
            let is_known = !step.files.is_empty()
                || ground.index.is_some_and(|it| it.has(&path))
                || (ground.read)(&path).is_some();
            if !is_touched && is_known {
                out.push(finding(AuditKind::PlannedFileLeft, &path, 0, &step.text, ("", "")));
            }
        }
    }
    out
}
