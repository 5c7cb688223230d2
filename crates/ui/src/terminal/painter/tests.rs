//! The painter's bytes, played on a small terminal.

use ox_protocol::Time;
use ox_protocol::locale::Language;
use unicode_width::UnicodeWidthChar;

use super::*;
use crate::canned;
use crate::report::Look;
use crate::screen::Screen;
use crate::text::Role;

/// As much of a terminal as the painter uses.
#[derive(Default)]
struct Vt {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
    cursor: bool,
    /// Rows that were left behind above the live area must not be visited again.
    highest_up: usize,
}

impl Vt {
    fn feed(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).expect("the painter writes UTF-8");
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\r' => self.column = 0,
                '\n' => self.row += 1,
                '\u{1b}' => {
                    assert_eq!(chars.next(), Some('['));
                    let sequence: String = chars.by_ref().take_while_inclusive(|c| !c.is_ascii_alphabetic());
                    self.sequence(&sequence);
                }
                c => self.put(c),
            }
            while self.rows.len() <= self.row {
                self.rows.push(Vec::new());
            }
        }
    }

    fn put(&mut self, c: char) {
        while self.rows.len() <= self.row {
            self.rows.push(Vec::new());
        }
        let row = &mut self.rows[self.row];
        while row.len() <= self.column {
            row.push(' ');
        }
        row[self.column] = c;
        self.column += 1;
        // The second half of a wide character.
        for _ in 1..c.width().unwrap_or(1) {
            if row.len() > self.column {
                row[self.column] = '\0';
            } else {
                row.push('\0');
            }
            self.column += 1;
        }
    }

    fn sequence(&mut self, sequence: &str) {
        let (number, kind) = sequence.split_at(sequence.len() - 1);
        let count = number.parse::<usize>().unwrap_or(1);
        match (number, kind) {
            (_, "A") => self.row = self.row.checked_sub(count).expect("never above the first row"),
            (_, "C") => self.column += count,
            ("2", "K") => self.rows[self.row].clear(),
            ("", "J") => {
                self.rows.truncate(self.row + 1);
                if let Some(row) = self.rows.get_mut(self.row) {
                    row.truncate(self.column);
                }
            }
            ("?25", "h") => self.cursor = true,
            ("?25", "l") => self.cursor = false,
            ("?2026", _) | (_, "m") => {}
            _ => panic!("the painter wrote {sequence:?}"),
        }
        self.highest_up = self.highest_up.max(self.row);
    }

    fn text(&self) -> Vec<String> {
        self.rows
            .iter()
            .map(|row| row.iter().filter(|c| **c != '\0').collect::<String>().trim_end().to_string())
            .collect()
    }
}

trait TakeWhileInclusive: Iterator<Item = char> {
    fn take_while_inclusive(self, keep: impl Fn(char) -> bool) -> String;
}

impl<I: Iterator<Item = char>> TakeWhileInclusive for I {
    fn take_while_inclusive(mut self, keep: impl Fn(char) -> bool) -> String {
        let mut out = String::new();
        for c in self.by_ref() {
            out.push(c);
            if !keep(c) {
                break;
            }
        }
        out
    }
}

fn screen(columns: usize) -> Screen {
    Screen::new(Look { live: true, ..Look::new(Language::En, columns - 1) })
}

/// Draws the canned session and returns the terminal, with everything that was to be printed.
fn drawn(columns: usize, rows: usize) -> (Vt, Vec<String>) {
    let mut screen = screen(columns);
    let mut vt = Vt::default();
    let mut painter = Painter::new(Vec::new(), Theme::Dark, true);
    let mut printed = Vec::new();
    let mut now = 1_700_000_000_000;
    for step in canned::session().steps {
        now += step.pause_ms;
        let lines = screen.update(&step.update);
        printed
            .extend(lines.iter().flat_map(|line| wrap(line, columns - 1)).map(|it| it.text().trim_end().to_string()));
        let live = screen.live(Time(now), columns, rows);
        assert!(live.lines.len() < rows, "the live area leaves no room");
        assert!(live.lines.iter().all(|line| width(&line.text()) < columns), "a live line is too wide");
        let below: Vec<String> = live.lines.iter().map(|line| line.text().trim_end().to_string()).collect();
        painter.draw(&lines, live, columns).expect("a vector takes everything");
        vt.feed(&std::mem::take(&mut painter.out));
        let expected: Vec<String> = printed.iter().cloned().chain(below).collect();
        let shown = vt.text();
        assert_eq!(shown[..expected.len()], expected[..], "at {columns} columns");
        assert!(shown[expected.len()..].iter().all(String::is_empty));
    }
    painter.close(columns).expect("a vector takes everything");
    vt.feed(&painter.out);
    (vt, printed)
}

#[test]
fn every_moment_shows_what_was_printed_and_the_live_area_below_it() {
    for columns in [40, 50, 80, 120] {
        let (vt, printed) = drawn(columns, 24);
        let shown: Vec<String> = vt.text();
        assert_eq!(shown[..printed.len()], printed[..]);
        assert!(shown[printed.len()..].iter().all(String::is_empty), "the live area is gone at the end");
        assert!(vt.cursor, "the cursor is given back");
        assert_eq!(vt.row, printed.len());
    }
}

#[test]
fn nothing_is_written_where_nothing_changed() {
    let mut painter = Painter::new(Vec::new(), Theme::Dark, true);
    let live = Live { lines: vec![Line::of("busy", Role::Dim)], cursor: None };
    painter.draw(&[], live.clone(), 80).expect("a vector takes everything");
    painter.out.clear();
    painter.draw(&[], live, 80).expect("a vector takes everything");
    assert!(painter.out.is_empty());
}

#[test]
fn a_narrower_screen_is_counted_with_its_reflowed_lines() {
    let mut painter = Painter::new(Vec::new(), Theme::None, true);
    let line = |length: usize| Line::of(&"x".repeat(length), Role::Plain);
    let live = Live { lines: vec![line(70), line(30)], cursor: None };
    painter.draw(&[], live, 80).expect("a vector takes everything");
    // At 40 columns the lines take two rows and one.
    assert_eq!(painter.to_top(40), "\r\u{1b}[2A");
    assert_eq!(painter.to_top(80), "\r\u{1b}[1A");
    assert_eq!(painter.to_top(20), "\r\u{1b}[5A");
}

#[test]
fn without_cursor_movement_there_is_not_one_escape() {
    let mut screen = screen(60);
    screen.look.live = false;
    let mut painter = Painter::new(Vec::new(), Theme::None, false);
    for step in canned::session().steps {
        let lines = screen.update(&step.update);
        painter.draw(&lines, Live::default(), 60).expect("a vector takes everything");
        painter.echo(screen.typing().as_deref()).expect("a vector takes everything");
    }
    painter.close(60).expect("a vector takes everything");
    let text = String::from_utf8(painter.out).expect("the painter writes UTF-8");
    assert!(!text.contains('\u{1b}'));
    assert!(text.contains("Done; all checks pass."));
}

#[test]
fn typing_is_echoed_where_the_cursor_cannot_be_moved() {
    let mut painter = Painter::new(Vec::new(), Theme::None, false);
    for typed in [None, Some("a"), Some("ab"), Some("a"), Some("xy"), None] {
        painter.echo(typed).expect("a vector takes everything");
    }
    let text = String::from_utf8(painter.out).expect("the painter writes UTF-8");
    assert_eq!(text, "› ab\u{8} \u{8}\r\n› xy\r\n");
}
