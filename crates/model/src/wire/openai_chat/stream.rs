//! The answer of a chat completions endpoint, streamed or whole. Tolerant where servers are careless: indices and ids of
//! calls may be missing or repeated, arguments may be objects, usage may stand in three places.

use ox_protocol::{Failure, FailureKind, Finish, Image, Reasoning, Tokens, Usage};
use serde_json::{Value, json};

use super::calls::Calls;
use crate::failure::{failure, from_event};
use crate::model::Reply;
use crate::output::think::{Part, Think};
use crate::wire::exchange::{Collector, Shown, count, cut, lacks};

/// What has come of the answer so far.
#[derive(Debug, Default)]
pub struct Stream {
    text: String,
    thinking: String,
    details: Vec<Value>,
    calls: Calls,
    images: Vec<Image>,
    think: Think,
    finish: Option<Finish>,
    usage: Option<Usage>,
    done: bool,
}

impl Collector for Stream {
    fn value(&mut self, name: &str, chunk: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        self.chunk(chunk, name == "error", show)
    }

    fn end(&mut self) {
        self.done = true;
    }

    fn whole(&mut self, body: &Value, show: &Shown<'_>) -> Result<(), Failure> {
        if body.get("choices").is_none() && body.get("error").is_none() {
            return Err(lacks("`choices`", body));
        }
        self.done = true;
        self.chunk(body, false, show)
    }

    fn held(&self) -> usize {
        self.text.len() + self.thinking.len() + self.calls.held()
    }

    fn is_over(&self) -> bool {
        self.done
    }

    fn is_complete(&self) -> bool {
        self.done || self.finish.is_some()
    }

    fn finish(mut self) -> Result<Reply, Failure> {
        let (thinking, text) = self.think.end();
        self.thinking += &thinking;
        self.text += &text;
        let calls = self.calls.finish();
        let finish = match self.finish {
            Some(finish) => finish,
            None if self.done => Finish::Stop,
            None => return Err(cut()),
        };
        let finish = if finish == Finish::Stop && !calls.is_empty() { Finish::Calls } else { finish };
        let opaque = (!self.details.is_empty()).then(|| json!({"reasoning_details": self.details}));
        let reasoning = (!self.thinking.is_empty() || opaque.is_some())
            .then(|| Reasoning { text: std::mem::take(&mut self.thinking), opaque });
        let Stream { text, images, usage, .. } = self;
        Ok(Reply { text, reasoning: reasoning.into_iter().collect(), calls, images, finish, usage })
    }
}

