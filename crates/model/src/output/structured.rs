//! Replies that have to be JSON of a certain shape: how a schema is asked for, and whether a reply keeps to it.
//!
//! What a provider guarantees is checked all the same; a value that is not valid is never handed on.

mod valid;

use ox_protocol::{Failure, FailureKind, Message, Part, Role, Usage};
use serde_json::{Map, Value, json};

use crate::failure::failure;
use crate::model::{Model, Request};

/// How often a reply is asked for until it is valid.
const TRIES: usize = 3;

/// Words that only say how long or large something is; Anthropic's endpoint refuses them.
const BOUNDS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "pattern",
];

/// Asks until the reply is JSON that is valid against `schema`, at most three times, each time telling the model what was
/// wrong. Gives the value and what all replies used together. Failures: those of the model, and `Malformed` where no reply
/// was valid.
pub async fn ask_json(model: &dyn Model, schema: &Value, request: &Request) -> Result<(Value, Usage), Failure> {
    let mut request = Request { schema: Some(schema.clone()), ..request.clone() };
    let mut used = Usage::default();
    let mut wrong = String::new();
    for _ in 0..TRIES {
        let reply = model.ask(&request, &|_| {}).await?;
        used += reply.usage.unwrap_or_default();
        match read_json(schema, &reply.text) {
            Ok(value) => return Ok((value, used)),
            Err(words) => wrong = words,
        }
        let said = if reply.text.trim().is_empty() { "(nothing)" } else { &reply.text };
        request.messages.push(Message::text(Role::Assistant, said));
        let words = format!(
            "That is not what was asked for: {wrong}. Answer again, with the whole JSON document and nothing else."
        );
        request.messages.push(Message::text(Role::User, words));
    }
    Err(failure(FailureKind::Malformed, format!("after {TRIES} replies none was the JSON that was asked for: {wrong}")))
}

/// The JSON document in a reply's text, valid against `schema`; otherwise what is wrong with it, for the model. It may stand
/// in a code fence or between other words.
pub fn read_json(schema: &Value, text: &str) -> Result<Value, String> {
    let value = document(text).ok_or("it holds no JSON document")?;
    let wrong = valid::check(schema, &value);
    if wrong.is_empty() { Ok(value) } else { Err(wrong.join("; ")) }
}

fn document(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let starts = text.char_indices().filter(|(_, it)| matches!(it, '{' | '['));
    // A brace in a sentence is not the begin of a document, hence several tries; a long text has enough of them.
    starts.take(100).find_map(|(at, _)| serde_json::Deserializer::from_str(&text[at..]).into_iter().next()?.ok())
}

/// The same request with the schema in words, for an endpoint that cannot be held to one.
pub(crate) fn spelled(request: &Request) -> Request {
    let Some(schema) = &request.schema else { return request.clone() };
    let words = format!(
        "Answer with one JSON document and nothing else: no code fence, no word before or after it. It must be valid against this JSON Schema:\n{schema}"
    );
    let mut request = Request { schema: None, ..request.clone() };
    match request.messages.last_mut() {
        Some(last) if last.role == Role::User => last.parts.push(Part::text(words)),
        _ => request.messages.push(Message::text(Role::User, words)),
    }
    request
}

/// True where every object of the schema lists all of its properties as required and takes no others, which is what
/// OpenAI's endpoints want of a schema that they are strict about.
pub(crate) fn is_strict(schema: &Value) -> bool {
    let closed = |it: &Map<String, Value>| {
        let required = it.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let properties = it.get("properties").and_then(Value::as_object);
        let all = properties.is_none_or(|all| all.keys().all(|key| required.iter().any(|it| it == key)));
        all && it.get("additionalProperties") == Some(&Value::Bool(false))
    };
    match schema {
        Value::Object(it) => (!is_object(it) || closed(it)) && it.values().all(is_strict),
        Value::Array(all) => all.iter().all(is_strict),
        _ => true,
    }
}

