//! Calls in the forms that models were trained on elsewhere: JSON between tags, and parameters by name.
//!
//! None of these forms stands in prose by accident, so a call in one of them counts whatever its name is: whoever runs it
//! can say which tools there are.

use serde_json::{Map, Value};

use super::tag::{Found, begins, in_tags};
use super::value;
use crate::model::RawCall;

/// Names of the tags around JSON: `{"name": …, "arguments": {…}}`, or a list of these.
const JSON: [&str; 2] = ["tool_call", "function_call"];
/// Names of tags around calls by name; they say nothing themselves.
const AROUND: [&str; 4] = ["function_calls", "tool_calls", "tool_call", "function_call"];
/// The two ways to call by name: the tag of the call, the tag of a parameter, what stands before a name and behind it.
const NAMED: [Named; 2] = [
    Named { call: "invoke", parameter: "parameter", before: " name=\"", behind: "\">" },
    Named { call: "function", parameter: "parameter", before: "=", behind: ">" },
];

/// A way to call by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    call: &'static str,
    parameter: &'static str,
    before: &'static str,
    behind: &'static str,
}

/// A form that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A tag that is left out.
    Nothing,
    /// JSON up to the closing tag of this name.
    Json(&'static str),
    /// Parameters of the tool of this name.
    Named(Named, String),
}

/// The form that begins at the beginning of `held`, and how long its beginning is. `called` once a call has been read.
pub(super) fn opening(held: &str, called: bool) -> Found<(Form, usize)> {
    let mut perhaps = false;
    for form in NAMED {
        match begins(held, &format!("<{}{}", form.call, form.before)) {
            Found::Yes(length) => match name(&held[length..], form.behind) {
                Found::Yes((name, more)) => return Found::Yes((Form::Named(form, name), length + more)),
                Found::Perhaps => perhaps = true,
                Found::No => {}
            },
            Found::Perhaps => perhaps = true,
            Found::No => {}
        }
    }
    for tag in JSON {
        match followed(held, &format!("<{tag}>"), &["{", "["]) {
            Found::Yes(length) => return Found::Yes((Form::Json(tag), length)),
            Found::Perhaps => perhaps = true,
            Found::No => {}
        }
    }
    for tag in AROUND {
        let begun = followed(held, &format!("<{tag}>"), &["<invoke", "<function=", "<tool_call>"]);
        let ended = if called { begins(held, &format!("</{tag}>")) } else { Found::No };
        match (begun, ended) {
            (Found::Yes(length), _) | (_, Found::Yes(length)) => return Found::Yes((Form::Nothing, length)),
            (Found::Perhaps, _) | (_, Found::Perhaps) => perhaps = true,
            _ => {}
        }
    }
    if perhaps { Found::Perhaps } else { Found::No }
}

/// A name and the length of it with what stands behind.
fn name(text: &str, behind: &str) -> Found<(String, usize)> {
    let foreign = |c: char| !(c.is_ascii_alphanumeric() || "_-.:/".contains(c));
    let length = text.find(foreign).unwrap_or(text.len());
    match begins(&text[length..], behind) {
        _ if length > 64 => Found::No,
        Found::Yes(more) if length > 0 => Found::Yes((text[..length].to_string(), length + more)),
        Found::Perhaps => Found::Perhaps,
        _ => Found::No,
    }
}

/// The length of `tag` and the blank space behind it, where one of `next` follows.
fn followed(held: &str, tag: &str, next: &[&str]) -> Found<usize> {
    let Found::Yes(length) = begins(held, tag) else { return begins(held, tag) };
    let behind = held[length..].trim_start();
    let length = held.len() - behind.len();
    let mut perhaps = behind.is_empty();
    for it in next {
        match begins(behind, it) {
            Found::Yes(_) => return Found::Yes(length),
            Found::Perhaps => perhaps = true,
            Found::No => {}
        }
    }
    if perhaps { Found::Perhaps } else { Found::No }
}

