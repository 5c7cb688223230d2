//! Checks a value against a JSON Schema: types, properties, items, combinations, bounds and local references.
//!
//! It checks nothing that it does not know (`pattern`, `format`, `patternProperties`, references to other documents): such
//! a word never makes a value wrong.

use serde_json::{Map, Value};

/// How deep schemas are followed; a reference may lead in circles.
const DEPTH: usize = 64;

/// One sentence for each thing that is wrong; empty for a valid value.
pub(super) fn check(schema: &Value, value: &Value) -> Vec<String> {
    let mut walk = Walk { root: schema, wrong: Vec::new() };
    walk.value(schema, value, "", 0);
    walk.wrong
}

struct Walk<'a> {
    root: &'a Value,
    wrong: Vec<String>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, schema: &'a Value, value: &Value, at: &str, depth: usize) {
        let fields = match schema {
            Value::Bool(false) => return self.complain(at, "must not be there", None),
            Value::Object(fields) if depth < DEPTH => fields,
            _ => return,
        };
        if let Some(target) = fields.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'))
            && let Some(schema) = self.root.pointer(target)
        {
            self.value(schema, value, at, depth + 1);
        }
        if !self.kind(fields, value, at) {
            return;
        }
        self.combined(fields, value, at, depth);
        self.bounds(fields, value, at);
        match value {
            Value::Object(object) => self.object(fields, object, at, depth),
            Value::Array(items) => self.array(fields, items, at, depth),
            _ => {}
        }
    }

    /// False where the value is of another type, or none of those that are listed.
    fn kind(&mut self, fields: &Map<String, Value>, value: &Value, at: &str) -> bool {
        let wanted: Vec<&str> = match fields.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(some)) => some.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !wanted.is_empty() && !wanted.iter().any(|it| is_of(it, value)) {
            self.complain(at, &format!("must be of type {}", wanted.join(" or ")), Some(value));
            return false;
        }
        let listed = fields.get("enum").and_then(Value::as_array);
        if let Some(all) = listed.filter(|all| !all.contains(value)) {
            let all: Vec<String> = all.iter().map(Value::to_string).collect();
            self.complain(at, &format!("must be one of {}", all.join(", ")), Some(value));
            return false;
        }
        if let Some(only) = fields.get("const").filter(|it| *it != value) {
            self.complain(at, &format!("must be {only}"), Some(value));
            return false;
        }
        true
    }

    fn combined(&mut self, fields: &'a Map<String, Value>, value: &Value, at: &str, depth: usize) {
        let all = |key: &str| fields.get(key).and_then(Value::as_array).map(Vec::as_slice);
        for schema in all("allOf").unwrap_or_default() {
            self.value(schema, value, at, depth + 1);
        }
        if let Some(any) = all("anyOf").filter(|any| !any.iter().any(|it| self.fits(it, value, depth))) {
            self.complain(at, &format!("must fit one of {} forms", any.len()), Some(value));
        }
        if let Some(one) = all("oneOf").filter(|one| one.iter().filter(|it| self.fits(it, value, depth)).count() != 1) {
            self.complain(at, &format!("must fit exactly one of {} forms", one.len()), Some(value));
        }
        if fields.get("not").is_some_and(|it| self.fits(it, value, depth)) {
            self.complain(at, "has a form that is excluded", Some(value));
        }
    }

    fn fits(&self, schema: &'a Value, value: &Value, depth: usize) -> bool {
        let mut walk = Walk { root: self.root, wrong: Vec::new() };
        walk.value(schema, value, "", depth + 1);
        walk.wrong.is_empty()
    }

    fn bounds(&mut self, fields: &Map<String, Value>, value: &Value, at: &str) {
        let (size, of) = match value {
            Value::Number(number) => (number.as_f64().unwrap_or_default(), ""),
            Value::String(text) => (text.chars().count() as f64, "Length"),
            Value::Array(items) => (items.len() as f64, "Items"),
            Value::Object(object) => (object.len() as f64, "Properties"),
            _ => return,
        };
        let limit = |begin: &str| {
            let name = if of.is_empty() { format!("{begin}imum") } else { format!("{begin}{of}") };
            fields.get(&name).and_then(Value::as_f64)
        };
        let what = match of {
            "Length" => "have a length of ",
            "Items" => "have a number of items of ",
            "Properties" => "have a number of properties of ",
            _ => "be ",
        };
        if let Some(least) = limit("min").filter(|it| size < *it) {
            self.complain(at, &format!("must {what}at least {least}"), Some(value));
        }
        if let Some(most) = limit("max").filter(|it| size > *it) {
            self.complain(at, &format!("must {what}at most {most}"), Some(value));
        }
        if !value.is_number() {
            return;
        }
        let number = |key: &str| fields.get(key).and_then(Value::as_f64);
        if let Some(least) = number("exclusiveMinimum").filter(|it| size <= *it) {
            self.complain(at, &format!("must be more than {least}"), Some(value));
        }
        if let Some(most) = number("exclusiveMaximum").filter(|it| size >= *it) {
            self.complain(at, &format!("must be less than {most}"), Some(value));
        }
        let off = |step: &f64| *step > 0.0 && ((size / step).round() * step - size).abs() > 1e-9 * size.abs().max(1.0);
        if let Some(step) = number("multipleOf").filter(off) {
            self.complain(at, &format!("must be a multiple of {step}"), Some(value));
        }
    }

    fn object(&mut self, fields: &'a Map<String, Value>, object: &Map<String, Value>, at: &str, depth: usize) {
        let required = fields.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for key in required.iter().filter_map(Value::as_str).filter(|it| !object.contains_key(*it)) {
            self.wrong.push(format!("`{}` is missing", below(at, key)));
        }
        let properties = fields.get("properties").and_then(Value::as_object);
        let others = fields.get("additionalProperties").filter(|_| !fields.contains_key("patternProperties"));
        for (key, value) in object {
            let place = below(at, key);
            match (properties.and_then(|it| it.get(key)), others) {
                (Some(schema), _) => self.value(schema, value, &place, depth + 1),
                (None, Some(Value::Bool(false))) => self.complain(&place, "is not a known property", None),
                (None, Some(schema)) => self.value(schema, value, &place, depth + 1),
                (None, None) => {}
            }
        }
    }

    fn array(&mut self, fields: &'a Map<String, Value>, items: &[Value], at: &str, depth: usize) {
        let first = fields.get("prefixItems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (number, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(number).or(fields.get("items")) {
                self.value(schema, item, &format!("{at}[{number}]"), depth + 1);
            }
        }
        let twice = || items.iter().enumerate().any(|(at, it)| items[..at].contains(it));
        if fields.get("uniqueItems") == Some(&Value::Bool(true)) && twice() {
            self.complain(at, "holds the same item twice", None);
        }
    }

    fn complain(&mut self, at: &str, what: &str, found: Option<&Value>) {
        let place = if at.is_empty() { "the document".to_string() } else { format!("`{at}`") };
        let found = found.map(|it| format!(", not {}", short(it))).unwrap_or_default();
        self.wrong.push(format!("{place} {what}{found}"));
    }
}

