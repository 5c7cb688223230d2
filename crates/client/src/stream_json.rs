//! A session as `stream-json`: one object a line, in the shape that Claude Code and its Agent SDK made known.
//!
//! Promise: pure, and in order. Each line is of a `type` that readers of that shape know; what Ox has beside it stands in
//! further fields and in `system` lines of further subtypes, which such readers pass over.

use std::collections::HashMap;

use ox_protocol::{
    ApprovalPolicy, Call, CallId, ConversationId, Delta, DeltaKind, Event, Finish, Frame, Image, Mode, Outcome,
    Reasoning, Rules, Status, Usage,
};
use serde_json::{Value, json};

use crate::Update;
use crate::result::{Tokens, uuid};

/// What is known of the conversations of a stream so far.
#[derive(Debug, Default)]
pub struct StreamJson {
    conversation: ConversationId,
    root: String,
    version: String,
    mode: &'static str,
    tools: Vec<String>,
    /// The model that each conversation asks.
    models: HashMap<ConversationId, String>,
    /// The call that each sub-agent answers.
    parents: HashMap<ConversationId, CallId>,
    /// Whether pieces of replies are lines too.
    partial: bool,
    /// The reply that streams now: its id, and the block that is open.
    open: Option<(String, Option<(u64, DeltaKind)>)>,
    /// Lines that were made of the event at hand.
    part: u16,
    seq: u64,
}

impl StreamJson {
    /// A stream; `partial`: pieces of replies are lines of it too.
    pub fn new(partial: bool) -> StreamJson {
        StreamJson { partial, ..StreamJson::default() }
    }

    /// Takes in an event from before this run; nothing is written of it.
    pub fn before(&mut self, frame: &Frame) {
        self.know(frame);
    }

    /// The lines that an update is worth.
    pub fn lines(&mut self, update: &Update) -> Vec<Value> {
        match update {
            Update::Frame(frame) => {
                (self.part, self.seq) = (0, frame.seq.0);
                self.know(frame);
                self.frame(frame)
            }
            Update::Delta(delta) if self.partial => self.delta(delta),
            Update::Delta(_) | Update::Control(_) => Vec::new(),
        }
    }

    fn is_own(&self, conversation: &ConversationId) -> bool {
        conversation.is_empty() || *conversation == self.conversation
    }

    /// What later lines say of this event.
    fn know(&mut self, frame: &Frame) {
        match &frame.event {
            Event::ConversationId { id, root, ox, .. } if self.conversation.is_empty() => {
                self.conversation = id.clone();
                self.root.clone_from(root);
                self.version.clone_from(ox);
            }
            Event::TurnStart { model, mode, rules, .. } => {
                self.models.insert(frame.conversation.clone(), model.name.clone());
                if self.is_own(&frame.conversation) {
                    self.mode = permission_mode(*mode, rules);
                }
            }
            Event::Fallback { to, .. } => {
                self.models.insert(frame.conversation.clone(), to.name.clone());
            }
            Event::Prompted { tools: Some(tools), .. } if self.is_own(&frame.conversation) => {
                self.tools = tools.iter().map(|it| it.name.clone()).collect();
            }
            Event::AgentStart(start) => {
                self.parents.insert(start.conversation.clone(), start.call.clone());
            }
            _ => {}
        }
    }