/// The schema as Anthropic's endpoint takes it: objects take no further properties, and no bounds, which [`read_json`]
/// checks afterwards.
pub(crate) fn closed(schema: &Value) -> Value {
    let Value::Object(fields) = schema else {
        return match schema {
            Value::Array(all) => all.iter().map(closed).collect(),
            other => other.clone(),
        };
    };
    // Below `properties` the keys are names of the document's own.
    let named = |key: &str| matches!(key, "properties" | "$defs" | "definitions");
    let keeps = |key: &str| !BOUNDS.contains(&key);
    let inner = |key: &str, value: &Value| match (key, value) {
        ("enum" | "const" | "default" | "required", _) => value.clone(),
        (_, Value::Object(below)) if named(key) => below.iter().map(|(key, it)| (key.clone(), closed(it))).collect(),
        _ => closed(value),
    };
    let mut out: Map<String, Value> =
        fields.iter().filter(|(key, _)| keeps(key)).map(|(key, it)| (key.clone(), inner(key, it))).collect();
    if is_object(fields) {
        out.insert("additionalProperties".into(), json!(false));
    }
    Value::Object(out)
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema.get("type").is_some_and(|it| it == "object" || it.as_array().is_some_and(|it| it.contains(&json!("object"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Reply;
    use crate::offline::scripted::{Scripted, Step};

    fn schema() -> Value {
        json!({"type": "object", "properties": {"kind": {"enum": ["bug", "question"]}, "sure": {"type": "number", "minimum": 0}}, "required": ["kind"]})
    }

    #[test]
    fn a_document_is_found_wherever_it_stands() {
        let right = json!({"kind": "bug"});
        for text in [
            r#"{"kind": "bug"}"#,
            "```json\n{\"kind\": \"bug\"}\n```",
            "Sure {as you like}: {\"kind\":\"bug\"} That is all.",
        ] {
            assert_eq!(read_json(&schema(), text), Ok(right.clone()), "{text}");
        }
        assert_eq!(read_json(&schema(), "bug").unwrap_err(), "it holds no JSON document");
        let wrong = read_json(&schema(), r#"{"kind": "bag", "sure": -1}"#).unwrap_err();
        assert_eq!(wrong, r#"`kind` must be one of "bug", "question", not "bag"; `sure` must be at least 0, not -1"#);
    }

    #[test]
    fn which_schemas_are_strict_and_how_one_is_closed() {
        assert!(!is_strict(&schema()));
        let strict = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}, "required": ["a"], "additionalProperties": false});
        assert!(is_strict(&strict));
        assert!(!is_strict(&json!({"anyOf": [strict, {"type": "object"}]})));
        let open = json!({"type": "object", "properties": {"minimum": {"type": "integer", "minimum": 3}, "o": {"type": ["object", "null"]}}});
        let expected = json!({"type": "object", "properties": {"minimum": {"type": "integer"}, "o": {"type": ["object", "null"], "additionalProperties": false}}, "additionalProperties": false});
        assert_eq!(closed(&open), expected);
    }

    #[test]
    fn in_words_the_schema_stands_at_the_end() {
        let request = Request {
            schema: Some(schema()),
            messages: vec![Message::text(Role::User, "What is it?")],
            ..Request::default()
        };
        let spelled = spelled(&request);
        assert!(spelled.schema.is_none());
        let [Message { role: Role::User, parts }] = &spelled.messages[..] else { panic!("one message") };
        assert!(matches!(&parts[..], [_, Part::Text { text }] if text.ends_with(&schema().to_string())));
    }

    #[tokio::test]
    async fn a_wrong_reply_is_reported_what_is_wrong_and_asked_again() {
        let reply = |text: &str| Step::Reply(Reply { text: text.into(), ..Reply::default() });
        let request = Request { messages: vec![Message::text(Role::User, "What is it?")], ..Request::default() };
        let model = Scripted::new(vec![reply("It is a bug."), reply("{\"kind\":\"bug\"}")]);
        assert_eq!(ask_json(&model, &schema(), &request).await.unwrap().0, json!({"kind": "bug"}));
        let model = Scripted::new(vec![reply("a"), reply("b"), reply("{}"), reply("{\"kind\":\"bug\"}")]);
        let failure = ask_json(&model, &schema(), &request).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Malformed);
        assert!(failure.message.ends_with("`kind` is missing"), "{}", failure.message);
        assert_eq!(model.left(), 1);
    }
}
