//! The message that opens a turn: pictures, then what Ox knows, then the user's own words.

use ox_protocol::{Image, Message, Part, Role, Section};

use crate::words::Note;

/// What the user asked, with the context that goes before it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    words: String,
    images: Vec<Image>,
    user_stopped: bool,
    continues: bool,
    /// Sections as the model reads them.
    pub context: Vec<String>,
}

impl Asked {
    pub fn new(words: &str, images: &[Image], continues: bool, user_stopped: bool) -> Asked {
        Asked { words: words.to_owned(), images: images.to_vec(), user_stopped, continues, context: Vec::new() }
    }

    pub fn message(self) -> Message {
        let mut parts: Vec<Part> = self.images.into_iter().map(|image| Part::Image { image }).collect();
        if !self.context.is_empty() {
            parts.push(Part::text(self.context.join("\n")));
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
