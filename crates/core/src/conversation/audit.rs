//! The audit of a change before the end of its turn: when it is due, and what follows from what it found.
//!
//! What is not finished refuses the end like a failing check. What makes the evidence weaker is put to the model once; where
//! it stays, the end is not called verified. Nothing is looked at here; that is the want's work.

use ox_protocol::{AuditFinding, AuditWeight, ChangeSize, CheckReport, Gate, Stop};

use super::conclude::Conclusion;
use super::state::{Concluding, Conversation};

impl Conversation {
    /// What the last audit of the change found, and what runs of its tests without the rest of it showed.
    pub fn findings(&self) -> Vec<AuditFinding> {
        let mut all: Vec<AuditFinding> = self.turn.audit.iter().flat_map(|it| it.1.iter().cloned()).collect();
        let now = self.turn.checked_at == Some(self.turn.changes);
        let unproven = self.turn.last_report.iter().filter(|_| now).flat_map(CheckReport::unproven);
        let new: Vec<AuditFinding> = unproven.filter(|it| !all.iter().any(|known| it.repeats(known))).collect();
        all.extend(new);
        all
    }

    /// True where the end of a turn that changed something waits for the audit of its change.
    pub(super) fn audit_is_due(&self, it: &Concluding) -> bool {
        self.turn.queued == 0 && self.refusing_gate(it).is_none() && self.audit_is_missing()
    }

    pub(super) fn audit_is_missing(&self) -> bool {
        let known = self.turn.audit.as_ref().map(|it| it.0);
        self.mode().may_change() && self.turn.changes > 0 && known != Some(self.turn.changes)
    }

    /// What the audit has against the end; nothing where the checks may decide.
    pub(super) fn audit_conclusion(&self, it: &Concluding) -> Option<Conclusion> {
        if self.turn.changes == 0 {
            return None;
        }
        if self.audit_is_missing() {
            return Some(Conclusion::Wait);
        }
        let used_up = self.turn.refusals >= self.turn.limits.stop_hook_retries;
        if self.findings().iter().any(|it| it.kind.weight() == AuditWeight::Error) {
            let stop = Conclusion::Stop(Stop::ChecksFailing);
            return Some(if used_up { stop } else { self.refuse(Gate::Audit, it) });
        }
        // What was asked once is not asked again; the summary names it.
        let asks = self.findings().iter().any(|it| it.kind.weight() < AuditWeight::Note && !self.was_put(it));
        (asks && !used_up).then(|| self.refuse(Gate::Audit, it))
    }

    /// True where the change weakened what decides over it and the model kept that.
    pub(super) fn evidence_is_weakened(&self) -> bool {
        self.findings().iter().any(|it| it.kind.weight() == AuditWeight::Weakens)
    }

    pub(super) fn audited(&mut self, changes: u64, size: ChangeSize, findings: &[AuditFinding]) {
        self.turn.size = size;
        self.turn.audit = Some((changes, findings.to_vec()));
    }

    /// The model is asked about all that was found.
    pub(super) fn put_findings(&mut self) {
        let new: Vec<AuditFinding> = self.findings().into_iter().filter(|it| !self.was_put(it)).collect();
        self.turn.put.extend(new);
    }

    fn was_put(&self, it: &AuditFinding) -> bool {
        self.turn.put.iter().any(|put| put.is_same(it))
    }
}
