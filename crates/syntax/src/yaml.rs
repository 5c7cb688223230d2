//! YAML texts as values, for the files of other programs and of users. Nothing is made of a tag or an alias: every scalar is its
//! text.

use saphyr_parser::{Event, Parser};
use serde_json::{Map, Value};

/// Values within values; what is deeper is not read.
const DEEPEST: usize = 32;

/// What was read of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Yaml {
    /// The value; of a text that cannot be parsed, as far as it was read.
    pub value: Value,
    /// Why it was not read to its end, with the place.
    pub broken: Option<String>,
}

/// Reads a text.
pub fn yaml(text: &str) -> Yaml {
    // What is being filled: its value, and for a mapping the key that waits for one.
    let mut open: Vec<(Value, Option<String>)> = Vec::new();
    let mut out = Yaml::default();
    for event in Parser::new_from_str(text) {
        let complete = match event {
            Ok((Event::MappingStart(..) | Event::SequenceStart(..), _)) if open.len() > DEEPEST => {
                out.broken = Some(format!("values are nested more than {DEEPEST} deep"));
                break;
            }
            Ok((Event::MappingStart(..), _)) => {
                open.push((Value::Object(Map::new()), None));
                None
            }
            Ok((Event::SequenceStart(..), _)) => {
                open.push((Value::Array(Vec::new()), None));
                None
            }
            Ok((Event::Scalar(text, ..), _)) => Some(Value::String(text.into_owned())),
            Ok((Event::Alias(_), _)) => Some(Value::Null),
            Ok((Event::MappingEnd | Event::SequenceEnd, _)) => open.pop().map(|it| it.0),
            Ok(_) => None,
            Err(error) => {
                out.broken = Some(error.to_string());
                break;
            }
        };
        if let Some(value) = complete {
            place(&mut open, &mut out.value, value);
        }
    }
    // Where it broke off, what was read until then still says something.
    while let Some((value, _)) = open.pop() {
        match open.last_mut() {
            None => out.value = value,
            Some((Value::Array(items), _)) => items.push(value),
            Some((Value::Object(fields), key)) => drop(fields.insert(key.take().unwrap_or_default(), value)),
            Some(_) => {}
        }
    }
    out
}

/// Puts a complete value where one is waited for.
fn place(open: &mut [(Value, Option<String>)], done: &mut Value, value: Value) {
    match open.last_mut() {
        None => *done = value,
        Some((Value::Array(items), _)) => items.push(value),
        Some((Value::Object(fields), key)) => match key.take() {
            Some(name) => drop(fields.insert(name, value)),
            None => *key = Some(value.as_str().unwrap_or_default().to_owned()),
        },
        Some(_) => {}
    }
}
