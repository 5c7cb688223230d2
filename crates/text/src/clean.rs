//! Makes foreign text safe to show.
//!
//! Promise: the result holds no control character but the line break. Terminal sequences are removed, other control
//! characters and those that reorder or hide text are shown by name (`⟨U+202E⟩`), so that nobody is deceived by what they
//! cannot see. Cleaning what is clean changes nothing. Everything that a model, a tool, a file or another process
//! said goes through here before it reaches a terminal.

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
            c if hides(c) && !joins(c, out.chars().next_back()) => out += &format!("⟨U+{:04X}⟩", c as u32),
            c => out.push(c),
        }
    }
    out
}

/// `text` with nothing removed, for what somebody consents to or reviews: what a terminal would obey is shown by name.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ESC => out.push('\u{241b}'),
            '\u{80}'..='\u{9f}' => out += &format!("⟨U+{:04X}⟩", c as u32),
            c => out.push(c),
        }
    }
    clean(&out)
}

/// Characters that reorder, hide or separate text without being seen, or that are seen as blanks and are none.
pub fn hides(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// True for a joiner or a choice of style behind a character that takes one: emoji and some scripts need them. More of
/// them in a row, or behind a Latin letter, say nothing but what somebody hides.
fn joins(c: char, before: Option<char>) -> bool {
    let takes = before.is_some_and(|it| !it.is_ascii() && !hides(it) && it != '⟩');
    let keycap = c == '\u{fe0f}' && before.is_some_and(|it| it.is_ascii_digit() || it == '#' || it == '*');
    // The person before a joiner may be drawn in colour: `❤️‍🔥`.
    let styled = c == '\u{200d}' && before == Some('\u{fe0f}');
    (takes && matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')) || keycap || styled
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
            ("a\u{202e}b\u{2066}c\u{200b}d", "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d"),
            ("tag\u{e0041}", "tag⟨U+E0041⟩"),
            ("\u{85}", "⟨U+0085⟩"),
            ("👩\u{200d}💻 中文", "👩\u{200d}💻 中文"),
            (
                "1\u{fe0f}\u{20e3} ❤\u{fe0f}\u{200d}🔥 می\u{200c}خواهم",
                "1\u{fe0f}\u{20e3} ❤\u{fe0f}\u{200d}🔥 می\u{200c}خواهم",
            ),
            ("a\u{200d}b\u{fe0f}c", "a⟨U+200D⟩b⟨U+FE0F⟩c"),
            ("😀\u{fe0f}\u{fe0f}\u{fe01}", "😀\u{fe0f}⟨U+FE0F⟩⟨U+FE01⟩"),
            ("soft\u{ad}ly \u{3164}\u{e0100}", "soft⟨U+00AD⟩ly ⟨U+3164⟩⟨U+E0100⟩"),
            ("\u{1b}[6n\u{1b}[c\u{1b}P+q\u{1b}\\x", "x"),
            ("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?1000hx", "x"),
            ("\u{1b}]52;c;Y3VybCBldmlsfHNo\u{7}.txt", ".txt"),
            ("\u{90}q\u{9c}\u{9d}0;t\u{7}\u{98}s\u{9c}x", "x"),
            ("\u{1b}]8;;javascript:alert(1)\u{7}link\u{1b}]8;;\u{7}", "link"),
            ("\u{1b}\u{1b}[31mx\u{1b}[\u{1b}[2Jy", "xy"),
        ];
        for (dirty, expected) in cases {
            assert_eq!(clean(dirty), expected, "{dirty:?}");
        }
    }

    #[test]
    fn what_is_consented_to_is_shown_whole() {
        let cases = [
            ("echo build \u{1b}X; touch HIDDEN2; \u{1b}\\ ok", "echo build ␛X; touch HIDDEN2; ␛\\ ok"),
            ("a\u{9d}b\u{7}c\u{202e}d\u{9b}2J", "a⟨U+009D⟩b␇c⟨U+202E⟩d⟨U+009B⟩2J"),
            ("\u{1b}]52;c;never ends", "␛]52;c;never ends"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected);
            assert_eq!(clean(&visible(text)), expected);
        }
    }

    #[test]
    fn what_is_clean_stays_as_it_is() {
        for text in ["a⟨U+202E⟩b", "x⟨U+200D⟩y", "␇", "👩\u{200d}💻"] {
            assert_eq!(clean(&clean(text)), clean(text));
            assert_eq!(clean(text), text);
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
