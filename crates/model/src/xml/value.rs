//! What the text between two tags means, by the schema of the argument.

use serde_json::{Map, Value};

/// Puts an argument into `args`. A list may come as JSON or as one tag for each element.
pub(super) fn put(args: &mut Map<String, Value>, schema: &Value, name: &str, text: &str) {
    let kind = schema.pointer(&format!("/properties/{name}/type")).and_then(Value::as_str).unwrap_or("string");
    let value = read(kind, name, text);
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
            _ => Value::Array(bare.lines().map(|line| Value::from(line.trim())).collect()),
        },
        "object" => json().filter(Value::is_object).unwrap_or_else(|| Value::from(bare)),
        _ => Value::from(string(name, text)),
    }
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
}
