//! A conversation in the words of chat completions, borrowed from the request: it is worded anew for each one, however long it
//! is.

use std::borrow::Cow;

use ox_protocol::{Image, Message, Part, Role};
use serde::Serialize;
use serde_json::{Value, json};

use crate::model::Request;
use crate::wire::attached::{self, Attached};
use crate::wire::cache;
use crate::wire::format::function_name;

/// One message.
#[derive(Default, Serialize)]
pub(super) struct Said<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    content: Content<'a>,
    #[serde(skip_serializing_if = "String::is_empty")]
    reasoning_content: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
}

/// Text alone is a plain string, which every endpoint takes.
#[derive(Default, Serialize)]
#[serde(untagged)]
enum Content<'a> {
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    Parts(Vec<Value>),
}

#[derive(Serialize)]
struct Call<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    arguments: String,
}

impl<'a> Said<'a> {
    fn text(role: &'static str, text: impl Into<Cow<'a, str>>) -> Said<'a> {
        Said { role, content: Content::Text(text.into()), ..Said::default() }
    }
}

/// What of a conversation is sent, and in which form.
pub(super) struct With {
    /// Reasoning goes back beside calls.
    pub reasoning: bool,
    /// Pictures are sent; they are named otherwise.
    pub images: bool,
    /// PDF documents are sent; they are named otherwise.
    pub documents: bool,
    pub short_ids: bool,
}

impl With {
    fn id<'a>(&self, id: &'a str) -> Cow<'a, str> {
        if self.short_ids { short_id(id).into() } else { id.into() }
    }
}

/// Nine letters and digits for an id, always the same ones.
fn short_id(id: &str) -> String {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut rest = cache::steady_hash(id.bytes());
    let letter = |_| {
        let letter = LETTERS[(rest % 62) as usize];
        rest /= 62;
        char::from(letter)
    };
    (0..9).map(letter).collect()
}

pub(super) fn messages<'a>(request: &'a Request, with: &With) -> Vec<Said<'a>> {
    let mut out = Vec::new();
    if !request.system.is_empty() {
        out.push(Said::text("system", &request.system));
    }
    // What the user says waits: nothing may stand between the results of one reply, and the templates of small models
    // refuse two messages of the user in a row.
    let mut waiting = Waiting { sees: with.images, reads: with.documents, ..Waiting::default() };
    for message in &request.messages {
        if message.role == Role::Assistant {
            out.extend(waiting.message());
            out.extend(assistant(message, with));
        } else {
            for part in &message.parts {
                if let Part::Result { id, text, images, .. } = part {
                    out.push(Said { tool_call_id: Some(with.id(&id.0)), ..Said::text("tool", text) });
                    waiting.pictures(images);
                }
            }
            waiting.said(message);
        }
    }
    out.extend(waiting.message());
    out
}

/// A message of the user in the making.
#[derive(Default)]
struct Waiting {
    /// False where the model sees no pictures; they are named instead.
    sees: bool,
    /// False where it takes no documents; they are named instead.
    reads: bool,
    images: Vec<Value>,
    texts: Vec<String>,
}

impl Waiting {
    /// Pictures of a result, with their names.
    fn pictures(&mut self, images: &[Image]) {
        if !images.is_empty() {
            let names: Vec<&str> = images.iter().map(|it| it.name.as_str()).filter(|it| !it.is_empty()).collect();
            let of = if names.is_empty() { "the results above".to_string() } else { names.join(", ") };
            self.texts.push(format!("(Pictures: {of})"));
            images.iter().for_each(|it| self.picture(it));
        }
    }

    fn picture(&mut self, picture: &Image) {
        match Attached::of(picture) {
            Attached::Picture if self.sees => self.images.push(image(picture)),
            Attached::Pdf if self.reads => self.images.push(file(picture)),
            // A text in words is understood by every endpoint.
            Attached::Text(text) => self.texts.push(attached::in_words(picture, &text)),
            Attached::Picture | Attached::Pdf => self.texts.push(attached::unseen(picture)),
        }
    }

    fn said(&mut self, message: &Message) {
        for part in &message.parts {
            match part {
                Part::Image { image } => self.picture(image),
                Part::Text { text } if !text.is_empty() => self.texts.push(text.clone()),
                _ => {}
            }
        }
    }

