//! A word of a command line, as far as its text is known before the line runs.

/// Stands for a part that is not known before the line runs. No line may contain the character itself.
pub(crate) const UNKNOWN: char = '\u{fffc}';

/// One word, after all that the shell does to it but matching file names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Word {
    /// Its text, with [`UNKNOWN`] where it is not known.
    pub text: String,
    /// As it was written.
    pub source: String,
    /// True when it is matched against file names.
    pub glob: bool,
    /// True when it was written with quotes or backslashes.
    pub quoted: bool,
}

impl Word {
    /// A word that is what it says.
    pub fn plain(text: &str) -> Word {
        Word { text: text.to_owned(), source: text.to_owned(), glob: false, quoted: false }
    }

    /// A word of which nothing is known.
    pub fn unknown() -> Word {
        Word { text: UNKNOWN.to_string(), source: "…".to_owned(), glob: false, quoted: false }
    }

    /// True when a part of it is not known.
    pub fn has_unknown(&self) -> bool {
        self.text.contains(UNKNOWN)
    }

    /// The word without its first `bytes` bytes, for the value of `--option=value`.
    pub fn after(&self, bytes: usize) -> Word {
        let text = self.text.get(bytes..).unwrap_or_default().to_owned();
        Word { source: text.clone(), text, glob: self.glob, quoted: self.quoted }
    }

    /// How it is shown, and what rules are held against: as written where it hides something, else quoted only where needed.
    pub fn shown(&self) -> String {
        if self.has_unknown() || self.glob {
            return self.source.clone();
        }
        let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%^~{}[]*?#".contains(c);
        if !self.text.is_empty() && self.text.chars().all(plain) {
            return self.text.clone();
        }
        format!("'{}'", self.text.replace('\'', "'\\''"))
    }
}

/// Joins words as rules see them.
pub(crate) fn join_words(words: &[Word]) -> String {
    words.iter().map(Word::shown).collect::<Vec<_>>().join(" ")
}
