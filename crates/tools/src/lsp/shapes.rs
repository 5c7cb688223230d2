//! What servers answer, read leniently: one odd item costs that item and not the answer.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::position::Span;
use super::uri;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub path: PathBuf,
    pub range: Span,
}

/// What a server finds wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub range: Span,
    pub severity: Severity,
    /// Empty where there is none.
    pub code: String,
    pub message: String,
}

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    Error,
    Warning,
    /// Information and hints.
    Hint,
}

/// A symbol of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    pub name: String,
    pub kind: &'static str,
    /// What it is in; empty where nothing is said.
    pub within: String,
    pub spot: Spot,
}

/// An exchange of the text in a range for another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct TextEdit {
    pub range: Span,
    #[serde(rename = "newText")]
    pub text: String,
}

/// The edits of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileEdits {
    pub path: PathBuf,
    /// Of the text that they are for, where the server says so.
    pub version: Option<i64>,
    pub edits: Vec<TextEdit>,
}

impl Spot {
    /// A location or a link to one.
    fn read(value: &Value) -> Option<Spot> {
        let uri = value.get("uri").or(value.get("targetUri"))?.as_str()?;
        let range = value.get("range").or(value.get("targetSelectionRange"))?;
        Some(Spot { path: uri::path(uri)?, range: Span::deserialize(range).ok()? })
    }

    /// All places of an answer: one, several, or none; each once, in the order of the server.
    pub(super) fn list(value: &Value) -> Vec<Spot> {
        let mut all: Vec<Spot> = Vec::new();
        let several = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
        let mut known = std::collections::BTreeSet::new();
        for spot in several.iter().filter_map(Spot::read) {
            if known.insert(spot.clone()) {
                all.push(spot);
            }
        }
        all
    }
}

impl Problem {
    fn read(value: &Value) -> Option<Problem> {
        let code = match &value["code"] {
            Value::String(code) => code.clone(),
            Value::Number(code) => code.to_string(),
            _ => String::new(),
        };
        let severity = match value["severity"].as_u64() {
            None | Some(1) => Severity::Error,
            Some(2) => Severity::Warning,
            _ => Severity::Hint,
        };
        let message = value["message"].as_str()?.to_string();
        Some(Problem { range: Span::deserialize(&value["range"]).ok()?, severity, code, message })
    }

    /// All problems of a list.
    pub(super) fn list(value: &Value) -> Vec<Problem> {
        value.as_array().map(|all| all.iter().filter_map(Problem::read).collect()).unwrap_or_default()
    }

    /// What the compiler of TypeScript says, whose lines and columns (UTF-16 units) begin with 1.
    pub(super) fn of_tsserver(value: &Value) -> Vec<Problem> {
        let one = |it: &Value| {
            let place = |key: &str| {
                let number = |name: &str| u32::try_from(it[key][name].as_u64()?.checked_sub(1)?).ok();
                Some(super::position::Position { line: number("line")?, character: number("offset")? })
            };
            let severity = match it["category"].as_str() {
                Some("error") => Severity::Error,
                Some("warning") => Severity::Warning,
                _ => Severity::Hint,
            };
            let code = it["code"].as_u64().map(|it| format!("TS{it}")).unwrap_or_default();
            let range = Span { start: place("start")?, end: place("end")? };
            Some(Problem { range, severity, code, message: it["text"].as_str()?.to_string() })
        };
        value.as_array().map(|all| all.iter().filter_map(one).collect()).unwrap_or_default()
    }
}

/// The names of the kinds of symbols, from number 1 on.
const KINDS: [&str; 26] = [
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum member",
    "struct",
    "event",
    "operator",
    "type parameter",
];

impl Symbol {
    fn read(value: &Value) -> Option<Symbol> {
        let location = &value["location"];
        let path = uri::path(location["uri"].as_str()?)?;
        let range = Span::deserialize(&location["range"]).unwrap_or_default();
        let kind = value["kind"].as_u64().and_then(|it| KINDS.get(usize::try_from(it).ok()?.checked_sub(1)?));
        Some(Symbol {
            name: value["name"].as_str()?.to_string(),
            kind: kind.copied().unwrap_or("symbol"),
            within: value["containerName"].as_str().unwrap_or_default().to_string(),
            spot: Spot { path, range },
        })
    }

