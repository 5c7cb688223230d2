//! Fits arguments to the small part of JSON Schema that the tools use: `type`, `properties`, `required`, `items`,
//! `enum`. What means the same is taken as meant; what does not fit is named with its place, and nothing is guessed.

use serde_json::{Map, Value};

use super::alias;
use super::json::kind;

/// The arguments as the schema has them, also under `aliases` of the tool, or one line for each thing that does not fit.
pub(crate) fn fit(
    schema: &Value,
    aliases: &str,
    mut args: Map<String, Value>,
) -> Result<Map<String, Value>, Vec<String>> {
    let mut wrong = Vec::new();
    alias::rename(schema, aliases, &mut args);
    fit_object(schema, &mut args, "", &mut wrong);
    if wrong.is_empty() { Ok(args) } else { Err(wrong) }
}

/// Keys that the schema does not know are dropped.
fn fit_object(schema: &Value, args: &mut Map<String, Value>, at: &str, wrong: &mut Vec<String>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    args.retain(|key, value| properties.contains_key(key) && !value.is_null());
    for (key, value) in args.iter_mut() {
        let place = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
        fit_value(&properties[key], value, &place, wrong);
    }
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    for key in required.iter().filter_map(Value::as_str).filter(|key| !args.contains_key(*key)) {
        let place = if at.is_empty() { key.to_string() } else { format!("{at}.{key}") };
        wrong.push(format!("`{place}` is missing"));
    }
}

fn fit_value(schema: &Value, value: &mut Value, place: &str, wrong: &mut Vec<String>) {
    let wanted = schema["type"].as_str().unwrap_or_default();
    let fitted = match wanted {
        "string" => fit_text(schema, value),
        "integer" => fit_integer(value),
        "boolean" => fit_boolean(value),
        "array" => fit_list(schema, value, place, wrong),
        "object" => fit_inner(schema, value, place, wrong),
        _ => true,
    };
    if !fitted {
        let wanted = match (wanted, schema["enum"].as_array()) {
            (_, Some(names)) => {
                let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                format!("one of {}", names.join(", "))
            }
            ("string", None) => "a text".to_string(),
            ("integer", None) => "a whole number".to_string(),
            ("boolean", None) => "true or false".to_string(),
            ("array", None) => "a list".to_string(),
            (_, None) => "an object".to_string(),
        };
        wrong.push(match broken_json(value).filter(|_| wanted == "a list" || wanted == "an object") {
            Some(why) => format!("`{place}` must be {wanted}; it is a text that is no JSON: {why}"),
            None => format!("`{place}` must be {wanted}, not {} ({})", kind(value), short(value)),
        });
    }
}

/// What is wrong with a text that was meant as JSON.
fn broken_json(value: &Value) -> Option<String> {
    let text = value.as_str().map(str::trim_start).filter(|it| it.starts_with(['[', '{']))?;
    serde_json::from_str::<Value>(text).err().map(|error| error.to_string())
}

fn fit_text(schema: &Value, value: &mut Value) -> bool {
    if matches!(value, Value::Number(_) | Value::Bool(_)) {
        *value = Value::String(value.to_string());
    }
    let Some(text) = value.as_str() else { return false };
    let Some(names) = schema["enum"].as_array() else { return true };
    let request = alias::snake(text.trim());
    match names.iter().find(|name| name.as_str() == Some(request.as_str())) {
        Some(name) => {
            *value = name.clone();
            true
        }
        None => false,
    }
}

fn fit_integer(value: &mut Value) -> bool {
    let number = match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok().or_else(|| whole(text.trim().parse().ok()?)),
        _ => None,
    };
    match number {
        Some(number) => {
            *value = Value::from(number);
            true
        }
        None => false,
    }
}

/// A whole number that was written as a fraction (`5.0`), within what a double holds exactly.
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

fn fit_boolean(value: &mut Value) -> bool {
    let truth = match value {
        Value::Bool(_) => return true,
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => true,
            "false" | "no" | "0" | "" => false,
            _ => return false,
        },
        Value::Number(number) if number.as_i64() == Some(1) => true,
        Value::Number(number) if number.as_i64() == Some(0) => false,
        _ => return false,
    };
    *value = Value::Bool(truth);
    true
}

/// A list may come as JSON in a string, and a single item for a list of one.
fn fit_list(schema: &Value, value: &mut Value, place: &str, wrong: &mut Vec<String>) -> bool {
    unquote(value, '[');
    let item = &schema["items"];
    let of_texts = item["type"] == "string";
    if !of_texts {
        unquote(value, '{');
    }
    match value {
        Value::String(_) if of_texts => *value = Value::Array(vec![value.take()]),
        Value::Object(_) if !of_texts => *value = Value::Array(vec![value.take()]),
        _ => {}
    }
    let Value::Array(items) = value else { return false };
    for (index, entry) in items.iter_mut().enumerate() {
        fit_value(item, entry, &format!("{place}[{index}]"), wrong);
    }
    true
}

