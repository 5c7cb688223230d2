//! The terminal's picture of a session, without a terminal.
//!
//! Promise: pure. `update` and `key` return lines that are final: they are printed once and never touched again; only
//! what `live` returns is redrawn. Nothing is sent and nothing is printed here.

mod dialog;
pub mod draft;
mod effects;
mod live;
mod preview;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ox_client::{Control, Update};
use ox_protocol::{Command, Delta, DeltaKind, Event, Frame, MessageId, Time};

use crate::editor::{Edited, Editor};
use crate::markdown::Stream;
use crate::report::{self, Look};
use crate::text::{Line, Role, clean};
use dialog::Dialog;
pub use live::Live;
pub(crate) use live::SIGN;
use ox_client::view::{Spent, View};

/// What the user's keys ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// To be sent to the agent.
    Send(Command),
    /// A line typed while the turn runs; the caller attaches images and sends it.
    Typed(String),
    /// Leave.
    Leave,
}

/// What a key led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reaction {
    /// What to do.
    pub act: Option<Act>,
    /// Lines to print.
    pub lines: Vec<Line>,
}

/// What the last printed lines were, for the empty line between text and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Nothing,
    Text,
    Lines,
}

/// The picture.
#[derive(Debug)]
pub struct Screen {
    /// How to tell.
    pub look: Look,
    /// What goes on.
    pub view: View,
    /// What was used since the program was started.
    pub run: Spent,
    stream: Stream,
    /// The reply being streamed.
    message: Option<MessageId>,
    /// Bytes of the thought and of the output that were received, with what is shown of them.
    thought: String,
    output: String,
    dialog: Option<Dialog>,
    /// What is typed while the turn runs.
    typed: Editor,
    /// Ctrl-C presses in this turn.
    interrupts: u8,
    last: Block,
    /// When the last frame came.
    changed: Time,
    /// True where the live area is there between turns too: the session is another process's, which has no prompt here.
    pub(crate) attached: bool,
    /// A key that consents, held back until it is clear that it is not the first letter of a line.
    held: Option<(KeyEvent, Time)>,
}

/// How long a key that consents is held back, in milliseconds: longer than between two letters of a typed word, and too
/// short to be noticed.
const HOLD: u64 = 250;

impl Screen {
    /// An empty picture.
    pub fn new(look: Look) -> Screen {
        Screen {
            look,
            view: View::default(),
            run: Spent::default(),
            stream: Stream::default(),
            message: None,
            thought: String::new(),
            output: String::new(),
            dialog: None,
            typed: Editor::default(),
            interrupts: 0,
            last: Block::Nothing,
            changed: Time::default(),
            attached: false,
            held: None,
        }
    }

    /// Takes in an update and returns the lines to print.
    pub fn update(&mut self, update: &Update) -> Vec<Line> {
        match update {
            // What a sub-agent says is for its parent.
            Update::Delta(delta) if self.view.is_of_agent(&delta.conversation) => Vec::new(),
            Update::Delta(delta) => self.delta(delta),
            Update::Frame(frame) => self.frame(frame),
            Update::Control(control) => self.control(control),
        }
    }

    /// True while neither a reply nor a thought nor output is streaming in.
    pub(crate) fn is_silent(&self) -> bool {
        self.stream.is_empty() && self.thought.is_empty() && self.output.is_empty()
    }

    /// What was typed and not entered when the turn ended; it is handed to the next prompt.
    pub fn take_typed(&mut self) -> String {
        self.typed.take()
    }

    fn control(&mut self, control: &Control) -> Vec<Line> {
        let mut out = Vec::new();
        if let Control::Snapshot { view } = control {
            self.break_off(&mut out);
            self.view.clone_from(view);
            self.ask(&mut out);
        }
        let lines = report::control(&self.look, control);
        self.put(&mut out, Block::Lines, lines);
        out
    }

