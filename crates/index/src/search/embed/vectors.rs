//! Vectors on disk and in memory: one for each chunk of a content and for each model, a byte for each number.
//!
//! A file per model beside the index, to which whole contents are appended with a checksum: what a crash cut short is not
//! read, and is written over. One process writes at a time; the others read what is there. It is derived: it may be deleted
//! at any time, and what the index has forgotten is left out when the file is written anew.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use crate::store::files::Key;
use crate::store::files::short_name;
use crate::store::folder::Writing;
use crate::{Index, IndexError};

/// What such a file begins with; the last byte is the version of the format.
const MAGIC: &[u8; 8] = b"oxvect\0\x01";
/// The most numbers of a vector.
const WIDEST: usize = 1 << 16;

/// The vectors that one model made of one project's contents. Cheap to clone; all clones are the same.
#[derive(Clone, Debug)]
pub struct Vectors {
    place: Arc<Path>,
    model: Arc<str>,
    known: Arc<RwLock<Known>>,
}

/// What is known of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Numbers in a vector; zero while there is none.
    pub(crate) dimensions: usize,
    /// All vectors, one behind the other.
    pub(crate) numbers: Vec<i8>,
    /// What the numbers of each are to be multiplied by.
    pub(crate) scales: Vec<f32>,
    /// The first vector of a content and how many it has.
    pub(crate) contents: HashMap<Key, (u32, u32)>,
    /// Bytes of the file that hold.
    end: u64,
    /// The file as it was when it was read.
    mark: Option<(u64, std::time::SystemTime)>,
}

impl Vectors {
    /// The vectors of `model` for the project of `index`. A file that is damaged, or of another version, counts as absent.
    pub fn open(index: &Index, model: &str) -> Vectors {
        let place = Arc::from(index.shared.folder.path.join(format!("vectors-{}", short_name(model))));
        let vectors = Vectors { place, model: Arc::from(model), known: Arc::default() };
        vectors.renew();
        vectors
    }

    /// How many chunks have a vector.
    pub fn len(&self) -> usize {
        self.read(|it| it.scales.len())
    }

    /// True while no chunk has one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn read<T>(&self, look: impl FnOnce(&Known) -> T) -> T {
        look(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes in what another process has written since the file was read.
    pub fn renew(&self) {
        let mark = mark(&self.place);
        if mark.is_some() && self.read(|it| it.mark != mark) {
            let known = Known::load(&self.place, &self.model);
            *self.known.write().unwrap_or_else(PoisonError::into_inner) = Known { mark, ..known };
        }
    }

    /// The right to write; none while another process has it.
    pub(crate) fn lock(&self) -> Result<Option<Writing>, IndexError> {
        let writing = Writing::at(&self.place.with_extension("lock"))?;
        Ok(writing.inspect(|_| self.renew()))
    }

    /// Adds the vectors of contents, in memory and on disk. All have to be as long as those that are known.
    pub(crate) fn add(&self, _: &Writing, made: &[(Key, Vec<Vec<f32>>)]) -> Result<(), IndexError> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let first = made.iter().flat_map(|it| &it.1).map(Vec::len).next().unwrap_or_default();
        let expected = if known.dimensions == 0 { first } else { known.dimensions };
        if let Some(other) = made.iter().flat_map(|it| &it.1).find(|it| it.len() != expected || it.is_empty()) {
            let why = format!("`{}` made vectors of {expected} and of {} numbers", self.model, other.len());
            return Err(IndexError::model(&self.place, why));
        }
        let mut bytes = if known.end == 0 { head(&self.model, expected) } else { Vec::new() };
        let mut after = Known { dimensions: expected, ..Known::default() };
        for (key, vectors) in made {
            after.take(*key, vectors.iter().map(|it| unit(it)));
            after.encode(key, &mut bytes);
        }
        let failed = |it| IndexError::cache(&self.place, it);
        let mut file = File::options().create(true).truncate(false).write(true).open(&self.place).map_err(failed)?;
        file.set_len(known.end).map_err(failed)?;
        file.seek(SeekFrom::Start(known.end)).map_err(failed)?;
        file.write_all(&bytes).map_err(failed)?;
        known.end += bytes.len() as u64;
        known.dimensions = expected;
        known.join(after);
        known.mark = mark(&self.place);
        Ok(())
    }

    /// Writes the file anew without the contents that `lives` does not know, where they have come to a quarter of it.
    pub(crate) fn sweep(&self, _: &Writing, lives: &dyn Fn(&Key) -> bool) -> Result<(), IndexError> {
        let old = self.read(Known::clone);
        let dead: u64 = old.contents.iter().filter(|it| !lives(it.0)).map(|it| u64::from(it.1.1.max(1))).sum();
        if dead * 4 <= old.scales.len() as u64 {
            return Ok(());
        }
        let mut kept = Known { dimensions: old.dimensions, ..Known::default() };
        let mut bytes = head(&self.model, old.dimensions);
        let mut keys: Vec<&Key> = old.contents.keys().filter(|it| lives(it)).collect();
        keys.sort_unstable();
        for key in keys {
            kept.take(*key, old.of(key).map(|(numbers, scale)| (numbers.to_vec(), scale)));
            kept.encode(key, &mut bytes);
        }
        let failed = |it| IndexError::cache(&self.place, it);
        let new = self.place.with_extension("new");
        std::fs::write(&new, &bytes).map_err(failed)?;
        std::fs::rename(&new, &*self.place).map_err(failed)?;
        (kept.end, kept.mark) = (bytes.len() as u64, mark(&self.place));
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(())
    }
}

