//! What git tracks, read from its index without git: all that is kept of a tree with too many files.

use std::collections::HashSet;
use std::path::Path;

use crate::git;

/// Paths of files, and of the folders that they are in, from the top of the project.
#[derive(Debug, Default)]
pub(super) struct Tracked(HashSet<Vec<u8>>);

impl Tracked {
    /// None without an index that can be read, and where the project is only a part of its repository.
    pub(super) fn of(root: &Path) -> Option<Tracked> {
        let folder = git::folder(root).filter(|_| root.join(".git").exists())?;
        let settings = std::fs::read_to_string(folder.join("config")).unwrap_or_default();
        let names =
            names(&std::fs::read(folder.join("index")).ok()?, if settings.contains("sha256") { 32 } else { 20 })?;
        let mut all = HashSet::new();
        for name in names {
            let ends = name.iter().enumerate().filter(|it| *it.1 == b'/').map(|it| it.0);
            all.extend(ends.map(|end| name[..end].to_vec()));
            all.insert(name);
        }
        Some(Tracked(all))
    }

    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.0.contains(path)
    }
}

/// The names in an index of version 2, 3 or 4, whose objects have names of `hash` bytes.
fn names(bytes: &[u8], hash: usize) -> Option<Vec<Vec<u8>>> {
    let word = |at: usize| bytes.get(at..at + 4).map(|it| u32::from_be_bytes(it.try_into().expect("a slice of four")));
    let (version, count) = (word(4)?, word(8)?);
    if !bytes.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut names) = (12, Vec::<Vec<u8>>::new());
    for _ in 0..count {
        let start = at;
        at += 40 + hash;
        let extended = version > 2 && bytes.get(at)? & 0x40 != 0;
        at += if extended { 4 } else { 2 };
        let mut name = Vec::new();
        if version == 4 {
            // How much of the name before is left out at its end.
            let mut cut = usize::from(bytes.get(at)? & 0x7f);
            while bytes[at] & 0x80 != 0 {
                at += 1;
                cut = (cut + 1).checked_mul(128)? | usize::from(bytes.get(at)? & 0x7f);
            }
            at += 1;
            let before = names.last().map(Vec::as_slice).unwrap_or_default();
            name.extend_from_slice(before.get(..before.len().checked_sub(cut)?)?);
        }
        let length = bytes.get(at..)?.iter().position(|it| *it == 0)?;
        name.extend_from_slice(&bytes[at..at + length]);
        at += length;
        // Up to eight zeros bring the entry to a multiple of eight.
        at = if version == 4 { at + 1 } else { start + (at - start + 8) / 8 * 8 };
        names.push(name);
    }
    Some(names)
}
