//! Takes in what a prompt asks for, and what the user says against it.

use ox_protocol::{Event, Intent, IntentDecision, Mode};

use super::state::{Conversation, Step};

impl Conversation {
    /// What the prompt asks for. That nothing is to be changed comes too late where something was.
    pub(super) fn decided(&mut self, event: &Event) {
        let Event::Intent { decision } = event else { return };
        let IntentDecision { want, intent, usage, cost, .. } = decision;
        self.used(*usage, *cost);
        if self.routing() == Some(*want) {
            self.turn.routing = None;
        }
        let changes =
            self.turn.changes > 0 || self.pending().iter().any(|it| it.is_change() && it.step == Step::Running);
        let in_time = |it: &&Intent| !changes || it.class.mode().may_change();
        if let Some(intent) = intent.as_ref().filter(in_time) {
            self.turn.intent = Some(intent.clone());
            self.state.intent = Some(intent.clone());
            self.turn.must_call |= self.turn.iteration == 0 && intent.class.mode() == Mode::Build;
        }
    }

    /// The user's word counts more than what was decided about the prompt.
    pub(super) fn mode_set(&mut self, mode: Mode) {
        self.state.mode = Some(mode);
        if self.is_running() {
            self.turn.overruled = Some(mode);
        }
    }
}
