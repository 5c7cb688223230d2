//! What happens around a request to the model: it fails, is made again, is made shorter, or another model takes over.

use ox_protocol::{FailureKind, ModelFacts, Pruning, Stop, Time, Tokens, WantId};

use super::state::{Conversation, LoopState};

impl Conversation {
    pub(super) fn wait(&mut self, attempt: u32, until: Time) {
        if let LoopState::Failed { .. } = self.phase {
            self.phase = LoopState::Waiting { until, attempt };
        }
    }

    pub(super) fn fail(&mut self, want: WantId, failure: ox_protocol::Failure, jitter: u16, here: WantId) {
        if let LoopState::Thinking { want: wanted, attempt } = self.phase
            && wanted == want
        {
            let prune = failure.kind == FailureKind::ContextTooLong && self.turn.window.may_shrink();
            let kind = failure.kind;
            self.phase = match prune {
                true => LoopState::Pruning { want: here, attempt },
                false => LoopState::Failed { failure, jitter, attempt: self.failed_so(kind) },
            };
            if prune {
                self.turn.window.refused();
            }
        }
    }

    /// Counts a failure with those of its own kind: one fault's patience is not spent by another's.
    fn failed_so(&mut self, kind: FailureKind) -> u32 {
        let faults = &mut self.turn.faults;
        match faults.iter_mut().find(|(it, _)| *it == kind) {
            Some((_, count)) => *count += 1,
            None => faults.push((kind, 1)),
        }
        faults.iter().find(|(it, _)| *it == kind).map_or(1, |(_, count)| *count)
    }

    pub(super) fn ask_or_prune(&self, here: WantId) -> LoopState {
        match self.turn.window.is_full(&self.turn.model) {
            true => LoopState::Pruning { want: here, attempt: 1 },
            false => LoopState::Thinking { want: here, attempt: 1 },
        }
    }

    pub(super) fn pruned(&mut self, want: WantId, pruning: &Pruning, tokens: (Tokens, Tokens), here: WantId) {
        self.turn.loops.forgotten();
        let LoopState::Pruning { want: wanted, attempt } = self.phase else {
            // Asked for between two turns: nobody waits for it, but there is more window now.
            if !self.is_running() {
                self.turn.window.shortened(tokens);
            }
            return;
        };
        if wanted != want {
            return;
        }
        self.phase = match self.turn.window.pruned(pruning, tokens) {
            Ok(()) if self.turn.window.fits(&self.turn.model) => LoopState::Thinking { want: here, attempt },
            // Asking costs what it costs, and can only be refused.
            Ok(()) => LoopState::Stopping { stop: Stop::WindowFull, pending: Vec::new() },
            Err(stop) => LoopState::Stopping { stop, pending: Vec::new() },
        };
    }

    pub(super) fn fall_back(&mut self, to: &ModelFacts, here: WantId) {
        if let LoopState::Failed { .. } = self.phase {
            self.turn.model = to.clone();
            self.turn.fallbacks.retain(|it| it.name != to.name);
            self.turn.window.changed_model();
            self.turn.faults.clear();
            // What was reserved was reserved at the other one's prices, and counted for the other one's window.
            self.phase = match self.reserve() {
                Ok(max_output) => {
                    self.turn.max_output = max_output;
                    self.ask_or_prune(here)
                }
                Err(stop) => LoopState::Stopping { stop, pending: Vec::new() },
            };
        }
    }

    pub(super) fn downgrade(&mut self, model: &str, what: &str, here: WantId) {
        self.state.lacking.insert((model.to_string(), what.to_string()));
        if let LoopState::Failed { attempt, .. } = self.phase {
            self.phase = LoopState::Thinking { want: here, attempt };
        }
    }
}
