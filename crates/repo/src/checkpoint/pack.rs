//! Writing packs: many objects in one file, and the index by which they are found; both in git's formats, version 2.
//!
//! A pack is visible only when it and its index are whole and on the disk: the index gets its name last.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use rustix::io::{Errno, Result};
use sha2::{Digest, Sha256};

use super::object::Kind;
use super::store::draft;
use crate::{Hash, sys};

/// Up to this size a pack is kept in memory until it is complete.
const BUFFER: usize = 4 << 20;
/// The name of a pack that is not complete. There is one writer at a time.
const DRAFT: &str = "draft.tmp";
const INDEX_DRAFT: &str = "index.tmp";

/// One object as it is in a pack.
pub(super) struct Packed {
    pub id: Hash,
    /// Head and compressed body.
    pub bytes: Vec<u8>,
}

impl Packed {
    pub(super) fn of(id: Hash, kind: Kind, body: &[u8]) -> Packed {
        let mut bytes = Vec::with_capacity(body.len() / 2 + 32);
        let (mut size, mut first) = (body.len() >> 4, ((kind as u8) << 4) | (body.len() & 15) as u8);
        while size > 0 {
            bytes.push(first | 0x80);
            first = (size & 0x7f) as u8;
            size >>= 7;
        }
        bytes.push(first);
        let mut encoder = ZlibEncoder::new(bytes, level(body));
        encoder.write_all(body).expect("writing to memory does not fail");
        Packed { id, bytes: encoder.finish().expect("writing to memory does not fail") }
    }
}

/// What is compressed already, such as an image, is not compressed again.
fn level(body: &[u8]) -> Compression {
    const SAMPLE: usize = 4096;
    if body.len() <= SAMPLE {
        return Compression::new(1);
    }
    let at = (body.len() - SAMPLE) / 2;
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(SAMPLE), Compression::new(1));
    encoder.write_all(&body[at..at + SAMPLE]).expect("writing to memory does not fail");
    let small = encoder.finish().expect("writing to memory does not fail").len() < SAMPLE * 15 / 16;
    Compression::new(u32::from(small))
}

/// A pack that is being written. What was written of one that is not finished goes with it: a draft on a full disk takes
/// the room that is needed.
pub(super) struct Pack<'a> {
    folder: &'a OwnedFd,
    /// What is not in the file yet.
    buffer: Vec<u8>,
    file: Option<File>,
    /// Drafts may be there. Only who holds the store may remove them: they may be another's.
    drafted: bool,
    /// Length of the file.
    written: u64,
    entries: Vec<(Hash, u64, u32)>,
    seen: HashSet<Hash>,
}

impl<'a> Pack<'a> {
    pub(super) fn new(folder: &'a OwnedFd) -> Pack<'a> {
        let mut buffer = Vec::with_capacity(64 << 10);
        // The count of objects is filled in at the end.
        buffer.extend_from_slice(b"PACK\0\0\0\x02\0\0\0\0");
        Pack { folder, buffer, file: None, drafted: false, written: 0, entries: Vec::new(), seen: HashSet::new() }
    }

    pub(super) fn has(&self, id: &Hash) -> bool {
        self.seen.contains(id)
    }

    pub(super) fn add(&mut self, object: &Packed) -> Result<()> {
        if !self.seen.insert(object.id) {
            return Ok(());
        }
        let mut crc = Crc::new();
        crc.update(&object.bytes);
        self.entries.push((object.id, self.written + self.buffer.len() as u64, crc.sum()));
        self.buffer.extend_from_slice(&object.bytes);
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.file.is_none() {
            self.drafted = true;
            self.file = Some(draft(self.folder, DRAFT)?);
        }
        let file = self.file.as_ref().expect("it was just opened");
        sys::write(file, &self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Brings the pack and its index to the disk. Answers with its name, without an ending.
    pub(super) fn finish(mut self) -> Result<String> {
        let count = u32::try_from(self.entries.len()).map_err(|_| Errno::FBIG)?.to_be_bytes();
        let mut digest = Sha256::new();
        match &self.file {
            None => self.buffer[8..12].copy_from_slice(&count),
            Some(file) => {
                sys::write_at(file, &count, 8)?;
                digest_file(file, self.written, &mut digest)?;
            }
        }
        digest.update(&self.buffer);
        let sum = Hash::finish(digest);
        self.buffer.extend_from_slice(sum.bytes());
        self.flush()?;
        let file = self.file.take().expect("it was just flushed");
        let index = index(&mut self.entries, &sum);
        let index_file = draft(self.folder, INDEX_DRAFT)?;
        sys::write(&index_file, &index)?;
        sys::sync(&file)?;
        sys::sync(&index_file)?;
        let name = format!("pack-{sum}");
        sys::replace(self.folder, DRAFT.as_ref(), format!("{name}.pack").as_ref())?;
        sys::replace(self.folder, INDEX_DRAFT.as_ref(), format!("{name}.idx").as_ref())?;
        sys::sync_folder(self.folder)?;
        self.drafted = false;
        Ok(name)
    }
}

impl Drop for Pack<'_> {
    fn drop(&mut self) {
        if self.drafted {
            clean(self.folder);
        }
    }
}

/// Removes what a crash or a full disk left.
pub(super) fn clean(folder: &OwnedFd) {
    for name in [DRAFT, INDEX_DRAFT] {
        if rustix::fs::statat(folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            let _ = sys::unlink(folder, name.as_ref());
        }
    }
}

fn digest_file(file: &File, length: u64, digest: &mut Sha256) -> Result<()> {
    let mut buffer = vec![0; 256 << 10];
    let mut at = 0;
    while at < length {
        let wanted = buffer.len().min(usize::try_from(length - at).unwrap_or(usize::MAX));
        let read = file.read_exact_at(&mut buffer[..wanted], at);
        read.map_err(|it| Errno::from_io_error(&it).unwrap_or(Errno::IO))?;
        digest.update(&buffer[..wanted]);
        at += wanted as u64;
    }
    Ok(())
}

/// The bytes of an index.
fn index(entries: &mut [(Hash, u64, u32)], pack: &Hash) -> Vec<u8> {
    entries.sort_unstable_by_key(|it| it.0);
    let mut out = Vec::with_capacity(entries.len() * 40 + 1096);
    out.extend_from_slice(b"\xfftOc\0\0\0\x02");
    let mut at = 0;
    for first in 0..=255_u8 {
        at += entries[at..].iter().take_while(|it| it.0.bytes()[0] == first).count();
        out.extend_from_slice(&(at as u32).to_be_bytes());
    }
    entries.iter().for_each(|it| out.extend_from_slice(it.0.bytes()));
    entries.iter().for_each(|it| out.extend_from_slice(&it.2.to_be_bytes()));
    let mut far: Vec<u64> = Vec::new();
    for (_, offset, _) in entries.iter() {
        let near = u32::try_from(*offset).ok().filter(|it| it & 0x8000_0000 == 0);
        let word = near.unwrap_or_else(|| {
            far.push(*offset);
            0x8000_0000 | (far.len() - 1) as u32
        });
        out.extend_from_slice(&word.to_be_bytes());
    }
    far.iter().for_each(|it| out.extend_from_slice(&it.to_be_bytes()));
    out.extend_from_slice(pack.bytes());
    let sum = Hash::of(&out);
    out.extend_from_slice(sum.bytes());
    out
}
