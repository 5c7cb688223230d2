//! What the user is asked about, and whether they see it.
//!
//! Promise: no key consents to what is out of view.

use super::scroll::Scroll;
use super::state::{FullScreen, Question};
use crate::screen::Screen;

impl FullScreen {
    /// Goes to the end and follows it.
    pub fn to_end(&mut self) {
        self.scroll = Scroll::End;
    }

    /// Takes the question away that was asked: it was answered, or stands elsewhere.
    pub fn drop_question(&mut self) {
        if let Some(asked) = self.question.take() {
            self.transcript.remove_question(asked.entries);
            self.printed = self.printed.min((asked.entries.0, 0));
        }
    }

    /// Notes which question waits; one that has come up is brought into view with the next frame.
    pub(super) fn asked(&mut self, screen: &Screen) {
        let call = screen.asked();
        if call == self.question.as_ref().map(|it| &it.call) {
            return;
        }
        self.drop_question();
        let last = self.transcript.len().saturating_sub(2);
        self.question = call.map(|call| Question { call: call.clone(), entries: (last, last), is_new: true });
    }

    /// Lines were added at the end; below a question they explain it.
    pub(super) fn noted(&mut self) {
        let last = self.transcript.len().saturating_sub(2);
        if let Some(asked) = self.question.as_mut().filter(|it| it.entries.1 + 1 == last) {
            asked.entries.1 = last;
        }
    }

    /// Takes away what would cover a question that has come up.
    pub(super) fn uncover(&mut self, columns: u16) {
        if self.question.as_ref().is_some_and(|it| it.is_new) && self.columns(columns).1 == 0 {
            self.pane = None;
        }
    }

    /// Brings a question that has come up into view, from its beginning where not all of it fits.
    pub(super) fn bring(&mut self) {
        let height = self.height();
        let Some(asked) = self.question.as_mut().filter(|it| it.is_new) else { return };
        asked.is_new = false;
        let first = asked.entries.0;
        let top = usize::from(self.transcript.is_apart(first));
        self.scroll = Scroll::At(first, top);
        // A view that reaches the end follows it.
        self.scroll.visible(&mut self.transcript, height);
    }

    /// True where as much of the question as fits was drawn, or none waits.
    pub fn sees_question(&mut self) -> bool {
        let Some(Question { entries: (first, last), is_new, .. }) = self.question else { return true };
        let gap = usize::from(self.transcript.is_apart(first));
        let rows: usize = (first..=last).map(|entry| self.transcript.rows(entry).len()).sum();
        let of_it = |at: &&(usize, usize)| (first..=last).contains(&at.0) && **at >= (first, gap);
        let seen = self.areas.seen.iter().filter(of_it).count();
        !is_new && seen > 0 && seen >= (rows - gap.min(rows)).min(self.height())
    }

    /// Shows the question instead of taking a key that would consent to it unseen.
    pub(super) fn shows_first(&mut self, screen: &Screen) {
        if let Some(asked) = &mut self.question {
            asked.is_new = true;
        }
        self.note = Some(screen.look.say("full.look_first", &[]));
    }
}
