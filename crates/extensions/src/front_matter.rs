//! What stands at the head of a file: `key: value` lines between two lines `---`.

use ox_syntax::{Yaml, yaml};
use serde_json::{Map, Value};

/// A file with its head taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontMatter {
    /// The fields; every scalar is its text. None where the file has no head.
    pub fields: Option<Map<String, Value>>,
    /// What follows, without blank lines around it.
    pub body: String,
}

/// The field that says what a command takes.
pub(crate) const HINT: &str = "argument-hint";

/// Values that begin so are more than a line of text, and wrong where YAML cannot read them.
const STRUCTURE: &[char] = &['[', '{', '"', '\'', '&', '*', '|', '>'];

/// Takes a file apart.
///
/// # Errors
/// What stands between the two lines is no YAML, or no fields; in words.
pub fn front_matter(text: &str) -> Result<FrontMatter, String> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let rest = text.strip_prefix("---").and_then(|it| it.split_once('\n')).filter(|(line, _)| line.trim().is_empty());
    let Some((_, rest)) = rest else {
        return Ok(FrontMatter { fields: None, body: text.trim().to_owned() });
    };
    // One more line before it, so that places in messages are those of the file.
    let rest = format!("\n{rest}");
    let Some((head, body)) = rest.split_once("\n---") else {
        return Err("the head that begins with a line `---` is not closed by another one".to_owned());
    };
    let fields = Some(fields(head)?);
    Ok(FrontMatter { fields, body: body.trim_start_matches('-').trim().to_owned() })
}

fn fields(head: &str) -> Result<Map<String, Value>, String> {
    let read = yaml(head);
    match (read.broken, read.value) {
        (None, Value::Object(fields)) => Ok(fields),
        (None, Value::Null) => Ok(Map::new()),
        (None, _) => Err("what stands between the two lines `---` are no `key: value` lines".to_owned()),
        // Many authors write sentences with a colon in them, which YAML does not take unquoted.
        (Some(why), _) => {
            sentences(head).ok_or_else(|| format!("what stands between the two lines `---` is no YAML: {why}"))
        }
    }
}

/// The fields where each line is a key, and plain text or a value of its own behind it; none otherwise.
fn sentences(head: &str) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    for line in head.lines().filter(|it| !it.trim().is_empty() && !it.starts_with('#')) {
        let (key, value) = line.split_once(':')?;
        let is_key = !key.is_empty() && key.chars().all(|it| it.is_ascii_alphanumeric() || it == '-' || it == '_');
        let value = value.trim();
        // What a command takes is often written as `[a] [b]`.
        if !is_key {
            return None;
        }
        if value.starts_with(STRUCTURE) && key != HINT {
            match yaml(line) {
                Yaml { value: Value::Object(field), broken: None } => fields.extend(field),
                _ => return None,
            }
            continue;
        }
        fields.insert(key.to_owned(), Value::String(value.to_owned()));
    }
    Some(fields)
}

impl FrontMatter {
    /// A field that is one word or sentence, on one line; none where it is missing, empty or something else.
    pub fn text(&self, key: &str) -> Option<String> {
        let value = self.fields.as_ref()?.get(key)?.as_str()?;
        let line = value.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(line.chars().filter(|it| !it.is_control()).collect::<String>()).filter(|it| !it.is_empty())
    }

    /// What a command takes; empty where nobody says. Written as `[a]` it is a list for YAML.
    pub(crate) fn hint(&self) -> String {
        match self.fields.as_ref().and_then(|it| it.get(HINT)) {
            Some(Value::Array(items)) => {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                format!("[{}]", items.join(", "))
            }
            _ => self.text(HINT).unwrap_or_default(),
        }
    }

    /// True where a field says `true`.
    pub fn is_set(&self, key: &str) -> bool {
        self.text(key).is_some_and(|it| it == "true")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<String>, String) {
        match front_matter(text) {
            Ok(it) => (it.text("description"), it.body),
            Err(why) => (None, format!("! {why}")),
        }
    }

    #[test]
    fn heads_are_taken_off_and_wrong_ones_are_said() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("Do it.\n"), (None, "Do it.".into()));
        assert_eq!(read("---\ndescription: a\n---\n\nDo it.\n"), (some("a"), "Do it.".into()));
        assert_eq!(read("\u{feff}---\r\ndescription: >\r\n  a\r\n  b\r\n---\r\nx"), (some("a b"), "x".into()));
        assert_eq!(read("---\n---\nx"), (None, "x".into()));
        // A colon within a sentence is no YAML and meant all the same.
        assert_eq!(read("---\ndescription: Use when: asked\n---\nx"), (some("Use when: asked"), "x".into()));
        let both = front_matter("---\ndescription: For: example\ntools: [\"Read\", \"Grep\"]\n---\nx").unwrap();
        assert_eq!(both.fields.unwrap()["tools"], serde_json::json!(["Read", "Grep"]));
        let hint = |it: &str| front_matter(&format!("---\nargument-hint: {it}\n---\nx")).unwrap().hint();
        assert_eq!([hint("[a]"), hint("[a] [b]"), hint("a b")], ["[a]", "[a] [b]", "a b"]);
        let wrong = |text: &str| read(text).1;
        assert!(wrong("---\ntools: [a\n---\nx").starts_with("! what stands between the two lines `---` is no YAML:"));
        assert_eq!(wrong("---\n- a\n---\nx"), "! what stands between the two lines `---` are no `key: value` lines");
        assert!(wrong("---\ndescription: a\nx").contains("is not closed"));
    }
}
