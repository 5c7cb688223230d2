//! What a cache folder holds: the files of the tree, the segments with their contents, and the history. One file,
//! replaced as a whole.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;

use super::numbers::{number, wide};
use crate::IndexError;
use crate::files::Key;
use crate::files::Table;
use crate::snapshot::Past;

/// Raised whenever anything that is written changes its shape or its meaning, the facts' included.
pub(crate) const FORMAT: u32 = 5;

const MAGIC: &[u8; 8] = b"ox-index";
/// Magic, format, checksum.
const HEAD: usize = 16;
/// Behind the lengths of the parts.
const BODY: usize = HEAD + 3 * 8;

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
    stamp: (u64, i64, i64, u64),
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

/// Size, times and number of a file.
#[cfg(unix)]
fn stamp_of(place: &Path) -> Result<(u64, i64, i64, u64), IndexError> {
    use std::os::unix::fs::MetadataExt;
    let it = std::fs::metadata(place).map_err(|it| IndexError::cache(place, it))?;
    let nanos = |seconds: i64, nanos: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(nanos);
    Ok((it.len(), nanos(it.mtime(), it.mtime_nsec()), nanos(it.ctime(), it.ctime_nsec()), it.ino()))
}

#[cfg(not(unix))]
fn stamp_of(place: &Path) -> Result<(u64, i64, i64, u64), IndexError> {
    let it = std::fs::metadata(place).map_err(|it| IndexError::cache(place, it))?;
    let modified = it.modified().ok().and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
    Ok((it.len(), modified.map_or(0, |it| it.as_nanos() as i64), 0, 0))
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
        let (history, files) = (self.history.encoded(), self.files.encoded());
        let mut bytes = Vec::with_capacity(BODY + small.len() + history.len() + files.len());
        bytes.extend(MAGIC);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend([0; 4]);
        for length in [small.len(), history.len(), self.files.len()] {
            bytes.extend((length as u64).to_le_bytes());
        }
        bytes.extend(small);
        bytes.extend(&*history);
        bytes.extend(files);
        let sum = crc32fast::hash(&bytes[HEAD..]);
        bytes[HEAD - 4..HEAD].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &OwnedBytes, place: &Path) -> Result<Manifest, IndexError> {
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(IndexError::damaged(place, "it does not begin as an index does"));
        }
        if number(bytes, 8) != FORMAT {
            return Err(IndexError::damaged(place, "another version of Ox wrote it"));
        }
        if number(bytes, 12) != crc32fast::hash(bytes.get(HEAD..).unwrap_or_default()) {
            return Err(IndexError::damaged(place, "its checksum is another"));
        }
        let length = |at: usize| usize::try_from(wide(bytes, HEAD + 8 * at)).ok();
        let short = || IndexError::damaged(place, "its end is missing");
        let history = length(0).and_then(|it| BODY.checked_add(it)).filter(|it| *it <= bytes.len());
        let history = history.ok_or_else(short)?;
        let files = length(1).and_then(|it| history.checked_add(it)).filter(|it| *it <= bytes.len());
        let files = files.ok_or_else(short)?;
        let table = length(2).and_then(|it| Table::decode(bytes.slice(files..bytes.len()), it));
        let (pieces, unreferenced_since) =
            postcard::from_bytes(&bytes[BODY..history]).map_err(|it| IndexError::damaged(place, it))?;
        let history = Arc::new(Past::read(bytes.slice(history..files)));
        Ok(Manifest { files: Arc::new(table.ok_or_else(short)?), history, pieces, unreferenced_since })
    }
}

impl Default for Manifest {
    fn default() -> Manifest {
        let files = Arc::new(Table::new(0, std::iter::empty()));
        Manifest { files, history: Arc::default(), pieces: Vec::new(), unreferenced_since: Vec::new() }
    }
}
