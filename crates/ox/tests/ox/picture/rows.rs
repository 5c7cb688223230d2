//! The rows of a terminal as runs of text in one look each, without what differs from run to run.

use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{Color, NamedColor};
use regex::Regex;

use crate::terminal::Emulator;

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub fore: Color,
    pub back: Color,
    pub flags: Flags,
}

/// Text in one look, from its first column to behind its last.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub from: usize,
    pub to: usize,
    pub text: String,
    pub look: Look,
}

/// A row, left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct Row(pub Vec<Run>);

/// The flags that are drawn.
const DRAWN: Flags = Flags::BOLD.union(Flags::DIM).union(Flags::ITALIC).union(Flags::UNDERLINE);

impl Row {
    /// Its text, each run at its column.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for run in &self.0 {
            text += &" ".repeat(run.from.saturating_sub(text.chars().count()));
            text += &run.text;
        }
        text.trim_end().to_string()
    }

    /// True for a row of a call that runs beside others, which end in any order.
    fn may_change_places(&self) -> bool {
        let text = self.text();
        ["✓ Read ", "✓ Search ", "  ✓ "].iter().any(|it| text.starts_with(it))
    }
}

/// Everything that the emulator holds, settled.
pub fn of(emulator: &Emulator) -> Vec<Row> {
    settled((emulator.first()..emulator.screen().len() as i32).map(|line| row(emulator.cells(line))).collect())
}

fn settled(mut rows: Vec<Row>) -> Vec<Row> {
    let (took, folder) = (Regex::new(r" ?\(\d+(\.\d+)? m?s\)$").unwrap(), Regex::new(r"ox-demo-\w{6}").unwrap());
    for run in rows.iter_mut().flat_map(|row| &mut row.0) {
        let text = folder.replace(&took.replace(&run.text, ""), "ox-demo").into_owned();
        run.to -= run.text.chars().count() - text.chars().count();
        run.text = text;
    }
    rows.iter_mut().for_each(|row| row.0.retain(|run| !run.text.trim().is_empty() || is_coloured(run)));
    rows.retain(|row| !row.text().contains(" tokens in, "));
    let planned: Vec<String> = rows.iter().filter_map(|row| Some(row.text().split_once("☐ ")?.1.into())).collect();
    let place = |row: &Row| {
        let text = row.text();
        (planned.iter().position(|it| text.ends_with(it.as_str())), text)
    };
    let mut from = 0;
    while from < rows.len() {
        let count = rows[from..].iter().take_while(|it| it.may_change_places()).count();
        rows[from..from + count].sort_by_key(place);
        from += count.max(1);
    }
    let last = rows.iter().rposition(|row| !row.0.is_empty()).map_or(0, |it| it + 1);
    rows.truncate(last);
    rows
}

fn is_coloured(run: &Run) -> bool {
    run.look.back != Color::Named(NamedColor::Background)
}

fn row(cells: &[Cell]) -> Row {
    let mut runs: Vec<Run> = Vec::new();
    for (column, cell) in cells.iter().enumerate() {
        if cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
            continue;
        }
        let look = Look { fore: cell.fg, back: cell.bg, flags: cell.flags & DRAWN };
        let to = column + if cell.flags.contains(Flags::WIDE_CHAR) { 2 } else { 1 };
        match runs.last_mut() {
            Some(run) if run.look == look => {
                run.text.push(cell.c);
                run.to = to;
            }
            _ => runs.push(Run { from: column, to, text: cell.c.to_string(), look }),
        }
    }
    runs.iter_mut().filter(|run| !is_coloured(run)).for_each(trim);
    Row(runs.into_iter().filter(|run| !run.text.is_empty()).collect())
}

/// Blanks at both ends of text without a colour behind it are not drawn.
fn trim(run: &mut Run) {
    run.from += run.text.len() - run.text.trim_start().len();
    run.to -= run.text.len() - run.text.trim_end().len();
    run.text = run.text.trim().to_string();
}

#[test]
fn what_differs_from_run_to_run_is_left_out() {
    let mut emulator = Emulator::new(crate::terminal::Size { columns: 40, rows: 8 });
    let rows = "in /tmp/ox-demo-f9D4Dt/till\r\n✓ Read b\r\n✓ Read a\x1b[2m (3 ms)\x1b[0m\r\n\
        ✗ \x1b[36mtests\x1b[0m failed (1.2 s)\r\n  7 iterations · 22.2k tokens in, 1 out\r\nend";
    emulator.feed(rows.as_bytes());
    let texts: Vec<String> = of(&emulator).iter().map(Row::text).collect();
    assert_eq!(texts, ["in /tmp/ox-demo/till", "✓ Read a", "✓ Read b", "✗ tests failed", "end"]);
}
