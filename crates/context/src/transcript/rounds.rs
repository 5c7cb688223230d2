//! The rounds of verification so far: what failed before the edits, what the round before said, what changed since.

use ox_protocol::{CheckReport, Outcome};

use crate::checks::{FEEDBACK_BYTES, Round, check_feedback, has_progress};

/// What the feedback on the next round is made from.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// The state before the first edit.
    pub baseline: Option<CheckReport>,
    before: Option<CheckReport>,
    changed: Vec<String>,
    stalled: u32,
}

impl Rounds {
    /// Notes the files that a call changed.
    pub fn changed(&mut self, outcome: &Outcome) {
        for change in &outcome.changed {
            if !self.changed.contains(&change.path) {
                self.changed.push(change.path.clone());
            }
        }
    }

    /// The feedback on this round, if something newly fails; the round is then the one before.
    pub fn feedback(&mut self, round: u32, total: u32, report: &CheckReport) -> Option<String> {
        let progress = self.before.as_ref().is_none_or(|it| has_progress(self.baseline.as_ref(), it, report));
        self.stalled = if progress { 0 } else { self.stalled + 1 };
        let text = check_feedback(&self.round(round, total, report, self.baseline.as_ref()), FEEDBACK_BYTES);
        if text.is_some() {
            self.changed.clear();
            self.before = Some(report.clone());
        }
        text
    }

    /// The feedback as it is when the baseline came too late to count.
    pub fn without_baseline(&self, round: u32, total: u32, report: &CheckReport) -> Option<String> {
        check_feedback(&self.round(round, total, report, None), FEEDBACK_BYTES)
    }

    fn round<'b>(
        &'b self,
        round: u32,
        total: u32,
        report: &'b CheckReport,
        baseline: Option<&'b CheckReport>,
    ) -> Round<'b> {
        Round {
            round,
            total,
            report,
            baseline,
            before: self.before.as_ref(),
            changed: &self.changed,
            stalled: self.stalled,
        }
    }
}
