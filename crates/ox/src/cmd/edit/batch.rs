//! `ox edit --batch`: one edit of texts a line, one answer a line, in the same order and as they come. No file is touched,
//! and a line that cannot be read is answered like every other.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ox_edit::{Block, Files, Format, LineRange, Outcome, Request, detect, run as carry_out};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::reported;
use crate::cmd::batch;

/// What an edit is called that names no file.
const NAMELESS: &str = "file";

/// One line of the batch. Further fields are left alone.
#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    id: Value,
    format: Option<String>,
    path: Option<String>,
    before: Option<String>,
    files_before: Option<BTreeMap<String, String>>,
    #[serde(default)]
    edit: Value,
}

/// Answers every line of stdin until it ends.
pub(super) fn run() -> anyhow::Result<u8> {
    // A fault in the engine is that line's answer; its words are in it, and stderr stays clean.
    std::panic::set_hook(Box::new(|_| {}));
    batch::answer_lines(answer)
}

fn answer(line: &[u8], number: usize) -> Value {
    let case: Case = match batch::read(line, number) {
        Ok(case) => case,
        Err((id, why)) => return failed(id, why),
    };
    let id = case.id.clone();
    catch_unwind(AssertUnwindSafe(|| settled(&case)))
        .unwrap_or_else(|_| Err("a fault in Ox; please report it".into()))
        .map_or_else(
            |why| failed(id.clone(), format!("line {number}: {why}")),
            |mut answer| {
                answer.shift_insert(0, "id".into(), id.clone());
                Value::Object(answer)
            },
        )
}

fn failed(id: Value, reason: String) -> Value {
    json!({"id": id, "status": "error", "reason": reason})
}

/// Carries the edit out on the texts. An error says what the line lacks.
fn settled(case: &Case) -> Result<Map<String, Value>, String> {
    let path = case.path.as_deref().unwrap_or(NAMELESS);
    let several = case.files_before.is_some();
    let mut files: Files = case.files_before.clone().unwrap_or_default();
    match &case.before {
        Some(text) => drop(files.insert(path.to_owned(), text.clone())),
        None if !several => return Err("`before` or `files_before` is missing".into()),
        None => {}
    }
    let format = format(case)?;
    let blocks = if format == Format::SearchReplace { blocks(&case.edit)? } else { Vec::new() };
    let ranges = if format == Format::LineRange { ranges(&case.edit)? } else { Vec::new() };
    let text = case.edit.as_str();
    let needed = || text.ok_or_else(|| "`edit` must be a text in this format".to_string());
    let default = case.path.as_deref().or((!several).then_some(NAMELESS));
    let request = match (format, text) {
        (Format::SearchReplace, Some(text)) => Request::SearchReplace { path: default, text },
        (Format::SearchReplace, None) => Request::Blocks { path, blocks: &blocks },
        (Format::UnifiedDiff, _) => Request::UnifiedDiff { path: default, text: needed()? },
        (Format::V4a, _) => Request::V4a { text: needed()? },
        (Format::LineRange, _) => Request::LineRange { path, ranges: &ranges },
        (Format::WholeFile, _) => Request::WholeFile { path, text: needed()? },
    };
    Ok(match carry_out(&request, &files) {
        Ok(outcome) => applied(&outcome, files, path, several),
        Err(refusal) => {
            let mut out = Map::from_iter([("status".to_string(), json!("refused"))]);
            if !refusal.file.is_empty() {
                out.insert("file".into(), json!(refusal.file));
            }
            if let Value::Object(reported) = reported::refusal(&refusal) {
                out.extend(reported);
            }
            out
        }
    })
}