impl Known {
    /// The vectors of a content.
    pub(crate) fn of(&self, key: &Key) -> impl Iterator<Item = (&[i8], f32)> {
        let (first, count) = self.contents.get(key).copied().unwrap_or_default();
        let (from, to) = (first as usize, (first + count) as usize);
        let numbers = self.numbers[from * self.dimensions..to * self.dimensions].chunks_exact(self.dimensions.max(1));
        numbers.zip(self.scales[from..to].iter().copied())
    }

    fn take(&mut self, key: Key, vectors: impl Iterator<Item = (Vec<i8>, f32)>) {
        let first = u32::try_from(self.scales.len()).unwrap_or(u32::MAX);
        let mut count = 0;
        for (numbers, scale) in vectors {
            self.numbers.extend_from_slice(&numbers);
            self.scales.push(scale);
            count += 1;
        }
        self.contents.insert(key, (first, count));
    }

    fn join(&mut self, other: Known) {
        let before = u32::try_from(self.scales.len()).unwrap_or(u32::MAX);
        self.numbers.extend(other.numbers);
        self.scales.extend(other.scales);
        self.contents.extend(other.contents.into_iter().map(|(key, (first, count))| (key, (before + first, count))));
    }

    /// Writes a content: its key, the number of its vectors, each one's scale and numbers, and a checksum of all that.
    fn encode(&self, key: &Key, bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.extend_from_slice(key);
        bytes.extend_from_slice(&(self.of(key).count() as u32).to_le_bytes());
        for (numbers, scale) in self.of(key) {
            bytes.extend_from_slice(&scale.to_le_bytes());
            bytes.extend(numbers.iter().map(|it| it.cast_unsigned()));
        }
        let sum = crc32fast::hash(&bytes[begin..]);
        bytes.extend_from_slice(&sum.to_le_bytes());
    }

    /// Reads as many contents as are whole.
    fn load(place: &Path, model: &str) -> Known {
        let bytes = std::fs::read(place).unwrap_or_default();
        let mut rest = bytes.as_slice();
        let Some(dimensions) = begun(&mut rest, model) else { return Known::default() };
        let mut known = Known { dimensions, ..Known::default() };
        loop {
            known.end = (bytes.len() - rest.len()) as u64;
            if known.decode(&mut rest).is_none() {
                return known;
            }
        }
    }

    fn decode(&mut self, rest: &mut &[u8]) -> Option<()> {
        let count = u32::from_le_bytes(rest.get(16..20)?.try_into().ok()?) as usize;
        let one = self.dimensions + 4;
        let len = count.checked_mul(one)?.checked_add(20)?;
        let (record, sum) = (rest.get(..len)?, rest.get(len..len + 4)?);
        if crc32fast::hash(record).to_le_bytes() != sum {
            return None;
        }
        let key: Key = record[..16].try_into().ok()?;
        let vectors = record[20..].chunks_exact(one).map(|it| {
            let scale = f32::from_le_bytes(it[..4].try_into().expect("a scale has four bytes"));
            (it[4..].iter().map(|it| it.cast_signed()).collect(), scale)
        });
        self.take(key, vectors);
        *rest = &rest[len + 4..];
        Some(())
    }
}

/// What a file begins with: the format, the model, and how long its vectors are.
fn head(model: &str, dimensions: usize) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(dimensions as u32).to_le_bytes());
    bytes.extend_from_slice(&(model.len() as u32).to_le_bytes());
    bytes.extend_from_slice(model.as_bytes());
    let sum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// Reads the beginning of a file; the length of its vectors, where it is one of this model.
fn begun(rest: &mut &[u8], model: &str) -> Option<usize> {
    let dimensions = u32::from_le_bytes(rest.get(8..12)?.try_into().ok()?) as usize;
    let expected = head(model, dimensions);
    *rest = rest.strip_prefix(expected.as_slice())?;
    (1..=WIDEST).contains(&dimensions).then_some(dimensions)
}

/// A vector of the length one with a byte for each number, so that products are cosines, and what those are to be multiplied
/// by.
pub(crate) fn unit(vector: &[f32]) -> (Vec<i8>, f32) {
    let mut vector = vector.to_vec();
    super::embedder::normalise(&mut vector);
    let most = vector.iter().map(|it| it.abs()).fold(0.0, f32::max);
    if most == 0.0 || !most.is_finite() {
        return (vec![0; vector.len()], 0.0);
    }
    let scale = most / 127.0;
    (vector.iter().map(|it| (it / scale).round() as i8).collect(), scale)
}

fn mark(place: &Path) -> Option<(u64, std::time::SystemTime)> {
    let it = std::fs::metadata(place).ok()?;
    Some((it.len(), it.modified().ok()?))
}
