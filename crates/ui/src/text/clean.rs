//! Makes foreign text safe to show (S6).
//!
//! Promise: the result holds no control character but the line break. Terminal sequences are removed, other control
//! characters and those that reorder or hide text are shown by name, so that nobody is deceived by what they cannot see.

use std::iter::Peekable;
use std::str::Chars;

const ESC: char = '\u{1b}';

/// `text` without terminal sequences, with control and bidirectional characters made visible and tabs as four spaces.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => out.push('\n'),
            '\t' => out += "    ",
            '\r' if rest.peek() == Some(&'\n') => {}
            ESC => skip_escape(&mut rest),
            '\u{9b}' => skip_csi(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut rest),
            c if (c as u32) < 0x20 => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            '\u{7f}' => out.push('\u{2421}'),
            c if hides(c) => out += &format!("<U+{:04X}>", c as u32),
            c => out.push(c),
        }
    }
    out
}

/// Characters that reorder, hide or separate text without being seen. Joiners stay: emoji and scripts need them.
fn hides(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

fn skip_escape(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_csi(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        _ => {
            while rest.next_if(|c| (' '..='/').contains(c)).is_some() {}
            rest.next_if(|c| ('0'..='~').contains(c));
        }
    }
}

/// Parameters, intermediates and the final byte.
fn skip_csi(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| (' '..='?').contains(c)).is_some() {}
    rest.next_if(|c| ('@'..='~').contains(c));
}

/// Up to the terminator; a sequence that never ends hides no more than the rest of its line.
fn skip_string(rest: &mut Peekable<Chars<'_>>) {
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            ESC if rest.next_if(|c| *c == '\\').is_some() => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let cases = [
            ("plain\ntext", "plain\ntext"),
            ("a\tb\r\nc", "a    b\nc"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]52;c;never ends\nnext line", "\nnext line"),
            ("\u{9b}2Jcleared", "cleared"),
            ("\u{1b}cx\u{1b}(By", "xy"),
            ("ends in\u{1b}[3", "ends in"),
            ("\u{1b}", ""),
            ("bell\u{7} back\u{8} nul\u{0} del\u{7f} cr\rx", "bell␇ back␈ nul␀ del␡ cr␍x"),
            ("a\u{202e}b\u{2066}c\u{200b}d", "a<U+202E>b<U+2066>c<U+200B>d"),
            ("tag\u{e0041}", "tag<U+E0041>"),
            ("\u{85}", "<U+0085>"),
            ("👩\u{200d}💻 中文", "👩\u{200d}💻 中文"),
        ];
        for (dirty, expected) in cases {
            assert_eq!(clean(dirty), expected, "{dirty:?}");
        }
    }

    #[test]
    fn no_control_character_survives_anywhere() {
        for first in 0..0x300u32 {
            for second in ['[', ']', 'P', 'x', '\u{1b}', '\u{7}', '\n'] {
                let Some(c) = char::from_u32(first) else { continue };
                let shown = clean(&format!("{c}{second}1;2m\u{1b}{c}tail"));
                assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{c:?}{second:?} left {shown:?}");
            }
        }
    }
}
