//! The project's fixers: they run over what the turn edited before an audit or a check looks at it, once for each state of the
//! tree, and where the project's commands may run. What comes of them is a change of the turn like any other.

use ox_protocol::{CallId, Fixer, WantId};

use super::conclude::{Conclusion, event};
use super::state::{ChecksConsent, Concluding, Conversation};
use crate::want::Want;

/// The index of the want that runs them.
const FIXERS: u16 = u16::MAX - 6;

impl Conversation {
    /// The fixers of the turn.
    pub fn fixers(&self) -> &[Fixer] {
        &self.turn.fixers
    }

    /// True where something was edited that no fixer has seen, and checks will look at it.
    fn is_unfixed(&self) -> bool {
        let turn = &self.turn;
        !turn.fixers.is_empty() && turn.changes > 0 && turn.fixed_at != Some(turn.changes) && self.needs_checks()
    }

    /// True where they run now, if nothing else of the turn may change the tree meanwhile.
    pub(super) fn fixers_are_due(&self) -> bool {
        self.is_unfixed() && self.turn.consent == ChecksConsent::Given
    }

    /// The same before the end of the turn.
    pub(super) fn fixers_come_first(&self, it: &Concluding) -> bool {
        self.turn.queued == 0 && self.refusing_gate(it).is_none() && self.fixers_are_due()
    }

    /// What keeps the end from being looked at: the fixers, or the answer to whether they may run.
    pub(super) fn fixers_conclusion(&self) -> Option<Conclusion> {
        match self.turn.consent {
            _ if !self.is_unfixed() => None,
            ChecksConsent::Refused => None,
            ChecksConsent::Unknown => Some(event(self.consent_for_checks())),
            ChecksConsent::Asked | ChecksConsent::Given => Some(Conclusion::Wait),
        }
    }

    /// They work on a copy until the end, so those that a crash cut off are run again.
    pub(super) fn fixers_want(&self, seq: ox_protocol::Seq) -> Want {
        let call = Fixer::call(self.state.turns, self.turn.changes);
        Want::Fixers { id: WantId { seq, index: FIXERS }, call }
    }

    /// A run of them is over, and what it changed is counted. One during which something else changed saw too little.
    pub(super) fn fixed(&mut self, call: &CallId, mutated: bool) {
        let seen = self.turn.changes.saturating_sub(u64::from(mutated));
        if *call == Fixer::call(self.state.turns, seen) {
            self.turn.fixed_at = Some(self.turn.changes);
        }
    }
}
