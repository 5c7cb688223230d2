//! The vocabularies that OpenAI has published.
//!
//! Each is loaded once, when it is first wanted or beside the first request, and never at the start. A count of any text
//! ends: what would cost the tokenizer its stack is cut before.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tiktoken_rs::CoreBPE;

use super::estimate::estimate;

/// The longest run of white space that is counted as one; the tokenizer's patterns run out of stack at some hundred
/// thousand.
const WHITE: usize = 4_096;
/// Bytes that are counted one by one; of a longer text the rest is counted at the rate of its beginning.
const MOST: usize = 1 << 20;

/// A published vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// `o200k_base`, since GPT-4o.
    O200k,
    /// `cl100k_base`, of GPT-4 and GPT-3.5.
    Cl100k,
}

/// A vocabulary in memory.
pub(super) struct Words(CoreBPE);

struct Place {
    words: OnceLock<Words>,
    begun: AtomicBool,
}

impl Place {
    const fn new() -> Place {
        Place { words: OnceLock::new(), begun: AtomicBool::new(false) }
    }
}

static O200K: Place = Place::new();
static CL100K: Place = Place::new();

impl Vocabulary {
    fn place(self) -> &'static Place {
        match self {
            Vocabulary::O200k => &O200K,
            Vocabulary::Cl100k => &CL100K,
        }
    }

    /// The vocabulary, if it is there by now.
    pub(super) fn loaded(self) -> Option<&'static Words> {
        self.place().words.get()
    }

    /// The vocabulary, loaded if need be.
    pub(super) fn load(self) -> &'static Words {
        self.place().words.get_or_init(|| {
            let words = match self {
                Vocabulary::O200k => tiktoken_rs::o200k_base(),
                Vocabulary::Cl100k => tiktoken_rs::cl100k_base(),
            };
            Words(words.expect("the vocabulary that comes with the library can be read"))
        })
    }

    /// Loads it on a thread of its own, once.
    pub(super) fn warm(self) {
        if !self.place().begun.swap(true, Ordering::Relaxed) {
            // Where no thread is to be had, the estimate goes on standing in.
            let _ = std::thread::Builder::new().name("vocabulary".into()).spawn(move || {
                self.load();
            });
        }
    }
}

impl Words {
    /// Tokens of `text`, special tokens taken as plain text.
    pub(super) fn count(&self, text: &str) -> u64 {
        if text.len() <= MOST {
            return self.plain(text);
        }
        let head = &text[..text.floor_char_boundary(MOST)];
        let share = self.plain(head) as f64 / estimate(head).max(1) as f64;
        (estimate(text) as f64 * share).ceil() as u64
    }

    fn plain(&self, text: &str) -> u64 {
        pieces(text).map(|it| self.0.count_ordinary(it) as u64).sum()
    }
}

/// The text, cut within runs of white space that are longer than [`WHITE`]; nearly always the whole of it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = cut(rest);
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Where the first run of white space has become too long; the end of the text where none does.
fn cut(text: &str) -> usize {
    let mut run = 0;
    for (at, c) in text.char_indices() {
        run = if c.is_whitespace() { run + 1 } else { 0 };
        if run > WHITE {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_published_tokenizers() {
        // As tiktoken's own documentation and cookbook count them.
        let cases = [
            ("antidisestablishmentarianism", 6, 6),
            ("2 + 2 = 4", 7, 7),
            ("お誕生日おめでとう", 8, 9),
            ("", 0, 0),
            ("<|endoftext|>", 7, 7),
        ];
        for (text, o200k, cl100k) in cases {
            let counts = (Vocabulary::O200k.load().count(text), Vocabulary::Cl100k.load().count(text));
            assert_eq!(counts, (o200k, cl100k), "{text}");
        }
    }

    #[test]
    fn a_text_of_one_kind_of_sign_alone_is_counted_too() {
        let words = Vocabulary::O200k.load();
        for sign in [" ", "\n", "\t", " \n", "a", "=", "中", "\u{3000}", "\0"] {
            let (short, long) = (words.count(&sign.repeat(5_000)), words.count(&sign.repeat(30_000)));
            assert!(short > 0 && long > short, "{sign:?}: {short}, {long}");
        }
        // So many are more than the tokenizer itself survives.
        let most = words.count(&" ".repeat(MOST + 1));
        assert!((200..20_000).contains(&most), "{most}");
    }

    #[test]
    fn the_pieces_are_the_text() {
        for text in ["", "a b", &format!("a{}b{}", " ".repeat(10_000), "\u{3000}".repeat(9_000))] {
            assert_eq!(pieces(text).collect::<String>(), text);
            let longest = |it: &str| it.split(|c: char| !c.is_whitespace()).map(|run| run.chars().count()).max();
            assert!(pieces(text).all(|it| longest(it) <= Some(WHITE)));
        }
    }
}
