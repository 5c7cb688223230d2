//! Reads the raw arguments of a call and says where they break. It repairs nothing.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

/// Why the arguments could not be read, and where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Broken {
    /// The parser's words, without the position.
    pub what: String,
    /// 1-based line of the arguments as written.
    pub line: usize,
    /// 1-based column there, in bytes.
    pub column: usize,
    /// The text around the place, with `⟨here⟩` at it.
    pub around: String,
    /// True when the text simply ends too early, as it does when a reply hits its output limit.
    pub ends_early: bool,
}

/// Characters shown on either side of the place where the arguments break.
const AROUND: usize = 40;

/// The arguments as an object. Nothing at all and `null` count as no arguments. Of an argument that stands twice neither
/// value counts, unless they are equal.
pub(crate) fn read(raw: &str) -> Result<Map<String, Value>, Broken> {
    let text = raw.trim_start_matches('\u{feff}').trim();
    if text.is_empty() || text == "null" {
        return Ok(Map::new());
    }
    if text.starts_with('{') {
        return serde_json::from_str(text).map(|Once(map)| map).map_err(|error| broken(text, &error));
    }
    if text.starts_with('<') {
        return Err(Broken { what: "they are tags, and not all of them end".into(), ..misplaced(text) });
    }
    let value: Value = serde_json::from_str(text).map_err(|error| broken(text, &error))?;
    let what = format!("an object such as {{\"path\": \"src/main.rs\"}} is expected, not {}", kind(&value));
    Err(Broken { what, ..misplaced(text) })
}

/// Something else where the arguments should begin.
fn misplaced(text: &str) -> Broken {
    Broken { what: String::new(), line: 1, column: 1, around: head(text, AROUND), ends_early: false }
}

/// An object in which no key has two values.
struct Once(Map<String, Value>);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Once, D::Error> {
        from.deserialize_map(OnceVisitor)
    }
}

struct OnceVisitor;

impl<'de> Visitor<'de> for OnceVisitor {
    type Value = Once;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Once, A::Error> {
        let mut map = Map::new();
        while let Some((key, value)) = from.next_entry::<String, Value>()? {
            if map.get(&key).is_some_and(|known| *known != value) {
                return Err(serde::de::Error::custom(format!("`{key}` is given twice with different values")));
            }
            map.insert(key, value);
        }
        Ok(Once(map))
    }
}

/// What a value is, for a sentence.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn broken(text: &str, error: &serde_json::Error) -> Broken {
    let at = if error.is_eof() { text.len() } else { offset(text, error.line(), error.column()) };
    let words = error.to_string();
    let what = words.rsplit_once(" at line ").map_or(words.as_str(), |(what, _)| what).to_string();
    let before: String = text[..at].chars().rev().take(AROUND).collect::<Vec<_>>().into_iter().rev().collect();
    let around = format!("{before}⟨here⟩{}", head(&text[at..], AROUND));
    Broken { what, line: error.line(), column: error.column(), around, ends_early: error.is_eof() }
}

/// The byte at which the parser stopped, moved back to a character's start.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn head(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn an_object_and_no_arguments_are_read() {
        let cases = [
            ("", ""),
            ("  \n", ""),
            ("null", ""),
            (r#"{"a":1}"#, "a"),
            ("\u{feff}{\"a\":1}", "a"),
            (r#"{"a":1,"a":1}"#, "a"),
        ];
        for (raw, keys) in cases {
            let read: Vec<String> = read(raw).unwrap().keys().cloned().collect();
            assert_eq!(read.join(","), keys, "{raw}");
        }
    }

    #[test]
    fn a_break_is_shown_with_its_place() {
        let broken = read("{\"path\": \"é.rs\",\n \"old\": 'x'}").unwrap_err();
        expect![[r#"
            Broken {
                what: "expected value",
                line: 2,
                column: 9,
                around: "{\"path\": \"é.rs\",\n \"old\": ⟨here⟩'x'}",
                ends_early: false,
            }
        "#]]
        .assert_debug_eq(&broken);
        assert!(read(r#"{"path": "a.rs", "content": "fn ma"#).unwrap_err().ends_early);
        assert!(read("[1]").unwrap_err().what.contains("not a list"));
        assert!(read(r#""{\"a\":1}""#).unwrap_err().what.contains("not a text"));
        assert!(read(r#"{"a":1,"a":2}"#).unwrap_err().what.contains("`a` is given twice"));
        assert!(read("<path>a</path>").unwrap_err().what.contains("tags"));
    }
}
