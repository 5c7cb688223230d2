//! What is still being written: a reply, a thought, the output of commands.

use ox_protocol::{CallId, Delta, DeltaKind};

use super::{Block, Screen};
use crate::markdown::Stream;
use crate::text::{Line, Role, clean};

impl Screen {
    /// Whether links can be followed from now on by their words.
    pub fn set_links(&mut self, links: bool) {
        self.look.links = links;
        if self.stream.is_empty() {
            self.stream = Stream::new(links);
        }
    }

    pub(super) fn delta(&mut self, delta: &Delta) -> Vec<Line> {
        let mut out = Vec::new();
        match delta.kind {
            DeltaKind::Text => {
                if self.message.as_ref() != Some(&delta.message_id) {
                    self.break_off(&mut out);
                    self.message = Some(delta.message_id.clone());
                }
                self.thought.clear();
                // A gap cannot be filled here: the whole text comes with the completion of the reply.
                let known = (self.stream.len() as u64).checked_sub(delta.offset);
                if let Some(fresh) = known.and_then(|known| delta.delta.get(known as usize..)) {
                    let lines = self.stream.push(fresh, self.look.width);
                    self.put(&mut out, Block::Text, lines);
                }
            }
            DeltaKind::Thinking => keep_tail(&mut self.thought, &delta.delta),
            DeltaKind::ToolOutput => {
                if let Some(job) = delta.call.as_ref().and_then(CallId::job) {
                    keep_tail(self.printed.entry(job.to_owned()).or_default(), &delta.delta);
                    return out;
                }
                let text = clean(&delta.delta.replace('\r', "\n"));
                if !(self.output.is_empty() && text.trim().is_empty()) {
                    keep_tail(&mut self.output, &text);
                }
            }
        }
        out
    }

    pub(super) fn needs_gap(&self, block: Block) -> bool {
        self.last != Block::Nothing && self.last != block
    }

    /// Adds lines, with an empty one where text and other lines meet.
    pub(super) fn put(&mut self, out: &mut Vec<Line>, block: Block, lines: Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        if self.needs_gap(block) && !lines[0].is_blank() {
            out.push(Line::empty());
        }
        self.last = block;
        out.extend(lines);
    }

    /// Prints what an unfinished reply holds; it will not go on.
    pub(super) fn break_off(&mut self, out: &mut Vec<Line>) {
        if !self.stream.is_empty() {
            let mut stream = std::mem::take(&mut self.stream);
            let source = stream.source().to_string();
            let mut lines = stream.finish(&source, self.look.width);
            lines.push(Line::of(&self.look.say("ui.broken_off", &[]), Role::Dim));
            self.put(out, Block::Text, lines);
            self.last = Block::Reply;
        }
        self.quiet();
    }

    /// A reply that failed is asked for again: of what is not printed yet nothing stays, since it comes once more.
    pub(super) fn ask_again(&mut self, out: &mut Vec<Line>) {
        if self.stream.given_out(self.look.width).is_empty() {
            self.stream = Stream::new(self.look.links);
        }
        self.break_off(out);
    }

    pub(super) fn quiet(&mut self) {
        self.message = None;
        self.thought.clear();
        self.output.clear();
    }
}

/// Appends and keeps the last few hundred characters.
fn keep_tail(text: &mut String, more: &str) {
    *text += more;
    if text.len() > 2_000 {
        *text = text.chars().rev().take(400).collect::<Vec<_>>().into_iter().rev().collect();
    }
}
