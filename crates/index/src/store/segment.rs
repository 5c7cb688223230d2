//! One immutable set of contents: their terms, their facts and the table of both, in memory or in a folder of its own.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use tantivy::directory::{MmapDirectory, RamDirectory};
use tantivy::{Directory, SegmentReader};

use super::contents::{Content, Contents};
use super::manifest::Piece;
use super::mapped::bytes_of;
use super::schema;
use ox_syntax::Facts;

use crate::IndexError;
use crate::store::files::Key;

/// The file with the table of contents.
pub(super) const TABLE: &str = "contents";
/// The file with the facts.
pub(super) const BLOB: &str = "facts";

/// What is kept of one content beside its terms.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredFacts {
    pub(crate) facts: Facts,
    /// The text, of those few files that say how the project is put together.
    pub(crate) text: Option<String>,
}

/// A segment.
pub(crate) struct Segment {
    /// Unique among all processes.
    pub(crate) name: String,
    /// Unique in this process.
    pub(crate) number: u64,
    pub(crate) contents: Contents,
    pub(crate) reader: SegmentReader,
    index: tantivy::Index,
    blob: Blob,
    /// The files of a segment that is still in memory alone.
    memory: Option<RamDirectory>,
    /// The content of each document.
    owners: OnceLock<Vec<u32>>,
}

enum Blob {
    Memory(Vec<u8>),
    Disk(File, PathBuf),
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Segment({}, {} contents)", self.name, self.contents.len())
    }
}

/// A name that no other segment has, whoever makes it.
pub(crate) fn new_name() -> String {
    let nanos = std::time::UNIX_EPOCH.elapsed().map_or(0, |it| it.as_nanos());
    format!("s{:x}-{nanos:x}-{:x}", std::process::id(), new_number())
}

