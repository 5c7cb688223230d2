//! The files of a manifest, read where they lie: records of one size, and behind them the texts of the paths.

use tantivy::directory::OwnedBytes;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::entry::{At, Key, Stamp, View};
use super::rules::RULES;

/// No segment.
const NONE: u32 = u32::MAX;

/// A file as it lies in the table.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C, packed)]
struct Record {
    stamp: Stamp,
    hash: Key,
    key: Key,
    at: [u32; 2],
    /// Where its path begins behind the records, and how long that is.
    path: [u32; 2],
    /// The number of the rule, from 1; zero for none.
    rule: u8,
    young: u8,
}

/// The files of a manifest, sorted by path.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    bytes: OwnedBytes,
    len: usize,
}

impl Table {
    pub(crate) fn new<'a>(len: usize, files: impl Iterator<Item = View<'a>>) -> Table {
        let mut bytes = Vec::with_capacity(len * (size_of::<Record>() + 48));
        let mut texts: Vec<u8> = Vec::new();
        for it in files {
            let rule = it.rule.and_then(|it| RULES.iter().position(|known| *known == it)).map_or(0, |it| it + 1);
            let record = Record {
                stamp: it.stamp,
                hash: it.hash,
                key: it.key,
                at: it.at.unwrap_or((NONE, NONE)).into(),
                path: [texts.len() as u32, it.path.len() as u32],
                rule: rule as u8,
                young: u8::from(it.young),
            };
            bytes.extend(record.as_bytes());
            texts.extend(it.path.as_bytes());
        }
        bytes.extend(texts);
        Table { bytes: OwnedBytes::new(bytes), len }
    }

    /// The same from disk; none where the bytes are too few.
    pub(crate) fn decode(bytes: OwnedBytes, len: usize) -> Option<Table> {
        (bytes.len() / size_of::<Record>() >= len).then_some(Table { bytes, len })
    }

    pub(crate) fn encoded(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The records, and behind them the paths.
    fn parts(&self) -> (&[Record], &[u8]) {
        <[Record]>::ref_from_prefix_with_elems(&self.bytes, self.len).unwrap_or_default()
    }

    pub(crate) fn path(&self, file: usize) -> &str {
        let (records, texts) = self.parts();
        let [from, len] = records[file].path.map(|it| it as usize);
        // The manifest's checksum is right, so these are the bytes of a text.
        std::str::from_utf8(texts.get(from..from + len).unwrap_or_default()).unwrap_or_default()
    }

    pub(crate) fn at(&self, file: usize) -> Option<At> {
        let [segment, content] = self.parts().0[file].at;
        (segment != NONE).then_some((segment, content))
    }

    pub(crate) fn get(&self, file: usize) -> View<'_> {
        let it = &self.parts().0[file];
        View {
            path: self.path(file),
            stamp: it.stamp,
            young: it.young != 0,
            hash: it.hash,
            key: it.key,
            rule: usize::from(it.rule).checked_sub(1).and_then(|it| RULES.get(it).copied()),
            at: self.at(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::Entry;
    use super::super::listing::Listing;
    use super::super::rules::Rule;
    use super::*;

    #[test]
    fn a_table_says_what_was_put_into_it() {
        let stamp = Stamp { size: 1 << 40, mtime: -5, ctime: i64::MAX, inode: u64::MAX, mode: 0o100_644 };
        let entry = |path: &str, rule, at| Entry {
            path: path.into(),
            stamp,
            young: rule == Some(Rule::Binary),
            hash: [7; 16],
            key: [8; 16],
            rule,
            at,
        };
        let mut all: Vec<Entry> = RULES.iter().map(|it| entry(it.name(), Some(*it), None)).collect();
        all.push(entry("größe/a.rs", None, Some((3, 4_000_000_000))));
        all.sort_by(|a, b| a.path.cmp(&b.path));
        let (listing, _) = Listing::default().with(all.iter().map(|it| (it.path.clone(), Some(it.clone()))).collect());
        let table = Table::new(listing.len(), listing.iter());
        let again = Table::decode(OwnedBytes::new(table.encoded().to_vec()), table.len()).unwrap();
        assert!((0..again.len()).map(|it| again.get(it)).eq(all.iter().map(Entry::view)));
        assert!(Table::decode(OwnedBytes::new(vec![0; size_of::<Record>()]), 2).is_none());
    }
}
