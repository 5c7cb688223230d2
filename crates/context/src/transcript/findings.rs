//! What audits found, for a refusal that names it: what is broken each time, what was asked about once not again.

use ox_protocol::{AuditFinding, AuditWeight, Finding, Gate, Severity};

use crate::words;

/// Findings of a turn.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Those of the last reviewer.
    pub review: Vec<Finding>,
    /// Those of the last audit.
    pub last: Vec<AuditFinding>,
    /// What the last run of the changed tests without the rest of the change showed.
    pub unproven: Vec<AuditFinding>,
    /// Those that the model was asked about.
    put: Vec<AuditFinding>,
}

impl Findings {
    /// The lines that follow a refusal by this gate.
    pub fn of(&mut self, gate: Gate) -> String {
        match gate {
            Gate::Audit => self.put(),
            Gate::Review => {
                let asked = std::mem::take(&mut self.review).into_iter().filter(|it| it.severity >= Severity::Warning);
                asked.map(|it| format!("\n{}", it.line())).collect()
            }
            _ => String::new(),
        }
    }

    /// The lines that put the last findings to the model.
    fn put(&mut self) -> String {
        let asks = |it: &&AuditFinding| match it.kind.weight() {
            AuditWeight::Error => true,
            AuditWeight::Note => false,
            AuditWeight::Weakens | AuditWeight::Doubt => !self.put.iter().any(|put| put.is_same(it)),
        };
        let last = &self.last;
        self.unproven.retain(|it| !last.iter().any(|known| it.repeats(known)));
        let lines = self.last.iter().chain(&self.unproven).filter(asks).map(words::finding).collect();
        self.put.extend(self.last.iter().chain(&self.unproven).cloned());
        lines
    }
}