fn new_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Segment {
    /// A segment whose terms are in `index`, in memory.
    pub(crate) fn in_memory(
        index: tantivy::Index,
        memory: RamDirectory,
        contents: &[Content],
        blob: Vec<u8>,
    ) -> Result<Segment, IndexError> {
        let reader = only_reader(&index)?;
        let (name, number, blob) = (new_name(), new_number(), Blob::Memory(blob));
        let contents = Contents::new(contents);
        Ok(Segment { name, number, contents, reader, index, blob, memory: Some(memory), owners: OnceLock::new() })
    }

    /// Opens the segment in `folder`; what it holds is mapped or read when it is needed.
    pub(crate) fn open(folder: &Path) -> Result<Segment, IndexError> {
        let directory = MmapDirectory::open(folder).map_err(|it| IndexError::damaged(folder, it))?;
        let mut index = tantivy::Index::open(directory)?;
        index.set_tokenizers(schema::tokenizers());
        let reader = only_reader(&index)?;
        let table = folder.join(TABLE);
        let contents = Contents::decode(bytes_of(&table)?, &table)?;
        if contents.docs() != reader.max_doc() {
            return Err(IndexError::damaged(&table, "it speaks of other documents than there are"));
        }
        let blob = folder.join(BLOB);
        let file = File::open(&blob).map_err(|it| IndexError::cache(&blob, it))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (number, blob) = (new_number(), Blob::Disk(file, blob));
        Ok(Segment { name, number, contents, reader, index, blob, memory: None, owners: OnceLock::new() })
    }

    /// Writes a segment that is in memory to a new folder in `parent`, and says which files that made. The folder is
    /// taken away again when that fails.
    pub(crate) fn write(&self, parent: &Path) -> Result<Piece, IndexError> {
        let folder = parent.join(&self.name);
        let written = self.write_files(&folder);
        if written.is_err() {
            let _ = std::fs::remove_dir_all(&folder);
        }
        written
    }

    fn write_files(&self, folder: &Path) -> Result<Piece, IndexError> {
        std::fs::create_dir_all(folder).map_err(|it| IndexError::cache(folder, it))?;
        let write = |name: &str, bytes: &[u8]| {
            let place = folder.join(name);
            std::fs::write(&place, bytes).map_err(|it| IndexError::cache(&place, it))
        };
        if let Some(memory) = &self.memory {
            for name in self.term_files() {
                let file = memory.open_read(&name).map_err(tantivy::TantivyError::from)?;
                let bytes = file.read_bytes().map_err(|it| IndexError::cache(&name, it))?;
                write(&name.to_string_lossy(), &bytes)?;
            }
        }
        self.write_rest(folder)?;
        Piece::seal(folder)
    }

    /// Writes what is ours beside the terms.
    pub(crate) fn write_rest(&self, folder: &Path) -> Result<(), IndexError> {
        let table = folder.join(TABLE);
        std::fs::write(&table, self.contents.encoded()).map_err(|it| IndexError::cache(&table, it))?;
        if let Blob::Memory(bytes) = &self.blob {
            let blob = folder.join(BLOB);
            std::fs::write(&blob, bytes).map_err(|it| IndexError::cache(&blob, it))?;
        }
        Ok(())
    }

    fn term_files(&self) -> Vec<PathBuf> {
        let mut names: Vec<PathBuf> = ["meta.json", ".managed.json"].map(PathBuf::from).to_vec();
        names.extend(self.index.directory().list_managed_files());
        names.sort();
        names.dedup();
        let memory = self.memory.as_ref();
        names.retain(|it| memory.is_some_and(|memory| memory.exists(it).unwrap_or(false)));
        names
    }

    /// True while it is in memory alone.
    pub(crate) fn is_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Where a content is, by its key.
    pub(crate) fn find(&self, key: &Key) -> Option<u32> {
        self.contents.find(key)
    }

    /// The content that each document belongs to.
    pub(crate) fn owners(&self) -> &[u32] {
        self.owners.get_or_init(|| {
            let mut owners = Vec::with_capacity(self.contents.docs() as usize);
            for content in 0..u32::try_from(self.contents.len()).unwrap_or(u32::MAX) {
                owners.resize(owners.len() + self.contents.docs_of(content).1 as usize, content);
            }
            owners
        })
    }

    /// What is kept of a content; an error where it is not what was written.
    pub(crate) fn kept(&self, content: &Content) -> Result<StoredFacts, IndexError> {
        let bytes = self.raw(content)?;
        let place = self.blob_place();
        if crc32fast::hash(&bytes) != content.sum {
            return Err(IndexError::damaged(place, "the facts of a file are not what was written"));
        }
        postcard::from_bytes(&bytes).map_err(|it| IndexError::damaged(place, it))
    }

    /// The facts of a content as bytes.
    pub(crate) fn raw(&self, content: &Content) -> Result<Vec<u8>, IndexError> {
        let (at, len) = (content.at, content.len as usize);
        match &self.blob {
            Blob::Memory(bytes) => {
                let from = usize::try_from(at).unwrap_or(usize::MAX);
                let slice = from.checked_add(len).and_then(|to| bytes.get(from..to));
                Ok(slice.expect("the table was made with the blob").to_vec())
            }
            Blob::Disk(file, place) => {
                let mut bytes = vec![0; len];
                file.read_exact_at(&mut bytes, at).map_err(|it| IndexError::cache(place, it))?;
                Ok(bytes)
            }
        }
    }

    /// The terms, for a merge.
    pub(crate) fn terms(&self) -> Result<tantivy::Segment, IndexError> {
        let mut all = self.index.searchable_segments()?;
        Ok(all.pop().expect("a segment has one part, which was read when it was opened"))
    }

    fn blob_place(&self) -> &Path {
        match &self.blob {
            Blob::Memory(_) => Path::new("memory"),
            Blob::Disk(_, place) => place,
        }
    }
}

/// The reader of an index that has one part, as each of a segment has.
pub(super) fn only_reader(index: &tantivy::Index) -> Result<SegmentReader, IndexError> {
    let parts = index.searchable_segments()?;
    match parts.as_slice() {
        [part] => Ok(SegmentReader::open(part)?),
        _ => Err(IndexError::damaged(Path::new("meta.json"), "it does not name one part")),
    }
}

/// Segments as snapshots share them.
pub(crate) type Segments = Vec<Arc<Segment>>;
