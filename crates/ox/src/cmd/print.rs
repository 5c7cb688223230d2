//! Printing for commands whose output is all there is at once.
//!
//! A reader that leaves early, such as `head`, is no error. On a terminal nothing that a file, a model or another program
//! said does anything but stand there; another program that reads gets every byte.

use std::io::{IsTerminal, Write};

use ox_ui::columns_of_terminal;
use ox_ui::text::{clean, folded};

/// True where colours are wanted on stdout: on a terminal, and nobody said otherwise.
pub(crate) fn colours() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
}

/// A text in a colour of `COLOURS`, given by its number, where colours are wanted.
pub(super) fn paint(text: &str, code: &str) -> String {
    if colours() && !code.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
}

/// The same lines with the mark that one begins with in its colour: what is good, bad, uncertain or only noted.
pub(super) fn marked(text: &str) -> String {
    let line = |line: &str| {
        let mark = line.trim_start();
        let code = match mark.chars().next() {
            Some('✓') => "32",
            Some('✗') => "31",
            Some('!') => "33",
            Some('·' | '–' | '…') => "90",
            _ => return line.to_string(),
        };
        let (before, rest) = line.split_at(line.len() - mark.len());
        let (mark, rest) = rest.split_at(rest.chars().next().map_or(0, char::len_utf8));
        format!("{before}{}{rest}", paint(mark, code))
    };
    text.split_inclusive('\n').map(line).collect()
}

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

/// The same below a head that says what the columns are. A pipe gets the rows alone: the first column is what scripts read.
pub(super) fn table(head: &[String], rows: Vec<Vec<String>>) -> String {
    if !std::io::stdout().is_terminal() {
        return columns(&rows);
    }
    let text = columns(&[vec![head.to_vec()], rows].concat());
    text.split_once('\n').map_or(text.clone(), |(head, rows)| format!("{}\n{rows}", paint(head, "2")))
}

/// Terminal cells of a text; colours fill none.
fn width(text: &str) -> usize {
    let plain = COLOURS.iter().fold(text.to_owned(), |text, it| text.replace(it, ""));
    ox_ui::text::width(&plain)
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
