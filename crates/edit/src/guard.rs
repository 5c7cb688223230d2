//! The guard of whole-file writes: a file is never exchanged for a sketch of itself. It looks at the two texts only
//! and alters neither.

use std::collections::HashSet;

use crate::refusal::{Reason, Refusal};

/// A file with fewer lines than this may be rewritten to any size.
const LARGE: usize = 100;
/// The part of a large file's lines, one in so many, which a rewrite must at least keep in number.
const KEEP_ONE_IN: usize = 4;

/// Whether `new` may take the place of `old` as the whole text of a file.
///
/// # Errors
/// [`Reason::Placeholder`] if a line of `new` stands for code that is left out and `old` has no such line;
/// [`Reason::Shrinks`] if `old` has at least 100 lines and `new` less than a quarter of them, or if `new` is blank and
/// `old` is not.
pub fn write_guard(old: &str, new: &str) -> Result<(), Refusal> {
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
