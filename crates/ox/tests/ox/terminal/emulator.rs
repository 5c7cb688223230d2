//! What a terminal makes of what is written to it: its screen, the lines that have scrolled off, and where the caret stands.

use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line, Point};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, Term, TermMode};
use alacritty_terminal::vte::ansi::{Processor, Rgb};
use std::sync::{Arc, Mutex};

/// The end of a synchronized update: from here on what was drawn can be seen.
const SHOWN: &[u8] = b"\x1b[?2026l";
/// Lines that are kept once they have scrolled off.
const KEPT: usize = 20_000;
/// The background that is answered to who asks for it.
const BACKGROUND: Rgb = Rgb { r: 0x16, g: 0x18, b: 0x1d };

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.rows
    }

    fn screen_lines(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }
}

/// The caret as it stood when a frame had been drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caret {
    pub is_visible: bool,
    pub row: usize,
    pub column: usize,
    /// What stands left of it in its row.
    pub before: String,
}

/// What the emulator answers to the program, and the title that it was given.
#[derive(Default)]
struct Said {
    answers: String,
    title: String,
    clipboard: String,
}

#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Said>>);

impl EventListener for Listener {
    fn send_event(&self, event: Event) {
        let mut said = self.0.lock().unwrap();
        match event {
            Event::PtyWrite(text) => said.answers += &text,
            Event::ColorRequest(_, worded) => said.answers += &worded(BACKGROUND),
            Event::Title(title) => said.title = title,
            Event::ClipboardStore(_, text) => said.clipboard = text,
            Event::ResetTitle => said.title.clear(),
            _ => {}
        }
    }
}

/// A terminal without a window.
pub struct Emulator {
    term: Term<Listener>,
    parser: Processor,
    said: Listener,
    /// The end of what was fed, as far as it may be the beginning of `SHOWN`.
    tail: Vec<u8>,
    carets: Vec<Caret>,
}

impl Emulator {
    pub fn new(size: Size) -> Emulator {
        let said = Listener::default();
        let config = Config { scrolling_history: KEPT, ..Config::default() };
        let term = Term::new(config, &size, said.clone());
        Emulator { term, parser: Processor::new(), said, tail: Vec::new(), carets: Vec::new() }
    }

    /// Takes in what a program has written. Gives what a terminal answers to it.
    pub fn feed(&mut self, bytes: &[u8]) -> String {
        for byte in bytes {
            self.parser.advance(&mut self.term, &[*byte]);
            self.tail.push(*byte);
            if !SHOWN.starts_with(&self.tail) {
                self.tail = if *byte == SHOWN[0] { vec![*byte] } else { Vec::new() };
            }
            if self.tail == SHOWN {
                self.carets.push(self.caret());
                self.tail.clear();
            }
        }
        std::mem::take(&mut self.said.0.lock().unwrap().answers)
    }

    /// Another size, as when a window is pulled: lines that were wrapped flow anew.
    pub fn resize(&mut self, size: Size) {
        self.term.resize(size);
    }

    /// True while the alternate screen is shown.
    pub fn is_full(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// What was put into the clipboard last.
    pub fn clipboard(&self) -> String {
        self.said.0.lock().unwrap().clipboard.clone()
    }

    /// The rows that can be seen, without blanks at their ends.
    pub fn screen(&self) -> Vec<String> {
        (0..self.term.screen_lines() as i32).map(|line| self.row(line, self.term.columns())).collect()
    }

    /// The rows that have scrolled off, oldest first.
    pub fn scrollback(&self) -> Vec<String> {
        (self.term.topmost_line().0..0).map(|line| self.row(line, self.term.columns())).collect()
    }

    /// Everything, lines that the terminal itself has wrapped joined again.
    pub fn lines(&self) -> Vec<String> {
        let (from, to) = (self.term.topmost_line(), self.term.bottommost_line());
        let all = self.term.bounds_to_string(Point::new(from, Column(0)), Point::new(to, self.term.last_column()));
        all.lines().map(|it| it.trim_end().to_string()).collect()
    }

    /// Rows that have scrolled off, the screen, and the caret, to be compared.
    pub fn picture(&self) -> String {
        let caret = self.caret();
        let mut out = String::new();
        self.scrollback().iter().for_each(|row| out += &format!("{row}\n"));
        let (columns, rows) = (self.term.columns(), self.term.screen_lines());
        out += &format!("════ {columns}×{rows} `{}` ════\n", self.said.0.lock().unwrap().title);
        self.screen().iter().for_each(|row| out += &format!("{row}\n"));
        match caret.is_visible {
            true => out + &format!("════ caret {}:{} behind `{}` ════\n", caret.row, caret.column, caret.before),
            false => out + "════ no caret ════\n",
        }
    }

    pub fn caret(&self) -> Caret {
        let at = self.term.grid().cursor.point;
        Caret {
            is_visible: self.term.mode().contains(TermMode::SHOW_CURSOR),
            row: at.line.0 as usize,
            column: at.column.0,
            before: self.row(at.line.0, at.column.0),
        }
    }

    /// The caret at the end of each synchronized update so far.
    pub fn carets(&self) -> &[Caret] {
        &self.carets
    }

    /// The cells of a row, from 0 at the top of the screen.
    pub fn cells(&self, line: i32) -> &[Cell] {
        let row = &self.term.grid()[Line(line)];
        &row[Column(0)..Column(self.term.columns())]
    }

    /// The first row that is kept, counted from the top of the screen.
    pub fn first(&self) -> i32 {
        self.term.topmost_line().0
    }

    fn row(&self, line: i32, columns: usize) -> String {
        let mut text = String::new();
        for cell in &self.cells(line)[..columns] {
            if !cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
                text.push(cell.c);
                text.extend(cell.zerowidth().into_iter().flatten());
            }
        }
        text.trim_end().to_string()
    }
}

#[test]
fn a_narrower_screen_flows_anew_and_loses_nothing() {
    let mut emulator = Emulator::new(Size { columns: 10, rows: 3 });
    emulator.feed("one\r\n二つ\r\nthree four five\r\nsix".as_bytes());
    assert_eq!(
        (emulator.scrollback(), emulator.screen()),
        (vec!["one".into(), "二つ".into()], vec!["three four".to_string(), " five".into(), "six".into()])
    );
    emulator.resize(Size { columns: 5, rows: 3 });
    assert_eq!(emulator.lines(), ["one", "二つ", "three four five", "six"]);
    assert_eq!(emulator.scrollback().len() + emulator.screen().len(), 6);
}

#[test]
fn a_frame_is_seen_when_it_is_whole() {
    let mut emulator = Emulator::new(Size { columns: 10, rows: 3 });
    emulator.feed(b"\x1b[?2026hhal");
    assert_eq!(emulator.screen()[0], "");
    emulator.feed(b"f\x1b[?20");
    emulator.feed(b"26l");
    assert_eq!(emulator.screen()[0], "half");
    assert_eq!(emulator.carets(), [Caret { is_visible: true, row: 0, column: 4, before: "half".into() }]);
    assert_eq!(emulator.feed(b"\x1b[6n"), "\x1b[1;5R", "a terminal says where its caret is");
}
