//! What a cache folder holds: the files of the tree, the segments with their contents, and the history. One file,
//! replaced as a whole.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::IndexError;
use crate::snapshot::Past;
use crate::store::files::Key;
use crate::store::files::Table;

/// Raised whenever anything that is written changes its shape or its meaning, the facts' included.
pub(crate) const FORMAT: u32 = 6;

const MAGIC: &[u8; 8] = b"ox-index";

/// What a manifest begins with.
#[derive(FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Head {
    magic: [u8; 8],
    format: u32,
    /// The checksum of all that follows.
    sum: u32,
    /// Bytes of the pieces and of the history, and the number of files.
    lengths: [u64; 3],
}

/// What the checksum is not about.
const HEAD: usize = 16;

/// What the folder holds.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    pub(crate) files: Arc<Table>,
    pub(crate) history: Arc<Past>,
    /// In the order in which entries count them.
    pub(crate) pieces: Vec<Piece>,
    /// Contents that no file has any more, and since when, in seconds since 1970.
    pub(crate) unreferenced_since: Vec<(Key, u64)>,
}

/// A segment's folder as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) name: String,
    files: Vec<Part>,
    /// Which start of the machine the stamps were taken in: what was not yet on the platters may be torn after another.
    boot: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    name: String,
    sum: u32,
    stamp: FileStamp,
}

impl Piece {
    /// Takes the checksums and stamps of all files in `folder`.
    pub(crate) fn seal(folder: &Path) -> Result<Piece, IndexError> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(|it| IndexError::cache(folder, it))? {
            let entry = entry.map_err(|it| IndexError::cache(folder, it))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let place = entry.path();
            // Locks of the engine hold nothing.
            if name.ends_with(".lock") {
                continue;
            }
            files.push(Part { sum: sum_of(&place)?, stamp: stamp_of(&place)?, name });
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Piece { name, files, boot: boot() })
    }

    /// Holds the files in `folder` against what was written: quickly by their stamps, by their checksums where those
    /// differ. True where new stamps ought to be kept.
    pub(crate) fn check(&mut self, folder: &Path) -> Result<bool, IndexError> {
        let now = boot();
        let mut renewed = false;
        for part in &mut self.files {
            let place = folder.join(&part.name);
            let stamp = stamp_of(&place)?;
            if stamp == part.stamp && self.boot == now {
                continue;
            }
            if sum_of(&place)? != part.sum {
                return Err(IndexError::damaged(&place, "its checksum is another"));
            }
            part.stamp = stamp;
            renewed = true;
        }
        self.boot = now;
        Ok(renewed)
    }
}

fn sum_of(place: &Path) -> Result<u32, IndexError> {
    use std::io::Read;
    let failed = |it| IndexError::cache(place, it);
    let mut file = std::fs::File::open(place).map_err(failed)?;
    let mut sum = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(sum.finalize()),
            read => sum.update(&buffer[..read]),
        }
    }
}

/// Size, times and number of a file: what tells whether it is still the one that it was.
pub(crate) type FileStamp = (u64, i64, i64, u64);

/// The stamp of a file.
pub(crate) fn stamp_of(place: &Path) -> Result<FileStamp, IndexError> {
    use std::os::unix::fs::MetadataExt;
    let it = std::fs::metadata(place).map_err(|it| IndexError::cache(place, it))?;
    let nanos = |seconds: i64, nanos: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(nanos);
    Ok((it.len(), nanos(it.mtime(), it.mtime_nsec()), nanos(it.ctime(), it.ctime_nsec()), it.ino()))
}

/// Names the start of the machine, where the system tells.
fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map_or_else(|_| String::new(), |it| it.trim().to_owned())
}

impl Manifest {
    /// Head, lengths, the pieces, the history, the files: what is longest comes last and is read where it lies.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let small =
            postcard::to_stdvec(&(&self.pieces, &self.unreferenced_since)).expect("a list of names can be written");
        let (history, files) = (&*self.history.bytes, self.files.encoded());
        let lengths = [small.len(), history.len(), self.files.len()].map(|it| it as u64);
        let mut head = Head { magic: *MAGIC, format: FORMAT, sum: 0, lengths };
        let mut bytes = [head.as_bytes(), &small, history, files].concat();
        head.sum = crc32fast::hash(&bytes[HEAD..]);
        bytes[..size_of::<Head>()].copy_from_slice(head.as_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &OwnedBytes, place: &Path) -> Result<Manifest, IndexError> {
        let short = || IndexError::damaged(place, "its end is missing");
        let (head, _) = Head::read_from_prefix(bytes).map_err(|_| short())?;
        if head.magic != *MAGIC {
            return Err(IndexError::damaged(place, "it does not begin as an index does"));
        }
        if head.format != FORMAT {
            return Err(IndexError::damaged(place, "another version of Ox wrote it"));
        }
        if head.sum != crc32fast::hash(&bytes[HEAD..]) {
            return Err(IndexError::damaged(place, "its checksum is another"));
        }
        let [small, history, files] = head.lengths.map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        let end = |from: usize, len: usize| from.checked_add(len).filter(|it| *it <= bytes.len()).ok_or_else(short);
        let history_at = end(size_of::<Head>(), small)?;
        let files_at = end(history_at, history)?;
        let table = Table::decode(bytes.slice(files_at..bytes.len()), files).ok_or_else(short)?;
        let (pieces, unreferenced_since) =
            postcard::from_bytes(&bytes[size_of::<Head>()..history_at]).map_err(|it| IndexError::damaged(place, it))?;
        let history = Arc::new(Past::read(bytes.slice(history_at..files_at)));
        Ok(Manifest { files: Arc::new(table), history, pieces, unreferenced_since })
    }
}

impl Default for Manifest {
    fn default() -> Manifest {
        let files = Arc::new(Table::new(0, std::iter::empty()));
        Manifest { files, history: Arc::default(), pieces: Vec::new(), unreferenced_since: Vec::new() }
    }
}