fn applied(outcome: &Outcome, mut files: Files, path: &str, several: bool) -> Map<String, Value> {
    let lines_before = files.get(path).map_or(0, |it| it.lines().count());
    for (path, now) in &outcome.files_after {
        match now {
            Some(text) => files.insert(path.clone(), text.clone()),
            None => files.remove(path),
        };
    }
    let mut out = Map::from_iter([("status".to_string(), json!("applied"))]);
    let alone = files.len() == 1 && files.contains_key(path);
    if !several {
        out.insert("after".into(), json!(files.get(path)));
    }
    if several || !alone {
        out.insert("files_after".into(), json!(files));
    }
    out.insert("strategy".into(), json!(reported::snake(&outcome.strategy())));
    out.insert("similarity".into(), reported::likeness(outcome.similarity()));
    // The lines from the first place to the last of the first file that is edited, before the edit.
    let first = outcome.places.first().map(|it| &it.path);
    let own = outcome.places.iter().filter(|it| Some(&it.path) == first).map(|it| &it.place.before);
    let from = own.clone().map(|it| *it.start()).min().unwrap_or(1);
    let to = own.map(|it| *it.end()).max().unwrap_or(lines_before);
    out.insert("lines".into(), json!([from, to]));
    let place = |landed: &ox_edit::PlaceInFile| {
        let mut place = reported::place(&landed.place);
        place["path"] = json!(landed.path);
        place
    };
    out.insert("places".into(), outcome.places.iter().map(place).collect());
    out
}

/// The format that the line names; where it names none, the one that the edit has.
fn format(case: &Case) -> Result<Format, String> {
    let Some(name) = &case.format else {
        let first = case.edit.as_array().map_or(Some(&case.edit), |list| list.first());
        return Ok(match (case.edit.as_str(), first) {
            (Some(text), _) => detect(text),
            (None, Some(one)) if one.get("start_line").is_some() => Format::LineRange,
            _ => Format::SearchReplace,
        });
    };
    Ok(match name.as_str() {
        "search_replace" => Format::SearchReplace,
        "unified_diff" => Format::UnifiedDiff,
        "v4a" => Format::V4a,
        "line_range" => Format::LineRange,
        "whole_file" => Format::WholeFile,
        other => {
            return Err(format!(
                "format `{other}` is none of search_replace, unified_diff, v4a, line_range, whole_file"
            ));
        }
    })
}

/// One object, or a list of them, each read by `one`.
fn each<T>(edit: &Value, one: impl Fn(&Map<String, Value>) -> Result<T, String>) -> Result<Vec<T>, String> {
    let items = match edit {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let read = |(at, item): (usize, &Value)| {
        let object = item.as_object().ok_or("it is not an object".to_string());
        object.and_then(&one).map_err(|why| format!("`edit`, part {}: {why}", at + 1))
    };
    if items.is_empty() { Err("`edit` is empty".into()) } else { items.iter().enumerate().map(read).collect() }
}

fn blocks(edit: &Value) -> Result<Vec<Block>, String> {
    if edit.is_string() {
        return Ok(Vec::new());
    }
    each(edit, |it| Ok(Block { search: text(it, "search")?, replace: text(it, "replace")?, hint: hint(it)? }))
}

fn ranges(edit: &Value) -> Result<Vec<LineRange>, String> {
    each(edit, |it| {
        let old = match it.get("old_text") {
            None | Some(Value::Null) => None,
            Some(_) => Some(text(it, "old_text")?),
        };
        Ok(LineRange { from: line(it, "start_line")?, to: line(it, "end_line")?, new: text(it, "new_text")?, old })
    })
}

fn text(object: &Map<String, Value>, key: &str) -> Result<String, String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("`{key}` must be a text"))
}

fn line(object: &Map<String, Value>, key: &str) -> Result<usize, String> {
    let number = object.get(key).and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok());
    number.ok_or_else(|| format!("`{key}` must be the number of a line"))
}

fn hint(object: &Map<String, Value>) -> Result<Option<usize>, String> {
    match object.get("hint") {
        None | Some(Value::Null) => Ok(None),
        Some(_) => line(object, "hint").map(|it| Some(it).filter(|it| *it > 0)),
    }
}
