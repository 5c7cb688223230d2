//! The message that opens a turn: pictures, then what Ox knows, then the user's own words.

use ox_protocol::{Image, Message, Part, Role, Section};

use crate::words::Note;

/// What the user asked, with the context that goes before it.
pub(super) struct Asked<'a> {
    words: &'a str,
    images: &'a [Image],
    user_stopped: bool,
    continues: bool,
    pub context: Vec<&'a Section>,
}

impl<'a> Asked<'a> {
    pub fn new(words: &'a str, images: &'a [Image], continues: bool, user_stopped: bool) -> Asked<'a> {
        Asked { words, images, user_stopped, continues, context: Vec::new() }
    }

    pub fn message(self) -> Message {
        let mut parts: Vec<Part> = self.images.iter().map(|it| Part::Image { image: it.clone() }).collect();
        if !self.context.is_empty() {
            parts.push(Part::text(sections(&self.context)));
        }
        if self.user_stopped {
            parts.push(Part::text(Note::UserStopped.words()));
        }
        if !self.words.trim().is_empty() {
            parts.push(Part::text(self.words));
        } else if self.continues || parts.is_empty() {
            parts.push(Part::text(Note::Continue.words()));
        }
        Message { role: Role::User, parts }
    }
}

/// Sections between tags of their names: `rules:AGENTS.md` becomes `<rules of="AGENTS.md">`.
pub(crate) fn sections(all: &[&Section]) -> String {
    let marked: Vec<String> = all.iter().map(|it| marked(it)).collect();
    marked.join("\n")
}

fn marked(section: &Section) -> String {
    let (tag, of) = section.name.split_once(':').unwrap_or((&section.name, ""));
    let end = format!("</{tag}>");
    // A text that closes its own tag could pass the rest of itself off as the user's words.
    let text = section.text.trim_end().replace(&end, &format!("<\\/{tag}>"));
    let of = if of.is_empty() { String::new() } else { format!(" of=\"{of}\"") };
    format!("<{tag}{of}>\n{text}\n{end}")
}
