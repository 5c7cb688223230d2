//! Folds texts that commands print, so that no word is broken at the edge of a terminal.
//!
//! Promise: nothing but line breaks and the blanks at the beginning of a folded line is added, nothing but blanks taken
//! away; colours stay where they are.

use super::{Line, Role, Span, width, wrap};

/// `text` for a terminal of `columns`. It holds no escapes but those of colours. What is folded goes on below the second
/// column of its line where there is one, and else a little further in.
pub fn folded(text: &str, columns: usize) -> String {
    text.split_inclusive('\n').map(|line| fold(line, columns)).collect()
}

fn fold(line: &str, columns: usize) -> String {
    let (content, end) = line.strip_suffix('\n').map_or((line, ""), |it| (it, "\n"));
    let (plain, colours) = without_colours(content);
    if width(&plain) <= columns {
        return line.to_string();
    }
    let hang = hang(&plain, columns);
    let span = |text: &str| Span { text: text.to_string(), role: Role::Plain, ..Span::default() };
    let whole = Line { follow: vec![span(&" ".repeat(hang))], spans: vec![span(&plain)], ..Line::default() };
    let (mut out, mut at) = (String::new(), 0);
    let mut colours = colours.into_iter().peekable();
    for (index, part) in wrap(&whole, columns).iter().enumerate() {
        if index > 0 {
            at += plain[at..].len() - plain[at..].trim_start_matches(' ').len();
            out += "\n";
            out.extend(part.lead.iter().map(|it| it.text.as_str()));
        }
        for c in part.spans.iter().flat_map(|it| it.text.chars()) {
            while let Some((_, colour)) = colours.next_if(|(place, _)| *place <= at) {
                out += colour;
            }
            out.push(c);
            at += c.len_utf8();
        }
    }
    out.extend(colours.map(|(_, colour)| colour));
    out + end
}

/// A line without its colours, and those with their places in what is left.
fn without_colours(line: &str) -> (String, Vec<(usize, &str)>) {
    let (mut plain, mut colours, mut rest) = (String::new(), Vec::new(), line);
    while let Some(at) = rest.find("\u{1b}[") {
        let length = rest[at..].find('m').map_or(rest.len() - at, |it| it + 1);
        plain += &rest[..at];
        colours.push((plain.len(), &rest[at..at + length]));
        rest = &rest[at + length..];
    }
    (plain + rest, colours)
}

/// Where a folded line goes on: below its second column, unless that is too far to the right.
fn hang(plain: &str, columns: usize) -> usize {
    let indent = plain.len() - plain.trim_start_matches(' ').len();
    let second = plain[indent..].find("  ").map(|gap| {
        let from = indent + gap;
        width(&plain[..from]) + plain[from..].len() - plain[from..].trim_start_matches(' ').len()
    });
    second.filter(|it| *it * 3 <= columns * 2).unwrap_or_else(|| (indent + 2).min(columns / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let cases = [
            ("short\nlines\n", "short\nlines\n"),
            ("Known: anthropic, dashscope, openai", "Known: anthropic,\n  dashscope, openai"),
            ("  run    Runs one task for scripts\n", "  run    Runs one\n         task for\n         scripts\n"),
            (
                "\u{1b}[1mrun\u{1b}[0m    Runs one \u{1b}[32mtask for\u{1b}[0m us",
                "\u{1b}[1mrun\u{1b}[0m    Runs one\n       \u{1b}[32mtask for\u{1b}[0m us",
            ),
            ("没有空格的一句很长的话也会折行", "没有空格的一句很长\n  的话也会折行"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(folded(text, 19), expected, "{text:?}");
        }
    }

    #[test]
    fn nothing_but_blanks_is_added_or_lost() {
        let text =
            "  a\u{1b}[32m bb  \u{1b}[0mccc dddddddddddddddddddddddddd 中文字\u{1b}[1m e\u{301}e\u{1b}[0m  ff \n\n   x";
        let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        for columns in 8..60 {
            assert_eq!(solid(&folded(text, columns)), solid(text), "{columns}");
        }
    }
}
