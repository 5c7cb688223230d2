//! How much a checkpoint keeps, and how much a store.

use super::index::Index;
use super::skip::Skip;

/// Limits of a store of checkpoints. What is beyond them is left out and said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest file that is kept, in bytes.
    pub file: u64,
    /// The largest sum of all files of one checkpoint, in bytes; beyond it the largest files are left out.
    pub tree: u64,
    /// The most files and folders of a tree; one with more is refused.
    pub entries: usize,
    /// The bytes of a store from which on the oldest checkpoints are given up.
    pub store: u64,
    /// The bytes of git's folder that are copied where they cannot be linked.
    pub git: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { file: 64 << 20, tree: 2 << 30, entries: 500_000, store: 2 << 30, git: 512 << 20 }
    }
}

/// Leaves out the largest files, as many as there must be. Which these are depends on the tree alone.
pub(super) fn bound(index: &mut Index, limits: &Limits) {
    let sum: u64 = index.totals().1;
    if sum <= limits.tree {
        return;
    }
    let kept = || index.folders.iter().flat_map(|it| &it.entries).filter(|it| it.is_kept() && !it.is_folder());
    let mut sizes: Vec<u64> = kept().map(|it| it.stamp.size).collect();
    sizes.sort_unstable();
    let mut left = limits.tree;
    let fits = sizes.iter().take_while(|it| left.checked_sub(**it).map(|rest| left = rest).is_some()).count();
    // Of files of one size either all are kept or none.
    let most = sizes.get(fits).map_or(u64::MAX, |it| it.saturating_sub(1));
    for entry in index.folders.iter_mut().flat_map(|it| &mut it.entries) {
        if entry.is_kept() && !entry.is_folder() && entry.stamp.size > most {
            entry.skip = Some(Skip::TreeTooLarge);
        }
    }
}
