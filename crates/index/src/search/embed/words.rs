//! Texts as the tokens of a model: the words of BERT, and the longest known pieces of each (WordPiece).
//!
//! After Devlin et al. 2018 and Schuster & Nakajima 2012, as `tokenizer.json` or `vocab.txt` describe it. Tokenizers of
//! other kinds are refused rather than imitated.

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::embedder::read_json;
use crate::IndexError;

/// A model's vocabulary and how texts are split before it is looked into.
#[derive(Debug)]
pub(super) struct Words {
    tokens: HashMap<Box<str>, u32>,
    /// What a piece begins with that does not begin a word.
    inner: String,
    /// Longer words are unknown as a whole.
    longest: usize,
    lower: bool,
    strip: bool,
    clean: bool,
    chinese: bool,
    /// The token of what has no other.
    pub(super) unknown: Option<u32>,
}

static MARK: LazyLock<Regex> = LazyLock::new(|| class(r"\p{Mn}"));
static OTHER: LazyLock<Regex> = LazyLock::new(|| class(r"\p{C}"));
static PUNCTUATION: LazyLock<Regex> = LazyLock::new(|| class(r"\p{P}"));

fn class(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern names one class of characters")
}

fn is(class: &Regex, c: char) -> bool {
    class.is_match(c.encode_utf8(&mut [0; 4]))
}

impl Words {
    /// The vocabulary of the model in `folder`.
    pub(super) fn open(folder: &Path) -> Result<Words, IndexError> {
        let place = folder.join("tokenizer.json");
        let words = if place.exists() { Words::described(&place)? } else { Words::listed(folder)? };
        Ok(words)
    }

    /// The number of tokens that there are: one more than the greatest.
    pub(super) fn len(&self) -> usize {
        self.tokens.values().max().map_or(0, |it| *it as usize + 1)
    }

    fn new(tokens: HashMap<Box<str>, u32>) -> Words {
        let unknown = tokens.get("[UNK]").copied();
        let inner = "##".to_owned();
        Words { tokens, inner, longest: 100, lower: true, strip: true, clean: true, chinese: true, unknown }
    }

    fn described(place: &Path) -> Result<Words, IndexError> {
        let said = read_json(place)?;
        let wrong = |why: String| IndexError::model(place, why);
        let model = &said["model"];
        // Old files do not name the kind.
        let kind = model["type"].as_str().unwrap_or("WordPiece");
        if kind != "WordPiece" {
            return Err(wrong(format!("its tokenizer is of the kind `{kind}`; `WordPiece` alone can be used")));
        }
        let vocabulary = model["vocab"].as_object().ok_or_else(|| wrong("it has no vocabulary".to_owned()))?;
        let number = |it: &Value| it.as_u64().and_then(|it| u32::try_from(it).ok());
        let tokens = vocabulary.iter().map(|(token, it)| Some((Box::from(token.as_str()), number(it)?)));
        let tokens = tokens.collect::<Option<_>>().ok_or_else(|| wrong("a token has no number".to_owned()))?;
        let mut words = Words::new(tokens);
        words.unknown = model["unk_token"].as_str().and_then(|it| words.tokens.get(it).copied()).or(words.unknown);
        if let Some(inner) = model["continuing_subword_prefix"].as_str() {
            words.inner = inner.to_owned();
        }
        let longest = model["max_input_chars_per_word"].as_u64().and_then(|it| usize::try_from(it).ok());
        words.longest = longest.unwrap_or(words.longest);
        let normalizer = &said["normalizer"];
        words.normalized(normalizer).map_err(wrong)?;
        match said["pre_tokenizer"]["type"].as_str() {
            Some("BertPreTokenizer") | None => Ok(words),
            Some(other) => Err(wrong(format!("texts split by `{other}` are not known"))),
        }
    }

    fn normalized(&mut self, it: &Value) -> Result<(), String> {
        if it.is_null() {
            (self.lower, self.strip, self.clean, self.chinese) = (false, false, false, false);
            return Ok(());
        }
        match it["type"].as_str() {
            Some("BertNormalizer") => {
                let says = |key: &str| it[key].as_bool();
                self.lower = says("lowercase").unwrap_or(true);
                // Where it is not said, accents go with capitals.
                self.strip = says("strip_accents").unwrap_or(self.lower);
                self.clean = says("clean_text").unwrap_or(true);
                self.chinese = says("handle_chinese_chars").unwrap_or(true);
                Ok(())
            }
            Some("Sequence") => match it["normalizers"].as_array().map(Vec::as_slice) {
                Some([only]) => self.normalized(only),
                _ => Err("texts that are normalised in several steps are not known".to_owned()),
            },
            other => Err(format!("texts normalised by `{}` are not known", other.unwrap_or_default())),
        }
    }

