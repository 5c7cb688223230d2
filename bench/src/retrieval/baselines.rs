//! What simpler means find in the same files: BM25 over whole files, BM25 over pieces of them with identifiers split, and a
//! vote of keywords by ripgrep.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use anyhow::Result;

use super::layout::{Files, Layout};

/// What is larger is data.
const LARGE: u64 = 1 << 20;
/// The constants that everyone uses.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// So many keywords vote.
const KEYWORDS: usize = 30;
/// A piece ends where the next definition may begin, and after so many lines.
const LINES: usize = 60;
const COMMON: &[&str] = &[
    "about", "after", "also", "because", "been", "before", "being", "could", "does", "doesn", "each", "expected",
    "from", "have", "here", "into", "issue", "like", "more", "only", "other", "should", "some", "such", "than", "that",
    "their", "them", "then", "there", "these", "they", "this", "using", "version", "very", "want", "what", "when",
    "where", "which", "will", "with", "would", "your",
];

/// The contents of a repository as the baselines see them, read once each however many commits have them.
#[derive(Default)]
pub struct Texts {
    known: HashMap<String, Text>,
}

/// One content.
#[derive(Default)]
struct Text {
    /// Each word once, in lower case, a line each: a keyword stands in the text where it stands in one of its words.
    words: String,
    /// The words as they stand there.
    whole: Counts,
    /// The words of each piece, identifiers in parts too.
    pieces: Vec<Counts>,
}

/// How often each word stands in a text, in the order of their numbers.
#[derive(Default)]
struct Counts {
    all: Vec<(u32, u32)>,
    length: u32,
}

impl Counts {
    fn of(mut words: Vec<u32>) -> Counts {
        words.sort_unstable();
        let all = words.chunk_by(|a, b| a == b).map(|it| (it[0], it.len() as u32)).collect();
        Counts { all, length: words.len() as u32 }
    }

    fn times(&self, word: u32) -> Option<u32> {
        self.all.binary_search_by_key(&word, |it| it.0).ok().map(|at| self.all[at].1)
    }
}

impl Texts {
    /// Reads what a commit has and was not read before.
    pub fn read(&mut self, layout: &mut Layout, files: &Files) -> Result<()> {
        for blob in files.values().filter(|it| it.size < LARGE) {
            if !self.known.contains_key(&blob.name) {
                let bytes = layout.content(&blob.name)?.filter(|it| !it.contains(&0)).unwrap_or_default();
                self.known.insert(blob.name.clone(), text(&bytes));
            }
        }
        Ok(())
    }

    fn of<'a>(&'a self, files: &'a Files) -> impl Iterator<Item = (&'a str, &'a Text)> {
        files.iter().filter_map(|(path, blob)| Some((path.as_str(), self.known.get(&blob.name)?)))
    }

    /// All files by BM25 of the words of the question, best first.
    pub fn bm25(&self, files: &Files, query: &str) -> Vec<String> {
        let asked: BTreeSet<u32> = words(query).map(|it| number(&it.to_lowercase())).collect();
        best(self.of(files).map(|(path, text)| (path, &text.whole)), &asked)
    }

    /// All files by BM25 of their best piece, identifiers split.
    pub fn pieces(&self, files: &Files, query: &str) -> Vec<String> {
        let asked: BTreeSet<u32> = words(query).flat_map(split).collect();
        let all = self.of(files).flat_map(|(path, text)| text.pieces.iter().map(move |it| (path, it)));
        best(all, &asked)
    }

    /// Files by the rarity of the keywords that stand anywhere in them, whatever their case: what `rg --files-with-matches
    /// --ignore-case --fixed-strings WORD` lists, looked up here because it is not installed everywhere.
    pub fn vote(&self, files: &Files, query: &str) -> Vec<String> {
        let mut scored: BTreeMap<&str, f64> = BTreeMap::new();
        for word in keywords(query) {
            let word = word.to_lowercase();
            let found: Vec<&str> =
                self.of(files).filter(|(_, text)| text.words.contains(&word)).map(|it| it.0).collect();
            let rarity = ((files.len() + 1) as f64 / (found.len() + 1) as f64).ln();
            for path in found {
                *scored.entry(path).or_default() += rarity;
            }
        }
        sorted(scored)
    }
}