    fn frame(&mut self, frame: &Frame) -> Vec<Value> {
        let own = self.is_own(&frame.conversation);
        let of = &frame.conversation;
        match &frame.event {
            Event::Prompted { .. } if own => vec![self.init()],
            Event::StreamComplete { message_id, text, reasoning, images, calls, finish, usage, .. } => {
                let mut lines = if own { self.closed(finish, *usage) } else { Vec::new() };
                let blocks = blocks(text, reasoning, images, calls);
                lines.extend(blocks.into_iter().map(|block| self.assistant(of, &message_id.0, block, *usage)));
                lines
            }
            Event::ToolComplete { call, outcome, .. } => vec![self.tool_result(of, call, outcome)],
            Event::Retry { attempt, total, kind, wait_ms, .. } if own => {
                let more = json!({
                    "attempt": attempt - 1, "max_retries": total - 1, "retry_delay_ms": wait_ms, "error": kind,
                });
                vec![self.system("api_retry", more)]
            }
            Event::Pruned { before, after, .. } if own => {
                let sizes = json!({ "trigger": "auto", "pre_tokens": before, "post_tokens": after });
                vec![self.system("compact_boundary", json!({ "compact_metadata": sizes }))]
            }
            Event::CheckResult { baseline, round, report, .. } if own => {
                let results = report.results.iter().map(|it| {
                    json!({
                        "name": it.check.name, "command": it.check.command, "status": it.status,
                        "exit_code": it.exit_code, "duration_ms": it.duration_ms,
                    })
                });
                let more = json!({ "baseline": baseline, "round": round, "checks": results.collect::<Vec<_>>() });
                vec![self.system("checks", more)]
            }
            _ => Vec::new(),
        }
    }

    /// The line that opens a turn.
    fn init(&mut self) -> Value {
        let more = json!({
            "cwd": self.root,
            "tools": self.tools,
            "mcp_servers": [],
            "model": self.models.get(&self.conversation),
            "permissionMode": self.mode,
            "slash_commands": [],
            "apiKeySource": "none",
            "output_style": "default",
            "agents": [],
            "skills": [],
            "plugins": [],
            "ox_version": self.version,
        });
        self.system("init", more)
    }

    fn system(&mut self, subtype: &str, more: Value) -> Value {
        let mut line = json!({ "type": "system", "subtype": subtype });
        merge(&mut line, more);
        self.named(line)
    }

    /// A block of a reply.
    fn assistant(&mut self, of: &ConversationId, id: &str, block: Value, usage: Usage) -> Value {
        let message = json!({
            "id": id,
            "type": "message",
            "role": "assistant",
            "model": self.models.get(of),
            "content": [block],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": Tokens::from(usage),
        });
        self.message("assistant", of, message)
    }

    fn tool_result(&mut self, of: &ConversationId, call: &CallId, outcome: &Outcome) -> Value {
        let mut content = json!(outcome.output);
        if !outcome.images.is_empty() {
            let text = std::iter::once(json!({ "type": "text", "text": outcome.output }));
            content = text.chain(outcome.images.iter().map(image)).collect();
        }
        let result = json!({
            "type": "tool_result", "tool_use_id": call, "content": content, "is_error": outcome.status != Status::Ok,
        });
        let mut line = self.message("user", of, json!({ "role": "user", "content": [result] }));
        line["tool_use_result"] = json!({
            "status": outcome.status, "changed": outcome.changed, "exit_code": outcome.exit_code,
            "duration_ms": outcome.duration_ms,
        });
        line
    }

    fn message(&mut self, kind: &str, of: &ConversationId, message: Value) -> Value {
        let parent = if self.is_own(of) { None } else { self.parents.get(of) };
        let line = json!({ "type": kind, "message": message, "parent_tool_use_id": parent });
        self.named(line)
    }

    /// The line with what each line has.
    fn named(&mut self, mut line: Value) -> Value {
        line["session_id"] = json!(self.conversation);
        line["uuid"] = json!(uuid(&self.conversation, self.seq, self.part));
        self.part += 1;
        line
    }

