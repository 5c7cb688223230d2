//! A conversation with everything that a wire format must carry, for the tests of all of them.

use std::sync::Arc;

use ox_protocol::{CallId, Image, Message, Part, Reasoning, Role, Tokens, ToolSpec};
use serde_json::{Value, json};

use crate::model::Request;

/// Two parallel calls, one of them with a picture in its result, then a picture from the user.
pub(crate) fn conversation() -> Request {
    let picture = Image { media_type: "image/png".into(), data: "iVBORw0=".into(), name: "shot.png".into() };
    let call = |id: &str, name: &str, args: Value| Part::Call { id: CallId(id.into()), name: name.into(), args };
    let result = |id: &str, name: &str, ok, text: &str, images| Part::Result {
        id: CallId(id.into()),
        name: name.into(),
        ok,
        text: text.into(),
        images,
    };
    let signed = Reasoning {
        text: "The sign looks wrong.".into(),
        opaque: Some(json!({"type": "thinking", "signature": "sig=="})),
    };
    Request {
        system: "You are Ox.".into(),
        tools: vec![tool("read_file", "path"), tool("run_checks", "scope")],
        messages: [
            Message { role: Role::User, parts: vec![Part::text("Context."), Part::text("Fix add.")] },
            Message {
                role: Role::Assistant,
                parts: vec![
                    Part::Reasoning { reasoning: signed },
                    Part::text("I will look."),
                    call("call_1_0", "read_file", json!({"path": "src/lib.rs"})),
                    call("call_1_1", "run_checks", json!({})),
                ],
            },
            Message {
                role: Role::Tool,
                parts: vec![
                    result("call_1_0", "read_file", true, "a picture", vec![picture.clone()]),
                    result("call_1_1", "run_checks", false, "1 test failed", vec![]),
                ],
            },
            Message { role: Role::User, parts: vec![Part::text("Like this:"), Part::Image { image: picture }] },
        ]
        .map(Arc::new)
        .into(),
        max_output: Tokens(8000),
        ..Request::default()
    }
}

/// A question about a PDF document, a text and a picture that the model made.
pub(crate) fn documents() -> Request {
    let attached = |name: &str, bytes: &[u8]| Part::Image {
        image: crate::wire::attached::attachment(name, bytes).expect("it is one"),
    };
    let made = Image { media_type: "image/png".into(), data: "iVBORw0=".into(), name: String::new() };
    Request {
        messages: [
            Message { role: Role::User, parts: vec![Part::text("Draw.")] },
            Message { role: Role::Assistant, parts: vec![Part::text("Here."), Part::Image { image: made }] },
            Message {
                role: Role::User,
                parts: vec![
                    attached("docs/plan.pdf", b"%PDF-1.7"),
                    attached("docs/notes.md", b"# Notes\n"),
                    Part::text("Sum up."),
                ],
            },
        ]
        .map(Arc::new)
        .into(),
        max_output: Tokens(100),
        ..Request::default()
    }
}

/// A tool with one required argument.
pub(crate) fn tool(name: &str, arg: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("Does {name}."),
        schema: json!({"type": "object", "properties": {arg: {"type": "string"}}, "required": [arg]}),
        edit_block: false,
    }
}

/// The value with one line for each field, and for each element of `messages`, `system` and `tools`.
pub(crate) fn lines(value: &Value) -> String {
    let mut out = String::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Array(items) => {
                out += &format!("{key}:\n");
                items.iter().for_each(|item| out += &format!("  {item}\n"));
            }
            other => out += &format!("{key}: {other}\n"),
        }
    }
    out
}