fn below(at: &str, key: &str) -> String {
    if at.is_empty() { key.to_string() } else { format!("{at}.{key}") }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { text.chars().take(59).chain(['…']).collect() }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        // A whole number may be written with a fraction of zero.
        "integer" => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_word_of_a_schema_is_kept_to() {
        let tree = json!({"$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "additionalProperties": false}}, "$ref": "#/$defs/node"});
        let cases = [
            (json!({"type": "integer"}), json!(2.0), ""),
            (json!({"type": "integer"}), json!(2.5), "the document must be of type integer, not 2.5"),
            (json!({"type": ["string", "null"]}), json!(null), ""),
            (json!({"type": ["string", "null"]}), json!(1), "the document must be of type string or null, not 1"),
            (json!({"const": "x"}), json!("y"), "the document must be \"x\", not \"y\""),
            (
                json!({"items": {"type": "string"}, "maxItems": 1}),
                json!(["a", 2]),
                "the document must have a number of items of at most 1, not [\"a\",2]; `[1]` must be of type string, not 2",
            ),
            (json!({"prefixItems": [{"type": "string"}], "items": false}), json!(["a", 1]), "`[1]` must not be there"),
            (json!({"uniqueItems": true}), json!([1, 2, 1]), "the document holds the same item twice"),
            (
                json!({"properties": {"a": {"minLength": 2}}, "additionalProperties": false}),
                json!({"a": "ü", "b": 1}),
                "`a` must have a length of at least 2, not \"ü\"; `b` is not a known property",
            ),
            (
                json!({"additionalProperties": {"type": "boolean"}}),
                json!({"z": 0}),
                "`z` must be of type boolean, not 0",
            ),
            (
                json!({"anyOf": [{"type": "string"}, {"minimum": 3}]}),
                json!(2),
                "the document must fit one of 2 forms, not 2",
            ),
            (json!({"oneOf": [{"minimum": 1}, {"minimum": 2}]}), json!(1.5), ""),
            (
                json!({"oneOf": [{"minimum": 1}, {"minimum": 2}]}),
                json!(2),
                "the document must fit exactly one of 2 forms, not 2",
            ),
            (
                json!({"allOf": [{"exclusiveMinimum": 1}, {"multipleOf": 0.5}]}),
                json!(1),
                "the document must be more than 1, not 1",
            ),
            (json!({"multipleOf": 0.1}), json!(0.3), ""),
            (json!({"not": {"type": "null"}}), json!(null), "the document has a form that is excluded, not null"),
            (tree.clone(), json!({"next": {"next": {}}}), ""),
            (tree, json!({"next": {"x": 1}}), "`next.x` is not a known property"),
            (json!({"$ref": "#"}), json!(1), ""),
            (json!({"pattern": "^a", "format": "email", "unheard": 1}), json!("b"), ""),
        ];
        for (schema, value, expected) in cases {
            assert_eq!(check(&schema, &value).join("; "), expected, "{schema} {value}");
        }
    }
}
