//! Formats of data and configuration, line by line: keys, texts, numbers, comments. They have no grammar here, and need none.

use super::class::{Class, Classes};

/// How a format of data is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Data {
    /// What begins a comment.
    comment: &'static str,
    /// What stands between a key and its value.
    between: char,
}

const ROWS: [(&[&str], Data); 4] = [
    (&["json", "jsonc", "json5", "jsonl"], Data { comment: "//", between: ':' }),
    (&["yaml", "yml"], Data { comment: "#", between: ':' }),
    (&["toml", "ini", "conf", "cfg", "env", "properties"], Data { comment: "#", between: '=' }),
    (&["lock"], Data { comment: "#", between: '=' }),
];

impl Data {
    /// The format of that name.
    pub fn named(name: &str) -> Option<Data> {
        ROWS.iter().find(|(names, _)| names.contains(&name)).map(|(_, data)| *data)
    }

    /// The classes of a line.
    pub fn line(self, line: &str) -> Classes {
        let mut out = Classes::new();
        let mut at = 0;
        while let Some(c) = line[at..].chars().next() {
            let rest = &line[at..];
            let starts = at == 0 || line[..at].ends_with([' ', '\t']);
            let length = match c {
                _ if rest.starts_with(self.comment) && starts => {
                    out.push((at..line.len(), Class::Comment));
                    return out;
                }
                '[' if self.between == '=' && line[..at].trim().is_empty() => {
                    out.push((at..line.len(), Class::Type));
                    return out;
                }
                '"' | '\'' => {
                    let length = quoted(rest, c);
                    out.push((
                        at..at + length,
                        if self.is_key(line, at + length) { Class::Property } else { Class::String },
                    ));
                    length
                }
                c if c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+') => {
                    let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()).max(1);
                    let class =
                        if self.is_key(line, at + length) { Some(Class::Property) } else { value(&rest[..length]) };
                    out.extend(class.map(|it| (at..at + length, it)));
                    length
                }
                c => c.len_utf8(),
            };
            at += length;
        }
        out
    }

    /// True where a word that ends there is a key.
    fn is_key(self, line: &str, end: usize) -> bool {
        let rest = line[end..].trim_start();
        let behind = rest.strip_prefix(self.between);
        behind.is_some_and(|it| it.is_empty() || self.between == '=' || it.starts_with([' ', '"', '[', '{']))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+')
}

/// Bytes of a text in quotes; up to the end of the line where it does not end.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn value(word: &str) -> Option<Class> {
    match word {
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" => Some(Class::Constant),
        _ if word.trim_start_matches(['-', '+', '.']).starts_with(|c: char| c.is_ascii_digit()) => Some(Class::Number),
        _ => None,
    }
}
