//! The checks before the first edit (T9): begun with the first iteration, waited for by the first mutation, and by the
//! model's own run of the checks.

use ox_protocol::{CallKind, CheckReport, Mode, Time, Verification, WantId};

use super::state::{Baseline, Consent, Phase, Turn};

impl Turn {
    /// Begins the baseline where checks will have to pass and may run. It is of no use once something was edited.
    pub(super) fn want_baseline(&mut self) {
        let pristine = self.now.changes == 0 && self.now.baseline == Baseline::None && self.now.iteration > 0;
        if pristine && self.needs_checks() && self.now.consent == Consent::Given {
            // Index 0 belongs to the model's want of the same event.
            let want = WantId { seq: self.seq, index: 1 };
            self.now.baseline = Baseline::Running { want, until: None, done: CheckReport::default() };
        }
    }

    /// One more check before the first edit is over; `report` holds all that are.
    pub(super) fn baseline_checked(&mut self, wanted: WantId, report: &CheckReport) {
        let total = self.now.checks.len();
        let Baseline::Running { want, done, .. } = &mut self.now.baseline else { return };
        if *want != wanted {
            return;
        }
        let progress = report.results.len() > done.results.len();
        if progress && report.results.len() < total {
            want.index = want.index.saturating_add(1);
            *done = report.clone();
        } else {
            self.now.baseline = Baseline::Known(report.clone());
        }
    }

    /// The wait is over: what is known by then counts, the rest stays unknown.
    pub(super) fn end_baseline(&mut self) {
        let Baseline::Running { done, .. } = &mut self.now.baseline else { return };
        let done = std::mem::take(done);
        self.now.baseline = if done.results.is_empty() { Baseline::GivenUp } else { Baseline::Known(done) };
    }

    /// Sets the time limit of the wait as soon as a mutation is there to wait.
    pub(super) fn await_baseline(&mut self) {
        let waits = self.slots().iter().any(|it| it.call.facts.kind == CallKind::Mutate && !it.is_settled());
        let limit = Time(self.time.0 + self.now.limits.baseline_wait_ms);
        if let Baseline::Running { until: until @ None, .. } = &mut self.now.baseline
            && waits
        {
            *until = Some(limit);
        }
    }

    /// True when this turn may edit and its checks have to pass.
    pub(super) fn needs_checks(&self) -> bool {
        self.now.mode == Mode::Build && self.now.verification != Verification::Off && !self.now.checks.is_empty()
    }

    /// The command lines that consent is asked for.
    pub(super) fn check_commands(&self) -> Vec<String> {
        self.now.checks.iter().map(|it| it.command.clone()).collect()
    }

    /// True while a mutation, or a run of the checks, has to wait for the state before it.
    pub(super) fn mutation_waits(&self) -> bool {
        let pending = self.now.consent == Consent::Asked && self.now.changes == 0;
        matches!(self.now.baseline, Baseline::Running { .. }) || pending
    }

    /// When the time budget of the turn is spent.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.now.limits.time_ms.map(|ms| Time(self.now.started.0.saturating_add(ms)))
    }

    /// True while the phase is one in which the baseline may run.
    pub(super) fn baseline_may_run(&self) -> bool {
        !matches!(self.phase, Phase::Idle | Phase::Over { .. } | Phase::Stopping { .. } | Phase::Preparing)
    }
}
