//! Another attempt at a task whose attempt failed: when there is one, and what it starts from.

use ox_protocol::{Event, Mode, Repair, Stop};

use super::loops::Loops;
use super::state::{Conversation, Hooks, LoopState};

/// Iterations that each further attempt has less than the one before.
const FEWER: u32 = 5;

/// An attempt that follows a failed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// 2 for the first repair.
    pub number: u32,
    /// Attempts in all.
    pub total: u32,
    /// Its limit of iterations.
    pub iterations: u32,
}

impl Conversation {
    /// The attempt that follows the one that has just failed; none where it did not fail in a way that a fresh start could
    /// mend, where the attempts or a budget are used up, and where nothing was to be changed.
    pub fn next_attempt(&self) -> Option<Attempt> {
        let LoopState::Over { stop } = self.phase else { return None };
        let limits = &self.turn.limits;
        let number = self.turn.attempt.max(1) + 1;
        let changes = self.mode() == Mode::Build || self.turn.changes > 0;
        let spent = limits.tokens.is_some_and(|it| self.turn.usage.total() >= it)
            || limits.cost.is_some_and(|it| self.turn.cost.unwrap_or_default() >= it);
        let left = number <= limits.repair_attempts.saturating_add(1);
        (changes && left && !spent && is_mendable(stop)).then(|| Attempt {
            number,
            total: limits.repair_attempts + 1,
            iterations: limits.iterations.saturating_sub(FEWER).max(1),
        })
    }

    /// A new attempt begins: counts start anew, what is known of the tree and of its checks stays unless it was taken back.
    pub(super) fn repaired(&mut self, event: &Event) {
        let Event::Repair(repair) = event else { return };
        let Repair { attempt, iterations, rolled_back, usage, cost, .. } = repair;
        self.used(*usage, *cost);
        if !matches!(self.phase, LoopState::Over { .. }) {
            return;
        }
        let then = self.state.windows.last().map(|it| it.1.clone()).unwrap_or_default();
        let turn = &mut self.turn;
        turn.window = turn.window.rewound(&then);
        turn.attempt = *attempt;
        turn.limits.iterations = *iterations;
        turn.earlier_iterations += std::mem::take(&mut turn.iteration);
        turn.loops = Loops::default();
        turn.must_call = true;
        (turn.check_round, turn.refusals, turn.empty_replies, turn.queued) = (0, 0, 0, 0);
        (turn.faults, turn.no_change, turn.start_hooks) = (Vec::new(), false, Hooks::None);
        if *rolled_back {
            (turn.changes, turn.verified_at, turn.checked_at, turn.last_report) = (0, None, None, None);
            // They are about changes that are no more.
            (turn.fixed_at, turn.audit) = (None, None);
        }
        self.phase = LoopState::Preparing;
    }

    /// Iterations of the turn, those of earlier attempts included.
    pub fn iterations(&self) -> u32 {
        self.turn.earlier_iterations + self.turn.iteration
    }
}

/// True for the ends that a model ran into by itself; limits that the user set, and what no second try could help, are final.
fn is_mendable(stop: Stop) -> bool {
    matches!(
        stop,
        Stop::ChecksFailing
            | Stop::StopHookRetries
            | Stop::AllCallsFailed
            | Stop::Oscillation
            | Stop::RepeatedFailure
            | Stop::EmptyReplies
            | Stop::Internal
    )
}