    /// All symbols of a list.
    pub(super) fn list(value: &Value) -> Vec<Symbol> {
        value.as_array().map(|all| all.iter().filter_map(Symbol::read).collect()).unwrap_or_default()
    }
}

impl FileEdits {
    /// The edits of an answer, by file. Here nothing is left out: half a renaming is worse than none.
    ///
    /// # Errors
    /// What in the answer cannot be done, in words.
    pub(super) fn list(value: &Value) -> Result<Vec<FileEdits>, String> {
        let edits =
            |value: &Value| Vec::<TextEdit>::deserialize(value).map_err(|it| format!("an edit cannot be read: {it}"));
        let path = |uri: &str| uri::path(uri).ok_or_else(|| format!("`{uri}` is no file"));
        let mut all = Vec::new();
        if let Some(changes) = value["documentChanges"].as_array() {
            for change in changes {
                if let Some(kind) = change["kind"].as_str() {
                    return Err(format!("it would {kind} a file, which only move_file, write_file and delete_file do"));
                }
                let document = &change["textDocument"];
                let uri = document["uri"].as_str().unwrap_or_default();
                let version = document["version"].as_i64();
                all.push(FileEdits { path: path(uri)?, version, edits: edits(&change["edits"])? });
            }
        } else if let Some(changes) = value["changes"].as_object() {
            for (uri, list) in changes {
                all.push(FileEdits { path: path(uri)?, version: None, edits: edits(list)? });
            }
        }
        all.retain(|it| !it.edits.is_empty());
        all.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(all)
    }
}

/// The text of a hover, whichever of the three shapes it has.
pub(super) fn hover(value: &Value) -> String {
    fn text(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Array(all) => all.iter().map(text).collect::<Vec<_>>().join("\n\n"),
            other => other["value"].as_str().unwrap_or_default().to_string(),
        }
    }
    text(&value["contents"]).trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn range(line: u32) -> Value {
        json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}})
    }

    #[test]
    fn places_come_in_four_shapes_and_odd_ones_are_left_out() {
        let one = json!({"uri": "file:///a", "range": range(1)});
        let link = json!({"targetUri": "file:///a", "targetRange": range(0), "targetSelectionRange": range(1)});
        for (value, count) in [
            (Value::Null, 0),
            (one.clone(), 1),
            (json!([one, one]), 1),
            (json!([link, {"uri": "jdt://x", "range": range(1)}, 7, {"uri": "file:///b"}]), 1),
        ] {
            assert_eq!(Spot::list(&value).len(), count, "{value}");
        }
    }

    #[test]
    fn a_renaming_is_read_whole_or_not_at_all() {
        let edit = json!({"range": range(0), "newText": "x"});
        let document = json!({"uri": "file:///a", "version": 3});
        let changes = json!({"documentChanges": [{"textDocument": document, "edits": [edit]}]});
        assert_eq!(FileEdits::list(&changes).unwrap()[0].version, Some(3));
        assert_eq!(FileEdits::list(&json!({"changes": {"file:///a": [edit], "file:///b": []}})).unwrap().len(), 1);
        assert_eq!(FileEdits::list(&Value::Null), Ok(Vec::new()));
        for bad in [
            json!({"documentChanges": [{"kind": "rename", "oldUri": "file:///a", "newUri": "file:///b"}]}),
            json!({"changes": {"file:///a": [edit, {"newText": "y"}]}}),
            json!({"changes": {"untitled:a": [edit]}}),
        ] {
            assert!(FileEdits::list(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn hovers_come_in_three_shapes() {
        for contents in
            [json!("a"), json!({"kind": "markdown", "value": "a\n"}), json!([{"language": "c", "value": "a"}])]
        {
            assert_eq!(hover(&json!({"contents": contents})), "a");
        }
        assert_eq!(hover(&Value::Null), "");
    }

    #[test]
    fn problems_are_read_from_both_kinds_of_answer() {
        let list = json!([{"range": range(2), "severity": 2, "code": 7, "message": "m"}, {"message": "no place"}]);
        let problems = Problem::list(&list);
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].severity, problems[0].code.as_str()), (Severity::Warning, "7"));
        let place = |offset| json!({"line": 1, "offset": offset});
        let one = json!({"start": place(3), "end": place(4), "text": "t", "code": 2322, "category": "error"});
        let problems = Problem::of_tsserver(&json!([one, {"text": "no place"}]));
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].range.start.character, problems[0].code.as_str()), (2, "TS2322"));
    }
}
