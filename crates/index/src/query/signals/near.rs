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