    /// The stream of a reply, as the field's providers send it. What a sub-agent streams is left to its messages.
    fn delta(&mut self, delta: &Delta) -> Vec<Value> {
        if !self.is_own(&delta.conversation) || delta.kind == DeltaKind::ToolOutput {
            return Vec::new();
        }
        let mut events = Vec::new();
        let fresh = self.open.as_ref().is_none_or(|(id, _)| *id != delta.message_id.0);
        if fresh {
            events.extend(self.block_end());
            let model = self.models.get(&self.conversation);
            let message = json!({ "id": delta.message_id, "type": "message", "role": "assistant", "model": model,
                "content": [], "stop_reason": null, "stop_sequence": null, "usage": Tokens::default() });
            events.push(json!({ "type": "message_start", "message": message }));
            self.open = Some((delta.message_id.0.clone(), None));
        }
        let thinks = delta.kind == DeltaKind::Thinking;
        let block = self.open.as_ref().and_then(|(_, block)| *block);
        let index = match block {
            Some((index, kind)) if kind == delta.kind => index,
            before => {
                events.extend(self.block_end());
                let index = before.map_or(0, |(index, _)| index + 1);
                let empty = if thinks {
                    json!({ "type": "thinking", "thinking": "", "signature": "" })
                } else {
                    json!({ "type": "text", "text": "" })
                };
                events.push(json!({ "type": "content_block_start", "index": index, "content_block": empty }));
                self.open = Some((delta.message_id.0.clone(), Some((index, delta.kind))));
                index
            }
        };
        let piece = if thinks {
            json!({ "type": "thinking_delta", "thinking": delta.delta })
        } else {
            json!({ "type": "text_delta", "text": delta.delta })
        };
        events.push(json!({ "type": "content_block_delta", "index": index, "delta": piece }));
        events.into_iter().map(|it| self.stream_event(it)).collect()
    }

    fn block_end(&self) -> Option<Value> {
        let (_, Some((index, _))) = self.open.as_ref()? else { return None };
        Some(json!({ "type": "content_block_stop", "index": index }))
    }

    /// The end of the reply that streams.
    fn closed(&mut self, finish: &Finish, usage: Usage) -> Vec<Value> {
        if self.open.is_none() {
            return Vec::new();
        }
        let mut events: Vec<Value> = self.block_end().into_iter().collect();
        self.open = None;
        let delta = json!({ "stop_reason": stop_reason(finish), "stop_sequence": null });
        events.push(json!({ "type": "message_delta", "delta": delta, "usage": Tokens::from(usage) }));
        events.push(json!({ "type": "message_stop" }));
        events.into_iter().map(|it| self.stream_event(it)).collect()
    }

    fn stream_event(&mut self, event: Value) -> Value {
        let line = json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null });
        self.named(line)
    }
}

/// The content of a reply, block by block.
fn blocks(text: &str, reasoning: &[Reasoning], images: &[Image], calls: &[Call]) -> Vec<Value> {
    let thoughts = reasoning.iter().filter(|it| !it.text.is_empty());
    let thoughts = thoughts.map(|it| json!({ "type": "thinking", "thinking": it.text, "signature": "" }));
    let text = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
    let calls = calls.iter().map(|it| json!({ "type": "tool_use", "id": it.id, "name": it.tool, "input": it.args }));
    thoughts.chain(text).chain(images.iter().map(image)).chain(calls).collect()
}

fn image(image: &Image) -> Value {
    json!({ "type": "image", "source": { "type": "base64", "media_type": image.media_type, "data": image.data } })
}

/// The reason in the field's words.
fn stop_reason(finish: &Finish) -> &str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::Calls => "tool_use",
        Finish::Length => "max_tokens",
        Finish::Filter => "refusal",
        Finish::Other(word) => word,
    }
}

/// The mode and the approval policy in the field's words.
pub fn permission_mode(mode: Mode, rules: &Rules) -> &'static str {
    match (mode, rules.approval) {
        (Mode::Plan, _) => "plan",
        (_, ApprovalPolicy::Ask) => "default",
        (_, ApprovalPolicy::AcceptEdits) => "acceptEdits",
        (_, ApprovalPolicy::Auto) => "auto",
    }
}

/// Adds the fields of an object to another.
fn merge(to: &mut Value, from: Value) {
    if let (Value::Object(to), Value::Object(from)) = (to, from) {
        to.extend(from);
    }
}
