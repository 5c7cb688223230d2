//! Words of a text as the full text knows them: whole identifiers and their parts, in lower case.
//!
//! `readHTTPBody2` gives `readhttpbody2`, `read`, `http`, `body`; `max_len` gives `max_len`, `max`, `len`. Text without
//! blanks between its words (Chinese, Japanese, Korean) gives pairs of neighbouring characters. Nothing is stemmed,
//! nothing is dropped for being common, and texts and questions are split by the same code.

use std::iter::Peekable;
use std::str::CharIndices;

/// What is longer is no word: a hash, a key, encoded data.
const LONGEST: usize = 64;

/// The words of `text` in order, repeated as often as they occur.
pub fn tokens(text: &str) -> Vec<String> {
    let mut splitter = Splitter::new(text);
    let mut all = Vec::new();
    while let Some(token) = splitter.step() {
        all.push(token.to_owned());
    }
    all
}

/// Walks over a text and yields one word at a time without allocating.
pub(crate) struct Splitter<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
    /// Parts of the last identifier that are still to come.
    parts: Vec<(usize, usize)>,
    next: usize,
    word: String,
}

impl<'a> Splitter<'a> {
    pub(crate) fn new(text: &'a str) -> Splitter<'a> {
        Splitter { text, chars: text.char_indices().peekable(), parts: Vec::new(), next: 0, word: String::new() }
    }

    /// The next word, in lower case.
    pub(crate) fn step(&mut self) -> Option<&str> {
        loop {
            if let Some(&(from, to)) = self.parts.get(self.next) {
                self.next += 1;
                return Some(self.lower(from, to));
            }
            let (from, to) = self.run()?;
            self.parts.clear();
            self.next = 0;
            self.split(from, to);
        }
    }

    /// The next run of letters, digits and underscores.
    fn run(&mut self) -> Option<(usize, usize)> {
        let (from, _) = self.chars.find(|(_, it)| is_word(*it))?;
        while self.chars.next_if(|(_, it)| is_word(*it)).is_some() {}
        Some((from, self.chars.peek().map_or(self.text.len(), |(at, _)| *at)))
    }

    fn split(&mut self, from: usize, to: usize) {
        let run = &self.text[from..to];
        if run.is_ascii() {
            return self.identifier(from, to);
        }
        let mut start = from;
        let mut wide: Vec<usize> = Vec::new();
        for (at, it) in run.char_indices().map(|(at, it)| (from + at, it)) {
            if is_unspaced(it) {
                if wide.is_empty() {
                    self.identifier(start, at);
                }
                wide.push(at);
            } else if !wide.is_empty() {
                self.pairs(&wide, at);
                wide.clear();
                start = at;
            }
        }
        match wide.is_empty() {
            true => self.identifier(start, to),
            false => self.pairs(&wide, to),
        }
    }

    /// Neighbouring characters, two at a time; one that stands alone is a word.
    fn pairs(&mut self, starts: &[usize], end: usize) {
        let bounds = |at: usize| starts.get(at).copied().unwrap_or(end);
        let last = starts.len().saturating_sub(1).max(1);
        self.parts.extend((0..last).map(|at| (bounds(at), bounds(at + 2))));
    }

    /// An identifier whole and, where it has several, its parts.
    fn identifier(&mut self, from: usize, to: usize) {
        let run = &self.text[from..to];
        let whole = run.trim_matches('_');
        if whole.len() < 2 || whole.len() > LONGEST {
            return;
        }
        let from = from + (run.len() - run.trim_start_matches('_').len());
        self.parts.push((from, from + whole.len()));
        let first = self.parts.len();
        let mut start = 0;
        for part in subwords(whole).filter(|it| it.len() < whole.len()) {
            self.part(part, from + start);
            start += part.len();
        }
        // A single part that is all of the word would only count it twice.
        if self.parts.len() == first + 1 && self.parts[first] == self.parts[first - 1] {
            self.parts.pop();
        }
    }

    fn part(&mut self, part: &str, from: usize) {
        let bare = part.trim_matches('_');
        if bare.len() >= 2 {
            let start = from + (part.len() - part.trim_start_matches('_').len());
            self.parts.push((start, start + bare.len()));
        }
    }

    fn lower(&mut self, from: usize, to: usize) -> &str {
        self.word.clear();
        let text = &self.text[from..to];
        if text.is_ascii() {
            self.word.push_str(text);
            self.word.make_ascii_lowercase();
        } else {
            self.word.extend(text.chars().flat_map(char::to_lowercase));
        }
        &self.word
    }
}

/// The parts of an identifier.
pub(crate) fn subwords(word: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    boundaries(word).chain([word.len()]).map(move |end| &word[std::mem::replace(&mut start, end)..end])
}

/// Where the parts of an identifier begin, but for the first.
fn boundaries(word: &str) -> impl Iterator<Item = usize> + '_ {
    let mut before = None;
    let mut chars = word.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, it) = chars.next()?;
            let after = chars.peek().map(|(_, it)| *it);
            let cut = before.is_some_and(|before| is_boundary(before, it, after));
            before = Some(it);
            if cut {
                return Some(at);
            }
        }
    })
}

/// True where a part begins with `it`: `fooBar`, `HTTPServer` before `S`, `foo_bar`, `utf8`, `2nd`.
fn is_boundary(before: char, it: char, after: Option<char>) -> bool {
    if before == '_' || it == '_' {
        return before != it;
    }
    if before.is_ascii_digit() != it.is_ascii_digit() {
        return true;
    }
    let starts_word = before.is_uppercase() && it.is_uppercase() && after.is_some_and(char::is_lowercase);
    it.is_uppercase() && (!before.is_uppercase() || starts_word)
}

fn is_word(it: char) -> bool {
    it == '_' || if it.is_ascii() { it.is_ascii_alphanumeric() } else { it.is_alphanumeric() }
}

/// True for scripts that put no blanks between words.
fn is_unspaced(it: char) -> bool {
    matches!(u32::from(it), 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_kept_whole_and_split() {
        for (text, expected) in [
            ("readHTTPBody2", "readhttpbody2 read http body"),
            ("max_len", "max_len max len"),
            ("__init__(self)", "init self"),
            ("_private_Thing", "private_thing private thing"),
            ("utf8 v2 404", "utf8 utf v2 404"),
            ("a b xy", "xy"),
            ("HTML", "html"),
            ("XMLHttpRequest", "xmlhttprequest xml http request"),
            ("std::io::Error", "std io error"),
            ("Größe_MAX", "größe_max größe max"),
            ("修复登录 bug", "修复 复登 登录 bug"),
            ("猫", "猫"),
            ("foo猫Bar", "foo 猫 bar"),
            ("", ""),
            ("___", ""),
        ] {
            assert_eq!(tokens(text).join(" "), expected, "{text}");
        }
        assert!(tokens(&"a".repeat(65)).is_empty(), "no longer than {LONGEST} bytes");
        assert_eq!(tokens(&"a".repeat(64)).len(), 1);
    }
}
