//! What happens beside a reply or a question is printed below it, never in the middle.
//!
//! Promise: between what is asked about and the keys that answer it stands nothing that the user has not asked for.

use crossterm::event::{KeyCode, KeyEvent};
use ox_protocol::{CallId, Decision, Event, FailureKind, FileChange};

use super::dialog::{Dialog, Opening};
use super::state::{Prompt, Questions};
use super::{Block, Screen};
use crate::text::{Line, wrap};

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
        let is_beside = matches!(
            event,
            Event::ChecksStart { .. } | Event::CheckResult { .. } | Event::Steered { .. } | Event::TakenBack { .. }
        );
        if is_beside && !self.stream.is_empty() {
            self.beside.extend(lines);
            return;
        }
        // What has waited happened before this, but for the answer that it waited for.
        if !waits && !matches!(event, Event::Approval { .. } | Event::Answer { .. }) {
            self.release(out);
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

    /// Opens a dialog for what waits longest, closes one whose question was settled.
    pub(super) fn ask(&mut self, out: &mut Vec<Line>) {
        let next = self.view.asked.front();
        if self.dialog.as_ref().map(|it| &it.asked) == next {
            return;
        }
        self.held = None; // It was meant for the dialog before.
        self.dialog = next.cloned().map(|it| Dialog::new(it, &self.look, self.rows, self.changed));
        self.held_question = Opening::default();
        if let Some(dialog) = &self.dialog {
            let opening = dialog.opening(&self.look, &self.view.root);
            let mut lines = opening.lines();
            if self.last == Block::Lines && !lines.is_empty() {
                lines.insert(0, Line::empty());
            }
            if self.questions != Questions::Printed {
                self.held_question = opening;
            }
            if self.questions == Questions::Held {
                return;
            }
            if self.questions == Questions::Printed {
                self.diffs.extend(dialog.whole_diff());
            }
            if !self.look.live {
                lines.extend(dialog.prompt(&self.look, false).above);
            }
            let before = out.len();
            self.put(out, Block::Lines, lines);
            self.opened = out.len() - before;
        }
    }

    /// True while a question waits, whatever is typed meanwhile.
    pub(super) fn waits(&self) -> bool {
        self.asked().is_some()
    }

    /// True for the answer to a question that is held, and so goes with it.
    pub(super) fn is_held(&self, event: &Event) -> bool {
        let Event::Approval { call, .. } = event else { return false };
        !self.held_question.is_empty() && self.dialog.as_ref().is_some_and(|it| it.asked.call() == call)
    }

    /// The question that is held, in at most so many rows, and whether something of it is left out.
    pub(super) fn held_rows(&self, columns: usize, most: usize) -> (Vec<Line>, bool) {
        if !self.waits() || self.questions != Questions::Held {
            return (Vec::new(), false);
        }
        self.held_question.rows(&self.look, columns, most)
    }

    /// The question that is held with its keys, on a terminal of this size; these take fewer rows where it would not fit otherwise.
    pub(super) fn held(&self, dialog: &Dialog, columns: usize, rows: usize) -> (Prompt, Vec<Line>, bool) {
        let within = |tight: bool| {
            let prompt = dialog.prompt(&self.look, tight);
            let above = prompt.above.iter().map(|it| wrap(it, columns).len()).sum::<usize>();
            // Below them a row stays free.
            let taken = above + usize::from(prompt.editor.is_some()) + 1;
            let (lines, is_cut) = self.held_rows(columns, rows.saturating_sub(taken));
            (prompt, lines, is_cut)
        };
        let loose = within(false);
        if loose.2 { within(true) } else { loose }
    }

    /// All that the question says, where there is no room to show it above its keys.
    pub(super) fn cut_question(&self) -> Vec<Line> {
        let is_cut = self.dialog.as_ref().is_some_and(|it| self.held(it, self.look.width, self.rows).2);
        if is_cut { self.held_question.lines() } else { Vec::new() }
    }

    /// True where the question that waits stands above its keys from now on.
    pub fn hold_questions(&mut self) -> bool {
        self.questions = Questions::Held;
        !self.held_question.is_empty()
    }

    /// True for what a key has just asked for and what is seen without a line of its own: in the footer, or as what the call does.
    pub(super) fn is_no_news(&self, event: &Event) -> bool {
        self.look.live
            && match event {
                Event::Approval { decision: Decision::Allow, .. } => {
                    self.is_held(event) && self.dialog.as_ref().is_some_and(Dialog::is_answered)
                }
                Event::ModeSet { .. } => self.ahead.0.is_some(),
                Event::ApprovalSet { .. } => self.ahead.1.is_some(),
                _ => false,
            }
    }

    /// True for the end of a call that changed what the question about it showed, line for line.
    pub(super) fn is_above(&self, event: &Event) -> bool {
        let Event::ToolComplete { call, outcome, .. } = event else { return false };
        let same = |shown: &[FileChange]| {
            shown.iter().map(|it| (&it.path, &it.diff)).eq(outcome.changed.iter().map(|it| (&it.path, &it.diff)))
        };
        self.diffs.iter().any(|(of, shown)| of == call && same(shown))
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
