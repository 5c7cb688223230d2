//! Byte-pair encoding, for counting alone: how many tokens of a vocabulary a text is encoded to.
//!
//! Kept small, for it stays in memory through the whole session: the bytes of all tokens in one buffer, and a hash table of
//! their merge ranks. Any
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
/// An empty slot of the hash table.
const NONE: u32 = u32::MAX;

/// A vocabulary in memory.
pub(super) struct BpeVocabulary {
    /// The bytes of all tokens one behind the other, in the order of their ranks.
    bytes: Vec<u8>,
    /// Where each token ends in it.
    ends: Vec<u32>,
    /// Merge ranks by the hash of their tokens; a power of two, at most half full.
    ranks: Vec<u32>,
    pattern: Regex,
}

impl BpeVocabulary {
    /// From what [`pack`] wrote, and the alternatives that a text is first cut by.
    pub(super) fn new(packed: &[u8], pattern: &[&str]) -> BpeVocabulary {
        let mut bytes = Vec::new();
        ZlibDecoder::new(packed).read_to_end(&mut bytes).expect("the packed tokens come with the program");
        let count = bytes.first_chunk().map_or(0, |it| u32::from_le_bytes(*it)) as usize;
        let lengths = bytes[4..4 + count].iter();
        let ends = lengths.scan(0, |end, it| {
            *end += u32::from(*it);
            Some(*end)
        });
        let ends = ends.collect();
        bytes.drain(..4 + count);
        bytes.shrink_to_fit();
        let pattern = Regex::new(&pattern.join("|")).expect("the published patterns are regular expressions");
        let mut vocabulary = BpeVocabulary { bytes, ends, ranks: vec![NONE; (2 * count).next_power_of_two()], pattern };
        for rank in 0..count {
            let at = vocabulary.slot(vocabulary.token(rank));
            vocabulary.ranks[at] = rank as u32;
        }
        vocabulary
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

    /// Tokens of a piece: of all neighbours those are joined first whose token has the lowest rank, the leftmost of equal
    /// ones, until no neighbours make a token.
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

    fn rank(&self, token: &[u8]) -> Option<u32> {
        Some(self.ranks[self.slot(token)]).filter(|it| *it != NONE)
    }

    /// The slot of the table that has `token`, or has room for it.
    fn slot(&self, token: &[u8]) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write(token);
        let mask = self.ranks.len() - 1;
        let mut at = hasher.finish() as usize & mask;
        while self.ranks[at] != NONE && self.token(self.ranks[at] as usize) != token {
            at = (at + 1) & mask;
        }
        at
    }

    /// How many tokens there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The token of a rank.
    pub(super) fn token(&self, rank: usize) -> &[u8] {
        let from = rank.checked_sub(1).map_or(0, |it| self.ends[it]);
        &self.bytes[from as usize..self.ends[rank] as usize]
    }
}

/// White space before a word leaves its last character to that word.
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

/// The vocabulary in the order of their ranks as [`BpeVocabulary::new`] reads them: how many, the length of each, then the tokens.
#[cfg(test)]
pub(super) fn pack(tokens: &[Vec<u8>]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let lengths: Vec<u8> = tokens.iter().map(|it| u8::try_from(it.len()).unwrap()).collect();
    for bytes in [&(tokens.len() as u32).to_le_bytes(), &lengths[..], &tokens.concat()] {
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