    /// From one token per line.
    fn listed(folder: &Path) -> Result<Words, IndexError> {
        let place = folder.join("vocab.txt");
        let text = std::fs::read_to_string(&place).map_err(|it| IndexError::model(&place, it))?;
        let tokens = (0u32..).zip(text.lines()).map(|(number, it)| (Box::from(it.trim_end()), number)).collect();
        let mut words = Words::new(tokens);
        if let Ok(said) = read_json(&folder.join("tokenizer_config.json")) {
            words.lower = said["do_lower_case"].as_bool().unwrap_or(true);
            words.strip = said["strip_accents"].as_bool().unwrap_or(words.lower);
            words.chinese = said["tokenize_chinese_chars"].as_bool().unwrap_or(true);
        }
        Ok(words)
    }

    /// The first `limit` tokens of a text, without those of its ends.
    pub(super) fn tokens(&self, text: &str, limit: usize) -> Vec<u32> {
        let mut found = Vec::new();
        let mut word = String::new();
        for c in text.chars() {
            let alone = is_punctuation(c) || (self.chinese && is_chinese(c));
            let space = c.is_whitespace();
            if space || alone {
                self.pieces(&word, &mut found);
                word.clear();
            }
            if alone {
                self.pieces(c.encode_utf8(&mut [0; 4]), &mut found);
            } else if !space {
                self.take(c, &mut word);
            }
            if found.len() >= limit {
                break;
            }
        }
        self.pieces(&word, &mut found);
        found.truncate(limit);
        found
    }

    /// Adds a character to a word as the vocabulary writes it.
    fn take(&self, c: char, word: &mut String) {
        if c.is_ascii() {
            // Most characters of most code.
            if !self.clean || !c.is_ascii_control() {
                word.push(if self.lower { c.to_ascii_lowercase() } else { c });
            }
            return;
        }
        if self.clean && (c == '\u{FFFD}' || is(&OTHER, c)) {
            return;
        }
        let lowered = |word: &mut String, c: char| match self.lower {
            true => word.extend(c.to_lowercase()),
            false => word.push(c),
        };
        match self.strip {
            true => std::iter::once(c).nfd().filter(|it| !is(&MARK, *it)).for_each(|it| lowered(word, it)),
            false => lowered(word, c),
        }
    }

    /// The longest known pieces of a word, from its begin on; the unknown token where one part has none.
    fn pieces(&self, word: &str, found: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let before = found.len();
        if word.chars().count() > self.longest {
            found.extend(self.unknown);
            return;
        }
        let (mut from, mut piece) = (0, String::new());
        while from < word.len() {
            piece.clear();
            if from > 0 {
                piece.push_str(&self.inner);
            }
            let head = piece.len();
            piece.push_str(&word[from..]);
            let token = loop {
                if let Some(token) = self.tokens.get(piece.as_str()) {
                    break Some(*token);
                }
                piece.pop();
                if piece.len() <= head {
                    break None;
                }
            };
            let Some(token) = token else {
                found.truncate(before);
                found.extend(self.unknown);
                return;
            };
            found.push(token);
            from += piece.len() - head;
        }
    }
}

/// All of ASCII that is neither a letter, a digit nor a space counts, as BERT has it.
fn is_punctuation(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_punctuation() } else { is(&PUNCTUATION, c) }
}

/// The blocks of ideographs, which are words by themselves.
fn is_chinese(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F
        | 0x2B820..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Words {
        Words::new((0u32..).zip(list).map(|(number, it)| (Box::from(*it), number)).collect())
    }

    #[test]
    fn words_are_cut_into_the_longest_known_pieces() {
        let list = ["[UNK]", "un", "##aff", "##able", "a", "_", "b", "cafe", "字", ".", "##a", "unaff"];
        let words = words(&list);
        let cases: [(&str, &[&str]); 8] = [
            ("unaffable", &["unaff", "##able"]),
            ("Unaffable a_b", &["unaff", "##able", "a", "_", "b"]),
            ("Café.", &["cafe", "."]),
            ("cafe\u{301}", &["cafe"]),
            ("a字字a", &["a", "字", "字", "a"]),
            ("unaffx a", &["[UNK]", "a"]),
            ("a\u{0}\u{200d}a\t\n a", &["a", "##a", "a"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<&str> = words.tokens(text, 100).into_iter().map(|it| list[it as usize]).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(words.tokens("a a a a", 2), [4, 4]);
        assert_eq!(words.tokens(&"a".repeat(101), 9), [0]);
    }
}