fn text(bytes: &[u8]) -> Text {
    let text = String::from_utf8_lossy(bytes);
    let unique: BTreeSet<String> = words(&text).map(str::to_lowercase).collect();
    let whole = Counts::of(words(&text).map(|it| number(&it.to_lowercase())).collect());
    let mut pieces = vec![Vec::new()];
    let (mut lines, mut blank) = (0, false);
    for line in text.lines() {
        let begins = blank && line.starts_with(|it: char| it.is_alphanumeric() || matches!(it, '_' | '#' | '/' | '@'));
        if lines > 0 && (begins || lines >= LINES) {
            pieces.push(Vec::new());
            lines = 0;
        }
        lines += 1;
        blank = line.trim().is_empty();
        pieces.last_mut().expect("there is always one").extend(words(line).flat_map(split));
    }
    let pieces = pieces.into_iter().map(Counts::of).collect();
    Text { words: Vec::from_iter(unique).join("\n"), whole, pieces }
}

/// Paths by the best of their texts.
fn best<'a>(texts: impl Iterator<Item = (&'a str, &'a Counts)>, asked: &BTreeSet<u32>) -> Vec<String> {
    let texts: Vec<(&str, &Counts)> = texts.collect();
    let all = texts.len() as f64;
    let mean = (texts.iter().map(|it| f64::from(it.1.length)).sum::<f64>() / all.max(1.0)).max(1.0);
    let mut scores = vec![0f64; texts.len()];
    for word in asked {
        let holding: Vec<(usize, f64)> =
            (0..).zip(&texts).filter_map(|(at, it)| Some((at, f64::from(it.1.times(*word)?)))).collect();
        let with = holding.len() as f64;
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        for (at, times) in holding {
            let length = f64::from(texts[at].1.length);
            scores[at] += rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / mean));
        }
    }
    let mut scored: BTreeMap<&str, f64> = BTreeMap::new();
    for ((path, _), score) in texts.iter().zip(scores).filter(|it| it.1 > 0.0) {
        let known = scored.entry(path).or_default();
        *known = known.max(score);
    }
    sorted(scored)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| it.len() > 1)
}

/// An identifier and its parts.
fn split(word: &str) -> Vec<u32> {
    let mut found = vec![number(&word.to_lowercase())];
    let chars: Vec<char> = word.chars().collect();
    let mut part = String::new();
    for (at, it) in chars.iter().enumerate() {
        let turns = it.is_uppercase()
            && (at > 0 && chars[at - 1].is_lowercase() || chars.get(at + 1).is_some_and(|it| it.is_lowercase()));
        if turns || !it.is_alphabetic() {
            found.extend((part.len() > 1 && part.len() < word.len()).then(|| number(&part)));
            part.clear();
        }
        if it.is_alphabetic() {
            part.extend(it.to_lowercase());
        }
    }
    found.extend((part.len() > 1 && part.len() < word.len()).then(|| number(&part)));
    found
}

fn number(word: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    (hasher.finish() >> 32) as u32
}

/// The words that look like names first, then the longest.
fn keywords(query: &str) -> Vec<&str> {
    let mut seen = HashSet::new();
    let mut all: Vec<&str> = query
        .split(|it: char| !it.is_alphanumeric() && it != '_')
        .filter(|it| it.len() > 3 && !it.starts_with(|it: char| it.is_ascii_digit()))
        .filter(|it| !COMMON.contains(&it.to_lowercase().as_str()) && seen.insert(it.to_lowercase()))
        .collect();
    let named = |it: &str| it.contains('_') || it.chars().skip(1).any(char::is_uppercase);
    all.sort_by_key(|it| (!named(it), std::cmp::Reverse(it.len())));
    all.truncate(KEYWORDS);
    all
}

fn sorted(scored: BTreeMap<&str, f64>) -> Vec<String> {
    let mut all: Vec<(&str, f64)> = scored.into_iter().collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    all.into_iter().map(|it| it.0.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::layout::Blob;
    use super::*;

    #[test]
    fn each_baseline_puts_the_file_with_the_rare_words_first() {
        let sources = [
            ("a.rs", "fn open() {}\n\nfn close() {}\n"),
            ("b.rs", "fn open() {}\n\n/// The widest line.\nfn maxWidth() {}\n"),
            ("c.rs", "fn open() { open() }\n"),
        ];
        let (mut texts, mut files) = (Texts::default(), Files::new());
        for (path, source) in sources {
            texts.known.insert(path.to_owned(), text(source.as_bytes()));
            files.insert(path.to_owned(), Blob { name: path.to_owned(), size: 9 });
        }
        assert_eq!(texts.bm25(&files, "open the widest")[0], "b.rs");
        assert_eq!(texts.pieces(&files, "the width is open")[0], "b.rs");
        assert_eq!(texts.vote(&files, "WIDTH open")[0], "b.rs");
        assert_eq!(texts.known["b.rs"].pieces.len(), 2);
        assert!(texts.bm25(&files, "nothing").is_empty());
    }
}
