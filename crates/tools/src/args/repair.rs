//! Mends arguments that a model wrote a little wrong. Used for tools that only read: a wrong guess costs a look at the
//! wrong place there, and a wrong text in a file elsewhere.
//!
//! The whole set: a code fence or prose around one object, the object inside a JSON string, trailing commas, missing commas
//! before a key, single and curly quotes, keys without quotes, comments, raw line breaks and control characters inside
//! texts, backslashes that escape nothing, Python's `True`, `False`, `None`, and one tag for each argument. Text that ends
//! in the middle is never completed, and two objects are never taken for one.

use serde_json::{Map, Value};

use super::tags;

/// The object that `raw` was meant to be, if the mends above make it one.
pub(crate) fn repair(raw: &str) -> Option<Map<String, Value>> {
    if raw.trim_start().starts_with('<') {
        return tags::read(raw);
    }
    if let Ok(Value::String(inner)) = serde_json::from_str(raw.trim()) {
        return object(&inner);
    }
    object(raw)
}

/// The one object in a text; none where a second one follows.
fn object(text: &str) -> Option<Map<String, Value>> {
    let body = &text[text.find('{')?..];
    let (mended, rest) = mended(body)?;
    if rest.contains('{') {
        return None;
    }
    serde_json::from_str(&mended).ok()
}

/// The first object of `body` as JSON, and what stands behind it; none where it does not end.
fn mended(body: &str) -> Option<(String, &str)> {
    let mut mend = Mend { body, at: 0, out: String::with_capacity(body.len() + 8), open: Vec::new() };
    while mend.at < body.len() {
        mend.token()?;
        if mend.open.is_empty() {
            return Some((mend.out, &body[mend.at..]));
        }
    }
    None
}

/// A text on its way to JSON.
struct Mend<'a> {
    body: &'a str,
    at: usize,
    out: String,
    /// What must close, the innermost last.
    open: Vec<char>,
}

impl<'a> Mend<'a> {
    fn rest(&self) -> &'a str {
        &self.body[self.at..]
    }

    /// Takes the next token; none where nothing here makes sense of it. Each call takes at least one character.
    fn token(&mut self) -> Option<()> {
        let rest = self.rest();
        let c = rest.chars().next()?;
        match c {
            '{' | '[' => {
                self.separate();
                self.open.push(if c == '{' { '}' } else { ']' });
                self.copy(1);
            }
            '}' | ']' => {
                if self.open.pop() != Some(c) {
                    return None;
                }
                self.copy(1);
            }
            ',' if behind(&rest[1..]).is_none_or(|it| it.starts_with(['}', ']'])) => self.at += 1,
            ',' | ':' => self.copy(1),
            '"' | '\'' | '“' | '”' | '‘' | '’' => {
                self.separate();
                self.text(c)?;
            }
            '/' | '#' => self.at += comment(rest)?,
            _ if c.is_whitespace() => self.at += c.len_utf8(),
            _ => {
                self.separate();
                self.word()?;
            }
        }
        Some(())
    }

    fn copy(&mut self, bytes: usize) {
        self.out.push_str(&self.rest()[..bytes]);
        self.at += bytes;
    }

    /// Puts in the comma that is missing between a value and the key behind it.
    fn separate(&mut self) {
        let ends_a_value = |c: char| matches!(c, '"' | '}' | ']') || c.is_ascii_alphanumeric();
        if self.open.last() == Some(&'}') && self.out.ends_with(ends_a_value) && self.is_key() {
            self.out.push(',');
        }
    }

    /// True where a key stands here: a quoted or plain word and a colon.
    fn is_key(&self) -> bool {
        let word = self.rest().trim_start_matches(['"', '\'']);
        let length = word.find(|c: char| !(c.is_alphanumeric() || "_-$".contains(c))).unwrap_or(word.len());
        let behind = word[length..].trim_start_matches(['"', '\'']);
        length > 0 && behind.trim_start().starts_with(':')
    }

    /// A number, a literal, or a key without quotes.
    fn word(&mut self) -> Option<()> {
        let rest = self.rest();
        let foreign = |c: char| !(c.is_ascii_alphanumeric() || "_$+-.".contains(c));
        let length = rest.find(foreign).filter(|it| *it > 0)?;
        let word = &rest[..length];
        self.at += length;
        if self.open.last() == Some(&'}') && !self.out.ends_with(':') {
            let is_key = word.starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c));
            let colon = behind(self.rest()).is_some_and(|it| it.starts_with(':'));
            return (is_key && colon).then(|| self.out += &format!("\"{word}\""));
        }
        self.out += match word {
            "True" | "TRUE" => "true",
            "False" | "FALSE" => "false",
            "None" | "NULL" | "undefined" => "null",
            number_or_literal => number_or_literal,
        };
        Some(())
    }

    /// A text in quotes of any kind, as a JSON string.
    fn text(&mut self, opening: char) -> Option<()> {
        let closing = |c: char| match opening {
            '“' | '”' => matches!(c, '“' | '”'),
            '‘' | '’' => matches!(c, '‘' | '’'),
            _ => c == opening,
        };
        self.at += opening.len_utf8();
        self.out.push('"');
        let mut characters = self.rest().char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                _ if closing(c) => {
                    self.at += at + c.len_utf8();
                    self.out.push('"');
                    return Some(());
                }
                '\\' => escape(&mut self.out, &mut characters)?,
                '"' => self.out.push_str("\\\""),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                c if c.is_control() => self.out += &format!("\\u{:04x}", u32::from(c)),
                c => self.out.push(c),
            }
        }
        None
    }
}

