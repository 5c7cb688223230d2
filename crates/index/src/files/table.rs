//! The files of a manifest, read where they lie: records of one size, and behind them the texts of the paths.

use tantivy::directory::OwnedBytes;

use super::entry::{At, Key, Stamp, View};
use super::rules::RULES;
use crate::store::numbers::{number, wide};

/// Where the fields of a record begin.
const MTIME: usize = 8;
const CTIME: usize = 16;
const INODE: usize = 24;
const MODE: usize = 32;
const HASH: usize = 36;
const KEY: usize = 52;
const PLACE: usize = 68;
const PATH: usize = 76;
const FLAGS: usize = 84;
/// Bytes of a record.
const RECORD: usize = 88;
/// No segment.
const NONE: u32 = u32::MAX;
const YOUNG: u32 = 1 << 8;

/// The files of a manifest, sorted by path.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    bytes: OwnedBytes,
    len: usize,
}

impl Table {
    pub(crate) fn new<'a>(len: usize, files: impl Iterator<Item = View<'a>>) -> Table {
        let mut bytes = Vec::with_capacity(len * (RECORD + 48));
        let mut texts: Vec<u8> = Vec::new();
        for it in files {
            bytes.extend(it.stamp.size.to_le_bytes());
            bytes.extend(it.stamp.mtime.to_le_bytes());
            bytes.extend(it.stamp.ctime.to_le_bytes());
            bytes.extend(it.stamp.inode.to_le_bytes());
            bytes.extend(it.stamp.mode.to_le_bytes());
            bytes.extend(it.hash);
            bytes.extend(it.key);
            let (segment, content) = it.at.unwrap_or((NONE, NONE));
            let rule = it.rule.and_then(|it| RULES.iter().position(|known| *known == it)).map_or(0, |it| it + 1);
            let flags = rule as u32 | if it.young { YOUNG } else { 0 };
            let text = (texts.len() as u32, it.path.len() as u32);
            for value in [segment, content, text.0, text.1, flags] {
                bytes.extend(value.to_le_bytes());
            }
            texts.extend(it.path.as_bytes());
        }
        bytes.extend(texts);
        Table { bytes: OwnedBytes::new(bytes), len }
    }

    /// The same from disk; none where the bytes are too few.
    pub(crate) fn decode(bytes: OwnedBytes, len: usize) -> Option<Table> {
        (bytes.len() / RECORD >= len).then_some(Table { bytes, len })
    }

    pub(crate) fn encoded(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn record(&self, file: usize) -> &[u8] {
        &self.bytes[file * RECORD..][..RECORD]
    }

    pub(crate) fn path(&self, file: usize) -> &str {
        let it = self.record(file);
        let (from, len) = (self.len * RECORD + number(it, PATH) as usize, number(it, PATH + 4) as usize);
        // The manifest's checksum is right, so these are the bytes of a text.
        std::str::from_utf8(self.bytes.get(from..from + len).unwrap_or_default()).unwrap_or_default()
    }

    pub(crate) fn at(&self, file: usize) -> Option<At> {
        let it = self.record(file);
        let at = (number(it, PLACE), number(it, PLACE + 4));
        (at.0 != NONE).then_some(at)
    }

    pub(crate) fn get(&self, file: usize) -> View<'_> {
        let it = self.record(file);
        let key = |at: usize| -> Key { it[at..at + 16].try_into().unwrap_or_default() };
        let flags = number(it, FLAGS);
        let stamp = Stamp {
            size: wide(it, 0),
            mtime: wide(it, MTIME).cast_signed(),
            ctime: wide(it, CTIME).cast_signed(),
            inode: wide(it, INODE),
            mode: number(it, MODE),
        };
        View {
            path: self.path(file),
            stamp,
            young: flags & YOUNG != 0,
            hash: key(HASH),
            key: key(KEY),
            rule: ((flags & 0xFF) as usize).checked_sub(1).and_then(|it| RULES.get(it).copied()),
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
        assert_eq!((0..again.len()).map(|it| Entry::from(again.get(it))).collect::<Vec<_>>(), all);
        assert!(Table::decode(OwnedBytes::new(vec![0; RECORD]), 2).is_none());
    }
}
