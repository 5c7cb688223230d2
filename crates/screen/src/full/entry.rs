//! One thing that a person would point at, as lines that can be made anew: for another width, folded or in full.

use std::sync::Arc;

use ox_client::view::View;
use ox_protocol::{Call, Event, Frame};

use super::rows::{self, Row};
use crate::markdown;
use crate::report::{self, Look};
use crate::text::Line;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Thinking,
    Reply,
    Call,
    Diff,
    Checks,
    Question,
    Notice,
    End,
}

impl Kind {
    /// What a frame is about.
    pub(super) fn of(event: &Event) -> Kind {
        match event {
            Event::TurnStart { .. } | Event::Steered { .. } | Event::UserCommand(..) => Kind::User,
            Event::StreamComplete { .. } => Kind::Reply,
            Event::ToolComplete { outcome, .. } if !outcome.changed.is_empty() => Kind::Diff,
            Event::ToolComplete { .. } | Event::Lost { .. } => Kind::Call,
            Event::CheckResult { .. } | Event::ChecksStart { .. } => Kind::Checks,
            Event::Question { .. } | Event::Answer { .. } | Event::Approval { .. } | Event::ApprovalRequest { .. } => {
                Kind::Question
            }
            Event::Summary { .. } | Event::Completion { .. } => Kind::End,
            _ => Kind::Notice,
        }
    }

    /// True where an empty row stands between an entry of the other kind and one of this.
    pub(super) fn is_apart(self, before: Kind) -> bool {
        let block = |kind: Kind| match kind {
            Kind::User => 0,
            Kind::Reply => 1,
            Kind::End => 2,
            _ => 3,
        };
        self == Kind::User || block(self) != block(before)
    }

    /// True where what stands before the texts is a margin: line numbers, indents.
    pub(super) fn has_margin(self) -> bool {
        matches!(self, Kind::Call | Kind::Diff | Kind::Checks)
    }
}

/// What an entry's lines are made from.
#[derive(Debug)]
pub(super) enum Source {
    /// Nothing else: they are wrapped and no more.
    Lines,
    /// A reply; its tables are made for a width.
    Reply(Arc<Frame>),
    /// What the model thought before a reply.
    Thought(Arc<Frame>),
    /// A frame, with the call that it is about; it can be folded.
    Event(Arc<Frame>, Option<Box<Call>>),
}

/// An entry.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    source: Source,
    lines: Vec<Line>,
    /// The width and the folding that `lines` were made for.
    made: (usize, bool),
    /// True where nothing of it is folded.
    is_open: bool,
    rows: Option<Vec<Row>>,
}

impl Entry {
    pub(super) fn new(kind: Kind, source: Source, lines: Vec<Line>, width: usize) -> Entry {
        Entry { kind, source, lines, made: (width, false), is_open: false, rows: None }
    }

    /// Adds what has come of a reply since.
    pub(super) fn extend(&mut self, lines: Vec<Line>, width: usize) {
        if let Some(rows) = &mut self.rows {
            for (at, line) in lines.iter().enumerate() {
                rows::add(rows, line, self.lines.len() + at, width);
            }
        }
        self.lines.extend(lines);
    }

    /// The reply is whole. `anew`: what was added last is not all of it, so its lines are made anew.
    pub(super) fn complete(&mut self, frame: Arc<Frame>, anew: bool) {
        self.source = Source::Reply(frame);
        if anew {
            self.made.0 = 0;
        }
    }

    /// Forgets its rows: something beside its lines has changed.
    pub(super) fn forget_rows(&mut self) {
        self.rows = None;
    }

    /// Lines as they were made last.
    pub(super) fn made(&self) -> &[Line] {
        &self.lines
    }

    /// Opens or folds it; it is made anew when it is looked at.
    pub(super) fn open(&mut self, open: bool) {
        self.is_open = open;
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// True where it looks otherwise when it is open.
    pub(super) fn folds(&self, look: &Look, root: &str) -> bool {
        match self.remade(look, root, true) {
            Some(open) => self.remade(look, root, false).is_some_and(|it| it != open),
            None => false,
        }
    }

    /// Makes its lines for this look.
    pub(super) fn make(&mut self, look: &Look, root: &str) -> &[Line] {
        let wanted = (look.width, self.is_open);
        if self.made != wanted {
            let is_reply = matches!(self.source, Source::Reply(_));
            if is_reply || self.made.1 != wanted.1 {
                self.lines = self.remade(look, root, self.is_open).unwrap_or_else(|| std::mem::take(&mut self.lines));
            }
            self.made = wanted;
            self.rows = None;
        }
        &self.lines
    }

    /// Its rows, behind an empty one where it stands apart.
    pub(super) fn rows(&mut self, look: &Look, root: &str, is_apart: bool) -> &[Row] {
        self.make(look, root);
        let lines = &self.lines;
        self.rows.get_or_insert_with(|| {
            let mut out = Vec::with_capacity(lines.len() + 1);
            if is_apart && !lines.is_empty() {
                out.push(Row { is_gap: true, ..Row::default() });
            }
            lines.iter().enumerate().for_each(|(at, line)| rows::add(&mut out, line, at, look.width));
            out
        })
    }

    /// Its lines, made anew; none where they cannot be.
    fn remade(&self, look: &Look, root: &str, open: bool) -> Option<Vec<Line>> {
        let look = Look { expanded: open, ..*look };
        let lines = match &self.source {
            Source::Lines => return None,
            Source::Reply(frame) => {
                let Event::StreamComplete { text, .. } = &frame.event else { return None };
                let mut lines = markdown::lines(text, look.width);
                lines.extend(report::lines(&Look { expanded: false, ..look }, &View::default(), frame));
                lines
            }
            Source::Thought(frame) => {
                let Event::StreamComplete { reasoning, .. } = &frame.event else { return None };
                report::thought(&look, reasoning)
            }
            Source::Event(frame, call) => {
                let calls = call.iter().map(|it| (**it).clone()).collect();
                report::lines(&look, &View { root: root.to_owned(), calls, ..View::default() }, frame)
            }
        };
        Some(trimmed(lines))
    }
}

/// Lines without the empty ones around them.
pub(super) fn trimmed(mut lines: Vec<Line>) -> Vec<Line> {
    while lines.last().is_some_and(Line::is_blank) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|it| it.is_blank()).count();
    lines.drain(..blank);
    lines
}
