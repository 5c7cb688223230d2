//! The files of a tree in the order of their paths, as a snapshot holds them.
//!
//! They lie in blocks that snapshots share: an edit makes one block anew, whatever the size of the tree. All are read from
//! tables, those of the manifest where it lies. A listing never changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::entry::{At, Entry, Key, View};
use super::table::Table;

/// Files of a block, about; one of twice as many is parted.
const BLOCK: usize = 256;

/// All files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    blocks: Vec<Block>,
    /// The number of the first file of each block, and at the end that of all files.
    starts: Vec<usize>,
}

/// Some of the files of a table.
#[derive(Clone, Debug)]
struct Block {
    table: Arc<Table>,
    from: usize,
    len: usize,
}

/// Where a content goes from a place; its key is worked out for those that ask for it.
pub(crate) type Move<'a> = dyn Fn(At, &dyn Fn() -> Key) -> Option<At> + 'a;

/// What becomes of a file: another entry, or none. In the order of their paths, each once.
pub(crate) type Changed = Vec<(Arc<str>, Option<Entry>)>;

impl Block {
    /// One of its own.
    fn of<'a>(len: usize, files: impl Iterator<Item = View<'a>>) -> Block {
        Block { table: Arc::new(Table::new(len, files)), from: 0, len }
    }

    fn get(&self, at: usize) -> View<'_> {
        self.table.get(self.from + at)
    }

    fn path(&self, at: usize) -> &str {
        self.table.path(self.from + at)
    }

    fn at(&self, at: usize) -> Option<At> {
        self.table.at(self.from + at)
    }
}

impl Listing {
    /// The files of a manifest.
    pub(crate) fn mapped(table: Arc<Table>) -> Listing {
        let starts = (0..table.len()).step_by(BLOCK);
        let block = |from| Block { table: table.clone(), from, len: BLOCK.min(table.len() - from) };
        Listing::of(starts.map(block).collect())
    }

    fn of(blocks: Vec<Block>) -> Listing {
        let mut starts = Vec::with_capacity(blocks.len() + 1);
        starts.push(0);
        starts.extend(blocks.iter().scan(0, |sum, it| {
            *sum += it.len;
            Some(*sum)
        }));
        Listing { blocks, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The file with a number, which must be one.
    pub(crate) fn get(&self, number: usize) -> View<'_> {
        let (block, at) = self.place(number);
        self.blocks[block].get(at)
    }

    /// The path of a file, likewise.
    pub(crate) fn path(&self, number: usize) -> &str {
        let (block, at) = self.place(number);
        self.blocks[block].path(at)
    }

    fn place(&self, number: usize) -> (usize, usize) {
        let block = self.starts.partition_point(|it| *it <= number).saturating_sub(1);
        (block, number - self.starts[block])
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = View<'_>> {
        self.blocks.iter().flat_map(|block| (0..block.len).map(|it| block.get(it)))
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(|block| (0..block.len).map(|it| block.path(it)))
    }

    /// Where the contents of all files are, in their order.
    pub(crate) fn places(&self) -> impl DoubleEndedIterator<Item = Option<At>> + '_ {
        self.blocks.iter().flat_map(|block| (0..block.len).map(|it| block.at(it)))
    }

    /// The number of the first file that is not before `path`.
    pub(crate) fn from(&self, path: &str) -> usize {
        let block = self.blocks.partition_point(|it| it.path(0) <= path).saturating_sub(1);
        let Some(it) = self.blocks.get(block) else { return 0 };
        let (mut from, mut to) = (0, it.len);
        while from < to {
            let middle = from.midpoint(to);
            if it.path(middle) < path { from = middle + 1 } else { to = middle }
        }
        self.starts[block] + from
    }

    /// The number of a file.
    pub(crate) fn find(&self, path: &str) -> Option<usize> {
        Some(self.from(path)).filter(|it| *it < self.len() && self.path(*it) == path)
    }

    /// The same files but for some. True where no file came or went.
    pub(crate) fn with(&self, changed: Changed) -> (Listing, bool) {
        let (mut blocks, mut same) = (Vec::with_capacity(self.blocks.len()), true);
        let mut changed = changed.into_iter().peekable();
        for (number, block) in self.blocks.iter().enumerate() {
            let next = self.blocks.get(number + 1).map(|it| it.path(0));
            let mut here = Vec::new();
            while let Some(it) = changed.next_if(|it| next.is_none_or(|next| *it.0 < *next)) {
                here.push(it);
            }
            match here.is_empty() {
                true => blocks.push(block.clone()),
                false => same &= joined(block, here, &mut blocks),
            }
        }
        let rest: Vec<Entry> = changed.filter_map(|it| it.1).collect();
        same &= rest.is_empty();
        part(rest.iter().map(Entry::view).collect(), &mut blocks);
        (Listing::of(blocks), same)
    }

