//! The guards of what is written: a file is never exchanged for a sketch of itself, and what was hidden from the model is
//! never written over by the mark that stands for it. They look at the texts only and alter none.

use std::collections::HashSet;

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
    let known: HashSet<&str> = old.lines().map(str::trim).collect();
    let placeholder = new.lines().enumerate().find(|(_, line)| is_placeholder(line) && !known.contains(line.trim()));
    if let Some((index, line)) = placeholder {
        return Err(Refusal::new(Reason::Placeholder, format!("Line {}: {}", index + 1, line.trim())));
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

/// Words which tell that the line speaks of code it does not give.
const TELLING: &[&str] = &[
    "rest",
    "existing",
    "unchanged",
    "remaining",
    "remains",
    "omitted",
    "previous",
    "snip",
    "snipped",
    "truncated",
    "unmodified",
];
/// Those of them which tell it without dots.
const PLAIN: &[&str] = &["unchanged", "omitted", "snip", "snipped", "truncated", "unmodified"];
/// Words that go with them.
const WITH: &[&str] = &[
    "a",
    "above",
    "all",
    "and",
    "are",
    "as",
    "before",
    "below",
    "block",
    "body",
    "brevity",
    "changes",
    "class",
    "code",
    "component",
    "config",
    "content",
    "contents",
    "document",
    "else",
    "everything",
    "file",
    "for",
    "function",
    "functions",
    "goes",
    "here",
    "implementation",
    "imports",
    "in",
    "is",
    "it",
    "keep",
    "kept",
    "lines",
    "logic",
    "method",
    "methods",
    "module",
    "no",
    "object",
    "of",
    "other",
    "others",
    "page",
    "part",
    "parts",
    "query",
    "same",
    "script",
    "section",
    "shown",
    "stay",
    "stays",
    "struct",
    "stuff",
    "template",
    "tests",
    "the",
    "these",
    "this",
    "to",
    "with",
];

/// Whether a line stands for lines it does not give: a comment of nothing but dots, dots before words such as "rest",
/// "existing code", "unchanged", or a comment that says nothing but "unchanged", "rest of the code".
pub(crate) fn is_placeholder(line: &str) -> bool {
    let line = line.trim();
    if line.len() > 120 {
        return false;
    }
    let Some(comment) = comment_text(line) else { return false };
    let dots = |c: char| c == '.' || c == '\u{2026}';
    let has_dots = comment.contains("...") || comment.contains('\u{2026}');
    if has_dots && comment.chars().all(|c| dots(c) || c.is_whitespace()) {
        // A bare `...` is a statement in Python; only a comment of dots is surely none.
        return !line.starts_with(dots);
    }
    let lower = comment.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let any = |set: &[&str]| words.iter().any(|word| set.contains(word));
    if has_dots && comment.starts_with(dots) {
        return words.len() <= 12 && (any(TELLING) || any(&["same", "code", "here", "keep", "other", "before"]));
    }
    let only = words.iter().all(|word| TELLING.contains(word) || WITH.contains(word));
    let says_rest = lower.contains("rest of") || lower.contains("existing code");
    only && any(TELLING) && (has_dots && comment.ends_with(dots) || any(PLAIN) || says_rest)
}

/// What a comment line says, without its signs; also a line of bare dots and words in brackets.
fn comment_text(line: &str) -> Option<&str> {
    const OPENERS: [&str; 11] = ["//", "/*", "<!--", "{/*", "#", "--", ";", "%", "*", "(*", "'"];
    const CLOSERS: [&str; 4] = ["*/}", "*/", "-->", "*)"];
    let opened = OPENERS.iter().find_map(|opener| line.strip_prefix(opener));
    let body = match opened {
        Some(rest) => rest,
        None if line.starts_with("...") || line.starts_with('\u{2026}') => line,
        None if line.starts_with('[') && line.ends_with(']') => line.trim_matches(['[', ']']),
        None => return None,
    };
    let body = body.trim();
    let body = CLOSERS.iter().find_map(|closer| body.strip_suffix(closer)).unwrap_or(body);
    Some(body.trim_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '*' | '#' | '(' | ')' | '[' | ']')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_lines_are_told_from_code() {
        let yes = [
            "    // ... rest of the code unchanged ...",
            "# ... existing code ...",
            "// ...",
            "# …",
            "/* ... */",
            "<!-- ... rest of the page ... -->",
            "{/* ... existing content ... */}",
            "... rest of file ...",
            "// ... (keep the other methods)",
            "-- rest of the query unchanged...",
            "[... existing code ...]",
            "# (unchanged)",
            "// rest of the file unchanged",
            "// the rest is unchanged",
            "# existing code here",
            "<!-- omitted for brevity -->",
        ];
        let no = [
            "...",
            "    ...",
            "let rest = &v[1..];",
            "f(...args);",
            "// Existing methods",
            "# Wait for the rest of the queue...",
            "// the value is unchanged if the key is known",
            "# previous",
            "# Loading... please wait",
            "def f(x): ...",
            "println!(\"existing code ...\");",
            "match x { [first, rest @ ..] => {} }",
            ">>> ...",
        ];
        for line in yes {
            assert!(is_placeholder(line), "{line}");
        }
        for line in no {
            assert!(!is_placeholder(line), "{line}");
        }
    }

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
