//! Makes the vectors that are missing, batch by batch: what changes often first. It may be stopped after any batch and goes
//! on where it was; what is made is kept at once.

use super::embedder::Embedder;
use super::vectors::Vectors;
use crate::snapshot::Snapshot;
use crate::store::files::Key;
use crate::store::files::{hash, key};
use crate::store::folder::Writing;
use crate::store::update::Read;
use crate::{Index, IndexError};

/// How far filling has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Chunks that got their vectors now.
    pub made: u64,
    /// Contents that have theirs.
    pub known: u64,
    /// Contents that have none yet.
    pub left: u64,
}

/// The texts of one content.
struct Texts {
    key: Key,
    chunks: Vec<String>,
}

/// Makes vectors of all contents of the index that have none. `on` is told after each batch, and ends it by false. Where
/// another process is at it, nothing is done. Contents that no file has any more are forgotten with the index.
pub fn fill(
    index: &Index,
    vectors: &Vectors,
    embedder: &dyn Embedder,
    read: &Read<'_>,
    on: &dyn Fn(Filled) -> bool,
) -> Result<Filled, IndexError> {
    let snapshot = index.snapshot();
    let (todo, known) = missing(&snapshot, vectors);
    let mut filled = Filled { made: 0, known, left: todo.len() as u64 };
    if filled.left + filled.known == 0 {
        return Ok(filled);
    }
    let Some(writing) = vectors.lock()? else { return Ok(filled) };
    let lives = |key: &Key| snapshot.state.segments.iter().any(|it| it.find(key).is_some());
    vectors.sweep(&writing, &lives)?;
    let (mut waiting, mut count) = (Vec::new(), 0);
    let mut todo = todo.into_iter().peekable();
    while let Some((path, key)) = todo.next() {
        match texts(&snapshot, read, &path, key) {
            Some(texts) => {
                count += texts.chunks.len();
                waiting.push(texts);
            }
            // It is another text by now; the next look finds that.
            None => filled.left -= 1,
        }
        if count >= embedder.batch() || todo.peek().is_none() {
            let done = waiting.len() as u64;
            filled.made += make(vectors, &writing, embedder, std::mem::take(&mut waiting))?;
            (filled.known, filled.left, count) = (filled.known + done, filled.left - done, 0);
            if !on(filled) {
                break;
            }
        }
    }
    Ok(filled)
}

/// The contents without vectors, each with a file that has it, and how many have theirs.
fn missing(snapshot: &Snapshot, vectors: &Vectors) -> (Vec<(String, Key)>, u64) {
    let state = &*snapshot.state;
    let (mut todo, mut known) = (Vec::new(), 0);
    let mut seen = std::collections::HashSet::new();
    vectors.read(|have| {
        for entry in state.files.iter() {
            let Some(content) = state.content(entry) else { continue };
            match have.contents.contains_key(&content.key) {
                true => known += 1,
                false if seen.insert(content.key) => todo.push((entry.path.to_owned(), content.key)),
                false => {}
            }
        }
    });
    todo.sort_by_cached_key(|(path, _)| std::cmp::Reverse((snapshot.churn(path) * 1000.0) as u64));
    (todo, known)
}

/// The texts of a file's chunks, if it still is the content that the index knows.
fn texts(snapshot: &Snapshot, read: &Read<'_>, path: &str, expected: Key) -> Option<Texts> {
    let bytes = read(path).ok()?;
    if key(&hash(&bytes), path) != expected {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes);
    let facts = snapshot.facts(path)?;
    let chunk =
        |it: &ox_syntax::Chunk| text.get(it.start_byte as usize..it.end_byte as usize).unwrap_or_default().to_owned();
    Some(Texts { key: expected, chunks: facts.chunks.iter().map(chunk).collect() })
}

/// Makes the vectors of a batch and keeps them; returns their number.
fn make(vectors: &Vectors, writing: &Writing, embedder: &dyn Embedder, batch: Vec<Texts>) -> Result<u64, IndexError> {
    let texts: Vec<&str> = batch.iter().flat_map(|it| &it.chunks).map(String::as_str).collect();
    let mut made = Vec::with_capacity(texts.len());
    for part in texts.chunks(embedder.batch().max(1)) {
        let part_made = embedder.embed(part)?;
        if part_made.len() != part.len() {
            let why = format!("{} texts came back as {} vectors", part.len(), part_made.len());
            return Err(IndexError::Model { place: embedder.name().to_owned(), why });
        }
        made.extend(part_made);
    }
    let count = made.len() as u64;
    let mut made = made.into_iter();
    let contents: Vec<(Key, Vec<Vec<f32>>)> =
        batch.iter().map(|it| (it.key, made.by_ref().take(it.chunks.len()).collect())).collect();
    vectors.add(writing, &contents)?;
    Ok(count)
}
