//! Writes entries, each with what is new in its request.

use std::collections::VecDeque;

use ox_protocol::{Failure, Image, Message, Part, Role, ToolSpec};
use serde_json::Value;

use super::{MARK, ReplyHead, RequestHead, Run, looks_like_name};
use crate::cassette::{Head, Heard, Recorded, Secrets, VERSION, joined};
use crate::{Reply, Request};

/// How many earlier requests are looked at for the one that has most in common with the next: conversations that are led
/// side by side mix on one tape.
const REMEMBERED: usize = 6;

/// The first lines of a cassette.
pub(in crate::cassette) fn head(head: &Head) -> String {
    let json = serde_json::to_string_pretty(head).expect("invariant: a head holds nothing that JSON cannot");
    format!("{MARK} {VERSION}\n{json}\n")
}

/// Writes one entry after the other.
#[derive(Debug, Default)]
pub(in crate::cassette) struct Writer {
    count: usize,
    /// The last requests as they were, with their numbers.
    before: VecDeque<(usize, Request)>,
}

impl Writer {
    /// The text of the next entry. `model` is the one that was asked where it is not that of the head.
    pub(in crate::cassette) fn entry(
        &mut self,
        request: &Request,
        heard: &Heard,
        model: &str,
        secrets: &Secrets,
    ) -> String {
        self.count += 1;
        let shared = |it: &Request| it.messages.iter().zip(&request.messages).take_while(|(a, b)| a == b).count();
        let base = self.before.iter().max_by_key(|(number, it)| (shared(it), *number));
        let (of, keeps) = base.map_or((0, 0), |(number, it)| (*number, shared(it)));
        let same_system = base.is_some_and(|(_, it)| it.system == request.system);
        let same_tools = base.is_some_and(|(_, it)| it.tools == request.tools);
        let mut out = Sections::default();
        let head = RequestHead { keeps, of, choice: request.tool_choice.clone(), schema: request.schema.clone() };
        out.add(&format!("request {}", self.count), &json(&head));
        if !same_system {
            out.add("system", &secrets.hide(&request.system));
        }
        if !same_tools {
            out.add("tools", &tools(&request.tools, secrets));
        }
        request.messages[keeps..].iter().for_each(|it| out.message(&secrets.hide_message(it)));
        out.heard(heard, model, secrets);
        self.before.push_back((self.count, request.clone()));
        if self.before.len() > REMEMBERED {
            self.before.pop_front();
        }
        format!("\n{}", out.0)
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("invariant: a cassette holds nothing that JSON cannot")
}

/// A tool a line.
fn tools(all: &[ToolSpec], secrets: &Secrets) -> String {
    let line = |it: &ToolSpec| {
        let value = serde_json::to_value(it).unwrap_or(Value::Null);
        secrets.hide_in(&value, Secrets::hide).to_string()
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Sections, one after the other.
#[derive(Default)]
struct Sections(String);

impl Sections {
    fn add(&mut self, name: &str, text: &str) {
        // What an editor or a checkout may change is written so that they cannot.
        let odd = text.chars().any(|it| it.is_control() && it != '\n' && it != '\t');
        let (mark, text) = if odd { (" json", json(&text)) } else { ("", text.to_string()) };
        self.0 += &format!("-- {name}{mark} --\n");
        if text.is_empty() {
            return;
        }
        for line in text.split('\n') {
            self.0 += if looks_like_name(line) { "\\" } else { "" };
            self.0 += line;
            self.0.push('\n');
        }
    }

    /// A message: its first text stands below its role, every further part in a section of its own.
    fn message(&mut self, message: &Message) {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        };
        let mut parts = message.parts.as_slice();
        match parts.split_first() {
            Some((Part::Text { text }, rest)) if !text.is_empty() => {
                self.add(role, text);
                parts = rest;
            }
            _ => self.add(role, ""),
        }
        parts.iter().for_each(|it| self.part(it));
    }

    fn part(&mut self, part: &Part) {
        match part {
            Part::Text { text } => self.add("text", text),
            Part::Image { image } => self.image("image", image),
            Part::Reasoning { reasoning } => self.add("reasoning", &json(reasoning)),
            Part::Call { id, name, args } => self.add(&format!("call {} {}", word(name), word(&id.0)), &json(args)),
            Part::Result { id, name, ok, text, images } => {
                let how = if *ok { "ok" } else { "failed" };
                self.add(&format!("result {} {} {how}", word(name), word(&id.0)), text);
                images.iter().for_each(|it| self.image("result_image", it));
            }
        }
    }

    fn image(&mut self, name: &str, image: &Image) {
        self.add(&format!("{name} {} {}", word(&image.media_type), word(&image.name)), &image.data);
    }

    fn heard(&mut self, heard: &Heard, model: &str, secrets: &Secrets) {
        let (thinking, text) = joined(&heard.pieces);
        let clean = secrets.hide(&thinking) == thinking && secrets.hide(&text) == text;
        // Lengths of a text that is not there any more say nothing.
        let pieces = if clean { runs(&heard.pieces) } else { Vec::new() };
        match &heard.done {
            Ok(reply) => self.reply(&secrets.hide_reply(reply), pieces, model, &secrets.hide(&thinking)),
            Err(failure) => self.failure(&secrets.hide_failure(failure), &pieces, &secrets.hide(&thinking)),
        }
    }

    fn reply(&mut self, reply: &Reply, pieces: Vec<Run>, model: &str, thinking: &str) {
        let head = ReplyHead { finish: reply.finish.clone(), usage: reply.usage, model: model.to_string(), pieces };
        self.add("reply", &json(&head));
        self.said(thinking, &reply.text);
        reply.reasoning.iter().for_each(|it| self.add("reasoning", &json(it)));
        reply.calls.iter().for_each(|it| self.add(&format!("call {}", word(&it.name)), &it.args));
        reply.images.iter().for_each(|it| self.image("image", it));
    }

    fn failure(&mut self, failure: &Failure, pieces: &[Run], thinking: &str) {
        let mut head = serde_json::to_value(Failure { partial: String::new(), ..failure.clone() }).unwrap_or_default();
        if !pieces.is_empty() {
            head["pieces"] = serde_json::to_value(pieces).unwrap_or_default();
        }
        self.add("failure", &json(&head));
        self.said(thinking, &failure.partial);
    }

    fn said(&mut self, thinking: &str, text: &str) {
        if !thinking.is_empty() {
            self.add("thinking", thinking);
        }
        if !text.is_empty() {
            self.add("text", text);
        }
    }
}

/// A word of a section's name; quoted where it would be read as something else.
fn word(text: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "_-./:@+".contains(it);
    let is_plain = !text.is_empty() && text.chars().all(plain) && !text.starts_with("--") && text != "json";
    if is_plain { text.to_string() } else { json(&text) }
}

fn runs(pieces: &[Recorded]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for piece in pieces {
        let length = piece.text().len();
        match (piece, runs.last_mut()) {
            (Recorded::Text(_), Some(Run::Text(lengths))) => lengths.push(length),
            (Recorded::Thinking(_), Some(Run::Thinking(lengths))) => lengths.push(length),
            (Recorded::Text(_), _) => runs.push(Run::Text(vec![length])),
            (Recorded::Thinking(_), _) => runs.push(Run::Thinking(vec![length])),
        }
    }
    runs
}
