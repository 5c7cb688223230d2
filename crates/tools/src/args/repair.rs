//! Mends JSON that a model wrote a little wrong. Used for tools that only read: a wrong guess costs a look at the
//! wrong place there, and a wrong text in a file elsewhere.
//!
//! The whole set: a code fence around it, text before the first `{` or after the last `}`, trailing commas, single
//! quotes, raw line breaks and tabs inside texts, and Python's `True`, `False`, `None`. Nothing else is guessed.

use serde_json::{Map, Value};

/// The object that `raw` was meant to be, if the mends above make it one.
pub(crate) fn repair(raw: &str) -> Option<Map<String, Value>> {
    let start = raw.find('{')?;
    let end = raw.rfind('}')?;
    let body = raw.get(start..=end)?;
    serde_json::from_str(&mended(body)).ok()
}

/// What the next character belongs to.
enum Inside {
    Structure,
    Text { quote: char },
}

fn mended(body: &str) -> String {
    let mut out = String::with_capacity(body.len() + 8);
    let mut inside = Inside::Structure;
    let mut characters = body.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match inside {
            Inside::Structure => match c {
                '"' | '\'' => {
                    inside = Inside::Text { quote: c };
                    out.push('"');
                }
                ',' if closes_next(&body[at + 1..]) => {}
                'T' | 'F' | 'N' => {
                    let (python, json) = literal(&body[at..]).unwrap_or(("", ""));
                    out.push_str(if json.is_empty() { &body[at..at + 1] } else { json });
                    for _ in 1..python.len() {
                        characters.next();
                    }
                }
                other => out.push(other),
            },
            Inside::Text { quote } => match c {
                '\\' => match characters.next() {
                    Some((_, '\'')) => out.push('\''),
                    Some((_, escaped)) => out.extend(['\\', escaped]),
                    None => out.push('\\'),
                },
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                end if end == quote => {
                    inside = Inside::Structure;
                    out.push('"');
                }
                '"' => out.push_str("\\\""),
                other => out.push(other),
            },
        }
    }
    out
}

fn closes_next(rest: &str) -> bool {
    rest.trim_start().starts_with(['}', ']'])
}

fn literal(rest: &str) -> Option<(&'static str, &'static str)> {
    [("True", "true"), ("False", "false"), ("None", "null")].into_iter().find(|(python, _)| rest.starts_with(python))
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
            (r#"{'path': 'it\'s "x"'}"#, Some(r#"{"path":"it's \"x\""}"#)),
            ("{\"pattern\": \"a\nb\tc\"}", Some(r#"{"pattern":"a\nb\tc"}"#)),
            (
                r#"{"a": True, "b": False, "c": None, "d": "True, }"}"#,
                Some(r#"{"a":true,"b":false,"c":null,"d":"True, }"}"#),
            ),
            (r#"{"path": "a\\"}"#, Some(r#"{"path":"a\\"}"#)),
            (r#"{path: "a"}"#, None),
            (r#"{"path": "a"#, None),
            (r#"{"a": Nothing}"#, None),
            ("path = a", None),
        ];
        for (raw, expected) in cases {
            let mended = repair(raw).map(|it| Value::Object(it).to_string());
            assert_eq!(mended.as_deref(), expected, "{raw}");
        }
    }
}
