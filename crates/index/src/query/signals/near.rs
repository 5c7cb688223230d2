//! One step from the best hits: what imports them, what they import, what changes with them.

use std::collections::HashMap;

use super::{Rows, Signal};
use crate::query::corpus::Corpus;

/// So many of the best hits pass something on.
const SOURCES: usize = 8;

/// Passes the scores of the best files on to their neighbours.
pub(crate) fn gather(corpus: &dyn Corpus, ranked: &[(String, f32)], rows: &mut Rows) {
    let best = ranked.first().map_or(1.0, |it| it.1.max(1e-6));
    let mut together: HashMap<String, f32> = HashMap::new();
    for (path, score) in ranked.iter().take(SOURCES) {
        let share = (score / best).max(0.0);
        for (other, often) in corpus.together(path) {
            *together.entry(other).or_default() += share * often;
        }
        let near = corpus.near(path);
        let each = share / (1.0 + near.len() as f32).sqrt();
        for other in near {
            rows.add(&other, Signal::Near, each);
        }
    }
    for (path, value) in together {
        rows.add(&path, Signal::Together, value);
    }
    rows.scale(Signal::Together, 0.0);
    rows.scale(Signal::Near, 0.0);
}

/// So many of the best pieces say what they use.
const PIECES: usize = 24;

/// What the best pieces, tests too, call and name: their definitions may be what the task is about.
pub(super) fn used(corpus: &dyn Corpus, pieces: &[(String, u32, f32)], rows: &mut Rows) {
    let best = pieces.first().map_or(1.0, |it| it.2.max(1e-6));
    for (path, chunk, score) in pieces.iter().take(PIECES) {
        let Some(facts) = corpus.facts(path) else { continue };
        let Some(chunk) = facts.chunks.get(*chunk as usize) else { continue };
        let inside: Vec<&str> = facts
            .references
            .iter()
            .filter(|it| {
                it.kind != crate::facts::RefKind::Import
                    && ((it.line >= chunk.line && it.line <= chunk.end)
                        || (it.within.is_some() && it.within == chunk.symbol))
            })
            .map(|it| it.name.as_str())
            .take(200)
            .collect();
        let share = score / best / (4.0 + inside.len() as f32).sqrt();
        for name in inside {
            let places = corpus.defined(name, 12);
            let paths: std::collections::HashSet<&str> =
                places.iter().filter(|it| !it.symbol.announces).map(|it| it.path.as_str()).collect();
            if places.len() >= 12 || paths.contains(path.as_str()) {
                continue;
            }
            for other in &paths {
                rows.add(other, Signal::Used, share / paths.len() as f32);
            }
        }
    }
    rows.scale(Signal::Used, 0.0);
}
