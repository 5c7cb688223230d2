//! Names that models know for an argument from other agents. An alias is taken only where the tool has the argument
//! itself, lacks an argument of the alias's name, and was not given both.

use serde_json::{Map, Value};

/// Each argument of ours with its other names, likeliest first: one line each.
const ALIASES: &str = include_str!("aliases.txt");

/// Renames what was given under another name, one of `own` or of all tools, so that `schema` (of an object) finds it.
pub(crate) fn rename(schema: &Value, own: &str, args: &mut Map<String, Value>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let foreign: Vec<String> = args.keys().filter(|key| !properties.contains_key(*key)).cloned().collect();
    for key in foreign {
        let snake = snake(&key);
        if snake != key && !args.contains_key(&snake) {
            let value = args.shift_remove(&key).expect("the key was listed from this map");
            args.insert(snake, value);
        }
    }
    for (name, others) in own.lines().chain(ALIASES.lines()).filter_map(|line| line.split_once(':')) {
        if !properties.contains_key(name) || args.get(name).is_some_and(|it| !it.is_null()) {
            continue;
        }
        let taken = |other: &&str| !properties.contains_key(*other) && args.get(*other).is_some_and(|it| !it.is_null());
        if let Some(other) = others.split_whitespace().find(taken) {
            let value = args.shift_remove(other).expect("the alias was just found");
            args.insert(name.to_string(), value);
        }
    }
}

/// `oldString`, `Old-String` and `-C` as `old_string` and `_c`.
pub(crate) fn snake(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 4);
    let mut before_was_lower = false;
    for c in key.chars() {
        if c.is_uppercase() && before_was_lower {
            out.push('_');
        }
        before_was_lower = c.is_lowercase() || c.is_ascii_digit();
        out.extend(if c == '-' || c == ' ' || c == '.' { '_' } else { c }.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn renamed(properties: &[&str], args: Value) -> String {
        let properties: Map<String, Value> = properties.iter().map(|it| ((*it).to_string(), json!({}))).collect();
        let Value::Object(mut args) = args else { panic!("a table row is an object") };
        rename(&json!({"properties": properties}), "", &mut args);
        Value::Object(args).to_string()
    }

    #[test]
    fn other_agents_names_become_ours() {
        let edit = ["path", "old", "new", "why"];
        let cases = [
            (json!({"file_path": "a", "old_string": "x", "new_string": "y"}), r#"{"path":"a","old":"x","new":"y"}"#),
            (json!({"filePath": "a", "oldText": "x", "newText": "y"}), r#"{"path":"a","old":"x","new":"y"}"#),
            (json!({"target_file": "a", "search": "x", "replace": "y"}), r#"{"path":"a","old":"x","new":"y"}"#),
            (json!({"path": "a", "file": "b"}), r#"{"file":"b","path":"a"}"#),
            (json!({"path": null, "file": "b"}), r#"{"path":"b"}"#),
            (json!({"path": "a", "explanation": "because"}), r#"{"path":"a","why":"because"}"#),
        ];
        for (args, expected) in cases {
            let got: Value = serde_json::from_str(&renamed(&edit, args)).unwrap();
            assert_eq!(got, serde_json::from_str::<Value>(expected).unwrap());
        }
    }

    #[test]
    fn an_alias_that_the_tool_has_itself_is_left_alone() {
        assert_eq!(renamed(&["from", "to"], json!({"path": "a", "to": "b"})), r#"{"to":"b","from":"a"}"#);
        assert_eq!(
            renamed(&["pattern", "path", "glob"], json!({"glob": "*.rs", "query": "x"})),
            r#"{"glob":"*.rs","pattern":"x"}"#
        );
        assert_eq!(
            renamed(&["context", "ignore_case"], json!({"-C": 2, "-i": true})),
            r#"{"context":2,"ignore_case":true}"#
        );
    }
}
