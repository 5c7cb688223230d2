//! What a list shows of a conversation, gathered from the events as they are appended.
//!
//! The facts stand beside the log so that a list needs no events; they are never read back into a turn.

use ox_protocol::{Event, Frame};

/// Longest first prompt that is kept for the list, in characters.
const PROMPT: usize = 200;

/// What some frames add to their conversation's entry.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub(crate) name: Option<String>,
    pub(crate) prompt: Option<String>,
    /// Highest turn number, 0 when none began.
    pub(crate) turns: u32,
    /// Outer none: unchanged. Inner none: a turn runs.
    pub(crate) stop: Option<Option<String>>,
    /// Millionths of a dollar to add.
    pub(crate) cost: Option<u64>,
    /// Tokens to add.
    pub(crate) tokens: u64,
    /// Time of the last frame.
    pub(crate) updated: u64,
    /// Highest format version.
    pub(crate) version: u32,
}

impl Facts {
    pub(crate) fn of(frames: &[Frame]) -> Facts {
        let mut facts = Facts::default();
        for frame in frames {
            facts.updated = frame.time.0;
            facts.version = facts.version.max(frame.v);
            facts.add(&frame.event);
        }
        facts
    }

    fn add(&mut self, event: &Event) {
        match event {
            Event::Named { name } => self.name = Some(name.clone()),
            Event::TurnStart { turn, prompt, .. } => {
                self.turns = self.turns.max(*turn);
                self.stop = Some(None);
                let line = prompt.trim().lines().next().unwrap_or_default();
                if self.prompt.is_none() && !line.is_empty() {
                    self.prompt = Some(line.chars().take(PROMPT).collect());
                }
            }
            Event::StreamComplete { usage, cost, .. } => {
                self.tokens += usage.total().0;
                if let Some(cost) = cost {
                    self.cost = Some(self.cost.unwrap_or(0) + cost.0);
                }
            }
            Event::Completion { stop, .. } => self.stop = Some(serde_json::to_string(stop).ok()),
            _ => {}
        }
    }
}
