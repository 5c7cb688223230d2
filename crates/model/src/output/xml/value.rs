//! What the text between two tags means, by the schema of the argument.

use serde_json::{Map, Value};

/// Puts an argument into `args`. A list may come as JSON or as one tag for each element; an element that is an object may
/// come with a tag for each of its fields.
pub(super) fn put(args: &mut Map<String, Value>, schema: &Value, name: &str, text: &str) {
    let own = &schema["properties"][name];
    let kind = own["type"].as_str().unwrap_or("string");
    let value = match fields(&own["items"], text) {
        Some(element) if kind == "array" => Value::Array(vec![element]),
        _ => read(kind, name, text),
    };
    match (kind, args.get_mut(name), value) {
        ("array", Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
        (_, _, value) => {
            args.insert(name.to_string(), value);
        }
    }
}

/// Text that does not have the form it should have stays text: whoever checks the schema says so better.
fn read(kind: &str, name: &str, text: &str) -> Value {
    let bare = text.trim();
    let json = || serde_json::from_str::<Value>(bare).ok();
    match kind {
        "integer" | "number" => json().filter(Value::is_number).unwrap_or_else(|| Value::from(bare)),
        "boolean" => match bare.to_ascii_lowercase().as_str() {
            "true" | "yes" => Value::from(true),
            "false" | "no" => Value::from(false),
            _ => Value::from(bare),
        },
        "array" => match json() {
            Some(list @ Value::Array(_)) => list,
            Some(one @ Value::Object(_)) => Value::Array(vec![one]),
            _ if bare.is_empty() => Value::Array(Vec::new()),
            // Meant as JSON: its lines are no elements.
            _ if bare.starts_with(['[', '{']) => Value::from(bare),
            _ => Value::Array(bare.lines().map(|line| Value::from(line.trim())).collect()),
        },
        "object" => json().filter(Value::is_object).unwrap_or_else(|| Value::from(bare)),
        _ => Value::from(string(name, text)),
    }
}

/// An object of which every field has a tag of its own, by the schema of such objects; nothing where the text is
/// something else. A field ends where its closing tag is followed by
/// another field or the end, so its text may hold tags.
fn fields(schema: &Value, text: &str) -> Option<Value> {
    let known = schema["properties"].as_object()?;
    let opened = |text: &str| {
        let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
        known.contains_key(name).then(|| (name.to_string(), text.len() - rest.len()))
    };
    let mut object = Map::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, begin) = opened(rest)?;
        let close = format!("</{name}>");
        let follows = |end: usize| rest[end + close.len()..].trim_start();
        let mut ends = rest.match_indices(&close).map(|(at, _)| at);
        let end = ends.find(|end| follows(*end).is_empty() || opened(follows(*end)).is_some())?;
        if object.contains_key(&name) {
            return None;
        }
        put(&mut object, schema, &name, &rest[begin..end]);
        rest = follows(end);
    }
    (!object.is_empty()).then_some(Value::Object(object))
}

/// A value of several lines stands between the line breaks next to its tags; only a file's content keeps the last one.
fn string(name: &str, text: &str) -> String {
    let inner = text.trim().strip_prefix("<![CDATA[").and_then(|it| it.strip_suffix("]]>"));
    let text = inner.unwrap_or(text);
    if name.ends_with("path") || name == "file" {
        return text.trim().to_string();
    }
    let Some(block) = text.strip_prefix("\r\n").or(text.strip_prefix('\n')) else { return text.to_string() };
    let end = block.trim_end_matches([' ', '\t']);
    match end.strip_suffix('\n') {
        Some(_) if name == "content" => end.to_string(),
        Some(lines) => lines.strip_suffix('\r').unwrap_or(lines).to_string(),
        None => block.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_by_their_schema() {
        let cases = [
            ("integer", "from", " 12 ", json!(12)),
            ("integer", "from", "twelve", json!("twelve")),
            ("boolean", "all", "True", json!(true)),
            ("array", "paths", "[\"a\", \"b\"]", json!(["a", "b"])),
            ("array", "paths", "\na\nb\n", json!(["a", "b"])),
            ("array", "edits", "{\"old\": 1}", json!([{"old": 1}])),
            ("array", "edits", "[{\"old\": \"a\nb\"}]", json!("[{\"old\": \"a\nb\"}]")),
            ("object", "args", "{\"a\": 1}", json!({"a": 1})),
            ("string", "path", "\n  src/lib.rs\n", json!("src/lib.rs")),
            ("string", "old", "\n    a - b\n    ", json!("    a - b")),
            ("string", "old", " a - b ", json!(" a - b ")),
            ("string", "content", "\nfn a() {}\n", json!("fn a() {}\n")),
            ("string", "content", "<![CDATA[a < b]]>", json!("a < b")),
            ("string", "new", "", json!("")),
        ];
        for (kind, name, text, expected) in cases {
            assert_eq!(read(kind, name, text), expected, "{kind} {name} {text:?}");
        }
    }

    #[test]
    fn elements_with_a_tag_for_each_field() {
        let schema = json!({"properties": {"edits": {"type": "array", "items": {"type": "object", "properties": {
            "path": {"type": "string"}, "old": {"type": "string"}, "new": {"type": "string"}, "line": {"type": "integer"},
        }}}}});
        let cases = [
            (vec!["<old>a</old><new>b</new>"], json!([{"old": "a", "new": "b"}])),
            (
                vec![
                    "\n<path> x.cc </path>\n<old>\n  a<T> & b;\n</old>\n<new></new>\n<line>7</line>\n",
                    "<old>c</old>",
                ],
                json!([{"path": "x.cc", "old": "  a<T> & b;", "new": "", "line": 7}, {"old": "c"}]),
            ),
            (vec!["<old><b>x</b></old> y</old><new>z</new>"], json!([{"old": "<b>x</b></old> y", "new": "z"}])),
            (vec!["[{\"old\": \"a\"}]", "<old>b</old>"], json!([{"old": "a"}, {"old": "b"}])),
            (vec!["<older>a</older>"], json!(["<older>a</older>"])),
            (vec!["<old>a"], json!(["<old>a"])),
            (vec!["<old>a</old><old>b</old>"], json!(["<old>a</old><old>b</old>"])),
        ];
        for (texts, expected) in cases {
            let mut args = Map::new();
            texts.iter().for_each(|text| put(&mut args, &schema, "edits", text));
            assert_eq!(args["edits"], expected, "{texts:?}");
        }
    }
}