    fn frame(&mut self, frame: &Frame) -> Vec<Line> {
        let mut out = Vec::new();
        match &frame.event {
            _ if self.view.is_of_agent(&frame.conversation) => {}
            Event::AgentEnd(end) => self.run.add_agent(end.usage, end.cost, end.iterations),
            Event::TurnStart { .. } => self.interrupts = 0,
            Event::StreamComplete { text, message_id, usage, cost, .. } => {
                self.run.add(*usage, *cost);
                if self.message.as_ref() != Some(message_id) {
                    self.stream = Stream::default();
                }
                let lines = self.stream.finish(text, self.look.width);
                self.put(&mut out, Block::Text, lines);
                self.quiet();
            }
            Event::ModelFailed { .. } | Event::Interrupted | Event::Completion { .. } => self.break_off(&mut out),
            Event::ToolStart { .. } | Event::ToolComplete { .. } => self.output.clear(),
            _ => {}
        }
        let lines = report::lines(&self.look, &self.view, frame);
        self.put(&mut out, Block::Lines, lines);
        self.view.apply(frame);
        self.changed = frame.time;
        self.ask(&mut out);
        out
    }

    /// Opens a dialog for what waits longest, closes one whose question was settled.
    fn ask(&mut self, out: &mut Vec<Line>) {
        let next = self.view.asked.front();
        if self.dialog.as_ref().map(|it| &it.asked) == next {
            return;
        }
        self.held = None; // It was meant for the dialog before.
        self.dialog = next.cloned().map(Dialog::new);
        if let Some(dialog) = &self.dialog {
            let mut lines = dialog.opening(&self.look);
            if self.last == Block::Lines && !lines.is_empty() {
                lines.insert(0, Line::empty());
            }
            if !self.look.live {
                lines.extend(dialog.prompt(&self.look).above);
            }
            self.put(out, Block::Lines, lines);
        }
    }

    fn delta(&mut self, delta: &Delta) -> Vec<Line> {
        let mut out = Vec::new();
        match delta.kind {
            DeltaKind::Text => {
                if self.message.as_ref() != Some(&delta.message_id) {
                    self.break_off(&mut out);
                    self.message = Some(delta.message_id.clone());
                }
                self.thought.clear();
                // A gap cannot be filled here: the whole text comes with the completion of the reply.
                let known = (self.stream.len() as u64).checked_sub(delta.offset);
                if let Some(fresh) = known.and_then(|known| delta.delta.get(known as usize..)) {
                    let lines = self.stream.push(fresh, self.look.width);
                    self.put(&mut out, Block::Text, lines);
                }
            }
            DeltaKind::Thinking => keep_tail(&mut self.thought, &delta.delta),
            DeltaKind::ToolOutput => {
                let text = clean(&delta.delta.replace('\r', "\n"));
                if let Some(line) = text.lines().rev().map(str::trim).find(|line| !line.is_empty()) {
                    line.clone_into(&mut self.output);
                }
            }
        }
        out
    }

    /// Prints what an unfinished reply holds; it will not go on.
    fn break_off(&mut self, out: &mut Vec<Line>) {
        if !self.stream.is_empty() {
            let mut stream = std::mem::take(&mut self.stream);
            let source = stream.source().to_string();
            let mut lines = stream.finish(&source, self.look.width);
            lines.push(Line::of(&self.look.say("ui.broken_off", &[]), Role::Dim));
            self.put(out, Block::Text, lines);
        }
        self.quiet();
    }

    fn quiet(&mut self) {
        self.message = None;
        self.thought.clear();
        self.output.clear();
    }

    fn needs_gap(&self, block: Block) -> bool {
        self.last != Block::Nothing && self.last != block
    }

    /// Adds lines, with an empty one where text and other lines meet.
    fn put(&mut self, out: &mut Vec<Line>, block: Block, lines: Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        if self.needs_gap(block) && !lines[0].is_blank() {
            out.push(Line::empty());
        }
        self.last = block;
        out.extend(lines);
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        match &mut self.dialog {
            Some(dialog) if self.typed.is_empty() => dialog.paste(text),
            _ => self.typed.paste(text),
        }
    }