/// What stands behind blank space and comments.
fn behind(rest: &str) -> Option<&str> {
    let mut rest = rest.trim_start();
    while rest.starts_with(['/', '#']) {
        rest = rest[comment(rest)?..].trim_start();
    }
    (!rest.is_empty()).then_some(rest)
}

/// The length of a comment; none where none begins or where it does not end.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("/*") {
        return rest.find("*/").map(|at| at + 2);
    }
    let line = rest.starts_with("//") || rest.starts_with('#');
    line.then(|| rest.find('\n').unwrap_or(rest.len()))
}

/// What follows a backslash. One that escapes nothing stands for itself, as in a regular expression or a Windows path.
fn escape(out: &mut String, characters: &mut std::str::CharIndices<'_>) -> Option<()> {
    let rest = characters.as_str();
    match characters.next()?.1 {
        c @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => out.extend(['\\', c]),
        '\'' => out.push('\''),
        'u' => match rest.get(1..5).filter(|it| it.chars().all(|c| c.is_ascii_hexdigit())) {
            Some(digits) => {
                *out += &format!("\\u{digits}");
                characters.nth(3);
            }
            None => out.push_str("\\\\u"),
        },
        '\n' => {}
        c => {
            out.push_str("\\\\");
            out.push(c);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_documented_mend_works_and_nothing_else_is_guessed() {
        let cases = [
            (r#"{"path": "a", }"#, Some(r#"{"path":"a"}"#)),
            (r#"{"paths": ["a", "b",],}"#, Some(r#"{"paths":["a","b"]}"#)),
            ("```json\n{\"path\": \"a\"}\n```", Some(r#"{"path":"a"}"#)),
            ("Here: {\"path\": \"a\"} ok", Some(r#"{"path":"a"}"#)),
            ("{\"path\": \"a\"}}", Some(r#"{"path":"a"}"#)),
            (r#"{'path': 'it\'s "x"'}"#, Some(r#"{"path":"it's \"x\""}"#)),
            ("{“path”: “a”}", Some(r#"{"path":"a"}"#)),
            ("{\"pattern\": \"a\nb\tc\u{1}\"}", Some(r#"{"pattern":"a\nb\tc\u0001"}"#)),
            (
                r#"{"a": True, "b": False, "c": None, "d": "True, }"}"#,
                Some(r#"{"a":true,"b":false,"c":null,"d":"True, }"}"#),
            ),
            (r#"{"path": "a\\"}"#, Some(r#"{"path":"a\\"}"#)),
            (r#"{"pattern": "\d+\.rs"}"#, Some(r#"{"pattern":"\\d+\\.rs"}"#)),
            (r#"{"pattern": "\u00e9\u"}"#, Some(r#"{"pattern":"é\\u"}"#)),
            (r#"{path: "a", start_line: 3}"#, Some(r#"{"path":"a","start_line":3}"#)),
            (r#"{"path": "a" "limit": 3}"#, Some(r#"{"path":"a","limit":3}"#)),
            ("{\"a\": {\"b\": 1}\n c: 2}", Some(r#"{"a":{"b":1},"c":2}"#)),
            ("{\"path\": \"a\", // why\n /* and */ \"b\": 1, # so\n}", Some(r#"{"path":"a","b":1}"#)),
            (r#"{"url": "http://x/#y"}"#, Some(r#"{"url":"http://x/#y"}"#)),
            (r#""{\"path\": \"a\",}""#, Some(r#"{"path":"a"}"#)),
            ("<path>a.rs</path>", Some(r#"{"path":"a.rs"}"#)),
            // Half of it, two of it, or something else.
            (r#"{"path": "a"#, None),
            (r#"{"path": "a""#, None),
            (r#"{"path": ["a"}"#, None),
            (r#"{"path": "a"}{"path": "b"}"#, None),
            (r#"{"a": Nothing}"#, None),
            (r#"{"a": NaN}"#, None),
            (r#"{"s": "let x = "y";"}"#, None),
            (r#"{"a": 1 /* never ends }"#, None),
            ("path = a", None),
            ("{", None),
            ("", None),
        ];
        for (raw, expected) in cases {
            let mended = repair(raw).map(|it| Value::Object(it).to_string());
            assert_eq!(mended.as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn no_beginning_of_good_arguments_is_completed() {
        let good = r#"{"path": "src/ä.rs", "lines": [1, {"from": 2}], "ok": true}"#;
        for at in (0..good.len()).filter(|it| good.is_char_boundary(*it)) {
            assert_eq!(repair(&good[..at]), None, "{}", &good[..at]);
        }
        assert!(repair(good).is_some());
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        assert_eq!(repair(&"{\"a\":".repeat(10_000)), None);
        assert_eq!(repair(&format!("{{\"a\":{}{},}}", "[".repeat(1000), "]".repeat(1000))), None);
    }
}
