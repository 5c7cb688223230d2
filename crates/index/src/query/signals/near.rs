//! What the best hits say of others: what changes with them, and what lies beside them.

use std::collections::HashMap;

use super::rows::Rows;
use crate::Snapshot;
use crate::graph::paths::folder;
use crate::query::weights::Signal;

/// So many of the best hits speak for what changes with them.
const SOURCES: usize = 8;
/// So many speak for their folder.
const BESIDE: usize = 16;

/// Passes the scores of the best files on to their neighbours.
pub(crate) fn gather(snapshot: &Snapshot, ranked: &[(String, f32)], rows: &mut Rows) {
    let best = ranked.first().map_or(1.0, |it| it.1.max(1e-6));
    let share = |score: f32| (score / best).max(0.0);
    let mut together: HashMap<String, f32> = HashMap::new();
    for (path, score) in ranked.iter().take(SOURCES) {
        for (other, often) in snapshot.together(path) {
            *together.entry(other).or_default() += share(*score) * often;
        }
    }
    for (path, value) in together {
        rows.add(&path, Signal::Together, value);
    }
    rows.scale(Signal::Together, 0.0);
    // A folder that holds many good hits is what the task is about. A hit counts for its own folder too: otherwise it
    // would fall behind its neighbours for being the best of them.
    let mut folders: HashMap<&str, f32> = HashMap::new();
    for (path, score) in ranked.iter().take(BESIDE) {
        *folders.entry(folder(path)).or_default() += share(*score);
    }
    for (path, row) in &mut rows.rows {
        row[Signal::Folder as usize] = folders.get(folder(path)).copied().unwrap_or(0.0);
    }
    rows.scale(Signal::Folder, 0.0);
}