    /// Takes a key pressed at `now`.
    pub fn key(&mut self, key: KeyEvent, now: Time) -> Reaction {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.held = None;
            return self.interrupt();
        }
        if let Some((first, _)) = self.held.take() {
            if key.code == KeyCode::Enter {
                return self.answer(first);
            }
            if key.code == first.code {
                self.held = Some((first, now));
                return Reaction::default();
            }
            // Letters in quick succession are a line, not consent.
            self.typed.key(first);
        }
        // Whoever is in the middle of a line does not mean its letters as an answer.
        if let Some(dialog) = self.dialog.as_ref().filter(|it| self.typed.is_empty() && !it.is_answered()) {
            if dialog.consents(key) {
                self.held = Some((key, now));
                return Reaction::default();
            }
            return self.answer(key);
        }
        if key.code == KeyCode::Esc {
            self.typed.take();
            return Reaction::default();
        }
        match self.typed.key(key) {
            Edited::Entered(text) if !text.trim().is_empty() => {
                Reaction { act: Some(Act::Typed(text)), lines: Vec::new() }
            }
            Edited::Entered(_) if self.view.retry.is_some() => {
                Reaction { act: Some(Act::Send(Command::Retry)), lines: Vec::new() }
            }
            _ => Reaction::default(),
        }
    }

    /// Time has passed: a held key counts once nothing followed it.
    pub fn tick(&mut self, now: Time) -> Reaction {
        match self.held {
            Some((key, since)) if now.0.saturating_sub(since.0) >= HOLD => {
                self.held = None;
                self.answer(key)
            }
            _ => Reaction::default(),
        }
    }

    /// What the user wants to edit before they consent; none unless they have just asked to.
    pub fn draft(&self) -> Option<draft::Draft> {
        self.dialog.as_ref()?.draft()
    }

    /// Takes what became of [`Screen::draft`] in the user's editor.
    pub fn edited(&mut self, text: String) -> Reaction {
        let Some(dialog) = self.dialog.as_mut().filter(|it| !it.is_answered()) else { return Reaction::default() };
        let answered = dialog.edited(text, &self.look);
        Reaction { act: answered.command.map(Act::Send), lines: answered.lines }
    }

    /// Gives a key to the open dialog.
    fn answer(&mut self, key: KeyEvent) -> Reaction {
        let Some(dialog) = self.dialog.as_mut().filter(|it| !it.is_answered()) else { return Reaction::default() };
        let answered = dialog.key(key, &self.look);
        let mut lines = Vec::new();
        self.put(&mut lines, Block::Lines, answered.lines);
        Reaction { act: answered.command.map(Act::Send), lines }
    }

    /// Takes a key that was pressed when the turn was just over: it is the beginning of the next line.
    pub fn late_key(&mut self, key: KeyEvent) {
        // An Enter is not taken: nobody means to send what they have not seen at the prompt.
        if key.code != KeyCode::Enter {
            self.typed.key(key);
        }
    }

    /// Once stops the turn, twice leaves.
    pub fn interrupt(&mut self) -> Reaction {
        if self.attached && !self.view.busy {
            return Reaction { act: Some(Act::Leave), lines: Vec::new() };
        }
        self.interrupts = self.interrupts.saturating_add(1);
        if self.interrupts > 1 {
            return Reaction { act: Some(Act::Leave), lines: Vec::new() };
        }
        let mut lines = Vec::new();
        let note = vec![Line::of(&self.look.say("ui.press_again", &[]), Role::Warn)];
        self.put(&mut lines, Block::Lines, note);
        Reaction { act: Some(Act::Send(Command::Interrupt)), lines }
    }
}

/// Appends and keeps the last few hundred characters.
fn keep_tail(text: &mut String, more: &str) {
    *text += more;
    if text.len() > 2_000 {
        *text = text.chars().rev().take(400).collect::<Vec<_>>().into_iter().rev().collect();
    }
}

#[cfg(test)]
mod tests;
