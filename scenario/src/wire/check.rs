//! What both formats check alike: fields, names, schemas.

use std::collections::BTreeSet;

use serde_json::Value;

/// Collects what is wrong.
#[derive(Default)]
pub(super) struct Wrong(pub(super) Vec<String>);

impl Wrong {
    /// Notes `words` unless `right`.
    pub(super) fn unless(&mut self, right: bool, words: impl Fn() -> String) {
        if !right {
            self.0.push(words());
        }
    }

    /// Notes each field of `value` that the format does not know, and each that it misses.
    pub(super) fn fields(&mut self, place: &str, value: &Value, needed: &[&str], also: &[&str]) {
        let Some(object) = value.as_object() else {
            return self.0.push(format!("{place} is no object"));
        };
        for key in object.keys().filter(|it| !needed.contains(&it.as_str()) && !also.contains(&it.as_str())) {
            self.0.push(format!("{place} has the unknown field `{key}`"));
        }
        for key in needed.iter().filter(|it| !object.contains_key(**it)) {
            self.0.push(format!("{place} lacks the field `{key}`"));
        }
    }

    /// A name of a tool.
    pub(super) fn name(&mut self, place: &str, name: &Value) {
        let good = |it: &str| {
            (1..=64).contains(&it.len()) && it.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        };
        self.unless(name.as_str().is_some_and(good), || format!("{place}: {name} is no name of a tool"));
    }

    /// Text that is there.
    pub(super) fn text(&mut self, place: &str, text: &Value) {
        self.unless(text.as_str().is_some_and(|it| !it.trim().is_empty()), || format!("{place} is blank or no text"));
    }

    /// Tools, given name, description and schema of each.
    pub(super) fn tools<'a>(&mut self, tools: impl Iterator<Item = (&'a Value, &'a Value, &'a Value)>) {
        let mut names = BTreeSet::new();
        for (name, description, schema) in tools {
            let place = format!("tool {name}");
            self.name(&place, name);
            self.unless(names.insert(name.to_string()), || format!("{place} is offered twice"));
            self.text(&format!("{place}: description"), description);
            self.unless(schema["type"] == "object", || format!("{place}: the schema is not of an object"));
            self.unless(schema["properties"].is_object(), || format!("{place}: an object without properties"));
            self.schema(&place, schema);
        }
    }

    /// A JSON Schema of the kind that every provider takes: each value has a type, each list its items, and what is
    /// required exists. An object within may have any properties.
    fn schema(&mut self, place: &str, schema: &Value) {
        const TYPES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];
        let kind = schema["type"].as_str().unwrap_or_default();
        let chosen = schema.get("enum").is_some() || schema.get("anyOf").is_some();
        self.unless(TYPES.contains(&kind) || chosen, || format!("{place}: no type in {schema}"));
        if kind == "array" {
            self.unless(schema["items"].is_object(), || format!("{place}: a list without items"));
            self.schema(&format!("{place}[]"), &schema["items"]);
        }
        if kind != "object" {
            return;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            self.schema(&format!("{place}.{name}"), schema);
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            let known = name.as_str().is_some_and(|it| properties.is_some_and(|all| all.contains_key(it)));
            self.unless(known, || format!("{place}: {name} is required and does not exist"));
        }
    }

    /// Base64 of a picture and its type.
    pub(super) fn picture(&mut self, place: &str, media_type: &str, data: &str) {
        let known = ["image/png", "image/jpeg", "image/gif", "image/webp"].contains(&media_type);
        self.unless(known, || format!("{place}: pictures of type `{media_type}` are not taken"));
        let base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
        self.unless(!data.is_empty() && data.len().is_multiple_of(4) && data.chars().all(base64), || {
            format!("{place}: the picture is not base64")
        });
    }
}
