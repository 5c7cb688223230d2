//! The conversation as a list of entries, which lays out no more than is looked at.
//!
//! Promise: what is scrolled over costs what is shown of it, however long the conversation is.

use std::sync::Arc;

use ox_client::Update;
use ox_client::view::View;
use ox_protocol::{Call, DeltaKind, Event, FileChange, Frame, MessageId, Reasoning, Status};

use super::entry::{Entry, Kind, Source, trimmed};
use super::rows::Row;
use crate::report::{self, Look};
use crate::text::Line;

/// The list. Its last entry is what is still being written, and may be empty.
#[derive(Debug)]
pub(super) struct Transcript {
    look: Look,
    /// The folder of the project, which places are relative to.
    root: String,
    entries: Vec<Entry>,
    tail: Entry,
    /// The reply that comes in.
    streaming: Option<MessageId>,
    /// True where nothing is folded.
    is_open: bool,
    /// Lines added since the beginning.
    added: usize,
    /// Checks that began or ended while it came in: they stand below it.
    beside: Vec<Arc<Frame>>,
    /// The calls that changed files, for the list of changes.
    changed: Vec<(u32, Arc<Frame>)>,
    /// The last results of the checks.
    pub(super) checked: Option<Arc<Frame>>,
}

impl Transcript {
    pub(super) fn new(look: Look) -> Transcript {
        Transcript {
            look,
            root: String::new(),
            entries: Vec::new(),
            tail: Entry::new(Kind::Reply, Source::Lines, Vec::new(), look.width),
            streaming: None,
            is_open: false,
            added: 0,
            beside: Vec::new(),
            changed: Vec::new(),
            checked: None,
        }
    }

    /// Entries, with the one that is being written.
    pub(super) fn len(&self) -> usize {
        self.entries.len() + 1
    }

    /// Lines added since the beginning.
    pub(super) fn added(&self) -> usize {
        self.added
    }

    pub(super) fn width(&self) -> usize {
        self.look.width
    }

    pub(super) fn set_width(&mut self, width: usize) {
        self.look.width = width;
    }

    pub(super) fn kind(&self, entry: usize) -> Kind {
        self.entries.get(entry).unwrap_or(&self.tail).kind
    }

    /// True where an empty row stands before the entry.
    pub(super) fn is_apart(&self, entry: usize) -> bool {
        entry > 0
            && self.kind(entry).is_apart(self.kind(entry - 1))
            && !(entry == self.entries.len() && self.continues())
    }

    /// True where what is being written belongs to the last entry.
    fn continues(&self) -> bool {
        self.streaming.is_some() && self.entries.last().is_some_and(|it| it.kind == Kind::Reply)
    }

    /// The rows of an entry.
    pub(super) fn rows(&mut self, entry: usize) -> &[Row] {
        let is_apart = self.is_apart(entry);
        let Transcript { look, root, entries, tail, .. } = self;
        entries.get_mut(entry).unwrap_or(tail).rows(look, root, is_apart)
    }

    /// The lines of an entry.
    pub(super) fn lines(&mut self, entry: usize) -> &[Line] {
        let Transcript { look, root, entries, tail, .. } = self;
        entries.get_mut(entry).unwrap_or(tail).make(look, root)
    }

    /// Lines of all entries before `entry`, as they were made last.
    pub(super) fn lines_before(&self, entry: usize) -> usize {
        self.entries.iter().take(entry).map(|it| it.made().len()).sum()
    }

    /// What is still being written.
    pub(super) fn set_tail(&mut self, lines: Vec<Line>, thinks: bool) {
        let kind = if thinks { Kind::Thinking } else { Kind::Reply };
        if self.tail.made() != lines || self.tail.kind != kind {
            self.tail = Entry::new(kind, Source::Lines, lines, self.look.width);
        }
        self.tail.forget_rows();
    }

    /// Takes in an update with the lines that it showed; `view` is what goes on after it. `kept`: lines of checks wait for the
    /// end of the reply that comes in.
    pub(super) fn take(&mut self, view: &View, update: &Update, lines: Vec<Line>, kept: bool) {
        if self.root.is_empty() {
            self.root.clone_from(&view.root);
        }
        match update {
            Update::Delta(delta) if delta.kind == DeltaKind::Text && !lines.is_empty() => {
                self.piece(&delta.message_id, lines);
            }
            Update::Frame(frame) if !view.is_of_agent(&frame.conversation) => self.frame(view, frame, lines, kept),
            _ => self.note(lines),
        }
    }

    /// Adds lines that are no part of the conversation.
    pub(super) fn note(&mut self, lines: Vec<Line>) {
        self.push(Kind::Notice, Source::Lines, lines);
    }

    /// Adds the lines that open a question.
    pub(super) fn question(&mut self, lines: Vec<Line>) {
        if !lines.is_empty() {
            self.streaming = None;
            self.push(Kind::Question, Source::Lines, lines);
        }
    }

    /// Takes the question in these entries away, the first and the last.
    pub(super) fn remove_question(&mut self, (first, last): (usize, usize)) {
        if self.entries.get(first).is_some_and(|it| it.kind == Kind::Question) {
            let lines: usize = self.entries.drain(first..=last).map(|it| it.made().len()).sum();
            self.added = self.added.saturating_sub(lines);
            self.entries[first..].iter_mut().for_each(Entry::forget_rows);
        }
    }

    /// More of a reply.
    pub(super) fn piece(&mut self, id: &MessageId, lines: Vec<Line>) {
        if self.streaming.as_ref() == Some(id) && self.continues() {
            self.added += lines.len();
            let width = self.look.width;
            self.entries.last_mut().into_iter().for_each(|it| it.extend(lines.clone(), width));
        } else {
            let before = self.entries.len();
            self.push(Kind::Reply, Source::Lines, lines);
            self.streaming = (self.entries.len() > before).then(|| id.clone());
        }
    }

