//! Makes one segment of several, leaving out contents that nobody needs any more.
//!
//! A merge copies; it parses nothing and never changes what it copies. Which contents stay is the caller's decision.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use tantivy::BitSet;
use tantivy::directory::{MmapDirectory, OwnedBytes, RamDirectory};
use tantivy::fastfield::{AliveBitSet, write_alive_bitset};
use tantivy::indexer::merge_filtered_segments;

use super::contents::{Content, Contents};
use super::manifest::Piece;
use super::schema;
use super::segment::{BLOB, Segment, Segments, TABLE, new_name};
use crate::IndexError;
use crate::store::files::Key;

/// Merges `segments` in memory, with the contents that `keep` holds for; none where that is nothing.
pub(crate) fn in_memory(segments: &Segments, keep: &dyn Fn(&Key) -> bool) -> Result<Option<Segment>, IndexError> {
    let mut blob = Vec::new();
    let Some(parts) = Parts::gather(segments, keep, &mut blob)? else { return Ok(None) };
    let memory = RamDirectory::create();
    let mut index = merge_filtered_segments(&parts.terms, Default::default(), parts.alive, memory.clone())?;
    index.set_tokenizers(schema::tokenizers());
    Segment::in_memory(index, memory, &parts.contents, blob).map(Some)
}

/// The same into a new folder in `parent`, which is taken away again when that fails.
pub(crate) fn on_disk(
    segments: &Segments,
    keep: &dyn Fn(&Key) -> bool,
    parent: &Path,
) -> Result<Option<(Segment, Piece)>, IndexError> {
    let folder = parent.join(new_name());
    let made = merge_to(segments, keep, &folder);
    if !matches!(made, Ok(Some(_))) {
        let _ = std::fs::remove_dir_all(&folder);
    }
    made
}

fn merge_to(
    segments: &Segments,
    keep: &dyn Fn(&Key) -> bool,
    folder: &Path,
) -> Result<Option<(Segment, Piece)>, IndexError> {
    let failed = |it| IndexError::cache(folder, it);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut blob = BufWriter::new(File::create(folder.join(BLOB)).map_err(failed)?);
    let Some(parts) = Parts::gather(segments, keep, &mut blob)? else { return Ok(None) };
    blob.flush().map_err(failed)?;
    let directory = MmapDirectory::open(folder).map_err(|it| IndexError::damaged(folder, it))?;
    merge_filtered_segments(&parts.terms, Default::default(), parts.alive, directory)?;
    std::fs::write(folder.join(TABLE), Contents::new(&parts.contents).encoded()).map_err(failed)?;
    let piece = Piece::seal(folder)?;
    Ok(Some((Segment::open(folder)?, piece)))
}

/// What goes into a merge.
struct Parts {
    terms: Vec<tantivy::Segment>,
    alive: Vec<Option<AliveBitSet>>,
    contents: Vec<Content>,
}

impl Parts {
    /// Chooses what stays, and copies its facts to `blob`. A segment that cannot be read fails all of it: it is found
    /// damaged by the next load and built again.
    fn gather(
        segments: &Segments,
        keep: &dyn Fn(&Key) -> bool,
        blob: &mut dyn Write,
    ) -> Result<Option<Parts>, IndexError> {
        let mut parts = Parts { terms: Vec::new(), alive: Vec::new(), contents: Vec::new() };
        let (mut next, mut at) = (0, 0);
        let mut seen = HashSet::new();
        for segment in segments {
            let mut alive = BitSet::with_max_value(segment.contents.docs());
            let before = parts.contents.len();
            for content in segment.contents.all().iter().filter(|it| keep(&it.key)) {
                // Two processes may have read the same content.
                if !seen.insert(content.key) {
                    continue;
                }
                for doc in content.first..content.first + content.docs {
                    alive.insert(doc);
                }
                blob.write_all(&segment.raw(content)?).map_err(|it| IndexError::cache(Path::new(BLOB), it))?;
                parts.contents.push(Content { first: next, at, ..*content });
                next += content.docs;
                at += u64::from(content.len);
            }
            if parts.contents.len() > before {
                parts.terms.push(segment.terms()?);
                parts.alive.push(Some(frozen(&alive)));
            }
        }
        Ok((!parts.contents.is_empty()).then_some(parts))
    }
}

fn frozen(alive: &BitSet) -> AliveBitSet {
    let mut bytes = Vec::new();
    write_alive_bitset(alive, &mut bytes).expect("writing to memory does not fail");
    AliveBitSet::open(OwnedBytes::new(bytes))
}
