//! Draws a full screen on the terminal: what has changed of it, within one synchronized update.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use ox_protocol::Time;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::{Terminal, TerminalOptions, Viewport};
use ratatui_crossterm::CrosstermBackend;

use super::raw;
use crate::full::FullScreen;
use crate::report::Look;
use crate::screen::Screen;
use crate::text::Theme;

/// Bytes of a frame, until all of it is there.
#[derive(Clone, Debug, Default)]
struct Pending(Rc<RefCell<Vec<u8>>>);

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The terminal as it was drawn last.
#[derive(Debug, Default)]
pub(super) struct Surface {
    terminal: Option<Terminal<CrosstermBackend<Pending>>>,
    pending: Pending,
    /// Its size, and which taking of the screen it was.
    of: (u16, u16, usize),
}

impl Surface {
    /// Draws a frame on a terminal of this size.
    pub(super) fn draw(
        &mut self,
        full: &mut FullScreen,
        screen: &Screen,
        theme: Theme,
        now: Time,
        (columns, rows): (usize, usize),
    ) -> std::io::Result<()> {
        let narrow = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        let of = (narrow(columns), narrow(rows), raw::taken());
        self.pending.write_all(b"\x1b[?2026h")?;
        let mut terminal = match self.terminal.take().filter(|_| self.of == of) {
            Some(terminal) => terminal,
            None => {
                self.pending.write_all(b"\x1b[H\x1b[2J")?;
                let viewport = Viewport::Fixed(Rect::new(0, 0, of.0, of.1));
                Terminal::with_options(CrosstermBackend::new(self.pending.clone()), TerminalOptions { viewport })?
            }
        };
        terminal.draw(|frame| {
            if let Some(cursor) = full.draw(frame.buffer_mut(), screen, theme, now) {
                frame.set_cursor_position(cursor);
            }
        })?;
        (self.terminal, self.of) = (Some(terminal), of);
        self.pending.write_all(b"\x1b[?2026l")?;
        let bytes = self.pending.0.take();
        let mut out = std::io::stdout();
        out.write_all(&bytes)?;
        out.flush()
    }
}

/// The full screen with the terminal that it is drawn on.
#[derive(Debug)]
pub(super) struct Full {
    pub(super) shown: FullScreen,
    pub(super) surface: Surface,
}

impl Full {
    pub(super) fn new(look: Look) -> Full {
        Full { shown: FullScreen::new(look), surface: Surface::default() }
    }

    /// Draws everything anew with the next frame.
    pub(super) fn forget(&mut self) {
        self.surface.terminal = None;
    }
}
