//! When the next request will not begin like the last one, so that the provider's cache of it is of no use, and why.

use ox_protocol::{Event, PrefixCause, Tokens};

use super::state::Conversation;

impl Conversation {
    /// Notes what makes the next request begin otherwise than the last one. Before the first reply there is nothing to lose.
    pub(super) fn follow_prefix(&mut self, event: &Event) {
        let cause = match event {
            Event::StreamComplete { .. } => {
                self.state.asked_model = Some(self.turn.model.name.clone());
                return;
            }
            Event::PrefixDropped { .. } => {
                self.state.dropped = None;
                return;
            }
            Event::Prompted { system: Some(_), .. } => PrefixCause::System,
            Event::Prompted { tools: Some(_), .. } => PrefixCause::Tools,
            Event::TurnStart { model, .. } | Event::Fallback { to: model, .. } => {
                match self.state.asked_model.as_ref().is_some_and(|it| *it != model.name) {
                    true => PrefixCause::Model,
                    // Back to the model that was asked last, before another one was.
                    false if self.state.dropped == Some(PrefixCause::Model) => {
                        self.state.dropped = None;
                        return;
                    }
                    false => return,
                }
            }
            Event::Downgrade { what, .. } if what == "native_tools" => PrefixCause::Tools,
            Event::Pruned { .. } => PrefixCause::Pruned,
            Event::Rewound { .. } => PrefixCause::Rewound,
            Event::Repair(_) => PrefixCause::Repair,
            _ => return,
        };
        if self.state.asked_model.is_some() && self.state.dropped.is_none() {
            self.state.dropped = Some(cause);
        }
    }

    /// The fact that the next request finds nothing of the last one in the provider's cache.
    pub(super) fn dropped_prefix(&self) -> Option<Event> {
        let cause = self.state.dropped?;
        Some(Event::PrefixDropped { cause, tokens: Tokens(self.turn.window.used()) })
    }
}
