//! Which chunks are most like a vector: all of them are looked at, which takes about ten milliseconds for a hundred thousand.

use super::vectors::{Known, Vectors, unit};
use crate::search::best;
use crate::snapshot::Snapshot;

/// As many as a question is best given: what lies further away is like everything else.
pub const ALIKE: usize = 400;

/// A chunk and how alike it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Similar {
    /// Its file, relative to the project root.
    pub path: String,
    /// Its number among those of the file's facts.
    pub chunk: u32,
    /// The cosine of both vectors: 1 where they mean the same, about 0 where they have nothing in common.
    pub score: f32,
}

/// The `limit` chunks of `snapshot` that are most like `vector`, best first, ties in the order of paths and lines. A chunk that
/// has no vector yet is not found.
pub fn similar(snapshot: &Snapshot, vectors: &Vectors, vector: &[f32], limit: usize) -> Vec<Similar> {
    let state = &*snapshot.state;
    let (numbers, scale) = unit(vector);
    let hits = vectors.read(|known: &Known| {
        if known.dimensions != numbers.len() {
            return Vec::new();
        }
        let mut hits = Vec::with_capacity(known.scales.len());
        for (file, entry) in (0u32..).zip(state.files.iter()) {
            let Some(content) = state.content(entry) else { continue };
            let all = (0u32..).zip(known.of(&content.key));
            hits.extend(all.map(|(chunk, (it, by))| (product(&numbers, it) as f32 * scale * by, file, chunk)));
        }
        hits
    });
    let path = |file: u32| state.files.path(file as usize).to_owned();
    best(hits, limit).into_iter().map(|(score, file, chunk)| Similar { path: path(file), chunk, score }).collect()
}

/// The sum of products, in blocks that the compiler makes one instruction of.
fn product(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum()
}