impl Stream {
    fn chunk(&mut self, chunk: &Value, is_error: bool, show: &Shown<'_>) -> Result<(), Failure> {
        if is_error || chunk.get("error").is_some_and(|it| !it.is_null()) {
            return Err(from_event(chunk));
        }
        // Further choices are other answers to the same question.
        let first = |it: &&Value| it.get("index").and_then(Value::as_u64).unwrap_or_default() == 0;
        let choice = chunk.get("choices").and_then(Value::as_array).and_then(|all| all.iter().find(first));
        let places = [chunk.get("usage"), choice.and_then(|it| it.get("usage")), chunk.pointer("/x_groq/usage")];
        if let Some(usage) = places.into_iter().flatten().find(|it| it.is_object()) {
            self.usage = Some(read_usage(usage));
        }
        let Some(choice) = choice else { return Ok(()) };
        if let Some(error) = choice.get("error").filter(|it| !it.is_null()) {
            return Err(from_event(error));
        }
        // A whole answer has `message` where a stream has `delta`.
        if let Some(delta) = choice.get("delta").or(choice.get("message")) {
            self.delta(delta, show);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|it| !it.is_empty()) {
            self.finish = Some(finish_of(reason).ok_or_else(|| {
                failure(FailureKind::Server, format!("the provider stopped the reply: finish_reason `{reason}`"))
            })?);
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Value, show: &Shown<'_>) {
        let reasoning = ["reasoning_content", "reasoning"].iter().find_map(|key| delta.get(*key)?.as_str());
        if let Some(thinking) = reasoning {
            self.thinking += thinking;
            show.thinking(thinking);
        }
        for detail in delta.get("reasoning_details").and_then(Value::as_array).into_iter().flatten() {
            merge_detail(&mut self.details, detail);
        }
        match delta.get("content") {
            Some(Value::String(text)) => self.content(text, show),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.content_part(part, show)),
            _ => {}
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str) {
            self.content(refusal, show);
        }
        for call in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.calls.delta(call);
        }
        // The form before parallel calls, which some servers still answer with.
        if let Some(function) = delta.get("function_call").filter(|it| it.is_object()) {
            self.calls.delta(&json!({"index": 0, "function": function}));
        }
        // Routers to models that draw put their pictures beside the text.
        for picture in delta.get("images").and_then(Value::as_array).into_iter().flatten() {
            let url = picture.pointer("/image_url/url").and_then(Value::as_str);
            self.images.extend(url.and_then(crate::wire::attached::of_data_url));
        }
    }

    fn content(&mut self, text: &str, show: &Shown<'_>) {
        let Stream { think, thinking, text: all, .. } = self;
        think.feed(text, |part| match part {
            Part::Text(text) => {
                *all += text;
                show.text(text);
            }
            Part::Thinking(text) => {
                *thinking += text;
                show.thinking(text);
            }
        });
    }

    /// One part of a content list (Mistral): text, or thinking that is itself a list.
    fn content_part(&mut self, part: &Value, show: &Shown<'_>) {
        if let Some(text) = part.get("text").and_then(Value::as_str) {
            self.content(text, show);
        }
        for inner in part.get("thinking").and_then(Value::as_array).into_iter().flatten() {
            if let Some(text) = inner.get("text").and_then(Value::as_str) {
                self.thinking += text;
                show.thinking(text);
            }
        }
    }
}

/// Joins the streamed pieces of one detail: text grows, everything else is taken as it last came.
fn merge_detail(details: &mut Vec<Value>, piece: &Value) {
    let same = |it: &&mut Value| {
        it.get("type") == piece.get("type") && it.get("index") == piece.get("index") && it.get("index").is_some()
    };
    let (Some(known), Some(fields)) = (details.iter_mut().find(same).and_then(Value::as_object_mut), piece.as_object())
    else {
        details.push(piece.clone());
        return;
    };
    for (key, value) in fields {
        match (key.as_str(), known.get_mut(key), value) {
            ("text" | "summary" | "data", Some(Value::String(known)), Value::String(more)) => *known += more,
            (_, _, Value::Null) => {}
            _ => {
                known.insert(key.clone(), value.clone());
            }
        }
    }
}

/// None where the word means that the provider failed.
fn finish_of(reason: &str) -> Option<Finish> {
    match reason {
        "error" => None,
        "tool_calls" | "function_call" | "tool_use" => Some(Finish::Calls),
        "length" | "max_tokens" | "model_length" => Some(Finish::Length),
        "content_filter" | "safety" | "SAFETY" => Some(Finish::Filter),
        "stop" | "end_turn" | "stop_sequence" | "eos_token" => Some(Finish::Stop),
        other => Some(Finish::Other(other.to_owned())),
    }
}

fn read_usage(usage: &Value) -> Usage {
    let first = |paths: &[&str]| Tokens(paths.iter().find_map(|path| count(usage, path)).unwrap_or_default());
    Usage {
        input: first(&["/prompt_tokens"]),
        cache_read: first(&["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens", "/cached_tokens"]),
        cache_write: first(&["/prompt_tokens_details/cache_write_tokens"]),
        output: first(&["/completion_tokens"]),
        reasoning: first(&["/completion_tokens_details/reasoning_tokens"]),
    }
}