    fn frame(&mut self, view: &View, frame: &Arc<Frame>, lines: Vec<Line>, kept: bool) {
        match &frame.event {
            Event::StreamComplete { message_id, reasoning, text, .. } => {
                return self.reply(frame, message_id, reasoning, text, lines);
            }
            Event::ToolComplete { outcome, .. } if !outcome.changed.is_empty() => {
                self.changed.push((view.turn, frame.clone()));
            }
            Event::Restored(..) => self.changed.push((view.turn, frame.clone())),
            Event::Rewound { turn } => self.changed.retain(|(of, _)| of < turn),
            Event::CheckResult { .. } => self.checked = Some(frame.clone()),
            _ => {}
        }
        if !lines.is_empty() {
            self.streaming = None;
        }
        match kept {
            true if lines.is_empty() && Kind::of(&frame.event) == Kind::Checks => self.beside.push(frame.clone()),
            true => {}
            // They came with these lines.
            false => self.beside.clear(),
        }
        let made = |call: Option<&Call>| Source::Event(frame.clone(), call.map(|it| Box::new(it.clone())));
        let source = match &frame.event {
            // How a refusal is worded depends on more than the call.
            Event::ToolComplete { call, outcome, .. } if outcome.status != Status::Denied => made(view.call(call)),
            Event::CheckResult { .. } => made(None),
            _ => Source::Lines,
        };
        self.push(Kind::of(&frame.event), source, lines);
    }

    /// A reply is whole: what was thought before it comes before it.
    fn reply(&mut self, frame: &Arc<Frame>, id: &MessageId, thought: &[Reasoning], text: &str, lines: Vec<Line>) {
        let is_open = self.streaming.as_ref() == Some(id) && self.continues();
        let thought = report::thought(&Look { expanded: false, ..self.look }, thought);
        if !thought.is_empty() {
            let at = self.entries.len() - usize::from(is_open);
            self.added += thought.len();
            self.entries.insert(at, self.entry(Kind::Thinking, Source::Thought(frame.clone()), thought));
            self.entries[at..].iter_mut().for_each(Entry::forget_rows);
        }
        if is_open {
            self.piece(id, lines);
        } else if !text.trim().is_empty() {
            self.push(Kind::Reply, Source::Lines, lines);
        }
        if is_open || !text.trim().is_empty() {
            self.entries.last_mut().into_iter().for_each(|it| it.complete(frame.clone(), !self.beside.is_empty()));
        }
        self.streaming = None;
        for frame in std::mem::take(&mut self.beside) {
            let lines = report::lines(&self.look, &View { root: self.root.clone(), ..View::default() }, &frame);
            self.push(Kind::Checks, Source::Event(frame, None), lines);
        }
    }

    fn push(&mut self, kind: Kind, source: Source, lines: Vec<Line>) {
        let lines = if kind == Kind::Reply && matches!(source, Source::Lines) { begun(lines) } else { trimmed(lines) };
        if !lines.is_empty() {
            self.added += lines.len();
            self.entries.push(self.entry(kind, source, lines));
        }
    }

    fn entry(&self, kind: Kind, source: Source, lines: Vec<Line>) -> Entry {
        let mut entry = Entry::new(kind, source, lines, self.look.width);
        entry.open(self.is_open);
        entry
    }

    /// Opens or folds an entry. False where there is nothing to open.
    pub(super) fn toggle(&mut self, at: usize) -> bool {
        let Transcript { look, root, entries, .. } = self;
        let Some(entry) = entries.get_mut(at).filter(|it| it.folds(look, root)) else { return false };
        entry.open(!entry.is_open());
        true
    }

    /// Opens everything, or folds it again.
    pub(super) fn toggle_all(&mut self) {
        self.is_open = !self.is_open;
        let open = self.is_open;
        self.entries.iter_mut().for_each(|it| it.open(open));
    }

    /// What was changed in the conversation, edit by edit, with what was put back.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&Event, &[FileChange])> {
        self.changed.iter().map(|(_, frame)| match &frame.event {
            Event::ToolComplete { outcome, .. } => (&frame.event, outcome.changed.as_slice()),
            Event::Restored(it) => (&frame.event, it.files.as_slice()),
            other => (other, [].as_slice()),
        })
    }

    /// The lines of entries from one on, as they are now, with the empty lines between them.
    pub(super) fn since(&mut self, entry: usize) -> Vec<Line> {
        let mut out = Vec::new();
        for at in entry..self.entries.len() {
            if at > entry && self.is_apart(at) {
                out.push(Line::empty());
            }
            out.extend_from_slice(self.lines(at));
        }
        out
    }

    /// The entry that begins the last turn, and the one that its closing words begin with.
    pub(super) fn closing(&self) -> (usize, usize) {
        let last = |kind: Kind| self.entries.iter().rposition(|it| it.kind == kind);
        let began = last(Kind::User).unwrap_or(0);
        (began, last(Kind::Reply).filter(|it| *it > began).unwrap_or(began))
    }

    /// The entry of the user's words before or after the given one.
    pub(super) fn user(&self, from: usize, forward: bool) -> Option<usize> {
        let is_user = |it: &usize| self.kind(*it) == Kind::User;
        if forward { (from + 1..self.entries.len()).find(is_user) } else { (0..from).rev().find(is_user) }
    }
}

/// Lines without the empty ones before them; those after them may part paragraphs.
fn begun(mut lines: Vec<Line>) -> Vec<Line> {
    let blank = lines.iter().take_while(|it| it.is_blank()).count();
    lines.drain(..blank);
    lines
}
