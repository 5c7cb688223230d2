//! What the mouse does: the wheel, selections, clicks.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ox_protocol::Time;
use ratatui_core::layout::{Position, Rect};

use super::scroll::Scroll;
use super::select::{Selection, Unit};
use super::state::{Ask, FullScreen, Press};
use crate::report::Look;

/// Rows per notch of the wheel.
const NOTCH: isize = 3;
/// Presses within this time, in milliseconds, count as one double or triple click.
const DOUBLE: u64 = 400;

impl FullScreen {
    /// Takes a movement of the mouse at `now`.
    pub fn mouse(&mut self, event: MouseEvent, look: &Look, now: Time) -> Option<Ask> {
        let at = Position { x: event.column, y: event.row };
        match event.kind {
            MouseEventKind::ScrollUp if self.areas.pane.contains(at) => self.pane_go(-NOTCH),
            MouseEventKind::ScrollDown if self.areas.pane.contains(at) => self.pane_go(NOTCH),
            MouseEventKind::ScrollUp => self.go(-NOTCH),
            MouseEventKind::ScrollDown => self.go(NOTCH),
            MouseEventKind::Down(MouseButton::Left) => {
                self.note = None;
                self.pressed(at, now);
            }
            MouseEventKind::Drag(MouseButton::Left) => self.dragged(at),
            MouseEventKind::Up(MouseButton::Left) => return self.released(look),
            _ => {}
        }
        None
    }

    fn pressed(&mut self, at: Position, now: Time) {
        self.selection = None;
        if let Some((_, pane)) = self.areas.tabs.iter().find(|(area, _)| area.contains(at)) {
            let pane = *pane;
            return self.show_pane(pane);
        }
        if self.areas.jump.contains(at) {
            self.scroll = Scroll::End;
            return;
        }
        let in_text = self.areas.text.contains(at);
        let again = self.press.filter(|it| {
            it.column == at.x && it.row == at.y && it.count < 3 && now.0.saturating_sub(it.time.0) <= DOUBLE
        });
        let count = again.map_or(1, |it| it.count + 1);
        let seen = usize::from(at.y.saturating_sub(self.areas.text.y));
        let entry = self.areas.seen.get(seen).filter(|_| in_text && count == 1).map(|it| it.0);
        self.press = in_text.then_some(Press { time: now, column: at.x, row: at.y, count, entry });
        let unit = match count {
            1 => return,
            2 => Unit::Word,
            _ => Unit::Line,
        };
        if let Some(place) = self.place(at.x, at.y).filter(|_| in_text) {
            self.selection = Some(Selection::begin(&mut self.transcript, place, unit));
        }
    }

    fn dragged(&mut self, at: Position) {
        let Some(press) = &mut self.press else { return };
        if press.entry.take().is_some() {
            let (column, row) = (press.column, press.row);
            if let Some(place) = self.place(column, row) {
                self.selection = Some(Selection::begin(&mut self.transcript, place, Unit::Glyph));
            }
        }
        // At the edges the text goes on under the mouse.
        let area: Rect = self.areas.text;
        if at.y <= area.y {
            self.go(-1);
        } else if at.y + 1 >= area.bottom() {
            self.go(1);
        }
        let Some(to) = self.place(at.x, at.y) else { return };
        if let Some(selection) = &mut self.selection {
            selection.drag(&mut self.transcript, to);
        }
    }

    /// A click opens what is folded; what was selected is copied.
    fn released(&mut self, look: &Look) -> Option<Ask> {
        if let Some(entry) = self.press.as_mut().and_then(|it| it.entry.take()) {
            self.open(entry);
            return None;
        }
        let text = self.selection.as_ref()?.text(&mut self.transcript);
        if text.trim().is_empty() {
            self.selection = None;
            return None;
        }
        let lines = text.lines().count();
        let (key, count) = if lines > 1 { ("full.copied_lines", lines) } else { ("full.copied", text.chars().count()) };
        self.note = Some(look.say(key, &[("count", &count.to_string())]));
        Some(Ask::Copy(text))
    }

    /// Opens or folds an entry; its first row stays where it is.
    fn open(&mut self, entry: usize) {
        let height = self.height();
        if let Some((first, row)) = self.areas.seen.first().copied() {
            self.scroll = Scroll::At(first, row);
        }
        if self.transcript.toggle(entry) {
            // Where the top of the view lies within it, what is folded away takes the view along.
            let rows = self.transcript.rows(entry).len();
            if let Scroll::At(first, row) = self.scroll
                && first == entry
                && row >= rows
            {
                self.scroll = Scroll::At(entry, 0);
            }
        }
        self.scroll.visible(&mut self.transcript, height);
    }
}