    /// Pictures stand before the text.
    fn message(&mut self) -> Option<Said<'static>> {
        let text = std::mem::take(&mut self.texts).join("\n\n");
        let mut content = std::mem::take(&mut self.images);
        if content.is_empty() {
            return (!text.is_empty()).then(|| Said::text("user", text));
        }
        if !text.is_empty() {
            content.push(json!({"type": "text", "text": text}));
        }
        Some(Said { role: "user", content: Content::Parts(content), ..Said::default() })
    }
}

fn assistant<'a>(message: &'a Message, with: &With) -> Option<Said<'a>> {
    let mut text = String::new();
    let mut said = Said { role: "assistant", ..Said::default() };
    for part in &message.parts {
        match part {
            Part::Text { text: words } => text += words,
            Part::Call { id, name, args } => {
                let arguments = serde_json::to_string(args).expect("invariant: a value is JSON");
                let function = Function { name: function_name(name), arguments };
                said.tool_calls.push(Call { id: with.id(&id.0), r#type: "function", function });
            }
            Part::Reasoning { reasoning: it } => {
                said.reasoning_content += &it.text;
                let kept = it.opaque.as_ref().and_then(|it| it.get("reasoning_details")).and_then(Value::as_array);
                said.reasoning_details.extend(kept.into_iter().flatten());
            }
            Part::Image { image } => attached::tell_made(&mut text, image),
            Part::Result { .. } => {}
        }
    }
    if text.is_empty() && said.tool_calls.is_empty() {
        return None;
    }
    if !with.reasoning || said.tool_calls.is_empty() {
        said.reasoning_content.clear();
    }
    if !text.is_empty() {
        said.content = Content::Text(text.into());
    }
    Some(said)
}

fn image(image: &Image) -> Value {
    json!({"type": "image_url", "image_url": {"url": attached::data_url(image), "detail": "high"}})
}

fn file(it: &Image) -> Value {
    json!({"type": "file", "file": {"filename": attached::file_name(it), "file_data": attached::data_url(it)}})
}

/// Marks the system prompt, the last message that is not the model's, and the one with which the request before ended: what
/// that one wrote to the cache is then found however much has been added since.
pub(super) fn mark(messages: &mut [Said<'_>]) {
    let is_other = |it: &Said<'_>| it.role == "user" || it.role == "tool";
    let system = messages.iter().position(|it| it.role == "system");
    let last = messages.iter().rposition(is_other);
    let reply = messages.iter().rposition(|it| it.role == "assistant");
    let before = reply.and_then(|at| messages[..at].iter().rposition(is_other));
    let mut places: Vec<usize> = [system, before, last].into_iter().flatten().collect();
    places.dedup();
    for at in places {
        let content = &mut messages[at].content;
        // A block without text is refused.
        if let Content::Text(text) = content
            && !text.trim().is_empty()
        {
            *content = Content::Parts(vec![json!({"type": "text", "text": text})]);
        }
        if let Content::Parts(parts) = content
            && let Some(block) = parts.last_mut()
        {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(roles: &[&'static str]) -> Vec<usize> {
        let mut messages: Vec<Said<'_>> = roles.iter().map(|it| Said::text(it, "words")).collect();
        mark(&mut messages);
        (0..messages.len()).filter(|at| json!(messages[*at]).to_string().contains("cache_control")).collect()
    }

    #[test]
    fn the_ends_of_this_request_and_of_the_one_before_are_marked() {
        let cases: [(&[&'static str], &[usize]); 6] = [
            (&["system", "user"], &[0, 1]),
            (&["system", "user", "assistant", "tool", "tool"], &[0, 1, 4]),
            (&["system", "user", "assistant", "tool", "assistant", "tool", "tool", "user"], &[0, 3, 7]),
            (&["user", "assistant"], &[0]),
            (&["system"], &[0]),
            (&[], &[]),
        ];
        for (roles, expected) in cases {
            assert_eq!(marked(roles), expected, "{roles:?}");
        }
    }

    #[test]
    fn nothing_is_marked_that_is_blank() {
        let mut messages = [Said::text("user", " ")];
        mark(&mut messages);
        assert_eq!(json!(messages), json!([{"role": "user", "content": " "}]));
    }
}
