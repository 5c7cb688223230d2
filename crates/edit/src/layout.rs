//! The layout of lines: text for a place in a file, with its indentation and its kind of blanks. Only blanks at the beginnings
//! of lines are altered, and none of those inside of literals, where they mean something.

use std::collections::HashSet;
use std::ops::Range;

/// The start of the line that a byte is on.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |it| it + 1)
}

/// The indentation of the line that a byte is on.
pub fn indent_at(text: &str, at: usize) -> &str {
    indent(&text[line_start(text, at)..])
}

/// What one level of indentation is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A tab.
    Tab,
    /// So many spaces.
    Spaces(usize),
}

impl Unit {
    /// The unit of a text; four spaces where nothing is indented.
    pub fn of(text: &str) -> Unit {
        let (mut tabs, mut spaces) = (0usize, [0usize; 9]);
        let mut before = 0;
        for line in text.lines().filter(|it| !it.trim().is_empty()) {
            let blanks = indent(line);
            tabs += usize::from(blanks.starts_with('\t'));
            let deeper = blanks.len().saturating_sub(before);
            if blanks.starts_with(' ') && (2..=8).contains(&deeper) {
                spaces[deeper] += 1;
            }
            before = blanks.len();
        }
        let (width, count) =
            [4, 2, 8, 3].map(|it| (it, spaces[it])).into_iter().rev().max_by_key(|it| it.1).unwrap_or((4, 0));
        match (tabs > count, count) {
            (true, _) => Unit::Tab,
            (false, 0) => Unit::Spaces(4),
            (false, _) => Unit::Spaces(width),
        }
    }

    /// The unit of a text whose lines are all indented in the same kind of blanks.
    pub fn only(text: &str) -> Option<Unit> {
        let unit = Unit::of(text);
        let wrong = unit.foreign();
        (!text.lines().any(|it| it.starts_with(wrong))).then_some(unit)
    }

    /// What a line starts with that is indented in the other kind of blanks; one space may align a comment.
    fn foreign(self) -> &'static str {
        if self == Unit::Tab { "  " } else { "\t" }
    }

    /// One level.
    pub fn text(self) -> String {
        match self {
            Unit::Tab => "\t".into(),
            Unit::Spaces(width) => " ".repeat(width),
        }
    }
}

/// The blanks at the beginning of a line.
pub fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// How far a line is indented, as a terminal shows it.
fn width(line: &str) -> usize {
    indent(line).chars().fold(0, |at, c| if c == '\t' { (at / 8 + 1) * 8 } else { at + 1 })
}

/// Lines without blank ones at either end, with plain line breaks and without the fence of a code block around them.
pub fn plain(new: &str) -> String {
    let text = new.replace("\r\n", "\n");
    let mut lines: Vec<&str> = text.lines().collect();
    let is_blank = |it: Option<&&str>| it.is_some_and(|it| it.trim().is_empty());
    loop {
        while is_blank(lines.first()) {
            lines.remove(0);
        }
        while is_blank(lines.last()) {
            lines.pop();
        }
        let fenced =
            lines.len() > 1 && lines[0].starts_with("```") && lines.last().is_some_and(|it| it.trim() == "```");
        if !fenced {
            break;
        }
        lines.pop();
        lines.remove(0);
    }
    lines.join("\n").trim_end().to_string()
}

/// `new` (as [`plain`] gives it) with its first line at `target`, the others in the same relation to it as they were.
/// `unit` is the only kind of blanks that the file has, if it has but one; `literals` are the places in `new` whose lines
/// keep their blanks; `old` are the lines that the file has there, which tell how `new` was copied.
pub fn fit(new: &str, target: &str, unit: Option<Unit>, literals: &[Range<usize>], old: &str) -> String {
    let mut lines: Vec<Line> = Vec::new();
    let mut at = 0;
    for text in new.split('\n') {
        let kept = literals.iter().any(|it| it.start < at && at <= it.end);
        lines.push(Line { text: text.to_string(), kept: kept || text.trim().is_empty() });
        at += text.len() + 1;
    }
    let own = indent(&lines[0].text).to_string();
    let foreign = unit.filter(|it| is_foreign(&lines, *it));
    if own == target && foreign.is_none() {
        return new.to_string();
    }
    if let Some(unit) = foreign {
        respell(&mut lines, unit);
    }
    let own = indent(&lines[0].text).to_string();
    let first_only = own.is_empty() && !target.is_empty() && lost_first(&lines, target, old);
    for (index, line) in lines.iter_mut().enumerate() {
        if line.kept || (first_only && index > 0) {
            continue;
        }
        let rest = match line.text.strip_prefix(&own) {
            Some(rest) => rest,
            None => line.text.trim_start_matches([' ', '\t']),
        };
        line.text = format!("{target}{rest}");
    }
    lines.into_iter().map(|it| it.text).collect::<Vec<_>>().join("\n")
}

struct Line {
    text: String,
    /// True for one whose blanks are not to be touched.
    kept: bool,
}

/// True where the lines are indented with tabs and the file with spaces, or the other way round.
fn is_foreign(lines: &[Line], unit: Unit) -> bool {
    lines.iter().any(|it| !it.kept && it.text.starts_with(unit.foreign()))
}

