//! Notices when a turn goes in circles. Counts only; what is done about it is decided where calls settle.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use ox_protocol::{Call, Limits, Outcome, Status, Stop};

/// How many of the last calls are looked at for oscillation.
const WINDOW: usize = 5;
/// Returns to an earlier tree that are no circle yet: a fix taken back once to see its test fail, and put on again.
const ONE_TOGGLE: u32 = 2;

/// What was called lately, and what came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Loops {
    recent: VecDeque<Trace>,
    failing: Vec<(u64, u32)>,
    failed_replies: u32,
    /// Trees that were there before a change, as far as they were recorded, without equal neighbours.
    trees: Vec<String>,
    /// How often the tree came back to one of them.
    returns: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Trace {
    call: u64,
    outcome: u64,
    changes: u64,
}

impl Loops {
    /// Records a settled call; `changes` counts the changes of the tree so far, this call's included.
    pub fn record(&mut self, call: &Call, outcome: &Outcome, changes: u64) {
        if matches!(outcome.status, Status::Skipped | Status::Interrupted | Status::Lost) {
            return;
        }
        let digest = digest(&(&call.tool, call.args.to_string()));
        let result = digest_outcome(outcome);
        self.recent.push_back(Trace { call: digest, outcome: result, changes });
        if self.recent.len() > WINDOW {
            self.recent.pop_front();
        }
        if outcome.is_failure() {
            match self.failing.iter_mut().find(|(it, _)| *it == digest) {
                Some((_, count)) => *count += 1,
                None => self.failing.push((digest, 1)),
            }
        }
    }

    /// Records the tree as it stands; one that has stood before was gone back to.
    pub fn tree(&mut self, tree: &str) {
        if tree.is_empty() || self.trees.last().is_some_and(|it| it == tree) {
            return;
        }
        self.returns += u32::from(self.trees.iter().any(|it| it == tree));
        self.trees.push(tree.to_string());
    }

    /// The trees that were recorded, oldest first.
    pub fn trees(&self) -> &[String] {
        &self.trees
    }

    /// Records that a reply's calls have all settled.
    pub fn end_reply(&mut self, all_failed: bool) {
        self.failed_replies = if all_failed { self.failed_replies + 1 } else { 0 };
    }

    /// The limit that is reached, if one is.
    pub fn reached(&self, limits: &Limits) -> Option<Stop> {
        if self.failing.iter().any(|(_, count)| *count >= limits.same_failure) {
            Some(Stop::RepeatedFailure)
        } else if self.recent.back().is_some_and(|last| self.count(last) >= limits.oscillation as usize) {
            Some(Stop::Oscillation)
        } else if self.returns.saturating_sub(ONE_TOGGLE) >= limits.oscillation {
            // Made and taken back, again and again.
            Some(Stop::Oscillation)
        } else if self.failed_replies >= limits.failed_replies {
            Some(Stop::AllCallsFailed)
        } else {
            None
        }
    }

    fn count(&self, last: &Trace) -> usize {
        self.recent.iter().filter(|it| *it == last).count()
    }
}

fn digest_outcome(outcome: &Outcome) -> u64 {
    digest(&(&outcome.output, outcome.exit_code, outcome.is_failure()))
}

/// Equal values have equal digests within one build; the fold compares them with nothing else.
fn digest<T: Hash>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
