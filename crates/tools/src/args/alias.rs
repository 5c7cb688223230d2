//! Names that models know for an argument from other agents. An alias is taken only where the tool has the argument
//! itself, lacks an argument of the alias's name, and was not given both.

use serde_json::{Map, Value};

/// Each argument of ours with its other names, likeliest first.
const ALIASES: &[(&str, &[&str])] = &[
    (
        "path",
        &[
            "file_path",
            "filepath",
            "filename",
            "file_name",
            "file",
            "target_file",
            "absolute_path",
            "relative_path",
            "relative_workspace_path",
            "directory",
            "directory_path",
            "dir_path",
            "target_directory",
            "dir",
            "folder",
            "target",
            "target_path",
            "path_name",
            "paths",
            "from",
            "cwd",
        ],
    ),
    ("paths", &["files", "file_paths", "filenames", "path_list"]),
    ("old", &["old_string", "old_text", "old_str", "search", "find", "original", "search_text", "old_content"]),
    ("new", &["new_string", "new_text", "new_str", "replace", "replacement", "replace_text", "new_content", "updated"]),
    ("content", &["contents", "text", "file_text", "body", "file_content", "new_content"]),
    ("edits", &["changes", "replacements", "operations", "files"]),
    ("all", &["replace_all", "global", "allow_multiple"]),
    ("line", &["start_line", "line_number", "line_hint", "hint"]),
    ("diff", &["patch", "blocks", "content", "changes", "edits"]),
    ("patch", &["input", "diff", "patch_text", "patch_content", "content", "blocks"]),
    ("expected", &["old", "old_text", "old_string", "old_str", "old_content", "current"]),
    ("why", &["explanation", "reason", "description", "instructions"]),
    ("pattern", &["query", "regex", "regexp", "search", "search_term", "search_pattern", "q", "text"]),
    ("query", &["q", "search", "pattern", "keywords", "name", "text"]),
    (
        "glob",
        &[
            "file_pattern",
            "include_pattern",
            "include",
            "includes",
            "glob_pattern",
            "file_glob",
            "pattern",
            "glob_filter",
        ],
    ),
    ("include", &["glob", "include_pattern", "include_patterns", "includes", "pattern"]),
    ("exclude", &["ignore", "exclude_pattern", "exclude_patterns", "excludes"]),
    ("recursive", &["recurse", "deep"]),
    ("depth", &["max_depth", "levels"]),
    ("context", &["context_lines", "_c", "around", "lines_of_context"]),
    ("ignore_case", &["case_insensitive", "_i", "insensitive"]),
    ("literal", &["fixed_strings", "fixed", "is_literal"]),
    ("limit", &["max_results", "head_limit", "count", "max_count", "n"]),
    ("start_line", &["offset", "from_line", "line_start", "start", "from"]),
    ("end_line", &["to_line", "line_end", "end", "to", "end_line_inclusive", "end_line_one_indexed_inclusive"]),
    ("command", &["cmd", "shell_command", "script", "commands", "command_line", "input"]),
    ("timeout", &["timeout_s", "timeout_sec", "timeout_secs", "timeout_seconds", "time_limit", "timeout_ms"]),
    ("cwd", &["workdir", "working_directory", "directory", "dir", "path", "work_dir", "dir_path"]),
    (
        "from",
        &[
            "source",
            "src",
            "old_path",
            "from_path",
            "source_path",
            "path",
            "old_name",
            "start_line",
            "line_start",
            "first_line",
            "start",
            "line",
        ],
    ),
    (
        "to",
        &[
            "destination",
            "dest",
            "dst",
            "new_path",
            "to_path",
            "destination_path",
            "target",
            "new_name",
            "end_line",
            "line_end",
            "last_line",
            "end",
        ],
    ),
    ("question", &["prompt", "text", "message", "ask", "query"]),
    ("options", &["choices", "follow_up", "answers", "suggestions"]),
    ("result", &["summary", "text", "response", "answer", "message", "completion", "output"]),
    ("verify", &["command", "demo_command", "how_to_verify", "verification"]),
    ("response", &["plan", "text", "content", "message", "result"]),
    ("steps", &["plan_steps", "items", "tasks", "todos"]),
    ("thought", &["thoughts", "text", "content", "thinking", "draft"]),
    ("tasks", &["todos", "items", "task", "content", "todo_list", "list", "plan"]),
    ("id", &["task_id", "todo_id", "index", "number"]),
    ("state", &["status"]),
    ("notes", &["note", "comment", "progress"]),
    ("name", &["tool", "tool_name", "function"]),
    ("args", &["arguments", "parameters", "params", "input", "tool_input", "tool_args"]),
    ("rev", &["revision", "base", "commit", "ref", "range", "since"]),
    ("staged", &["cached", "index"]),
];

/// Renames what was given under another name, so that `properties` (of a JSON Schema object) finds it.
pub(crate) fn rename(properties: &Map<String, Value>, args: &mut Map<String, Value>) {
    let foreign: Vec<String> = args.keys().filter(|key| !properties.contains_key(*key)).cloned().collect();
    for key in foreign {
        let snake = snake(&key);
        if snake != key && !args.contains_key(&snake) {
            let value = args.shift_remove(&key).expect("the key was listed from this map");
            args.insert(snake, value);
        }
    }
    for (name, aliases) in ALIASES {
        if !properties.contains_key(*name) || args.get(*name).is_some_and(|it| !it.is_null()) {
            continue;
        }
        let taken =
            |alias: &&&str| !properties.contains_key(**alias) && args.get(**alias).is_some_and(|it| !it.is_null());
        if let Some(alias) = aliases.iter().find(taken) {
            let value = args.shift_remove(*alias).expect("the alias was just found");
            args.insert((*name).to_string(), value);
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
        let properties = properties.iter().map(|it| ((*it).to_string(), json!({}))).collect();
        let Value::Object(mut args) = args else { panic!("a table row is an object") };
        rename(&properties, &mut args);
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
