//! What servers answer, read leniently: one odd item costs that item and not the answer.

use std::path::PathBuf;

use lsp_types::{
    DocumentChangeOperation, DocumentChanges, Location, LocationLink, NumberOrString, OneOf, Position, Range,
    ResourceOp, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit, WorkspaceSymbol,
};
use serde::Deserialize;
use serde_json::Value;

use crate::error::Error;
use crate::uri;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Absolute.
    pub path: PathBuf,
    /// As the server counts.
    pub range: Range,
}

/// What a server finds wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerDiagnostic {
    pub range: Range,
    pub severity: Severity,
    /// Empty where there is none.
    pub code: String,
    pub message: String,
}

/// How grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// An error, also where the server does not say.
    Error,
    /// A warning.
    Warning,
    /// Information and hints.
    Hint,
}

/// A symbol of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its kind in lower-case words, such as `enum member`.
    pub kind: String,
    /// What it is in; empty where nothing is said.
    pub container: String,
    /// Where it is.
    pub place: Place,
}

/// The edits of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdits {
    /// Absolute.
    pub path: PathBuf,
    /// Of the text that they are for, where the server says so.
    pub(crate) version: Option<i32>,
    /// The edits, in the order of the server.
    pub edits: Vec<TextEdit>,
}

/// The items of a list that can be read.
fn items<T>(value: &Value, read: impl FnMut(&Value) -> Option<T>) -> Vec<T> {
    value.as_array().map(|all| all.iter().filter_map(read).collect()).unwrap_or_default()
}

impl Place {
    fn of(uri: &Uri, range: Range) -> Option<Place> {
        Some(Place { path: uri::path(uri.as_str())?, range })
    }

    /// A location or a link to one.
    fn read(value: &Value) -> Option<Place> {
        match Location::deserialize(value) {
            Ok(it) => Place::of(&it.uri, it.range),
            Err(_) => {
                let link = LocationLink::deserialize(value).ok()?;
                Place::of(&link.target_uri, link.target_selection_range)
            }
        }
    }

    /// All places of an answer: one, several, or none; each once, in the order of the server.
    pub(crate) fn list(value: &Value) -> Vec<Place> {
        let several = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
        let mut known = std::collections::BTreeSet::new();
        several.iter().filter_map(Place::read).filter(|it| known.insert(it.order())).collect()
    }

    /// By path and place in it.
    pub(crate) fn order(&self) -> (PathBuf, Position, Position) {
        (self.path.clone(), self.range.start, self.range.end)
    }
}

impl ServerDiagnostic {
    fn read(value: &Value) -> Option<ServerDiagnostic> {
        let it = lsp_types::Diagnostic::deserialize(value).ok()?;
        let code = match it.code {
            Some(NumberOrString::String(code)) => code,
            Some(NumberOrString::Number(code)) => code.to_string(),
            None => String::new(),
        };
        let severity = match it.severity {
            None | Some(lsp_types::DiagnosticSeverity::ERROR) => Severity::Error,
            Some(lsp_types::DiagnosticSeverity::WARNING) => Severity::Warning,
            _ => Severity::Hint,
        };
        Some(ServerDiagnostic { range: it.range, severity, code, message: it.message })
    }

    /// All of a list.
    pub(crate) fn list(value: &Value) -> Vec<ServerDiagnostic> {
        items(value, ServerDiagnostic::read)
    }

    /// What the compiler of TypeScript says, whose lines and columns (UTF-16 units) begin with 1.
    pub(crate) fn of_tsserver(value: &Value) -> Vec<ServerDiagnostic> {
        items(value, |it| {
            let position = |key: &str| {
                let number = |name: &str| u32::try_from(it[key][name].as_u64()?.checked_sub(1)?).ok();
                Some(Position { line: number("line")?, character: number("offset")? })
            };
            let severity = match it["category"].as_str() {
                Some("error") => Severity::Error,
                Some("warning") => Severity::Warning,
                _ => Severity::Hint,
            };
            let code = it["code"].as_u64().map(|it| format!("TS{it}")).unwrap_or_default();
            let range = Range { start: position("start")?, end: position("end")? };
            Some(ServerDiagnostic { range, severity, code, message: it["text"].as_str()?.to_string() })
        })
    }
}

impl Symbol {
    fn read(value: &Value) -> Option<Symbol> {
        let it = WorkspaceSymbol::deserialize(value).ok()?;
        let place = match it.location {
            OneOf::Left(location) => Place::of(&location.uri, location.range)?,
            OneOf::Right(file) => Place::of(&file.uri, Range::default())?,
        };
        let container = it.container_name.unwrap_or_default();
        Some(Symbol { name: it.name, kind: words(&format!("{:?}", it.kind)), container, place })
    }

