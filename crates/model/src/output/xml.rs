//! Tool calls for models without native ones: the tools become words of the system prompt, calls and results become
//! text, and the calls are read from the streamed answer.
//!
//! Never lets a half-arrived tag be seen, and never takes a tag for a call whose name is not an offered tool's, or which
//! stands in a code fence.

mod fence;
mod forms;
mod names;
mod parse;
mod tag;
mod value;

use std::sync::{Arc, Mutex};

use ox_protocol::{
    BoxFuture, Failure, Finish, Message, ModelFacts, Part, Reasoning, Role, ToolChoice, ToolFormat, ToolSpec,
};
use serde_json::Value;

use crate::model::{Model, Piece, Reply, Request};

pub use parse::Parser;

/// How to call tools, before the list of them.
const WORDS: &str = include_str!("xml/words.md");

/// A model that is asked without native tools and whose calls are read from its text.
#[derive(Debug)]
pub struct Xml<M> {
    inner: M,
    facts: ModelFacts,
}

impl<M: Model> Xml<M> {
    /// Wraps `inner`.
    pub fn new(inner: M) -> Xml<M> {
        let facts = ModelFacts { tools: ToolFormat::Xml, ..inner.facts().clone() };
        Xml { inner, facts }
    }
}

impl<M: Model> Model for Xml<M> {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let plain = translate(request);
            let offered = if request.tool_choice == ToolChoice::None { &[] } else { request.tools.as_slice() };
            let reading = Mutex::new(Reading { parser: Parser::new(offered), ..Reading::default() });
            let on = |piece: Piece<'_>| match piece {
                Piece::Thinking(_) => show(piece),
                Piece::Text(text) => reading.lock().expect("no holder of this lock panics").feed(text, show),
            };
            let asked = self.inner.ask(&plain, &on).await;
            let mut reading = reading.into_inner().expect("no holder of this lock panics");
            match asked {
                Ok(reply) => {
                    reading.end(show);
                    Ok(reading.reply(reply))
                }
                Err(failure) => Err(Failure { partial: reading.text, ..failure }),
            }
        })
    }
}

/// What has been read of the answer so far.
#[derive(Default)]
struct Reading {
    parser: Parser,
    text: String,
    thinking: String,
}

