//! The table of a segment's contents: where each one's chunks and facts are, and how long its texts are.
//!
//! It is read where it lies, in memory or in a mapped file, so that opening a large one takes no longer than opening a
//! small one. Records have one size; behind them stands the order of their keys.

use std::path::Path;

use tantivy::directory::OwnedBytes;

use super::numbers::{number, wide};
use super::schema::TEXTS;
use crate::IndexError;
use crate::files::Key;

/// One content of a segment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Content {
    pub(crate) key: Key,
    /// Its first document; the others follow.
    pub(crate) first: u32,
    /// One for each chunk, and at least one.
    pub(crate) docs: u32,
    /// Words in each text field.
    pub(crate) lengths: [u32; TEXTS],
    /// Where its facts begin in the blob.
    pub(crate) at: u64,
    /// How long they are.
    pub(crate) len: u32,
    /// Their checksum.
    pub(crate) sum: u32,
    /// The size of the text.
    pub(crate) bytes: u32,
    pub(crate) symbols: u32,
    pub(crate) references: u32,
    pub(crate) imports: u32,
    pub(crate) chunks: u32,
    /// One where the parser gave it up.
    pub(crate) given_up: u32,
}

/// Where the fields of a record begin.
const FIRST: usize = 16;
const DOCS: usize = 20;
const LENGTHS: usize = 24;
const AT: usize = LENGTHS + 4 * TEXTS;
const REST: usize = AT + 8;
/// Bytes of a record.
const RECORD: usize = REST + 8 * 4;

/// All contents of a segment in the order of their documents.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    bytes: OwnedBytes,
    count: usize,
}

impl Contents {
    pub(crate) fn new(all: &[Content]) -> Contents {
        let mut bytes = Vec::with_capacity(all.len() * (RECORD + 4));
        for it in all {
            bytes.extend(it.key);
            for value in [it.first, it.docs].into_iter().chain(it.lengths) {
                bytes.extend(value.to_le_bytes());
            }
            bytes.extend(it.at.to_le_bytes());
            for value in [it.len, it.sum, it.bytes, it.symbols, it.references, it.imports, it.chunks, it.given_up] {
                bytes.extend(value.to_le_bytes());
            }
        }
        let mut order: Vec<u32> = (0u32..).take(all.len()).collect();
        order.sort_unstable_by_key(|it| all[*it as usize].key);
        order.iter().for_each(|it| bytes.extend(it.to_le_bytes()));
        Contents { bytes: OwnedBytes::new(bytes), count: all.len() }
    }

    /// The table as it lies on disk.
    pub(crate) fn encoded(&self) -> &[u8] {
        &self.bytes
    }

    /// The same from there. That it is what was written is the manifest's to know.
    pub(crate) fn decode(bytes: OwnedBytes, place: &Path) -> Result<Contents, IndexError> {
        let count = bytes.len() / (RECORD + 4);
        if count * (RECORD + 4) != bytes.len() {
            return Err(IndexError::damaged(place, "its end is missing"));
        }
        Ok(Contents { bytes, count })
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// All contents.
    pub(crate) fn all(&self) -> impl Iterator<Item = Content> + '_ {
        (0..self.count).filter_map(|it| self.get(u32::try_from(it).ok()?))
    }

    /// The content at a position.
    pub(crate) fn get(&self, content: u32) -> Option<Content> {
        let it = self.record(content)?;
        Some(Content {
            key: it[..FIRST].try_into().ok()?,
            first: number(it, FIRST),
            docs: number(it, DOCS),
            lengths: std::array::from_fn(|at| number(it, LENGTHS + 4 * at)),
            at: wide(it, AT),
            len: number(it, REST),
            sum: number(it, REST + 4),
            bytes: number(it, REST + 8),
            symbols: number(it, REST + 12),
            references: number(it, REST + 16),
            imports: number(it, REST + 20),
            chunks: number(it, REST + 24),
            given_up: number(it, REST + 28),
        })
    }

    /// The first document of a content and their number; none where there is no such content.
    pub(crate) fn docs_of(&self, content: u32) -> (u32, u32) {
        self.record(content).map_or((0, 0), |it| (number(it, FIRST), number(it, DOCS)))
    }

    /// Words of a content in a text field.
    pub(crate) fn length(&self, content: u32, field: usize) -> u32 {
        self.record(content).map_or(0, |it| number(it, LENGTHS + 4 * field))
    }

    /// The position of the content with this key.
    pub(crate) fn find(&self, key: &Key) -> Option<u32> {
        let order = &self.bytes[self.count * RECORD..];
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = from.midpoint(to);
            let content = number(order, middle * 4);
            match self.record(content)?[..FIRST].cmp(key) {
                std::cmp::Ordering::Equal => return Some(content),
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// The number of documents.
    pub(crate) fn docs(&self) -> u32 {
        let last = self.count.checked_sub(1).and_then(|it| u32::try_from(it).ok());
        last.map_or(0, |it| {
            let (first, docs) = self.docs_of(it);
            first.saturating_add(docs)
        })
    }

    fn record(&self, content: u32) -> Option<&[u8]> {
        let at = content as usize;
        (at < self.count).then(|| &self.bytes[at * RECORD..][..RECORD])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(number: u32) -> Content {
        Content {
            key: [(number * 37 % 11) as u8; 16],
            first: number * 3,
            docs: 3,
            lengths: [number, 1, 2, 3, number + 4],
            at: u64::from(number) << 33,
            len: number + 5,
            sum: number + 6,
            bytes: number + 7,
            symbols: number + 8,
            references: number + 9,
            imports: number + 10,
            chunks: number + 11,
            given_up: number % 2,
        }
    }

    #[test]
    fn a_table_says_what_was_put_into_it() {
        let all: Vec<Content> = (0..11).map(content).collect();
        let table = Contents::new(&all);
        let again = Contents::decode(OwnedBytes::new(table.encoded().to_vec()), Path::new("x")).unwrap();
        assert_eq!(again.all().collect::<Vec<_>>(), all);
        assert_eq!((again.docs(), again.len()), (33, 11));
        for (at, it) in (0u32..).zip(&all) {
            assert_eq!(again.find(&it.key), Some(at));
            assert_eq!((again.docs_of(at), again.length(at, 4)), ((it.first, 3), it.lengths[4]));
        }
        assert_eq!((again.find(&[99; 16]), again.get(11)), (None, None));
        assert!(Contents::decode(OwnedBytes::new(table.encoded()[1..].to_vec()), Path::new("x")).is_err());
        assert_eq!(Contents::new(&[]).docs(), 0);
    }
}
