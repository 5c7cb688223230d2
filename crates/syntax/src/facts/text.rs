//! Words about a definition: its signature in one line and the first paragraph of its comment. It never looks further
//! than the limits let it, so that a long text costs no more than a short one.

/// Bytes of a signature at most.
const MOST_SIGNATURE: usize = 300;
/// Bytes of a comment's first paragraph at most.
const MOST_DOC: usize = 400;
/// Lines of a comment that are looked at.
const MOST_LINES: usize = 40;

/// A signature with its blanks and line ends as single blanks.
pub(super) fn signature(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        if !append(&mut out, word, MOST_SIGNATURE) {
            break;
        }
    }
    out
}

/// The first paragraph of a comment or documentation string, without its marks.
pub(super) fn doc(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().take(MOST_LINES) {
        let bare = bare(line);
        if bare.is_empty() && !out.is_empty() {
            break;
        }
        // What follows the paragraph in the usual formats is about parameters.
        if !out.is_empty() && (bare.starts_with('@') || bare.starts_with("\\param") || bare.starts_with(":param")) {
            break;
        }
        if !bare.split_whitespace().all(|word| append(&mut out, word, MOST_DOC)) {
            break;
        }
    }
    out
}

/// A line without the marks of a comment; nothing for a line of ornaments.
fn bare(line: &str) -> &str {
    let mut line = line.trim();
    for mark in ["/**", "/*!", "/*", "///", "//!", "//", "--[[", "---", "--", "\"\"\"", "'''", "r\"\"\"", "*/", "<!--"]
    {
        if let Some(rest) = line.strip_prefix(mark) {
            line = rest.trim_start();
            break;
        }
    }
    line = line.trim_start_matches(['*', '#', '!']).trim_start();
    for mark in ["*/", "\"\"\"", "'''", "-->", "]]"] {
        line = line.strip_suffix(mark).unwrap_or(line).trim_end();
    }
    line = line.strip_prefix("<summary>").unwrap_or(line);
    line = line.strip_suffix("</summary>").unwrap_or(line).trim();
    if line.chars().any(char::is_alphanumeric) { line } else { "" }
}

/// Adds a word after a blank; false where it does not fit any more. A word that is too long by itself is cut.
fn append(out: &mut String, word: &str, most: usize) -> bool {
    let blank = usize::from(!out.is_empty());
    if out.len() + blank + word.len() <= most {
        if blank == 1 {
            out.push(' ');
        }
        out.push_str(word);
        return true;
    }
    if out.is_empty() {
        let end = (0..=most).rev().find(|it| word.is_char_boundary(*it)).unwrap_or_default();
        out.push_str(&word[..end]);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_lose_their_marks_and_all_but_their_first_paragraph() {
        for (text, expected) in [
            ("/// Adds two.\n/// And more.\n///\n/// Later.\n", "Adds two. And more."),
            ("/**\n * Adds two.\n *\n * @param a one\n */", "Adds two."),
            ("/** Adds two. */", "Adds two."),
            ("/**\n * Adds two.\n * @param a one\n */", "Adds two."),
            ("\"\"\"Adds two.\n\n    Later.\n    \"\"\"", "Adds two."),
            ("# ------\n# Adds two.\n# ------\n", "Adds two."),
            ("-- Adds two.", "Adds two."),
            ("/// <summary>\n/// Adds two.\n/// </summary>", "Adds two."),
            ("", ""),
        ] {
            assert_eq!(doc(text), expected, "{text:?}");
        }
    }

    #[test]
    fn words_are_bounded_wherever_they_break() {
        assert_eq!(signature("fn f(\n    a: u8,\n)  -> u8"), "fn f( a: u8, ) -> u8");
        assert_eq!(signature(&"é".repeat(1000)).len(), MOST_SIGNATURE);
        assert_eq!(doc(&"a ".repeat(1000)).len(), MOST_DOC - 1);
    }
}
