//! What a report of the checks changes.

use ox_protocol::{CheckReport, Stop, WantId, Workflow};

use super::state::{Conversation, LoopState};
use crate::verify;

impl Conversation {
    pub(super) fn checked(&mut self, want: WantId, baseline: bool, round: u32, report: &CheckReport) {
        if baseline {
            self.baseline_checked(want, report);
            return;
        }
        self.is_quick_again(report);
        let passed = verify::compare(self.baseline(), report).is_empty();
        let news = self.turn.last_report.as_ref().is_none_or(|it| !same_findings(it, report));
        self.turn.checked_at = Some(self.turn.changes);
        self.turn.verified_at = passed.then_some(self.turn.changes);
        self.turn.last_report = Some(report.clone());
        self.state.explored = true;
        if news {
            self.turn.refusals = 0;
        }
        if !passed {
            self.turn.workflow = Workflow::Fix;
        }
        let LoopState::Checking { want: wanted, concluding } = &self.phase else { return };
        if *wanted != want {
            return;
        }
        self.turn.check_round = round;
        if passed {
            self.phase = LoopState::Concluding(concluding.clone());
        } else if round >= self.turn.limits.check_rounds {
            self.stop(Stop::ChecksFailing);
        } else {
            self.turn.must_call = true;
            self.phase = LoopState::Ready;
        }
    }
}

fn same_findings(a: &CheckReport, b: &CheckReport) -> bool {
    let findings = |it: &CheckReport| -> Vec<_> {
        it.failures().map(|check| (check.check.command.clone(), check.diagnostics.clone(), check.exit_code)).collect()
    };
    findings(a) == findings(b)
}
