//! The JSON Schema of everything on the wire, and a small reader of it for the pages that are made from it.
//!
//! It knows only the shapes that our own types produce.

use serde_json::{Value, json};

/// The OpenAPI document of the HTTP interface.
pub fn openapi() -> String {
    let document = serde_json::to_string_pretty(&ox_server::openapi()).expect("a document is plain JSON");
    document + "\n"
}

/// The schema file.
pub fn text() -> String {
    let schema = serde_json::to_string_pretty(&ox_client::schema()).expect("a schema is plain JSON");
    schema + "\n"
}

/// The definition of one type.
pub fn definition(name: &str) -> Value {
    let schema = serde_json::to_value(ox_client::schema()).expect("a schema is plain JSON");
    schema["$defs"].get(name).cloned().unwrap_or_else(|| panic!("the schema has no type `{name}`"))
}

/// A variant of an enum or a field of a struct, as a page shows it.
pub struct Entry {
    /// Its name on the wire.
    pub name: String,
    /// Its documentation in one line.
    pub words: String,
    /// Its type in words; empty for a variant.
    pub kind: String,
    /// Whether it may be absent.
    pub optional: bool,
    /// The fields of a variant, without the tag.
    pub fields: Vec<Entry>,
}

/// The fields of a struct's schema, apart from `tag`.
pub fn fields(schema: &Value, tag: &str) -> Vec<Entry> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .filter(|(name, _)| *name != tag)
        .map(|(name, value)| Entry {
            name: name.clone(),
            words: words(value),
            kind: kind(value),
            optional: !required.contains(&name.as_str()),
            fields: Vec::new(),
        })
        .collect()
}

/// The variants of an enum's schema that is told apart by `tag`, or of one that is plain strings.
pub fn variants(schema: &Value, tag: &str) -> Vec<Entry> {
    let plain = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut found: Vec<Entry> = plain.map(|name| variant(name, schema)).collect();
    // Where one of them is any word, the others are no longer the only ones that fit.
    let shapes = ["oneOf", "anyOf"].into_iter().filter_map(|it| schema[it].as_array());
    for one in shapes.flatten() {
        if let Some(name) = one["properties"][tag]["const"].as_str().or_else(|| one["const"].as_str()) {
            // A variant that is a type of its own has the fields of that.
            let own = one["$ref"].as_str().and_then(|it| it.rsplit('/').next()).map(definition);
            let inner = own.iter().flat_map(|it| fields(it, tag));
            found.push(Entry { fields: fields(one, tag).into_iter().chain(inner).collect(), ..variant(name, one) });
        }
        let names = one["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
        found.extend(names.map(|name| variant(name, one)));
        if *one == json!({"type": "string", "description": one["description"]}) {
            found.push(variant("any other word", one));
        }
    }
    found
}

fn variant(name: &str, schema: &Value) -> Entry {
    Entry { name: name.to_owned(), words: words(schema), kind: String::new(), optional: false, fields: Vec::new() }
}

/// The documentation of a schema in one line, without the numbers of requirements that comments carry.
pub fn words(schema: &Value) -> String {
    let words = schema["description"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = words.split(" (");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((inside, after)) if inside.split(", ").all(is_requirement) => out.push_str(after),
            _ => out = out + " (" + part,
        }
    }
    out
}

/// Whether the text is the number of a requirement, such as `T5`.
fn is_requirement(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|letter| letter.is_ascii_uppercase())
        && text.len() > 1
        && letters.all(|letter| letter.is_ascii_digit())
}

/// The type of a value in words: `string`, `list of Call`, `Usage`.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let named: Vec<String> = choices.iter().filter(|choice| choice["type"] != "null").map(kind).collect();
        return named.join(" or ");
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect(),
        _ => vec!["any"],
    };
    match types.as_slice() {
        ["array"] => format!("list of {}", kind(&schema["items"])),
        ["object"] if schema["additionalProperties"].is_object() => {
            format!("table of {}", kind(&schema["additionalProperties"]))
        }
        other => other.join(" or "),
    }
}

/// The names of the types that a type's words mention, so that a page can explain them too.
pub fn mentioned(entries: &[Entry]) -> Vec<String> {
    let mut names: Vec<String> = entries
        .iter()
        .flat_map(|entry| entry.fields.iter().chain(std::iter::once(entry)))
        .flat_map(|entry| entry.kind.split(' '))
        .filter(|word| word.starts_with(char::is_uppercase))
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}
