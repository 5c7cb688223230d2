//! What the request spells otherwise than the file, learnt from the lines which both have, and undone in the lines
//! that are new: typographic marks where the file is plain, misspelt words. Only ever towards the file's spelling.

use std::borrow::Cow;

use crate::engine::tier::fuzzy;
use crate::text::fold::plain;
use crate::text::tokens::is_word;

/// The kinds of typographic marks that are undone together.
const KINDS: [&str; 4] = ["'", "\"", "-", " "];

/// How to write new lines as the file would.
#[derive(Debug, Clone, Default)]
pub(crate) struct Respelling {
    /// Whether a quote, a dash or a blank was typographic in the request and plain in the file.
    quotes: bool,
    dashes: bool,
    blanks: bool,
    words: Vec<(String, String)>,
}

impl Respelling {
    /// Learns from aligned lines. `file` is the whole text.
    pub fn learn<'a>(aligned: impl Iterator<Item = (&'a str, &'a str)>, file: &str) -> Self {
        let mut learnt = Self::default();
        for (search, line) in aligned {
            if search == line {
                continue;
            }
            for kind in KINDS {
                let has = |text: &str| text.chars().any(|c| plain(c) == Some(kind));
                if !search.is_ascii() && has(search) && !has(line) {
                    match kind {
                        "-" => learnt.dashes = true,
                        " " => learnt.blanks = true,
                        _ => learnt.quotes = true,
                    }
                }
            }
            for (ours, theirs) in fuzzy::slips(search, line, file).unwrap_or_default() {
                learnt.words.push((ours.to_owned(), theirs.to_owned()));
            }
        }
        learnt
    }

    /// A new line in the file's spelling.
    pub fn apply<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(line);
        if (self.quotes || self.dashes || self.blanks) && !line.is_ascii() {
            out = Cow::Owned(line.chars().map(|c| self.undo(c)).collect());
        }
        for (ours, theirs) in &self.words {
            if out.contains(ours.as_str()) {
                out = Cow::Owned(replace_word(&out, ours, theirs));
            }
        }
        out
    }

    fn undo(&self, c: char) -> char {
        match plain(c) {
            Some("'") if self.quotes => '\'',
            Some("\"") if self.quotes => '"',
            Some("-") if self.dashes => '-',
            Some(" ") if self.blanks => ' ',
            _ => c,
        }
    }
}

fn replace_word(text: &str, ours: &str, theirs: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find(ours) {
        let end = at + ours.len();
        let whole = !rest[..at].chars().next_back().or(out.chars().next_back()).is_some_and(is_word)
            && !rest[end..].chars().next().is_some_and(is_word);
        out.push_str(&rest[..at]);
        out.push_str(if whole { theirs } else { ours });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_lines_are_written_as_the_file_writes() {
        let learn = |search: &'static str, line: &'static str| Respelling::learn(std::iter::once((search, line)), line);
        assert_eq!(learn("say(“a”)", "say(\"a\")").apply("say(“b”, ‘c’)"), "say(\"b\", 'c')");
        assert_eq!(learn("say(“a”)", "say(“a”)").apply("say(“b”)"), "say(“b”)");
        assert_eq!(learn("a b", "a b").apply("– “b”"), "– “b”");
        assert_eq!(
            learn("conection.a()", "connection.a()").apply("conection.b(conections)"),
            "connection.b(conections)"
        );
    }
}
