//! An answer that a program reads: JSON that is valid under a schema.
//!
//! Promise: nothing is fetched. A schema that refers to another document is refused with its reference.

use std::path::Path;

use jsonschema::Validator;
use ox_protocol::Problem;
use serde_json::Value;

/// As many reasons are named; the rest is counted.
const REASONS: usize = 8;

/// What an answer has to be.
#[derive(Debug)]
pub struct AnswerSchema {
    text: String,
    validator: Validator,
}

impl AnswerSchema {
    /// Reads the schema in this file; what begins with a brace is the schema itself.
    pub fn read(path: &Path) -> Result<AnswerSchema, Problem> {
        let unusable = |why: &dyn std::fmt::Display| {
            Problem::new("usage.bad_schema").with("path", path.display()).with("why", why)
        };
        let text = match path.to_str().filter(|it| it.trim_start().starts_with('{')) {
            Some(schema) => schema.to_owned(),
            None => std::fs::read_to_string(path).map_err(|error| unusable(&error))?,
        };
        let schema: Value = serde_json::from_str(&text).map_err(|error| unusable(&error))?;
        let validator = jsonschema::validator_for(&schema).map_err(|error| unusable(&error))?;
        Ok(AnswerSchema { text, validator })
    }

    /// What the model reads of it.
    pub fn words(&self) -> String {
        ox_context::schema_words(&self.text)
    }

    /// The value of an answer, or why it is none.
    pub fn judge(&self, answer: &str) -> Result<Value, Vec<String>> {
        let value: Value =
            serde_json::from_str(unfenced(answer)).map_err(|error| vec![format!("it is not JSON: {error}")])?;
        let mut why: Vec<String> = self.validator.iter_errors(&value).map(|error| sentence(&error)).collect();
        if why.is_empty() {
            return Ok(value);
        }
        let left_out = why.len().saturating_sub(REASONS);
        why.truncate(REASONS);
        why.extend((left_out > 0).then(|| format!("… {left_out} more")));
        Err(why)
    }
}

fn sentence(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    if place.is_empty() { error.to_string() } else { format!("{place}: {error}") }
}

/// The text without the fence that models like to put around JSON.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|it| it.strip_suffix("```"));
    let Some(inner) = inner else { return text };
    inner.split_once('\n').map_or(text, |(_, body)| body.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(text: &str) -> Result<AnswerSchema, Problem> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        AnswerSchema::read(file.path())
    }

    const POINT: &str =
        r#"{"type": "object", "properties": {"x": {"type": "integer", "minimum": 0}}, "required": ["x"]}"#;

    #[test]
    fn an_answer_is_its_value_or_the_reasons_why_not() {
        let schema = schema(POINT).unwrap();
        assert_eq!(schema.judge(r#" {"x": 3} "#).unwrap()["x"], 3);
        assert_eq!(schema.judge("```json\n{\"x\": 3}\n```").unwrap()["x"], 3);
        for (answer, why) in [
            ("The point is 3.", "it is not JSON: expected value at line 1 column 1"),
            (r#"{"x": -1}"#, "/x: -1 is less than the minimum of 0"),
            ("{}", "\"x\" is a required property"),
        ] {
            assert_eq!(schema.judge(answer).unwrap_err(), [why]);
        }
    }

    #[test]
    fn many_reasons_are_counted() {
        let schema = schema(r#"{"items": {"type": "string"}}"#).unwrap();
        let why = schema.judge("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]").unwrap_err();
        assert_eq!((why.len(), why.last().unwrap().as_str()), (9, "… 2 more"));
    }

    #[test]
    fn a_schema_that_cannot_be_used_says_why() {
        for text in ["{", r#"{"type": "number line"}"#, r#"{"$ref": "https://example.com/other.json"}"#] {
            assert_eq!(schema(text).unwrap_err().code, "usage.bad_schema");
        }
    }
}
