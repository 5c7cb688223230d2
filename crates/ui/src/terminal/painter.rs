//! Puts lines on a terminal: final lines once, the live area below them again and again.
//!
//! Promise: a final line is written exactly once. The live area is rewritten in place, row by row, within one synchronized
//! update and never cleared as a whole, so nothing flickers. Without a live area nothing but lines is written.

use std::io::Write;

use crate::composer::SIGN;
use crate::screen::Live;
use crate::text::{Line, Theme, width, wrap};

/// Empties a row before it is written. What is only cleared to its end still counts as written for tmux, which then makes
/// two rows of it when the window gets narrower.
const FRESH: &str = "\u{1b}[2K";

/// A terminal being painted.
#[derive(Debug)]
pub(crate) struct Painter<W: Write> {
    out: W,
    theme: Theme,
    /// False for terminals that cannot move the cursor: lines are all there is.
    moves: bool,
    drawn: Live,
    /// Columns when `drawn` was drawn.
    columns: usize,
    /// What is being typed, as far as it was echoed on a terminal whose cursor cannot be moved.
    echoed: Option<String>,
}

impl<W: Write> Painter<W> {
    pub(crate) fn new(out: W, theme: Theme, moves: bool) -> Painter<W> {
        Painter { out, theme, moves, drawn: Live::default(), columns: 0, echoed: None }
    }

    pub(crate) fn theme(&self) -> Theme {
        self.theme
    }

    /// Paints with another theme from now on.
    pub(crate) fn set_theme(&mut self, theme: Theme) {
        self.theme = theme;
    }

    /// What is drawn has to be drawn again, in its place.
    pub(crate) fn repaint(&mut self) {
        self.columns = 0;
    }

    /// The screen was cleared: nothing is drawn.
    pub(crate) fn forget(&mut self) {
        self.drawn = Live::default();
    }

    /// Prints lines where there is no live area.
    pub(crate) fn print(&mut self, lines: &[Line]) -> std::io::Result<()> {
        let columns = super::options::size().0;
        self.draw(lines, Live::default(), columns)
    }

    /// Prints `lines` above the live area and draws `live`, on a screen of `columns`.
    pub(crate) fn draw(&mut self, lines: &[Line], live: Live, columns: usize) -> std::io::Result<()> {
        let printed: Vec<Line> = lines.iter().flat_map(|line| wrap(line, columns.saturating_sub(1))).collect();
        if !self.moves {
            return self.append(&printed);
        }
        if printed.is_empty() && live == self.drawn && columns == self.columns {
            return Ok(());
        }
        let mut text = String::from("\u{1b}[?2026h\u{1b}[?25l");
        text += &self.to_top(columns);
        for line in &printed {
            text += &format!("{FRESH}{}\r\n", self.theme.paint(line));
        }
        for (row, line) in live.lines.iter().enumerate() {
            text += if row > 0 { "\r\n" } else { "" };
            text += &format!("{FRESH}{}", self.theme.paint(line));
        }
        text += "\u{1b}[J";
        text += &place_cursor(&live);
        text += "\u{1b}[?2026l";
        self.drawn = live;
        self.columns = columns;
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Prints lines on a terminal whose cursor cannot be moved.
    fn append(&mut self, printed: &[Line]) -> std::io::Result<()> {
        if printed.is_empty() {
            return Ok(());
        }
        if self.echoed.take().is_some() {
            self.out.write_all(b"\r\n")?;
        }
        for line in printed {
            write!(self.out, "{}\r\n", self.theme.paint(line).trim_end())?;
        }
        self.out.flush()
    }

    /// Echoes what is being typed on a terminal whose cursor cannot be moved: new letters are written, deleted ones
    /// overwritten, and any other change begins a new line.
    pub(crate) fn echo(&mut self, typed: Option<&str>) -> std::io::Result<()> {
        if self.moves || self.echoed.as_deref() == typed {
            return Ok(());
        }
        let text = match (&self.echoed, typed) {
            (None, Some(now)) => format!("{SIGN}{now}"),
            (Some(_), None) => "\r\n".to_string(),
            (Some(before), Some(now)) => match (now.strip_prefix(before.as_str()), before.strip_prefix(now)) {
                (Some(more), _) => more.to_string(),
                (_, Some(gone)) => "\u{8} \u{8}".repeat(width(gone)),
                _ => format!("\r\n{SIGN}{now}"),
            },
            (None, None) => String::new(),
        };
        self.echoed = typed.map(str::to_string);
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Takes the live area away and leaves the cursor at the beginning of an empty line.
    pub(crate) fn close(&mut self, columns: usize) -> std::io::Result<()> {
        if !self.moves {
            return self.echo(None);
        }
        let text = format!("{}\u{1b}[J\u{1b}[?25h", self.to_top(columns));
        self.drawn = Live::default();
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// From where the cursor is to the beginning of the live area. A narrower screen has reflowed what was drawn.
    fn to_top(&self, columns: usize) -> String {
        let last = self.drawn.lines.len().saturating_sub(1);
        let row = self.drawn.cursor.map_or(last, |(row, _)| row);
        let rows = |line: &Line| width(&line.text()).max(1).div_ceil(columns.max(1));
        let above: usize = self.drawn.lines.iter().take(row).map(rows).sum();
        // The cursor's own line may be reflowed too, with the cursor in its last part.
        let own = self.drawn.lines.get(row).map_or(0, |line| match self.drawn.cursor {
            Some((_, column)) => column / columns.max(1),
            None => rows(line) - 1,
        });
        match above + own {
            0 => "\r".to_string(),
            up => format!("\r\u{1b}[{up}A"),
        }
    }
}

/// From the end of the last line to where the user types; the cursor stays hidden where nothing can be typed.
fn place_cursor(live: &Live) -> String {
    let Some((row, column)) = live.cursor else { return String::new() };
    let up = live.lines.len() - 1 - row;
    let up = if up > 0 { format!("\u{1b}[{up}A") } else { String::new() };
    let right = if column > 0 { format!("\u{1b}[{column}C") } else { String::new() };
    format!("{up}\r{right}\u{1b}[?25h")
}

#[cfg(test)]
mod tests;
