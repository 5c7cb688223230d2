//! The full screen on the terminal: going there and back, its input, its last words.
//!
//! Promise: what the main screen shows already is not printed again when the full screen is left.

use crossterm::event::{Event, KeyEventKind};
use ox_client::Update;
use ox_protocol::{Command, Frame, ScreenMode};

use super::clipboard::copied;
use super::console::Console;
use super::keys::Input;
use super::options::{now, size};
use super::surface::Full;
use super::taken::Taken;
use crate::UiError;
use crate::full::Ask;
use crate::screen::{Act, Questions, Screen};
use crate::text::{Line, Role, hyperlinks};

impl Console {
    /// Shows lines before the loop begins, or after it has ended.
    pub(super) fn show(&mut self, lines: &[Line]) -> Result<(), UiError> {
        match &mut self.full {
            Some(full) => full.shown.note(lines),
            None => self.painter.print(lines)?,
        }
        Ok(())
    }

    /// Shows a frame of the past.
    pub(super) fn show_past(&mut self, update: &Update) -> Option<Vec<Line>> {
        let lines = self.screen.update(update);
        match &mut self.full {
            Some(full) => full.shown.take(&self.screen, update, lines),
            None => return Some(lines),
        }
        None
    }

    pub(super) fn draw_full(&mut self, lines: &[Line]) -> Result<(), UiError> {
        let Some(full) = &mut self.full else { return Ok(()) };
        let (columns, rows) = size();
        self.screen.look.width = full.shown.width(columns);
        full.shown.note(lines);
        Ok(full.surface.draw(&mut full.shown, &self.screen, self.painter.theme(), now(), (columns, rows))?)
    }

    /// Gives input to the full screen; false where it means nothing there.
    pub(super) fn full_input(&mut self, input: &Input) -> Result<bool, UiError> {
        let Some(full) = &mut self.full else { return Ok(false) };
        // A list to choose from has every key.
        if self.screen.picker.is_some() {
            return Ok(false);
        }
        let ask = match input {
            Input::Event(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                return Ok(full.shown.key(*key, &self.screen));
            }
            Input::Event(Event::Paste(text)) => return Ok(full.shown.paste(text)),
            Input::Event(Event::Mouse(event)) => full.shown.mouse(*event, &self.screen.look, now()),
            _ => return Ok(false),
        };
        if let Some(Ask::Copy(text)) = ask {
            self.put(&copied(&text, |name| std::env::var(name).ok()))?;
        }
        Ok(true)
    }

    /// What the user says is seen, and what comes of it.
    pub(super) fn follows(&mut self, act: Option<&Act>) {
        let says = matches!(act, Some(Act::Typed(_) | Act::Send(Command::Decide { .. } | Command::Answer { .. })));
        if says && let Some(full) = &mut self.full {
            full.shown.to_end();
        }
    }

    /// A key that consents does not count where what it is about has gone out of view meanwhile.
    pub(super) fn hold_back(&mut self) {
        if let Some(full) = &mut self.full
            && !full.shown.sees_question()
        {
            self.screen.let_go();
        }
    }

    /// Goes to the full screen or back, and remembers it.
    pub(super) fn switch(&mut self, taken: &mut Taken, lines: &mut Vec<Line>) -> Result<(), UiError> {
        if !self.options.moves {
            return self.say("full.not_here", &[], Role::Warn);
        }
        self.painter.close(size().0)?;
        taken.give();
        let setting = match self.full.take() {
            Some(mut full) => {
                taken.full = false;
                if self.screen.look.live && self.screen.hold_questions() {
                    full.shown.drop_question();
                }
                self.screen.set_links(hyperlinks(|name| std::env::var(name).ok()));
                self.painter.forget();
                self.painter.print(&full.shown.missed())?;
                ScreenMode::Inline
            }
            None => {
                taken.full = true;
                self.screen.set_links(false);
                self.full = Some(self.filled());
                self.screen.questions = Questions::Entry;
                ScreenMode::Fullscreen
            }
        };
        taken.enter(self.options.moves)?;
        if let Err(problem) = self.project.remember("screen", setting.name()) {
            lines.extend(crate::text::each(&self.screen.look.language.problem(&problem), Role::Bad));
        }
        Ok(())
    }

    /// A full screen with all that has happened.
    fn filled(&self) -> Full {
        let mut full = Full::new(self.screen.look);
        let past = self.client.history().unwrap_or_default();
        let known = |frame: &Frame| frame.seq <= self.screen.view.seq;
        if past.is_empty() {
            full.shown.note(&self.earlier(&self.screen.view));
        }
        let mut screen = Screen::new(self.screen.look);
        screen.questions = Questions::Entry;
        for update in past.into_iter().filter(known).map(Update::from) {
            let lines = screen.update(&update);
            full.shown.take(&screen, &update, lines);
        }
        if let Some((id, lines)) = self.screen.given_out() {
            full.shown.begun(&id, lines);
        }
        full.shown.is_printed();
        full
    }

    /// Leaves the full screen for good: the main screen says where the conversation is.
    pub(super) fn end_full(&mut self) -> Result<(), UiError> {
        let Some(mut full) = self.full.take() else { return Ok(()) };
        let mut lines = full.shown.closing();
        let id = &self.screen.view.conversation;
        if !id.is_empty() && !self.attached {
            lines.push(Line::of(&self.screen.look.say("full.resume", &[("id", &id.0)]), Role::Dim));
        }
        self.painter.forget();
        Ok(self.painter.print(&lines)?)
    }
}
