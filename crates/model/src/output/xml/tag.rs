//! Tags at the beginning of a text that has perhaps not arrived whole.

/// Whether a text begins with what was looked for.
pub(super) enum Found<T> {
    Yes(T),
    No,
    /// More must come first.
    Perhaps,
}

impl Found<()> {
    /// The same with a place.
    pub(super) fn at(self, at: usize) -> Found<usize> {
        match self {
            Found::Yes(()) => Found::Yes(at),
            Found::No => Found::No,
            Found::Perhaps => Found::Perhaps,
        }
    }
}

/// What a broken call wrote, so that it is never taken for JSON.
pub(super) fn in_tags(raw: &str) -> String {
    let raw = raw.trim();
    if raw.starts_with('<') { raw.to_string() } else { format!("<{raw}") }
}

/// Whether `text` begins with `tag`, as far as it goes.
pub(super) fn begins(text: &str, tag: &str) -> Found<usize> {
    if text.starts_with(tag) {
        Found::Yes(tag.len())
    } else if tag.starts_with(text) {
        Found::Perhaps
    } else {
        Found::No
    }
}

/// The opening tag at the beginning of `text`: its name and its length.
pub(super) fn tag(text: &str) -> Found<(&str, usize)> {
    let Some(inner) = text.strip_prefix('<') else {
        return if text.is_empty() { Found::Perhaps } else { Found::No };
    };
    let length = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(inner.len());
    let name = &inner[..length];
    match inner[length..].chars().next() {
        _ if name.len() > 64 || name.starts_with(|c: char| !c.is_ascii_alphabetic()) => Found::No,
        None => Found::Perhaps,
        Some('>') if !name.is_empty() => Found::Yes((name, length + 2)),
        Some(_) => Found::No,
    }
}