fn fit_inner(schema: &Value, value: &mut Value, place: &str, wrong: &mut Vec<String>) -> bool {
    unquote(value, '{');
    let Value::Object(inner) = value else { return false };
    alias::rename(schema, "", inner);
    fit_object(schema, inner, place, wrong);
    true
}

/// Replaces a string that holds JSON beginning with `opener` by that JSON.
fn unquote(value: &mut Value, opener: char) {
    let Value::String(text) = &*value else { return };
    if text.trim_start().starts_with(opener)
        && let Ok(inner) = serde_json::from_str(text)
    {
        *value = inner;
    }
}

/// The value cut to what one line of an error can carry.
fn short(value: &Value) -> String {
    let text = value.to_string();
    let mut cut: String = text.chars().take(40).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"},
            "start_line": {"type": "integer"},
            "literal": {"type": "boolean"},
            "state": {"type": "string", "enum": ["pending", "in_progress"]},
            "paths": {"type": "array", "items": {"type": "string"}},
            "edits": {"type": "array", "items": {"type": "object", "required": ["old"], "properties": {
                "old": {"type": "string"}, "line": {"type": "integer"}}}},
            "args": {"type": "object"},
        }})
    }

    fn fitted(args: Value) -> String {
        let Value::Object(args) = args else { panic!("a table row is an object") };
        match fit(&schema(), "", args) {
            Ok(args) => Value::Object(args).to_string(),
            Err(wrong) => wrong.join("; "),
        }
    }

    #[test]
    fn what_means_the_same_is_taken_as_meant() {
        let cases = [
            (json!({"path": "a", "start_line": "5"}), r#"{"path":"a","start_line":5}"#),
            (json!({"path": "a", "start_line": 5.0}), r#"{"path":"a","start_line":5}"#),
            (json!({"path": "a", "start_line": "5.0"}), r#"{"path":"a","start_line":5}"#),
            (json!({"path": "a", "literal": "True"}), r#"{"path":"a","literal":true}"#),
            (json!({"path": "a", "literal": 0}), r#"{"path":"a","literal":false}"#),
            (json!({"path": "a", "start_line": null}), r#"{"path":"a"}"#),
            (json!({"path": 12}), r#"{"path":"12"}"#),
            (json!({"path": "a", "state": "In-Progress"}), r#"{"path":"a","state":"in_progress"}"#),
            (json!({"path": "a", "paths": "[\"b\",\"c\"]"}), r#"{"path":"a","paths":["b","c"]}"#),
            (json!({"path": "a", "paths": "b"}), r#"{"path":"a","paths":["b"]}"#),
            (json!({"path": "a", "edits": {"old_string": "x"}}), r#"{"path":"a","edits":[{"old":"x"}]}"#),
            (
                json!({"path": "a", "edits": "[{\"oldText\":\"x\",\"line\":\"3\"}]"}),
                r#"{"path":"a","edits":[{"line":3,"old":"x"}]}"#,
            ),
            (json!({"path": "a", "args": "{\"b\":1}"}), r#"{"path":"a","args":{"b":1}}"#),
            (json!({"path": "a", "unheard_of": 1}), r#"{"path":"a"}"#),
        ];
        for (args, expected) in cases {
            assert_eq!(fitted(args.clone()), expected, "{args}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let cases = [
            (json!({}), "`path` is missing"),
            (json!({"path": null}), "`path` is missing"),
            (json!({"path": {"a": 1}}), "`path` must be a text, not an object ({\"a\":1})"),
            (json!({"path": "a", "start_line": "five"}), "`start_line` must be a whole number, not a text (\"five\")"),
            (json!({"path": "a", "start_line": 1.5}), "`start_line` must be a whole number, not a number (1.5)"),
            (
                json!({"path": "a", "state": "later"}),
                "`state` must be one of pending, in_progress, not a text (\"later\")",
            ),
            (json!({"path": "a", "edits": [{"line": 1}]}), "`edits[0].old` is missing"),
            (json!({"path": "a", "edits": "nonsense"}), "`edits` must be a list, not a text (\"nonsense\")"),
            (json!({"path": "a", "args": 3}), "`args` must be an object, not a number (3)"),
            (
                json!({"path": "a", "args": "{\"b\": \"c\nd\"}"}),
                "`args` must be an object; it is a text that is no JSON: control character (\\u0000-\\u001F) found while parsing a string at line 2 column 0",
            ),
        ];
        for (args, expected) in cases {
            assert_eq!(fitted(args.clone()), expected, "{args}");
        }
    }
}
