//! Finding and reading objects in the packs of a store. Never changes anything.
//!
//! What is read is held against its name, so that a damaged object is found out and never used.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::read::ZlibDecoder;

use super::object::{self, Kind};
use crate::Hash;

/// Bytes before the names in an index.
const HEAD: usize = 8 + 256 * 4;
const ID: usize = 32;

/// Why an object cannot be had.
#[derive(Debug)]
pub(super) enum Lost {
    /// No pack has it.
    Missing,
    /// What is there is not what it was.
    Damaged(PathBuf, &'static str),
    /// The system refused.
    Io(io::Error),
}

type Result<T> = std::result::Result<T, Lost>;

/// The packs of a store, newest first.
#[derive(Debug, Default)]
pub(super) struct Packs {
    packs: Vec<Pack>,
}

#[derive(Debug)]
pub(super) struct Pack {
    /// Of the pack, without an ending.
    path: PathBuf,
    file: File,
    /// Length of the pack and of its index.
    pub bytes: u64,
    index: Vec<u8>,
    count: usize,
    /// Where the objects begin, sorted, and the end of the last.
    offsets: OnceLock<Vec<u64>>,
}

impl Packs {
    /// Opens all packs of a folder.
    pub(super) fn open(folder: &Path) -> Result<Packs> {
        let fail = Lost::Io;
        let mut found = Vec::new();
        let entries = match std::fs::read_dir(folder) {
            Err(it) if it.kind() == io::ErrorKind::NotFound => return Ok(Packs::default()),
            other => other.map_err(fail)?,
        };
        for entry in entries {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_some_and(|it| it == "idx") {
                let modified = path.metadata().and_then(|it| it.modified()).map_err(fail)?;
                found.push((modified, path.with_extension("")));
            }
        }
        found.sort_unstable();
        let packs = found.into_iter().rev().map(|(_, path)| Pack::open(path)).collect::<Result<_>>()?;
        Ok(Packs { packs })
    }

    pub(super) fn has(&self, id: &Hash) -> bool {
        self.packs.iter().any(|it| it.find(id).is_some())
    }

    /// Kind and body of an object.
    pub(super) fn read(&self, id: &Hash) -> Result<(Kind, Vec<u8>)> {
        let (pack, at) = self.find(id)?;
        pack.read(id, at)
    }

    /// An object as it is in its pack, head included.
    pub(super) fn raw(&self, id: &Hash) -> Result<Vec<u8>> {
        let (pack, at) = self.find(id)?;
        pack.bytes(at)
    }

    /// The number of bytes that an object takes.
    pub(super) fn size(&self, id: &Hash) -> Result<u64> {
        let (pack, at) = self.find(id)?;
        let start = pack.offset(at)?;
        Ok(pack.end(start)? - start)
    }

    /// The bytes of all packs.
    pub(super) fn bytes(&self) -> u64 {
        self.packs.iter().map(|it| it.bytes).sum()
    }

    pub(super) fn count(&self) -> usize {
        self.packs.len()
    }

    pub(super) fn add(&mut self, path: PathBuf) -> Result<()> {
        self.packs.insert(0, Pack::open(path)?);
        Ok(())
    }

    /// Names of all packs, without an ending.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.packs.iter().map(|it| it.path.as_path())
    }

    fn find(&self, id: &Hash) -> Result<(&Pack, usize)> {
        self.packs.iter().find_map(|it| Some((it, it.find(id)?))).ok_or(Lost::Missing)
    }
}

