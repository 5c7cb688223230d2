//! What happens beside a reply or a question is printed below it, never in the middle.
//!
//! Promise: between what is asked about and the keys that answer it stands nothing that the user has not asked for.

use crossterm::event::{KeyCode, KeyEvent};
use ox_protocol::{CallId, Event, FailureKind};

use super::{Block, Screen};
use crate::text::Line;

impl Screen {
    /// True while lines are kept until the reply that streams in has ended.
    pub(crate) fn keeps_lines(&self) -> bool {
        !self.beside.is_empty()
    }

    /// How many of the lines that the last update printed, from their end, open the question that waits.
    pub(crate) fn opened(&self) -> usize {
        self.opened
    }

    /// The call whose question waits for the user.
    pub(crate) fn asked(&self) -> Option<&CallId> {
        self.dialog.as_ref().filter(|it| !it.is_answered()).map(|it| it.asked.call())
    }

    /// True for a key that consents to what is asked about, or confirms that one before it did.
    pub(crate) fn consents(&self, key: KeyEvent) -> bool {
        let enters = key.code == KeyCode::Enter;
        self.held.is_some() && enters
            || self.is_asked() && self.dialog.as_ref().is_some_and(|it| it.consents(key) || it.amends() && enters)
    }

    /// Forgets a key that consents and does not count yet: what it is about is out of sight.
    pub fn let_go(&mut self) {
        self.held = None;
    }

    /// Prints the lines of an event that has been taken in, or keeps them until the question that waits is answered, or
    /// until the reply that streams in has ended.
    pub(super) fn put_in_turn(&mut self, out: &mut Vec<Line>, event: &Event, lines: Vec<Line>) {
        let waits = self.dialog.as_ref().is_some_and(|it| Some(&it.asked) == self.view.asked.front());
        if waits && !is_of_user(event) {
            self.waiting.extend(lines);
            return;
        }
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
        if !waits {
            self.release(out);
        }
    }

    /// A request is made again: counted over all that can fail, as one waits for all of it.
    pub(super) fn retried(&mut self, total: u32, kind: FailureKind) {
        let (before, most) = self.retries.map_or((0, 1), |(count, most, _)| (count, most));
        let count = before + 1;
        self.retries = Some((count, most.max(total.saturating_sub(1)).max(count), kind));
    }

    /// Prints what has waited for an answer.
    pub(super) fn release(&mut self, out: &mut Vec<Line>) {
        let waited = std::mem::take(&mut self.waiting);
        self.put(out, Block::Lines, waited);
    }
}

/// True for what the user has just asked for.
fn is_of_user(event: &Event) -> bool {
    matches!(
        event,
        Event::ApprovalSet { .. }
            | Event::ModeSet { .. }
            | Event::ModelSet { .. }
            | Event::EffortSet { .. }
            | Event::FilesSet(..)
            | Event::Steered { .. }
            | Event::UserCommand(..)
            | Event::Error { .. }
    )
}
