//! The checks before the first edit: begun when the first edit is at hand, which waits for them, as the model's own
//! run of the checks does. A turn that edits nothing runs none and asks for none.
//!
//! No command waits for them: what a command changes meanwhile ends them. A check that an edit has waited for in vain is not
//! waited for again in the same conversation.

use ox_protocol::{CheckReport, Time, WantId};

use super::state::{Baseline, ChecksConsent, Conversation, LoopState, PendingCall};

/// The want of its first check; small indices belong to the calls of the same reply.
const FIRST: u16 = 50_000;

impl Conversation {
    /// Begins the baseline where an edit is at hand and checks will have to pass and may run. It is of no use once
    /// something was edited.
    pub(super) fn want_baseline(&mut self) {
        let pristine = self.turn.changes == 0 && self.turn.baseline == Baseline::None;
        if pristine && self.checks_at_hand() && self.turn.consent == ChecksConsent::Given {
            let want = WantId { seq: self.seq, index: FIRST };
            self.turn.baseline = Baseline::Running { want, until: None, done: CheckReport::default() };
            self.leave_out_slow();
        }
    }

    /// The check of the baseline that runs.
    fn running_check(&self) -> Option<&str> {
        let done = self.baseline_so_far()?;
        self.turn.checks.get(done.results.len()).map(|it| it.command.as_str())
    }

    /// The wait was too short for the check that runs, and would be again.
    pub(super) fn waited_in_vain(&mut self) {
        let slow = self.running_check().map(str::to_owned);
        self.state.too_slow.extend(slow);
    }

    /// What came to its end within the wait is waited for again: the first run may have built everything.
    pub(super) fn is_quick_again(&mut self, report: &CheckReport) {
        let wait = self.turn.limits.baseline_wait_ms;
        for it in report.results.iter().filter(|it| it.status.is_answer() && it.duration_ms < wait) {
            self.state.too_slow.remove(&it.check.command);
        }
    }

    /// Ends the baseline before a check that an edit has waited for in vain.
    fn leave_out_slow(&mut self) {
        if self.running_check().is_some_and(|it| self.state.too_slow.contains(it)) {
            self.end_baseline();
        }
    }

    /// One more check before the first edit is over; `report` holds all that are.
    pub(super) fn baseline_checked(&mut self, wanted: WantId, report: &CheckReport) {
        let total = self.turn.checks.len();
        let Baseline::Running { want, done, .. } = &mut self.turn.baseline else { return };
        if *want != wanted {
            return;
        }
        let progress = report.results.len() > done.results.len();
        if progress && report.results.len() < total {
            want.index = want.index.saturating_add(1);
            *done = report.clone();
            self.leave_out_slow();
        } else {
            self.turn.baseline = Baseline::Known(report.clone());
        }
    }

    /// The wait is over: what is known by then counts, the rest stays unknown.
    pub(super) fn end_baseline(&mut self) {
        let Baseline::Running { done, .. } = &mut self.turn.baseline else { return };
        let done = std::mem::take(done);
        self.turn.baseline = if done.results.is_empty() { Baseline::GivenUp } else { Baseline::Known(done) };
    }

    /// Sets the time limit of the wait as soon as a mutation is there to wait.
    pub(super) fn await_baseline(&mut self) {
        let waits = self.pending().iter().any(|it| it.is_edit() && !it.is_settled());
        let limit = Time(self.time.0 + self.turn.limits.baseline_wait_ms);
        if let Baseline::Running { until: until @ None, .. } = &mut self.turn.baseline
            && waits
        {
            *until = Some(limit);
        }
    }

    /// True when this turn may edit and its checks have to pass.
    pub(super) fn needs_checks(&self) -> bool {
        self.mode().may_change() && !self.turn.checks.is_empty()
    }

    /// True when the checks come into play: they have to pass, and an edit or the model's own run of them is at hand.
    pub(super) fn checks_at_hand(&self) -> bool {
        self.needs_checks() && self.pending().iter().any(PendingCall::brings_checks)
    }

    /// The command lines that consent is asked for, in the order in which they run.
    pub(super) fn check_commands(&self) -> Vec<String> {
        let fixers = self.turn.fixers.iter().map(|it| &it.command);
        fixers.chain(self.turn.checks.iter().map(|it| &it.command)).cloned().collect()
    }

    /// True while a mutation, or a run of the checks, has to wait for the state before it.
    pub(super) fn mutation_waits(&self) -> bool {
        let pending = self.turn.consent == ChecksConsent::Asked && self.turn.changes == 0;
        matches!(self.turn.baseline, Baseline::Running { .. }) || pending
    }

    /// When the time budget of the turn is spent.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.turn.limits.time_ms.map(|ms| Time(self.turn.started.0.saturating_add(ms)))
    }

    /// True while the phase is one in which the baseline may run.
    pub(super) fn baseline_may_run(&self) -> bool {
        !matches!(
            self.phase,
            LoopState::Idle | LoopState::Over { .. } | LoopState::Stopping { .. } | LoopState::Preparing
        )
    }
}
