//! Byte-pair encoding, for counting alone: how many words of a vocabulary a text is cut into.
//!
//! Kept small, for it stands in memory through the whole session: one text of all words, and a table of their ranks. Any
//! text is counted, whatever its length, and takes no stack.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hasher;
use std::io::Read;

use flate2::read::ZlibDecoder;
use regex::Regex;
use rustc_hash::FxHasher;

use super::estimate::estimate;

/// Bytes that are counted one by one; of a longer text the rest is counted at the rate of its beginning.
const MOST: usize = 1 << 20;
/// Where the table has no word.
const NONE: u32 = u32::MAX;

/// A vocabulary in memory.
pub(super) struct Words {
    /// All words one behind the other, in the order of their ranks.
    text: Vec<u8>,
    /// Where each word ends in it.
    ends: Vec<u32>,
    /// Ranks by the hash of their words; a power of two, at most half full.
    table: Vec<u32>,
    pattern: Regex,
}

impl Words {
    /// From what [`pack`] wrote, and the alternatives that a text is first cut by.
    pub(super) fn new(packed: &[u8], pattern: &[&str]) -> Words {
        let mut text = Vec::new();
        ZlibDecoder::new(packed).read_to_end(&mut text).expect("the packed words come with the program");
        let count = text.first_chunk().map_or(0, |it| u32::from_le_bytes(*it)) as usize;
        let lengths = text[4..4 + count].iter();
        let ends = lengths.scan(0, |end, it| {
            *end += u32::from(*it);
            Some(*end)
        });
        let ends = ends.collect();
        text.drain(..4 + count);
        text.shrink_to_fit();
        let pattern = Regex::new(&pattern.join("|")).expect("the published patterns are regular expressions");
        let mut words = Words { text, ends, table: vec![NONE; (2 * count).next_power_of_two()], pattern };
        for rank in 0..count {
            let at = words.place(words.word(rank));
            words.table[at] = rank as u32;
        }
        words
    }

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
        let (mut at, mut sum) = (0, 0);
        while let Some(found) = self.pattern.find_at(text, at) {
            let piece = left_for_the_next(&text[found.start()..], found.as_str());
            sum += self.piece(piece.as_bytes());
            at = found.start() + piece.len();
        }
        sum
    }

    /// Tokens of a piece: of all neighbours those are joined first whose word has the lowest rank, the leftmost of equal
    /// ones, until no neighbours make a word.
    fn piece(&self, piece: &[u8]) -> u64 {
        if self.rank(piece).is_some() {
            return 1;
        }
        // Of each part, by where it begins: where it ends, and where the one before it begins.
        let mut end: Vec<usize> = (1..=piece.len()).collect();
        let mut before: Vec<usize> = (0..piece.len()).map(|it| it.saturating_sub(1)).collect();
        let joined = |from: usize, end: &[usize]| {
            let to = *end.get(*end.get(from)?)?;
            Some(Reverse((self.rank(&piece[from..to])?, from, to)))
        };
        let mut wanted: BinaryHeap<_> = (0..piece.len()).filter_map(|it| joined(it, &end)).collect();
        let mut count = piece.len() as u64;
        while let Some(Reverse((_, from, to))) = wanted.pop() {
            // A part that has been joined ends nowhere; one whose neighbour has grown is wanted anew, as it is now.
            if end[from] == 0 || end.get(end[from]) != Some(&to) {
                continue;
            }
            let taken = std::mem::replace(&mut end[from], to);
            end[taken] = 0;
            if to < piece.len() {
                before[to] = from;
            }
            count -= 1;
            wanted.extend(joined(from, &end));
            if from > 0 {
                wanted.extend(joined(before[from], &end));
            }
        }
        count
    }

    fn rank(&self, word: &[u8]) -> Option<u32> {
        Some(self.table[self.place(word)]).filter(|it| *it != NONE)
    }

    /// Where the table has `word`, or has room for it.
    fn place(&self, word: &[u8]) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write(word);
        let mask = self.table.len() - 1;
        let mut at = hasher.finish() as usize & mask;
        while self.table[at] != NONE && self.word(self.table[at] as usize) != word {
            at = (at + 1) & mask;
        }
        at
    }

    /// How many words there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The word of a rank.
    pub(super) fn word(&self, rank: usize) -> &[u8] {
        let from = rank.checked_sub(1).map_or(0, |it| self.ends[it]);
        &self.text[from as usize..self.ends[rank] as usize]
    }
}

/// White space before a word leaves its last character to the word.
fn left_for_the_next<'a>(text: &str, piece: &'a str) -> &'a str {
    let mut chars = piece.char_indices();
    let Some((last, c)) = chars.next_back() else { return piece };
    let leaves = last > 0
        && text.len() > piece.len()
        && !matches!(c, '\r' | '\n')
        && piece.chars().all(char::is_whitespace)
        && !text[piece.len()..].starts_with(char::is_whitespace);
    if leaves { &piece[..last] } else { piece }
}

/// Words in the order of their ranks as [`Words::new`] reads them: how many, the length of each, then the words.
#[cfg(test)]
pub(super) fn pack(words: &[Vec<u8>]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let lengths: Vec<u8> = words.iter().map(|it| u8::try_from(it.len()).unwrap()).collect();
    for bytes in [&(words.len() as u32).to_le_bytes(), &lengths[..], &words.concat()] {
        encoder.write_all(bytes).unwrap();
    }
    encoder.finish().unwrap()
}

#[cfg(test)]
mod tests {
    use super::super::exact::Vocabulary;
    use super::*;

    #[test]
    fn a_text_of_one_kind_of_sign_alone_is_counted_too() {
        let words = Vocabulary::O200k.load();
        for sign in [" ", "\n", "\t", " \n", "a", "=", "中", "\u{3000}", "\0"] {
            let (short, long) = (words.count(&sign.repeat(5_000)), words.count(&sign.repeat(30_000)));
            assert!(short > 0 && long > short, "{sign:?}: {short}, {long}");
        }
        let most = words.count(&" ".repeat(MOST + 1));
        assert!((200..20_000).contains(&most), "{most}");
    }
}