    /// All symbols of a list.
    pub(crate) fn list(value: &Value) -> Vec<Symbol> {
        items(value, Symbol::read)
    }
}

/// `EnumMember` as `enum member`; a kind that has no name is a symbol.
fn words(kind: &str) -> String {
    if !kind.chars().all(char::is_alphabetic) {
        return "symbol".into();
    }
    let spaced = kind.chars().enumerate().flat_map(|(at, c)| {
        let blank = (at > 0 && c.is_uppercase()).then_some(' ');
        blank.into_iter().chain(c.to_lowercase())
    });
    spaced.collect()
}

impl FileEdits {
    /// The edits of an answer of `server`, by file. Here nothing is left out: half a renaming is worse than none.
    pub(crate) fn list(value: &Value, server: &'static str) -> Result<Vec<FileEdits>, Error> {
        let refused = |message: String| Error::Refused { server, message };
        let edit = Option::<WorkspaceEdit>::deserialize(value);
        let edit = edit.map_err(|it| refused(format!("an edit cannot be read: {it}")))?.unwrap_or_default();
        let of_file = |uri: &Uri, version, edits| {
            let path = uri::path(uri.as_str()).ok_or_else(|| refused(format!("`{}` is no file", uri.as_str())))?;
            Ok(FileEdits { path, version, edits })
        };
        let of_document = |it: TextDocumentEdit| {
            let edits = it.edits.into_iter().map(|it| match it {
                OneOf::Left(edit) => edit,
                OneOf::Right(annotated) => annotated.text_edit,
            });
            of_file(&it.text_document.uri, it.text_document.version, edits.collect())
        };
        let of_operation = |it| {
            let operation = match it {
                DocumentChangeOperation::Edit(edit) => return of_document(edit),
                DocumentChangeOperation::Op(ResourceOp::Create(_)) => "create",
                DocumentChangeOperation::Op(ResourceOp::Rename(_)) => "rename",
                DocumentChangeOperation::Op(ResourceOp::Delete(_)) => "delete",
            };
            Err(Error::FileOperation { server, operation })
        };
        let all: Result<Vec<FileEdits>, Error> = match (edit.document_changes, edit.changes) {
            (Some(DocumentChanges::Edits(edits)), _) => edits.into_iter().map(of_document).collect(),
            (Some(DocumentChanges::Operations(all)), _) => all.into_iter().map(of_operation).collect(),
            (None, changes) => changes.into_iter().flatten().map(|(uri, edits)| of_file(&uri, None, edits)).collect(),
        };
        let mut all = all?;
        all.retain(|it| !it.edits.is_empty());
        all.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(all)
    }
}

/// The text of a hover, whichever of the three shapes it has.
pub(crate) fn hover(value: &Value) -> String {
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
            assert_eq!(Place::list(&value).len(), count, "{value}");
        }
    }

    #[test]
    fn a_renaming_is_read_whole_or_not_at_all() {
        let edit = json!({"range": range(0), "newText": "x"});
        let document = json!({"uri": "file:///a", "version": 3});
        let changes = json!({"documentChanges": [{"textDocument": document, "edits": [edit]}]});
        assert_eq!(FileEdits::list(&changes, "s").unwrap()[0].version, Some(3));
        assert_eq!(FileEdits::list(&json!({"changes": {"file:///a": [edit], "file:///b": []}}), "s").unwrap().len(), 1);
        assert_eq!(FileEdits::list(&Value::Null, "s").unwrap(), []);
        for bad in [
            json!({"documentChanges": [{"kind": "rename", "oldUri": "file:///a", "newUri": "file:///b"}]}),
            json!({"changes": {"file:///a": [edit, {"newText": "y"}]}}),
            json!({"changes": {"untitled:a": [edit]}}),
        ] {
            assert!(FileEdits::list(&bad, "s").is_err(), "{bad}");
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
        let problems = ServerDiagnostic::list(&list);
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].severity, problems[0].code.as_str()), (Severity::Warning, "7"));
        let place = |offset| json!({"line": 1, "offset": offset});
        let one = json!({"start": place(3), "end": place(4), "text": "t", "code": 2322, "category": "error"});
        let problems = ServerDiagnostic::of_tsserver(&json!([one, {"text": "no place"}]));
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].range.start.character, problems[0].code.as_str()), (2, "TS2322"));
    }
}