    /// The same files with their contents in other places. Blocks in which none moves are shared.
    pub(crate) fn moved(&self, to: &Move<'_>) -> Listing {
        let block = |block: &Block| {
            let place = |it: usize| block.at(it).and_then(|at| to(at, &|| block.get(it).key));
            if (0..block.len).all(|it| place(it) == block.at(it)) {
                return block.clone();
            }
            Block::of(block.len, (0..block.len).map(|it| Entry { at: place(it), ..block.get(it) }))
        };
        Listing::of(self.blocks.iter().map(block).collect())
    }
}

/// Adds a block with what has changed in it; true where no file came or went.
fn joined(block: &Block, changed: Changed, blocks: &mut Vec<Block>) -> bool {
    let mut all: BTreeMap<&str, View<'_>> = (0..block.len).map(|it| (block.path(it), block.get(it))).collect();
    let mut same = true;
    for (path, entry) in &changed {
        same &= match entry {
            Some(entry) => all.insert(path, entry.view()).is_some(),
            None => all.remove(&**path).is_none(),
        };
    }
    part(all.into_values().collect(), blocks);
    same
}

/// Adds files as blocks.
fn part(all: Vec<View<'_>>, blocks: &mut Vec<Block>) {
    if (1..=2 * BLOCK).contains(&all.len()) {
        return blocks.push(Block::of(all.len(), all.into_iter()));
    }
    blocks.extend(all.chunks(BLOCK).map(|it| Block::of(it.len(), it.iter().copied())));
}

#[cfg(test)]
mod tests {
    use super::super::entry::Stamp;
    use super::*;

    fn entry(path: &str, size: u64) -> Entry {
        Entry {
            path: path.into(),
            stamp: Stamp { size, ..Stamp::default() },
            young: false,
            hash: [1; 16],
            key: [2; 16],
            rule: None,
            at: Some((0, size as u32)),
        }
    }

    #[test]
    fn a_listing_answers_like_a_sorted_map() {
        let (mut listing, mut expected) = (Listing::default(), BTreeMap::<String, u64>::new());
        let mut random = 1u64;
        for round in 0..60u64 {
            let mut changes: BTreeMap<String, Option<u64>> = BTreeMap::new();
            for _ in 0..(round * 37) % 400 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let path = format!("d{}/f{}", (random >> 33) % 40, (random >> 40) % 60);
                changes.insert(path, (random >> 60 > 4).then_some(round));
            }
            let before: Vec<String> = expected.keys().cloned().collect();
            for (path, size) in &changes {
                match size {
                    Some(size) => drop(expected.insert(path.clone(), *size)),
                    None => drop(expected.remove(path)),
                }
            }
            let changed = changes.iter().map(|(path, it)| (Arc::from(path.as_str()), it.map(|it| entry(path, it))));
            let (next, same) = listing.with(changed.collect());
            assert_eq!(same, before.iter().eq(expected.keys()), "round {round}");
            listing = next;
            assert!(listing.paths().eq(expected.keys().map(String::as_str)), "round {round}");
            assert!(listing.iter().map(|it| it.stamp.size).eq(expected.values().copied()), "round {round}");
            if round % 7 == 3 {
                listing = Listing::mapped(Arc::new(Table::new(listing.len(), listing.iter())));
            }
            for (number, path) in expected.keys().enumerate() {
                assert_eq!((listing.find(path), listing.path(number)), (Some(number), path.as_str()));
            }
            for absent in ["", "a", "d3/f", "d3/f9x", "e"] {
                assert_eq!(listing.find(absent), None);
                assert_eq!(listing.from(absent), expected.range(..absent.to_owned()).count(), "{absent}");
            }
        }
        assert!(listing.len() > 500 && listing.blocks.len() > 3);
        let moved = listing.moved(&|at, _| (at.1 != 7).then_some((at.0 + u32::from(at.1 == 8), at.1)));
        let place = |it: &u64| (*it != 7).then_some((u32::from(*it == 8), *it as u32));
        assert!(moved.places().eq(expected.values().map(place)));
    }
}
