//! What a program says to a session as `stream-json`: messages of the user, requests, and answers to requests for consent.
//!
//! Promise: pure. A line that is not understood is an error with its reason; a kind that is not known is passed over.

use ox_protocol::{Command, Decision, Delivery, Image, Mode};
use serde_json::{Value, json};

use crate::view::Asked;

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A message of the user: a turn of its own.
    Prompt(Command),
    /// A request, to be answered under its id.
    Request {
        /// Its id.
        id: String,
        /// What is asked for.
        request: Request,
    },
    /// The answer to a request of ours.
    Answer {
        /// The id of our request.
        id: String,
        /// What was answered; an error is a refusal with these words.
        answer: Result<Value, String>,
    },
    /// Nothing that a session has to do with.
    Nothing,
}

/// What can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// To begin; it asks for nothing that is not so already.
    Initialize,
    /// This.
    Command(Command),
    /// Something that Ox does not do, in words for the program.
    Unsupported(String),
}

/// Reads one line.
pub fn read(line: &str) -> Result<Input, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    match value["type"].as_str() {
        Some("user") => prompt(&value["message"]).map(Input::Prompt),
        Some("control_request") => {
            let id = value["request_id"].as_str().ok_or("`request_id` is missing")?.to_owned();
            Ok(Input::Request { id, request: request(&value["request"]) })
        }
        Some("control_response") => {
            let response = &value["response"];
            let id = response["request_id"].as_str().ok_or("`response.request_id` is missing")?.to_owned();
            let answer = match response["subtype"].as_str() {
                Some("error") => Err(response["error"].as_str().unwrap_or_default().to_owned()),
                _ => Ok(response["response"].clone()),
            };
            Ok(Input::Answer { id, answer })
        }
        Some(_) => Ok(Input::Nothing),
        None => Err("`type` is missing".to_owned()),
    }
}

fn prompt(message: &Value) -> Result<Command, String> {
    let (mut text, mut images) = (String::new(), Vec::new());
    match &message["content"] {
        Value::String(it) => text.clone_from(it),
        Value::Array(blocks) => {
            for block in blocks {
                match block["type"].as_str() {
                    Some("text") => {
                        let gap = if text.is_empty() { "" } else { "\n\n" };
                        text = format!("{text}{gap}{}", block["text"].as_str().unwrap_or_default());
                    }
                    Some("image") => images.push(picture(&block["source"])?),
                    other => return Err(format!("a block of type `{}` cannot be read", other.unwrap_or_default())),
                }
            }
        }
        _ => return Err("`message.content` is neither a text nor a list of blocks".to_owned()),
    }
    if text.trim().is_empty() && images.is_empty() {
        return Err("`message.content` is empty".to_owned());
    }
    Ok(Command::Prompt { text, images, mode: None, delivery: Delivery::Queue })
}

fn picture(source: &Value) -> Result<Image, String> {
    match (source["type"].as_str(), source["media_type"].as_str(), source["data"].as_str()) {
        (Some("base64"), Some(media_type), Some(data)) => {
            Ok(Image { media_type: media_type.to_owned(), data: data.to_owned(), name: String::new() })
        }
        _ => Err("an image needs a `source` of type `base64` with `media_type` and `data`".to_owned()),
    }
}

fn request(request: &Value) -> Request {
    match request["subtype"].as_str().unwrap_or_default() {
        "initialize" => Request::Initialize,
        "interrupt" => Request::Command(Command::Interrupt),
        "set_model" => match request["model"].as_str() {
            Some(model) => Request::Command(Command::SetModel { model: model.to_owned() }),
            None => Request::Unsupported("`model` is missing".to_owned()),
        },
        "set_permission_mode" => match request["mode"].as_str().unwrap_or_default() {
            "plan" => Request::Command(Command::SetMode { mode: Mode::Plan }),
            "default" => Request::Command(Command::SetMode { mode: Mode::Auto }),
            other => Request::Unsupported(format!(
                "`{other}` is set when the process is started, with --approval; `plan` and `default` can be set here"
            )),
        },
        other => Request::Unsupported(format!("`{other}` is not supported")),
    }
}

/// The answer to a request.
pub fn response(id: &str, answer: Result<Value, String>) -> Value {
    let response = match answer {
        Ok(value) => json!({ "subtype": "success", "request_id": id, "response": value }),
        Err(error) => json!({ "subtype": "error", "request_id": id, "error": error }),
    };
    json!({ "type": "control_response", "response": response })
}

/// What the answer to `initialize` says.
pub fn initialized() -> Value {
    json!({ "commands": [], "agents": [], "models": [], "output_style": "default", "available_output_styles": ["default"] })
}

/// Asks the program for consent, or for an answer to a question of the model. The id of the request is that of the call.
pub fn ask(asked: &Asked) -> Value {
    let (tool, input, why) = match asked {
        Asked::Approval(it) => (it.tool.as_str(), it.args.clone(), json!(it.why)),
        Asked::Question { text, options, .. } => {
            let options: Vec<Value> = options.iter().map(|it| json!({ "label": it, "description": "" })).collect();
            let question = json!({ "question": text, "header": "", "options": options, "multiSelect": false });
            ("AskUserQuestion", json!({ "questions": [question] }), Value::Null)
        }
    };
    let commands = if let Asked::Approval(it) = asked { it.commands.clone() } else { Vec::new() };
    let request = json!({
        "subtype": "can_use_tool", "tool_name": tool, "input": input, "tool_use_id": asked.call(),
        "permission_suggestions": [], "commands": commands, "why": why,
    });
    json!({ "type": "control_request", "request_id": asked.call(), "request": request })
}

/// What the program's answer means for what was asked. What cannot be understood refuses.
pub fn answer(asked: &Asked, answer: &Result<Value, String>) -> Command {
    let call = asked.call().clone();
    let refused = |why: &str| why.to_owned();
    let (allowed, words) = match answer {
        Ok(value) => (value["behavior"] == "allow", refused(value["message"].as_str().unwrap_or_default())),
        Err(why) => (false, refused(why)),
    };
    let updated = answer.as_ref().ok().map(|it| &it["updatedInput"]).filter(|it| it.is_object());
    match asked {
        Asked::Question { text, .. } => {
            let said = updated.and_then(|it| it["answers"][text.as_str()].as_str()).map(str::to_owned);
            Command::Answer { call, text: said.unwrap_or(words) }
        }
        Asked::Approval(_) if !allowed => {
            Command::Decide { call, decision: Decision::Deny { reason: words, stop: false } }
        }
        Asked::Approval(request) => {
            let decision = match updated.filter(|it| **it != request.args) {
                Some(args) => Decision::Amend { args: args.clone() },
                None => Decision::Allow,
            };
            Command::Decide { call, decision }
        }
    }
}
