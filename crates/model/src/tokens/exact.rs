//! The vocabularies that OpenAI has published.
//!
//! Each is loaded once, when it is first wanted or beside the first request, and never at the start.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::bpe::BpeVocabulary;

/// A published vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// `o200k_base`, since GPT-4o.
    O200k,
    /// `cl100k_base`, of GPT-4 and GPT-3.5.
    Cl100k,
}

struct Slot {
    vocabulary: OnceLock<BpeVocabulary>,
    begun: AtomicBool,
}

impl Slot {
    const fn new() -> Slot {
        Slot { vocabulary: OnceLock::new(), begun: AtomicBool::new(false) }
    }
}

static O200K: Slot = Slot::new();
static CL100K: Slot = Slot::new();

impl Vocabulary {
    fn slot(self) -> &'static Slot {
        match self {
            Vocabulary::O200k => &O200K,
            Vocabulary::Cl100k => &CL100K,
        }
    }

    /// The vocabulary, if it is there by now.
    pub(super) fn loaded(self) -> Option<&'static BpeVocabulary> {
        self.slot().vocabulary.get()
    }

    /// The vocabulary, loaded if need be.
    pub(super) fn load(self) -> &'static BpeVocabulary {
        self.slot().vocabulary.get_or_init(|| BpeVocabulary::new(self.packed(), self.pattern()))
    }

    /// Its tokens as [`BpeVocabulary::new`] reads them; `published_tests` writes them from the published lists.
    pub(super) fn packed(self) -> &'static [u8] {
        match self {
            Vocabulary::O200k => include_bytes!("o200k.ranks"),
            Vocabulary::Cl100k => include_bytes!("cl100k.ranks"),
        }
    }

    /// What its tokens begin and end with, one alternative a line, as published; but that white space leaves its last
    /// character to what follows, which no regular expression can say, is done by [`BpeVocabulary`].
    fn pattern(self) -> &'static [&'static str] {
        match self {
            Vocabulary::O200k => &[
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+",
            ],
            Vocabulary::Cl100k => &[
                r"'(?i:[sdmt]|ll|ve|re)",
                r"[^\r\n\p{L}\p{N}]?\p{L}+",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n]*",
                r"\s+$",
                r"\s*[\r\n]",
                r"\s+",
            ],
        }
    }

    /// Loads it on a thread of its own, once.
    pub(super) fn warm(self) {
        if !self.slot().begun.swap(true, Ordering::Relaxed) {
            // Where no thread is to be had, the estimate goes on standing in.
            let _ = std::thread::Builder::new().name("vocabulary".into()).spawn(move || {
                self.load();
            });
        }
    }
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
}