impl Reading {
    fn feed(&mut self, text: &str, show: &(dyn Fn(Piece<'_>) + Send + Sync)) {
        let Reading { parser, text: all, thinking } = self;
        parser.feed(text, &mut |piece| note(piece, all, thinking, show));
    }

    fn end(&mut self, show: &(dyn Fn(Piece<'_>) + Send + Sync)) {
        let Reading { parser, text: all, thinking } = self;
        parser.end(&mut |piece| note(piece, all, thinking, show));
    }

    fn reply(self, inner: Reply) -> Reply {
        // A server may still have understood a call natively.
        let mut calls: Vec<_> = inner.calls.into_iter().chain(self.parser.into_calls()).collect();
        if let Some(last) = calls.last_mut().filter(|it| inner.finish == Finish::Length && it.args.starts_with('<')) {
            // What lacks its end because the reply was cut off lacks more than that.
            last.args.push('<');
        }
        let mut reasoning = inner.reasoning;
        if !self.thinking.is_empty() {
            reasoning.push(Reasoning { text: self.thinking, opaque: None });
        }
        let finish = if inner.finish == Finish::Stop && !calls.is_empty() { Finish::Calls } else { inner.finish };
        Reply { text: self.text, reasoning, calls, images: inner.images, finish, usage: inner.usage }
    }
}

fn note(piece: Piece<'_>, text: &mut String, thinking: &mut String, show: &(dyn Fn(Piece<'_>) + Send + Sync)) {
    match piece {
        Piece::Text(it) => text.push_str(it),
        Piece::Thinking(it) => thinking.push_str(it),
    }
    show(piece);
}

/// The same request for a model that knows no tools.
pub(crate) fn translate(request: &Request) -> Request {
    let mut messages: Vec<Arc<Message>> = request.messages.iter().map(|it| Arc::new(message(it))).collect();
    let order = match &request.tool_choice {
        _ if request.tools.is_empty() => None,
        ToolChoice::Auto => None,
        ToolChoice::None => Some("Answer without calling a tool."),
        ToolChoice::Required => Some("Your answer must call a tool."),
    };
    match (messages.last_mut(), order) {
        (Some(last), Some(order)) if last.role == Role::User => {
            Arc::make_mut(last).parts.push(Part::text(format!("({order})")));
        }
        (_, Some(order)) => messages.push(Message::text(Role::User, format!("({order})")).into()),
        (_, None) => {}
    }
    Request {
        system: with_tools(&request.system, &request.tools),
        tools: Vec::new(),
        messages,
        tool_choice: ToolChoice::Auto,
        ..request.clone()
    }
}

fn with_tools(system: &str, tools: &[ToolSpec]) -> String {
    if tools.is_empty() {
        return system.to_string();
    }
    let tools: Vec<String> = tools.iter().map(tool_words).collect();
    format!("{}\n\n{WORDS}\n{}", system.trim_end(), tools.join("\n\n")).trim_start().to_string()
}

fn tool_words(tool: &ToolSpec) -> String {
    let mut out = format!("## {}\n{}\n<{}>\n", tool.name, tool.description.trim(), tool.name);
    let required: Vec<&str> =
        tool.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, schema) in tool.schema["properties"].as_object().into_iter().flatten() {
        let kind = match schema.get("enum").and_then(Value::as_array) {
            Some(values) => values
                .iter()
                .map(|it| it.as_str().map_or(it.to_string(), str::to_string))
                .collect::<Vec<_>>()
                .join(" or "),
            None => schema["type"].as_str().unwrap_or("JSON").to_string(),
        };
        // The fields of lists and objects can be told by their schema alone.
        let shape = match schema["type"].as_str() {
            Some("array") => format!(" of {}", schema["items"]),
            Some("object") => format!(" {schema}"),
            _ => String::new(),
        };
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        let about = schema["description"].as_str().map(|it| format!(": {it}")).unwrap_or_default();
        out += &format!("<{name}>{kind}{shape}{optional}{about}</{name}>\n");
    }
    out + &format!("</{}>", tool.name)
}

/// Calls and results as text; everything else stays.
fn message(message: &Message) -> Message {
    let role = if message.role == Role::Assistant { Role::Assistant } else { Role::User };
    let mut parts: Vec<Part> = Vec::new();
    let mut text = String::new();
    for part in &message.parts {
        match part {
            Part::Text { text: words } => add(&mut text, words),
            Part::Call { name, args, .. } => add(&mut text, &call_words(name, args)),
            Part::Result { name, ok, text: words, images, .. } => {
                let failed = if *ok { "" } else { " failed=\"true\"" };
                add(&mut text, &format!("<result tool=\"{name}\"{failed}>\n{words}\n</result>"));
                parts.extend(images.iter().map(|image| Part::Image { image: image.clone() }));
            }
            Part::Image { .. } | Part::Reasoning { .. } => parts.push(part.clone()),
        }
    }
    if !text.is_empty() {
        parts.push(Part::text(text));
    }
    Message { role, parts }
}

fn add(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// A reply as a model without native calls writes it: its text, then its calls.
pub fn written(reply: &Reply) -> String {
    let mut text = reply.text.clone();
    for call in &reply.calls {
        add(&mut text, &call_words(&call.name, &serde_json::from_str(&call.args).unwrap_or_default()));
    }
    text
}

/// A call as the model writes it.
fn call_words(name: &str, args: &Value) -> String {
    let mut out = format!("<{name}>\n");
    for (key, value) in args.as_object().into_iter().flatten() {
        out += &match value {
            Value::String(text) if text.contains('\n') => {
                let text = if key == "content" { text.strip_suffix('\n').unwrap_or(text) } else { text };
                format!("<{key}>\n{text}\n</{key}>\n")
            }
            Value::String(text) => format!("<{key}>{text}</{key}>\n"),
            other => format!("<{key}>{other}</{key}>\n"),
        };
    }
    out + &format!("</{name}>")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::offline::scripted::{Scripted, Step};
    use crate::sample;

    #[test]
    fn a_conversation_in_words() {
        let mut request = sample::conversation();
        request.tool_choice = ToolChoice::Required;
        let plain = translate(&request);
        let mut out = format!("{}\n", plain.system);
        for message in &plain.messages {
            out += &format!("--- {:?}\n", message.role);
            for part in &message.parts {
                out += &match part {
                    Part::Text { text } => format!("{text}\n"),
                    Part::Image { image } => format!("[{}]\n", image.name),
                    Part::Reasoning { .. } => "[reasoning]\n".to_string(),
                    other => panic!("{other:?} is no text"),
                };
            }
        }
        expect![[r#"
            You are Ox.

            # Calling tools

            You call a tool by writing it as XML in your answer, the tool's name as the outer tag and one tag for each argument:

            <tool_name>
            <argument>value</argument>
            </tool_name>

            - Write values exactly as they are; nothing is escaped, `<` and `&` stand for themselves.
            - A value of several lines begins on the line after its tag and ends on the line before the closing tag.
            - Lists and objects are written as JSON, line breaks in their texts as `\n`. A list may also be written as one tag for each element, an element with fields as one tag for each field in it, where nothing is escaped.
            - You may write several calls one after the other. Write nothing after the last one: the results come in the next message, as `<result tool="tool_name">`.
            - A call in a code fence is only shown to the user, not run.
            - Only these tools exist:

            ## read_file
            Does read_file.
            <read_file>
            <path>string</path>
            </read_file>

            ## run_checks
            Does run_checks.
            <run_checks>
            <scope>string</scope>
            </run_checks>
            --- User
            Context.

            Fix add.
            --- Assistant
            [reasoning]
            I will look.

            <read_file>
            <path>src/lib.rs</path>
            </read_file>

            <run_checks>
            </run_checks>
            --- User
            [shot.png]
            <result tool="read_file">
            a picture
            </result>

            <result tool="run_checks" failed="true">
            1 test failed
            </result>
            --- User
            [shot.png]
            Like this:
            (Your answer must call a tool.)
        "#]].assert_eq(&out);
        assert!(plain.tools.is_empty());
    }

    #[tokio::test]
    async fn a_written_call_becomes_a_call() {
        let text = "I will look.\n\n<read_file>\n<path>a.rs</path>\n</read_file>\n";
        let inner = Scripted::new(vec![Step::Reply(Reply { text: text.to_string(), ..Reply::default() })]);
        let model = Xml::new(inner);
        let shown = Mutex::new(String::new());
        let show = |piece: Piece<'_>| {
            if let Piece::Text(text) = piece {
                shown.lock().unwrap().push_str(text);
            }
        };
        let reply = model.ask(&sample::conversation(), &show).await.unwrap();
        assert_eq!(reply.text, "I will look.");
        assert_eq!(*shown.lock().unwrap(), reply.text);
        assert_eq!((reply.calls[0].name.as_str(), reply.calls[0].args.as_str()), ("read_file", r#"{"path":"a.rs"}"#));
        assert_eq!(reply.finish, Finish::Calls);
        assert_eq!(model.facts().tools, ToolFormat::Xml);
    }
}
