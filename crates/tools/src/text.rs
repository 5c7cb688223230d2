//! Text for a model: no terminal escapes, no carriage returns, counted in words.

use std::borrow::Cow;

use ox_protocol::Output;

/// `1 line`, `3 lines`.
pub(crate) fn count(number: usize, one: &str) -> String {
    let ending = if number == 1 {
        ""
    } else if one.ends_with("ch") {
        "es"
    } else {
        "s"
    };
    format!("{number} {one}{ending}")
}

/// A path as a line of an answer shows it: one with control characters stands in quotes, with escapes.
pub(crate) fn name(path: &str) -> Cow<'_, str> {
    match path.contains(char::is_control) {
        true => Cow::Owned(serde_json::Value::from(path).to_string()),
        false => Cow::Borrowed(path),
    }
}

/// Text that another program printed, as a person would have seen it: escapes are gone, and of a line that was
/// written over with carriage returns only the last version stands.
pub(crate) fn plain(text: &str) -> String {
    let text = without_escapes(text);
    if !text.contains('\r') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\r', '\n']);
        out.push_str(body.rsplit('\r').next().unwrap_or(body));
        if line.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// What a process printed, with one line in place of what was dropped.
pub(crate) fn output(output: &Output) -> String {
    let note = |dropped: u64| format!("[… {dropped} bytes left out here …]");
    plain(&output.text(note))
}

/// Appends a status line on a line of its own.
pub(crate) fn with_status(mut text: String, status: &str) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(status);
    text
}

/// Removes control sequences (colours, cursor moves, titles) and lone control characters.
fn without_escapes(text: &str) -> String {
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if !text.contains(is_control) {
        return text.to_string();
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if c != '\u{1b}' {
            if !is_control(c) {
                out.push(c);
            }
            continue;
        }
        match characters.next() {
            // A control sequence ends with a character from @ to ~.
            Some('[') => while characters.next().is_some_and(|it| !('@'..='~').contains(&it)) {},
            // A string (title, link) ends with a bell or with ESC \.
            Some(']' | 'P' | '^' | '_' | 'X') => {
                while let Some(it) = characters.next() {
                    if it == '\u{7}' || (it == '\u{1b}' && characters.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            // The choice of a character set has one more character.
            Some('(' | ')' | '#') => drop(characters.next()),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_output_is_read_as_a_person_sees_it() {
        let cases = [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\u{1b}[1;31merror\u{1b}[0m: x", "error: x"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\link", "alink"),
            ("10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
            ("bell\u{7} and back\u{8}", "bell and back"),
            ("\u{1b}(Bx", "x"),
            ("cut \u{1b}[3", "cut "),
        ];
        for (raw, expected) in cases {
            assert_eq!(plain(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn things_are_counted_in_words() {
        assert_eq!([count(1, "line"), count(0, "line"), count(2, "match")].join(", "), "1 line, 0 lines, 2 matches");
    }
}