/// Writes the indentation in the file's kind of blanks.
fn respell(lines: &mut [Line], unit: Unit) {
    let indents = lines.iter().filter(|it| !it.kept).map(|it| indent(&it.text).len());
    let step = indents.filter(|it| *it > 1).min().unwrap_or(4);
    for line in lines.iter_mut().filter(|it| !it.kept) {
        let blanks = indent(&line.text);
        let rest = &line.text[blanks.len()..];
        line.text = match unit {
            Unit::Spaces(width) => format!("{}{rest}", blanks.replace('\t', &" ".repeat(width))),
            Unit::Tab if blanks.contains('\t') => continue,
            Unit::Tab => format!("{}{}{rest}", "\t".repeat(blanks.len() / step), " ".repeat(blanks.len() % step)),
        };
    }
}

/// True where only the first line has lost its indentation, as happens when a text is copied from its first word on:
/// all others are at the target or deeper, deeper right after a line that opens a block, and most of them are as the file
/// has them. Where it has none of them, a line that leaves something open counts as one that opens a block.
fn lost_first(lines: &[Line], target: &str, old: &str) -> bool {
    let others = || lines[1..].iter().filter(|it| !it.kept).map(|it| it.text.trim_end());
    let Some(next) = others().next() else { return false };
    let first = lines[0].text.trim_end();
    let is_words = ["//", "#", "/*", "*", "@", "\"", "'"].iter().any(|it| first.starts_with(it));
    let deeper = width(next) > width(target);
    let opens = |signs: &[char]| !is_words && first.ends_with(signs) && !deeper;
    if !others().all(|it| width(it) >= width(target)) || opens(&['{', ':']) {
        return false;
    }
    let known: HashSet<&str> = old.lines().map(str::trim_end).collect();
    let as_they_are = others().filter(|it| known.contains(it)).count();
    let moved = others().filter(|it| known.contains(format!("{target}{it}").as_str())).count();
    if as_they_are != moved {
        return as_they_are > moved;
    }
    !opens(&['(', '[', '\\', ',', '='])
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn fitted(new: &str, target: &str, unit: Unit) -> String {
        fit(&plain(new), target, Some(unit), &[], "").replace('\t', "→")
    }

    #[test]
    fn a_text_comes_to_stand_where_it_belongs() {
        let spaces = Unit::Spaces(4);
        let cases = [
            ("def f():\n    x\n\n    y", "    ", spaces),
            ("    def f():\n        x", "    ", spaces),
            ("def f():\n        x", "    ", spaces),
            ("        def f():\n            x", "    ", spaces),
            ("@d\n    def f():\n        x", "    ", spaces),
            ("@d\ndef f():\n    x", "    ", spaces),
            ("fn f() {\n    x\n}", "    ", spaces),
            ("fn f() {\n        x\n    }", "    ", spaces),
            ("fn f() {\n    x\n}", "", spaces),
            ("func f() {\n    x\n        y\n}", "", Unit::Tab),
            ("func f() {\n\tx\n}", "\t", Unit::Tab),
            ("fn f() {\n\tx\n}", "  ", Unit::Spaces(2)),
            ("```rust\nfn f() {}\n```\n", "    ", spaces),
            ("\n\n  x = 1\n  y = 2\n\n", "    ", spaces),
        ];
        let out: Vec<String> = cases.iter().map(|(new, target, unit)| fitted(new, target, *unit)).collect();
        expect![[r#"
                def f():
                    x

                    y
            ---
                def f():
                    x
            ---
                def f():
                    x
            ---
                def f():
                    x
            ---
                @d
                def f():
                    x
            ---
                @d
                def f():
                    x
            ---
                fn f() {
                    x
                }
            ---
                fn f() {
                    x
                }
            ---
            fn f() {
                x
            }
            ---
            func f() {
            →x
            →→y
            }
            ---
            →func f() {
            →→x
            →}
            ---
              fn f() {
                x
              }
            ---
                fn f() {}
            ---
                x = 1
                y = 2"#]]
        .assert_eq(&out.join("\n---\n"));
    }

    #[test]
    fn lines_within_a_literal_keep_their_blanks() {
        let new = "let a = \"x\n  y\";\nb();";
        let literals = std::slice::from_ref(&(10..15));
        assert_eq!(fit(new, "    ", Some(Unit::Spaces(4)), literals, ""), "    let a = \"x\n  y\";\n    b();");
    }

    #[test]
    fn lines_that_the_file_has_tell_how_the_text_was_copied() {
        let old = "    x = [\n    (1),\n    ]\n    y = x";
        let cases = [
            ("x = [\n    (1),\n    ]", old),
            ("if z:\n    y = x", old),
            ("x = [\n(1),\n]\ny = x", old),
            ("x = [\n    (1),\n    ]", ""),
        ];
        let out: Vec<String> = cases.iter().map(|(new, old)| fit(new, "    ", None, &[], old)).collect();
        expect![[r#"
                x = [
                (1),
                ]
            ---
                if z:
                    y = x
            ---
                x = [
                (1),
                ]
                y = x
            ---
                x = [
                    (1),
                    ]"#]]
        .assert_eq(&out.join("\n---\n"));
    }

    #[test]
    fn the_unit_of_a_file_is_seen() {
        for (text, expected) in [
            ("a\n\tb\n\t\tc\n", Unit::Tab),
            ("a\n  b\n    c\n", Unit::Spaces(2)),
            ("a\n    b\n        c\n", Unit::Spaces(4)),
            ("a\n", Unit::Spaces(4)),
        ] {
            assert_eq!(Unit::of(text), expected, "{text:?}");
        }
    }
}