impl Pack {
    fn open(path: PathBuf) -> Result<Pack> {
        let fail = Lost::Io;
        let index = std::fs::read(path.with_extension("idx")).map_err(fail)?;
        let file = File::open(path.with_extension("pack")).map_err(|it| match it.kind() {
            io::ErrorKind::NotFound => Lost::Damaged(path.clone(), "it is gone, and its index is not"),
            _ => Lost::Io(it),
        })?;
        let length = file.metadata().map_err(fail)?.len();
        let damaged = |why| Lost::Damaged(path.clone(), why);
        if index.len() < HEAD + 2 * ID || index[..8] != *b"\xfftOc\0\0\0\x02" {
            return Err(damaged("its index is not whole"));
        }
        let count = number(&index, 8 + 255 * 4) as usize;
        if index.len() < HEAD + count * (ID + 8) + 2 * ID {
            return Err(damaged("its index is not whole"));
        }
        let mut end = [0; ID];
        let at = length.checked_sub(ID as u64).ok_or_else(|| damaged("it is cut off"))?;
        file.read_exact_at(&mut end, at).map_err(fail)?;
        if end != index[index.len() - 2 * ID..index.len() - ID] {
            return Err(damaged("it does not belong to its index"));
        }
        Ok(Pack { bytes: length + index.len() as u64, path, file, index, count, offsets: OnceLock::new() })
    }

    /// The position of an object in the index.
    fn find(&self, id: &Hash) -> Option<usize> {
        let ids = self.index[HEAD..][..self.count * ID].as_chunks::<ID>().0;
        ids.binary_search(id.bytes()).ok()
    }

    fn offset(&self, at: usize) -> Result<u64> {
        let table = HEAD + self.count * (ID + 4);
        let near = number(&self.index, table + at * 4);
        if near & 0x8000_0000 == 0 {
            return Ok(u64::from(near));
        }
        let far = table + self.count * 4 + (near & 0x7fff_ffff) as usize * 8;
        let bytes = self.index.get(far..far + 8).ok_or_else(|| self.damaged("its index is not whole"))?;
        Ok(u64::from_be_bytes(bytes.try_into().expect("a slice of eight")))
    }

    /// Where the object that starts at `start` ends.
    fn end(&self, start: u64) -> Result<u64> {
        let length = self.bytes - self.index.len() as u64;
        if self.offsets.get().is_none() {
            let mut all = (0..self.count).map(|it| self.offset(it)).collect::<Result<Vec<u64>>>()?;
            all.push(length - ID as u64);
            all.sort_unstable();
            let _ = self.offsets.set(all);
        }
        let offsets = self.offsets.get().expect("it was just set");
        let next = offsets.get(offsets.partition_point(|it| *it <= start)).copied();
        next.filter(|it| *it <= length).ok_or_else(|| self.damaged("its index leads beyond its end"))
    }

    fn bytes(&self, at: usize) -> Result<Vec<u8>> {
        let start = self.offset(at)?;
        let end = self.end(start)?;
        let mut bytes = vec![0; usize::try_from(end - start).map_err(|_| self.damaged("an object is too large"))?];
        self.file.read_exact_at(&mut bytes, start).map_err(Lost::Io)?;
        Ok(bytes)
    }

    fn read(&self, id: &Hash, at: usize) -> Result<(Kind, Vec<u8>)> {
        let bytes = self.bytes(at)?;
        let (kind, size, head) = head(&bytes).ok_or_else(|| self.damaged("an object has no head"))?;
        // The size is not believed before the body is there.
        let mut body = Vec::new();
        let done = ZlibDecoder::new(&bytes[head..]).take(size as u64 + 1).read_to_end(&mut body);
        if done.is_err() || body.len() != size || object::id(kind, &body) != *id {
            return Err(self.damaged("an object is not what it was"));
        }
        Ok((kind, body))
    }

    fn damaged(&self, why: &'static str) -> Lost {
        Lost::Damaged(self.path.clone(), why)
    }
}

/// Kind, size of the body, and length of an object's head.
fn head(bytes: &[u8]) -> Option<(Kind, usize, usize)> {
    let first = *bytes.first()?;
    let (mut size, mut shift, mut at) = (usize::from(first & 15), 4, 1);
    let mut more = first & 0x80 != 0;
    while more {
        let byte = *bytes.get(at)?;
        size |= usize::from(byte & 0x7f).checked_shl(shift)?;
        (shift, at, more) = (shift + 7, at + 1, byte & 0x80 != 0);
    }
    // No object is larger than the largest file that is kept by far; this is rubbish.
    (size <= 1 << 34).then_some(())?;
    Some((Kind::of((first >> 4) & 7)?, size, at))
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("a slice of four"))
}
