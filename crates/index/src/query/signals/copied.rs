//! Which of the best hits are only pieces of other files put together, as amalgamated headers are: nobody changes those.

use std::collections::HashSet;

use super::rows::Rows;
use crate::Snapshot;
use crate::query::weights::Signal;

/// So many of the best hits are looked at.
const LOOKED: usize = 6;
/// A file with fewer definitions is not put together from others; so many of them are looked up.
const MANY: usize = 60;
const ASKED: usize = 20;
/// So many files at least are put together, which have so many percent of the definitions.
const FILES: usize = 4;
const PERCENT: usize = 70;

/// Marks those of the best files whose definitions stand in several others too.
pub(crate) fn gather(snapshot: &Snapshot, ranked: &[(String, f32)], rows: &mut Rows) {
    for (path, _) in ranked.iter().take(LOOKED).filter(|it| is_copied(snapshot, &it.0)) {
        rows.raise(path, Signal::Copied, 1.0);
    }
}

fn is_copied(snapshot: &Snapshot, path: &str) -> bool {
    let Some(facts) = snapshot.facts(path) else { return false };
    let own: Vec<_> = facts.symbols.iter().filter(|it| !it.is_declaration && it.name.len() > 3).collect();
    if own.len() < MANY {
        return false;
    }
    let (mut again, mut asked, mut others) = (0, 0, HashSet::new());
    for symbol in own.iter().step_by((own.len() / ASKED).max(1)) {
        let place = snapshot.declared(&symbol.qualified).into_iter().find(|it| it != path);
        asked += 1;
        again += usize::from(place.is_some());
        others.extend(place);
    }
    again * 100 >= asked * PERCENT && others.len() >= FILES
}
