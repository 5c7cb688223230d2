//! The guards of what is written: a file is never exchanged for a sketch of itself, and what was hidden from the model is
//! never written over by the mark that stands for it. They look at the texts only and alter none.

use crate::engine::placeholder::standing_for;
use crate::refusal::{Reason, Refusal};

/// A file with fewer lines than this may be rewritten to any size.
const LARGE: usize = 100;
/// The part of a large file's lines, one in so many, which a rewrite must at least keep in number.
const KEEP_ONE_IN: usize = 4;

/// Whether `new` may take the place of `old` as the whole text of a file.
///
/// # Errors
/// As [`marker_guard`];
/// [`Reason::Placeholder`] if a line of `new` stands for code that is left out and `old` has no such line;
/// [`Reason::Shrinks`] if `old` has at least 100 lines and `new` less than a quarter of them, or if `new` is blank and
/// `old` is not.
pub fn write_guard(old: &str, new: &str) -> Result<(), Refusal> {
    marker_guard(old, new)?;
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    if let Some(&index) = standing_for(&old_lines, &new_lines, true).first() {
        return Err(Refusal::new(Reason::Placeholder, format!("Line {}: {}", index + 1, new_lines[index].trim())));
    }
    let (before, after) = (old.lines().count(), new.lines().count());
    let emptied = new.trim().is_empty() && !old.trim().is_empty();
    if emptied || before >= LARGE && after * KEEP_ONE_IN < before {
        return Err(Refusal::new(Reason::Shrinks, format!("The file has {before} lines, the new text {after}.")));
    }
    Ok(())
}

/// Whether an edit with the text `given` (what it looks for, or what it writes) speaks of the file with the text `file`:
/// a secret is shown to models as `[redacted: KIND #HASH]`, and where that stands the file has the secret itself.
///
/// # Errors
/// [`Reason::Hidden`] if `given` has such a mark that `file` does not have.
pub fn marker_guard(file: &str, given: &str) -> Result<(), Refusal> {
    marker_guard_of(|mark| file.contains(mark), given)
}

pub(crate) fn marker_guard_of(has: impl Fn(&str) -> bool, given: &str) -> Result<(), Refusal> {
    let Some(mark) = marks(given).find(|it| !has(it)) else { return Ok(()) };
    let shown = given.lines().enumerate().find(|(_, line)| line.contains(mark));
    let (index, line) = shown.unwrap_or((0, mark));
    let line: String = line.trim().chars().take(200).collect();
    Err(Refusal::new(Reason::Hidden, format!("Line {}: {line}", index + 1)))
}

const MARK: &str = "[redacted: ";
/// No mark is longer, in bytes.
const MARK_LONGEST: usize = 64;

fn marks(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(MARK).filter_map(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find([']', '\n']).filter(|it| *it < MARK_LONGEST && rest[*it..].starts_with(']'))?;
        rest[..end].contains(" #").then(|| &rest[..=end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_which_the_file_already_has_may_stay() {
        let old = "a\n// ... existing code ...\nb\n";
        assert_eq!(write_guard(old, "a\n// ... existing code ...\nc\n"), Ok(()));
        let refusal = write_guard("a\n", "a\n// ... existing code ...\n").unwrap_err();
        assert_eq!(refusal.reason, Reason::Placeholder);
        assert!(refusal.message().contains("Line 2"), "{}", refusal.message());
    }

    #[test]
    fn what_was_hidden_is_not_written_over() {
        let file = "user = me\npassword = hunter2\n";
        let refusal = write_guard(file, "user = you\npassword = [redacted: password #1a2b]\n").unwrap_err();
        assert_eq!(refusal.reason, Reason::Hidden);
        expect_test::expect![[r#"
            The edit has a mark in place of a secret that was hidden from you; the file has the secret itself there.
            Line 2: password = [redacted: password #1a2b]
            Leave that text out, of what you look for and of what you write: name lines beside it and change only them, and what is hidden stays. A new value can be written, or taken from the environment; the old one only the user can give."#]]
        .assert_eq(&refusal.message());
        // A file that has the mark itself may keep it, and only that one.
        let marked = "x [redacted: password #1a2b]\n";
        assert_eq!(marker_guard(marked, "y [redacted: password #1a2b]\n"), Ok(()));
        assert!(marker_guard(marked, "y [redacted: password #1a2c]\n").is_err());
        for text in ["[redacted: ", "[redacted: x]", "[redacted: x\n #1a2b]", "[redacted]"] {
            assert_eq!(marker_guard("", text), Ok(()), "{text}");
        }
    }

    #[test]
    fn every_way_to_edit_minds_what_was_hidden() {
        use crate::{Block, Files, LineRange, Request, apply, run};
        let mark = "[redacted: password #1a2b]";
        let file = "user = me\npassword = hunter2\nport = 1\n";
        let files = Files::from([("a.ini".to_owned(), file.to_owned())]);
        let block = |search: String, replace: String| [Block::new(search, replace)];
        let old = block(format!("password = {mark}\nport = 1"), "password = x\nport = 2".into());
        let new = block("port = 1".into(), format!("port = 2 # {mark}"));
        let fine = block("port = 1".into(), "port = 2".into());
        assert!(apply(file, &fine).is_ok());
        for blocks in [&old, &new] {
            assert_eq!(apply(file, blocks).unwrap_err().reason, Reason::Hidden);
        }
        let diff = format!(
            "--- a/a.ini\n+++ b/a.ini\n@@ -1,3 +1,3 @@\n user = me\n-password = {mark}\n+password = x\n port = 1\n"
        );
        let patch = format!("*** Begin Patch\n*** Add File: b.ini\n+password = {mark}\n*** End Patch\n");
        let text = format!("<<<<<<< SEARCH\nport = 1\n=======\n{mark}\n>>>>>>> REPLACE\n");
        let ranges = [LineRange { from: 2, to: 2, new: format!("password = {mark}\n"), old: None }];
        for request in [
            Request::Blocks { path: "a.ini", blocks: &new },
            Request::UnifiedDiff { path: None, text: &diff },
            Request::V4a { text: &patch },
            Request::SearchReplace { path: Some("a.ini"), text: &text },
            Request::LineRange { path: "a.ini", ranges: &ranges },
            Request::WholeFile { path: "a.ini", text: &file.replace("hunter2", mark) },
        ] {
            assert_eq!(run(&request, &files).unwrap_err().reason, Reason::Hidden, "{request:?}");
        }
    }

    #[test]
    fn a_large_file_is_not_cut_short() {
        let old = "line\n".repeat(31_699);
        assert_eq!(write_guard(&old, &"line\n".repeat(200)).unwrap_err().reason, Reason::Shrinks);
        assert_eq!(write_guard(&old, &"line\n".repeat(9000)), Ok(()));
        assert_eq!(write_guard(&"line\n".repeat(50), "line\n"), Ok(()));
        assert_eq!(write_guard("", "new\n"), Ok(()));
        assert_eq!(write_guard("a\n", "").unwrap_err().reason, Reason::Shrinks);
        assert_eq!(write_guard("\n", ""), Ok(()));
    }
}
