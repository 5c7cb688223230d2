//! What happens beside a reply is printed below it, never in the middle.

use ox_protocol::Event;

use super::{Block, Screen};
use crate::text::Line;

impl Screen {
    /// True while lines are kept until the reply that streams in has ended.
    pub(crate) fn keeps_lines(&self) -> bool {
        !self.beside.is_empty()
    }

    /// Prints the lines of an event, or keeps them until the reply that streams in has ended.
    pub(super) fn put_after_reply(&mut self, out: &mut Vec<Line>, event: &Event, lines: Vec<Line>) {
        let is_beside = matches!(event, Event::ChecksStart { .. } | Event::CheckResult { .. });
        if is_beside && !self.stream.is_empty() {
            self.beside.extend(lines);
            return;
        }
        self.put(out, Block::Lines, lines);
        if self.stream.is_empty() {
            let kept = std::mem::take(&mut self.beside);
            self.put(out, Block::Lines, kept);
        }
    }
}
