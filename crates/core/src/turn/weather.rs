//! What happens around a request to the model: it fails, is made again, is made shorter, or another model takes over.

use ox_protocol::{Event, FailureKind, ModelFacts, Pruning, Stop, Tokens, WantId};

use super::state::{Phase, Turn};

impl Turn {
    /// Records what happened to a request; anything else changes nothing.
    pub(super) fn weather(&mut self, event: &Event, here: WantId) {
        match event {
            Event::ModelFailed { want, failure, jitter } => self.fail(*want, failure.clone(), *jitter, here),
            Event::Retry { attempt, until, .. } if matches!(self.phase, Phase::Failed { .. }) => {
                self.phase = Phase::Waiting { until: *until, attempt: *attempt };
            }
            Event::Downgrade { model, what, .. } => self.downgrade(model, what, here),
            Event::Pruned { want, pruning, before, after } => self.pruned(*want, pruning, (*before, *after), here),
            Event::Fallback { to, .. } => self.fall_back(to, here),
            _ => {}
        }
    }

    fn fail(&mut self, want: WantId, failure: ox_protocol::Failure, jitter: u16, here: WantId) {
        if let Phase::Thinking { want: wanted, attempt } = self.phase
            && wanted == want
        {
            let prune = failure.kind == FailureKind::ContextTooLong && self.now.room.may_shrink();
            let kind = failure.kind;
            self.phase = match prune {
                true => Phase::Pruning { want: here, attempt },
                false => Phase::Failed { failure, jitter, attempt: self.failed_so(kind) },
            };
            if prune {
                self.now.room.refused();
            }
        }
    }

    /// Counts a failure with those of its own kind: one fault's patience is not spent by another's.
    fn failed_so(&mut self, kind: FailureKind) -> u32 {
        let faults = &mut self.now.faults;
        match faults.iter_mut().find(|(it, _)| *it == kind) {
            Some((_, count)) => *count += 1,
            None => faults.push((kind, 1)),
        }
        faults.iter().find(|(it, _)| *it == kind).map_or(1, |(_, count)| *count)
    }

    pub(super) fn ask_or_prune(&self, here: WantId) -> Phase {
        match self.now.room.is_full(&self.now.model) {
            true => Phase::Pruning { want: here, attempt: 1 },
            false => Phase::Thinking { want: here, attempt: 1 },
        }
    }

    fn pruned(&mut self, want: WantId, pruning: &Pruning, tokens: (Tokens, Tokens), here: WantId) {
        let Phase::Pruning { want: wanted, attempt } = self.phase else {
            // Asked for between two turns: nobody waits for it, but there is more room now.
            if !self.is_running() {
                self.now.room.shortened(tokens);
            }
            return;
        };
        if wanted != want {
            return;
        }
        self.phase = match self.now.room.pruned(pruning, tokens) {
            Ok(()) if self.now.room.fits(&self.now.model) => Phase::Thinking { want: here, attempt },
            // Asking costs what it costs, and can only be refused.
            Ok(()) => Phase::Stopping { stop: Stop::WindowFull, slots: Vec::new() },
            Err(stop) => Phase::Stopping { stop, slots: Vec::new() },
        };
    }

    fn fall_back(&mut self, to: &ModelFacts, here: WantId) {
        if let Phase::Failed { .. } = self.phase {
            self.now.model = to.clone();
            self.now.fallbacks.retain(|it| it.name != to.name);
            self.now.room.changed_model();
            self.now.faults.clear();
            // What was reserved was reserved at the other one's prices, and counted for the other one's window.
            self.phase = match self.reserve() {
                Ok(max_output) => {
                    self.now.max_output = max_output;
                    self.ask_or_prune(here)
                }
                Err(stop) => Phase::Stopping { stop, slots: Vec::new() },
            };
        }
    }

    fn downgrade(&mut self, model: &str, what: &str, here: WantId) {
        self.carried.lacking.insert((model.to_string(), what.to_string()));
        if let Phase::Failed { attempt, .. } = self.phase {
            self.phase = Phase::Thinking { want: here, attempt };
        }
    }
}
