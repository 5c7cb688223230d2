//! A line as words and signs, and what separates two lines when both are read so. Blanks never count.

use similar::DiffOp;

use crate::text::ops::{ops, share};

/// The words (letters, digits, underscores) and single signs of a line.
pub(crate) fn tokens(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut word: Option<usize> = None;
    for (at, c) in line.char_indices() {
        if is_word(c) {
            word.get_or_insert(at);
            continue;
        }
        if let Some(start) = word.take() {
            out.push(&line[start..at]);
        }
        if !c.is_whitespace() {
            out.push(&line[at..at + c.len_utf8()]);
        }
    }
    if let Some(start) = word {
        out.push(&line[start..]);
    }
    out
}

/// Whether a character belongs to a word.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where two lines of tokens differ: the tokens of the one and the tokens which the other has in their stead.
pub(crate) fn differences<'a, 'b>(a: &[&'a str], b: &[&'b str]) -> Vec<(Vec<&'a str>, Vec<&'b str>)> {
    let mut out = Vec::new();
    for op in ops(a, b) {
        if !matches!(op, DiffOp::Equal { .. }) {
            out.push((a[op.old_range()].to_vec(), b[op.new_range()].to_vec()));
        }
    }
    out
}

/// How alike two lines are, word by word, 0 to 1.
pub(crate) fn likeness(a: &str, b: &str) -> f32 {
    let (a, b) = (tokens(a), tokens(b));
    if a.is_empty() && b.is_empty() { 1.0 } else { share(&a, &b) }
}

/// Whether a text has this very word, not merely as a part of a longer one.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fall_into_words_and_signs() {
        assert_eq!(tokens("  let x_1 = \"é\"; "), ["let", "x_1", "=", "\"", "é", "\"", ";"]);
        assert_eq!(tokens(" \t"), [""; 0]);
    }

    #[test]
    fn only_whole_words_count() {
        assert!(has_word("a import b", "import"));
        assert!(!has_word("important", "import"));
        assert!(has_word("important import", "import"));
        assert!(!has_word("x_import", "import"));
    }
}
