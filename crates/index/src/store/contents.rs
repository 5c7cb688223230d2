//! The table of a segment's contents: where each one's chunks and facts are, and how long its texts are.
//!
//! It is read where it lies, in memory or in a mapped file, so that opening a large one takes no longer than opening a
//! small one. Records have one size; behind them stands the order of their keys.

use std::path::Path;

use tantivy::directory::OwnedBytes;
use zerocopy::native_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::schema::TEXTS;
use crate::IndexError;
use crate::store::files::Key;

/// One content of a segment, as it lies in the table.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C, packed)]
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

/// All contents of a segment in the order of their documents.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    bytes: OwnedBytes,
    count: usize,
}

impl Contents {
    pub(crate) fn new(all: &[Content]) -> Contents {
        let mut order: Vec<u32> = (0u32..).take(all.len()).collect();
        order.sort_unstable_by_key(|it| all[*it as usize].key);
        let bytes = [all.as_bytes(), order.as_bytes()].concat();
        Contents { bytes: OwnedBytes::new(bytes), count: all.len() }
    }

    /// The table as it lies on disk.
    pub(crate) fn encoded(&self) -> &[u8] {
        &self.bytes
    }

    /// The same from there. That it is what was written is the manifest's to know.
    pub(crate) fn decode(bytes: OwnedBytes, place: &Path) -> Result<Contents, IndexError> {
        let record = size_of::<Content>() + size_of::<u32>();
        let count = bytes.len() / record;
        if count * record != bytes.len() {
            return Err(IndexError::damaged(place, "its end is missing"));
        }
        Ok(Contents { bytes, count })
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// All contents.
    pub(crate) fn all(&self) -> &[Content] {
        <[Content]>::ref_from_prefix_with_elems(&self.bytes, self.count).map_or(&[], |it| it.0)
    }

    /// The content at a position.
    pub(crate) fn get(&self, content: u32) -> Option<&Content> {
        self.all().get(content as usize)
    }

    /// The first document of a content and their number; none where there is no such content.
    pub(crate) fn docs_of(&self, content: u32) -> (u32, u32) {
        self.get(content).map_or((0, 0), |it| (it.first, it.docs))
    }

    /// Words of a content in a text field.
    pub(crate) fn length(&self, content: u32, field: usize) -> u32 {
        self.get(content).map_or(0, |it| it.lengths[field])
    }

    /// The position of the content with this key.
    pub(crate) fn find(&self, key: &Key) -> Option<u32> {
        let (_, order) = <[U32]>::ref_from_suffix_with_elems(&self.bytes, self.count).ok()?;
        let all = self.all();
        let at = order.binary_search_by(|it| all[it.get() as usize].key.cmp(key)).ok()?;
        Some(order[at].get())
    }

    /// The number of documents.
    pub(crate) fn docs(&self) -> u32 {
        self.all().last().map_or(0, |it| it.first.saturating_add(it.docs))
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
        assert_eq!(again.all(), all);
        assert_eq!((again.docs(), again.len()), (33, 11));
        for (at, it) in (0u32..).zip(&all) {
            assert_eq!(again.find(&it.key), Some(at));
            assert_eq!((again.docs_of(at), again.length(at, 4)), (({ it.first }, 3), { it.lengths }[4]));
        }
        assert_eq!((again.find(&[99; 16]), again.get(11)), (None, None));
        assert!(Contents::decode(OwnedBytes::new(table.encoded()[1..].to_vec()), Path::new("x")).is_err());
        assert_eq!(Contents::new(&[]).docs(), 0);
    }
}
