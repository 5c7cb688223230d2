//! Printing for commands whose output is all there is at once.
//!
//! A reader that leaves early, such as `head`, is no error. On a terminal nothing that a file, a model or another program
//! said does anything but stand there; another program that reads gets every byte.

use std::io::{IsTerminal, Write};

use ox_ui::columns_of_terminal;
use ox_ui::text::{clean, folded};

/// Prints a text on stdout; a line break is added where it ends without one. On a terminal no word is broken at its edge.
pub(super) fn out(text: &str) {
    print(text, |it| folded(&harmless(it), columns_of_terminal()));
}

/// The same for what is to be copied as it stands: no line is broken.
pub(super) fn exact(text: &str) {
    print(text, harmless);
}

fn print(text: &str, for_terminal: impl Fn(&str) -> String) {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let mut stdout = std::io::stdout().lock();
    let shown = if stdout.is_terminal() { for_terminal(text) } else { text.to_owned() };
    // Whoever closed the pipe has seen enough.
    let _ = write!(stdout, "{shown}{end}");
}

/// Prints a line on stderr.
pub(super) fn err(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let line = harmless(line);
    let shown = if stderr.is_terminal() { folded(&line, columns_of_terminal()) } else { line };
    // There is nowhere to tell of a broken stderr.
    let _ = writeln!(stderr, "{shown}");
}

/// Prints a value as JSON on stdout, indented.
pub(super) fn json(value: &serde_json::Value) {
    exact(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// The colours that commands use. Whoever else used them could do no more than colour.
const COLOURS: [&str; 8] =
    ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[36m", "\u{1b}[90m"];

/// A text as a terminal may get it.
fn harmless(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    let next = |rest: &str| COLOURS.iter().filter_map(|it| Some((rest.find(it)?, *it))).min();
    while let Some((at, colour)) = next(rest) {
        out += &clean(&rest[..at]);
        out += colour;
        rest = &rest[at + colour.len()..];
    }
    out + &clean(rest)
}

/// Rows as columns that line up; the last column is not padded. Wide characters count as two.
pub(super) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..count).map(|at| rows.iter().filter_map(|row| row.get(at)).map(|it| width(it)).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, wide) in row.iter().zip(&widths) {
            line += cell;
            line.extend(std::iter::repeat_n(' ', wide - width(cell) + 2));
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Terminal cells of a text: characters of East Asian scripts fill two.
fn width(text: &str) -> usize {
    let wide = |c: char| matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6);
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

/// The first characters of a text on one line.
pub(super) fn cut(text: &str, limit: usize) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match plain.char_indices().nth(limit) {
        None => plain,
        Some((at, _)) => format!("{}…", &plain[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_also_in_chinese() {
        let rows = [["a", "bb", "x"], ["中文", "b", ""]].map(|it| it.map(str::to_string).to_vec());
        assert_eq!(columns(&rows), "a     bb  x\n中文  b\n");
    }

    #[test]
    fn a_terminal_gets_colours_and_nothing_else() {
        let cases = [
            ("\u{1b}[32m+a\u{1b}[0m\n", "\u{1b}[32m+a\u{1b}[0m\n"),
            ("\u{1b}[8mhidden \u{1b}]52;c;eA==\u{7}x", "hidden x"),
            ("\u{1b}]0;t\u{1b}[0mrest\u{7}", "\u{1b}[0mrest␇"),
            ("gpj.\u{202e}exe", "gpj.⟨U+202E⟩exe"),
        ];
        for (text, shown) in cases {
            assert_eq!(harmless(text), shown, "{text:?}");
        }
    }

    #[test]
    fn a_cut_text_stays_on_its_line() {
        assert_eq!(cut("a\nb\u{1b}[31m", 4), "a b …");
        assert_eq!(cut("日本", 2), "日本");
    }
}