/// The calls of a form whose whole text has come, and how much of `held` it takes; none where more must come first.
/// `seen` is how much of `held` was looked at in vain. With `last` set nothing more comes.
pub(super) fn close(
    form: &Form,
    held: &str,
    seen: &mut usize,
    last: bool,
    schema: impl Fn(&str) -> Value,
) -> Option<(Vec<RawCall>, usize)> {
    match form {
        Form::Nothing => Some((Vec::new(), 0)),
        Form::Json(tag) => {
            let end = format!("</{tag}>");
            while let Some(at) = held[*seen..].find(&end).map(|at| at + *seen) {
                // The closing tag may stand in a text of the JSON.
                if let Some(calls) = from_json(&held[..at]) {
                    return Some((calls, at + end.len()));
                }
                *seen = at + end.len();
            }
            if !last {
                *seen = (*seen).max(held.floor_char_boundary(held.len().saturating_sub(end.len())));
                return None;
            }
            // JSON tells itself where it ends, so a missing tag loses nothing.
            let first = held.find(&end);
            let body = &held[..first.unwrap_or(held.len())];
            let calls = from_json(body).unwrap_or_else(|| vec![unreadable(body)]);
            Some((calls, first.map_or(held.len(), |at| at + end.len())))
        }
        Form::Named(form, name) => {
            let end = format!("</{}>", form.call);
            while let Some(at) = held[*seen..].find(&end).map(|at| at + *seen) {
                if let Some(args) = parameters(form, &held[..at], &schema(name)) {
                    let call = RawCall { name: name.clone(), args: Value::Object(args).to_string() };
                    return Some((vec![call], at + end.len()));
                }
                *seen = at + end.len();
            }
            if !last {
                *seen = (*seen).max(held.floor_char_boundary(held.len().saturating_sub(end.len())));
                return None;
            }
            // What does not end stays as it was written: it is no JSON, so nothing runs by it.
            let first = held.find(&end).map_or(held.len(), |at| at + end.len());
            Some((vec![RawCall { name: name.clone(), args: in_tags(&held[..first]) }], first))
        }
    }
}

/// The calls that a JSON text holds; none where it is no whole JSON or holds something else.
fn from_json(text: &str) -> Option<Vec<RawCall>> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    let calls = match value {
        Value::Array(calls) => calls,
        one => vec![one],
    };
    calls.iter().map(one_call).collect()
}

fn one_call(value: &Value) -> Option<RawCall> {
    let value = value.get("function").filter(|it| it.is_object()).unwrap_or(value);
    let name = ["name", "tool", "function"].iter().find_map(|key| value.get(*key)?.as_str())?.to_string();
    let args = ["arguments", "parameters", "args", "input"].iter().find_map(|key| value.get(*key));
    let args = match args {
        Some(Value::String(json)) => json.clone(),
        Some(Value::Null) | None => "{}".to_string(),
        Some(args) => args.to_string(),
    };
    Some(RawCall { name, args })
}

/// A call whose JSON is broken: its name where it can be found, and the text as it was written.
fn unreadable(text: &str) -> RawCall {
    let behind = text.split_once("\"name\"").map_or("", |(_, rest)| rest.trim_start().trim_start_matches(':'));
    let name = behind.trim_start().strip_prefix('"').and_then(|it| it.split_once('"')).map_or("", |it| it.0);
    RawCall { name: name.to_string(), args: text.trim().to_string() }
}

/// The parameters between the tags of a call; none where one of them does not end.
fn parameters(form: &Named, text: &str, schema: &Value) -> Option<Map<String, Value>> {
    let mut args = Map::new();
    let close = format!("</{}>", form.parameter);
    let open = format!("<{}{}", form.parameter, form.before);
    let mut rest = text.trim();
    while !rest.is_empty() {
        let inner = rest.strip_prefix(open.as_str())?;
        let Found::Yes((key, length)) = name(inner, form.behind) else { return None };
        let inner = &inner[length..];
        // A value ends where another parameter or nothing follows.
        let ends = inner.match_indices(close.as_str()).find(|(at, _)| {
            let behind = inner[at + close.len()..].trim_start();
            behind.is_empty() || behind.starts_with(open.as_str())
        });
        let (at, _) = ends?;
        value::put(&mut args, schema, &key, &inner[..at]);
        rest = inner[at + close.len()..].trim_start();
    }
    Some(args)
}

/// The arguments that a tag carries as attributes, `<read_file path="a.rs"/>`, and whether the tag ends the call. `text`
/// begins behind the tag's name.
pub(super) fn attributes(text: &str, schema: &Value) -> Found<(Map<String, Value>, bool, usize)> {
    let mut args = Map::new();
    let mut rest = text;
    loop {
        let blank = rest.trim_start();
        match begins(blank, "/>") {
            Found::Yes(length) if !args.is_empty() => {
                return Found::Yes((args, true, text.len() - blank.len() + length));
            }
            Found::Perhaps => return Found::Perhaps,
            _ => {}
        }
        if blank.starts_with('>') && !args.is_empty() {
            return Found::Yes((args, false, text.len() - blank.len() + 1));
        }
        let length = blank.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(blank.len());
        if length == blank.len() {
            return Found::Perhaps;
        }
        let key = &blank[..length];
        let known = schema.pointer(&format!("/properties/{key}")).is_some();
        let Found::Yes(_) = begins(&blank[length..], "=") else { return Found::No };
        let quoted = &blank[length + 1..];
        let Some(quote) = quoted.chars().next() else { return Found::Perhaps };
        if !known || rest.len() == blank.len() || !matches!(quote, '"' | '\'') {
            return Found::No;
        }
        let Some(end) = quoted[1..].find(quote) else {
            return if quoted.contains('\n') { Found::No } else { Found::Perhaps };
        };
        value::put(&mut args, schema, key, &quoted[1..=end]);
        rest = &quoted[end + 2..];
    }
}
