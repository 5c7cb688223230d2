//! The schemas by which servers describe what their tools take. What is no schema costs the tool that has it.

use std::sync::Arc;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Bytes of the longest schema that is shown to a model.
const LONGEST: usize = 32 << 10;
/// Mistakes that are named at once.
const MISTAKES: usize = 8;

/// A schema that arguments are held against as a whole.
#[derive(Clone)]
pub struct Schema {
    value: Value,
    validator: Arc<Validator>,
}

impl Schema {
    /// Takes a schema of an object. It fetches nothing that the schema refers to.
    ///
    /// # Errors
    /// It is no JSON Schema of an object, or too long; in words.
    pub fn new(value: Value) -> Result<Schema, String> {
        let length = value.to_string().len();
        if length > LONGEST {
            return Err(format!("its schema has {} KiB; {} are shown at most", length >> 10, LONGEST >> 10));
        }
        if !value.is_object() || value.get("type").is_some_and(|it| it != "object") {
            return Err("its schema is not that of an object".into());
        }
        // Patterns of others never take more than linear time.
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        let validator = options.build(&value).map_err(|error| format!("its schema is none: {error}"))?;
        Ok(Schema { value, validator: Arc::new(validator) })
    }

    /// The schema itself.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What does not fit, one line each; empty where all does.
    pub fn mistakes(&self, args: &Value) -> Vec<String> {
        let line = |error: jsonschema::ValidationError<'_>| {
            let path = error.instance_path().to_string();
            let place = path.trim_start_matches('/').replace('/', ".");
            if place.is_empty() { error.to_string() } else { format!("`{place}`: {error}") }
        };
        self.validator.iter_errors(args).take(MISTAKES).map(line).collect()
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_no_schema_of_an_object_is_refused_with_the_reason() {
        for (value, why) in [
            (json!(3), "not that of an object"),
            (json!({"type": "string"}), "not that of an object"),
            (json!({"type": "object", "properties": 7}), "is none"),
            (json!({"type": "object", "properties": {"a": {"type": "strin"}}}), "is none"),
            (json!({"$ref": "https://example.org/schema.json"}), "is none"),
            (json!({"type": "object", "description": "x".repeat(40_000)}), "KiB"),
        ] {
            let error = Schema::new(value.clone()).unwrap_err();
            assert!(error.contains(why), "{why}: {error}");
        }
        assert!(Schema::new(json!({})).is_ok());
    }

    #[test]
    fn arguments_are_held_against_all_of_it() {
        let schema = Schema::new(json!({
            "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"anyOf": [{"type": "integer", "minimum": 2}, {"const": "x"}]}, "b": {"type": "array", "items": {"type": "string"}}},
        }))
        .unwrap();
        assert!(schema.mistakes(&json!({"a": 2})).is_empty() && schema.mistakes(&json!({"a": "x"})).is_empty());
        let words = |args| schema.mistakes(&args).join("\n");
        assert!(words(json!({})).contains("\"a\" is a required property"));
        assert!(words(json!({"a": 1})).starts_with("`a`: "));
        assert!(words(json!({"a": 2, "b": ["x", 1]})).starts_with("`b.1`: 1 is not of type"));
        assert!(words(json!({"a": 2, "c": 1})).contains("'c' was unexpected"));
    }
}
