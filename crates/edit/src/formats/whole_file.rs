//! Writing a whole file anew: the answer is freed of a path and fence around it, guarded, and put in the file's line
//! endings. Never taken: an answer that leaves parts out, or that would empty or cut short what was there.

use super::search_replace::is_path;
use crate::engine::clean::unfenced;
use crate::engine::guard::write_guard;
use crate::refusal::Refusal;
use crate::text::document::{BOM, Change, Document, to_lf};

/// The new text of a file whose old text is `old`, from the whole-file text that was asked for. Byte-order mark and
/// line endings of the old text are kept; an empty old text takes the new one as it is.
///
/// # Errors
/// As [`write_guard`].
pub fn rewrite(old: &str, new: &str) -> Result<String, Refusal> {
    if old.is_empty() {
        write_guard(old, new)?;
        return Ok(new.to_owned());
    }
    let new = to_lf(new);
    let new = new.strip_prefix(BOM).unwrap_or(&new);
    let new = if old.starts_with("```") { new } else { unwrapped(new) };
    write_guard(old, new)?;
    let document = Document::new(old);
    let change = Change { range: 0..document.text.len(), new: new.to_owned() };
    Ok(document.splice(&[change]))
}

/// What stands between two fences, if the text is nothing but that with at most a path above it.
fn unwrapped(text: &str) -> &str {
    let start = text.trim_start_matches('\n');
    let fenced = match start.split_once('\n') {
        Some((first, rest)) if is_path(first.trim()) => rest,
        _ => start,
    };
    unfenced(fenced).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Reason;

    #[test]
    fn the_file_keeps_its_mark_and_line_endings() {
        let cases = [
            ("a\nb\n", "a\nc\n", "a\nc\n"),
            ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
            ("\u{feff}a\n", "b\n", "\u{feff}b\n"),
            ("a\n", "b\r\n", "b\n"),
            ("a\r\nb\nc\n", "a\nb\nx\n", "a\r\nb\nx\n"),
            ("", "a\r\n", "a\r\n"),
            ("a\n", "src/x.rs\n```rust\nb\n```\n", "b\n"),
            ("a\n", "```\nb\n```", "b\n"),
            ("# Title\n", "# Title\n```\nb\n```\n", "# Title\n```\nb\n```\n"),
            ("```\na\n```\n", "```\nb\n```\n", "```\nb\n```\n"),
        ];
        for (old, new, expected) in cases {
            assert_eq!(rewrite(old, new).unwrap(), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_sketch_of_the_file_is_refused() {
        let reason = |old: &str, new: &str| rewrite(old, new).map_err(|refusal| refusal.reason);
        assert_eq!(reason("a\nb\n", "a\n# ... rest of the file unchanged ...\n"), Err(Reason::Placeholder));
        assert_eq!(reason("a\nb\n", "\n"), Err(Reason::Shrinks));
        assert_eq!(reason("a\nb\n", "```\n```\n"), Err(Reason::Shrinks));
    }
}
