//! What prunings left out of a transcript: long texts shortened in their place, sections dropped, everything before some
//! point told by a digest. What is left says how the whole is to be had.

use std::collections::BTreeSet;

use ox_protocol::{CallId, Event, Frame, Image, Pruning, Section, Seq};
use serde_json::Value;

use super::remembered;

/// A text that is no longer than this stays as it is, in bytes.
pub(crate) const SHORT: usize = 600;
/// What stays of the beginning of a longer one, in bytes, cut at a line.
const HEAD: usize = 240;

/// All that is left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    shrunk: BTreeSet<CallId>,
    sections: BTreeSet<String>,
    /// The last event that the digest tells of.
    pub until: Option<Seq>,
    pub digest: String,
}

impl LeftOut {
    /// What the prunings of this log leave out, all together.
    pub fn of(frames: &[Frame]) -> LeftOut {
        let mut all = LeftOut::default();
        for frame in remembered(frames) {
            if let Event::Pruned { pruning, .. } = &frame.event {
                all.add(pruning);
            }
        }
        all
    }

    /// Adds what one more pruning leaves out.
    pub fn add(&mut self, pruning: &Pruning) {
        self.shrunk.extend(pruning.shrunk.iter().cloned());
        self.sections.extend(pruning.sections.iter().cloned());
        if pruning.until.is_some() {
            self.until = pruning.until;
            self.digest.clone_from(&pruning.digest);
        }
    }

    pub fn is_shrunk(&self, call: &CallId) -> bool {
        self.shrunk.contains(call)
    }

    /// True where the section is still sent.
    pub fn keeps(&self, section: &Section) -> bool {
        !self.sections.contains(&section.name)
    }

    /// A call's arguments as they are sent: long texts of a shrunk call are cut.
    pub fn args(&self, call: &CallId, args: Value) -> Value {
        if self.is_shrunk(call) { shortened(args) } else { args }
    }

    /// A call's result as it is sent.
    pub fn result(&self, call: &CallId, text: String, images: Vec<Image>) -> (String, Vec<Image>) {
        if !self.is_shrunk(call) || (text.len() <= SHORT && images.is_empty()) {
            return (text, images);
        }
        let head = head(&text);
        let more = text[head.len()..].lines().count();
        let pictures = if images.is_empty() { "" } else { " and its pictures" };
        let marker = format!(
            "[{more} more lines{pictures} left out to make room; use_tool `recall` with call {} shows them]",
            call.0
        );
        let blank = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
        (format!("{head}{blank}{marker}"), Vec::new())
    }
}

/// The beginning of a text, up to the end of a line, or of a character where the first line is long.
fn head(text: &str) -> &str {
    let mut end = HEAD.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    match text[..end].rfind('\n') {
        Some(at) => &text[..=at],
        None => &text[..end],
    }
}

fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > SHORT => {
            Value::String(format!("{}[… {} bytes left out]", head(&text), text.len() - head(&text).len()))
        }
        Value::Array(items) => Value::Array(items.into_iter().map(shortened).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(key, it)| (key, shortened(it))).collect()),
        other => other,
    }
}
