//! Sections of a prompt, and texts cut to fit one.

use ox_protocol::Section;

use crate::budget::estimate;

/// A section with the tokens that its text costs, by an estimate.
pub(crate) fn section(name: &str, text: String) -> Section {
    Section { name: name.to_owned(), tokens: estimate(&text), text }
}

/// The first whole lines of `text` that fit into `room` bytes, and how many lines are left out.
pub(crate) fn first_lines(text: &str, room: usize) -> (&str, usize) {
    if text.len() <= room {
        return (text, 0);
    }
    let end = text[..text.floor_char_boundary(room)].rfind('\n').unwrap_or(0);
    (&text[..end], text[end..].trim_start_matches('\n').lines().count())
}
