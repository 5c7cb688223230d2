//! Which files mean what the task means, by vectors that somebody else compared; nothing is computed here.
//!
//! Without vectors this says nothing of any file, and the ranking is what it is without it.

use std::collections::HashMap;

use super::rows::Rows;
use crate::query::weights::Signal;
use crate::search::embed::Similar;

/// Lets the piece of each file that is most like the task speak for it: 1 for the best of all, 0 for the least of those that
/// were found, because cosines of different models differ in what they call far. Tells the same of each piece.
pub(super) fn gather(similar: &[Similar], rows: &mut Rows) -> HashMap<(String, u32), f32> {
    let most = similar.iter().map(|it| it.score).fold(f32::MIN, f32::max);
    // What has nothing in common with the task is no neighbour, however few pieces there are.
    let least = similar.iter().map(|it| it.score).fold(most, f32::min).max(0.0);
    if most <= least {
        return HashMap::new();
    }
    let near = similar.iter().filter(|it| it.score > least);
    let share = |it: &Similar| (it.score - least) / (most - least);
    near.map(|it| {
        rows.raise(&it.path, Signal::Meaning, share(it));
        ((it.path.clone(), it.chunk), share(it))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(found: &[(&str, u32, f32)]) -> (Vec<(String, f32)>, usize) {
        let similar: Vec<Similar> = found
            .iter()
            .map(|(path, chunk, score)| Similar { path: (*path).into(), chunk: *chunk, score: *score })
            .collect();
        let mut rows = Rows::default();
        let pieces = gather(&similar, &mut rows).len();
        let mut files: Vec<(String, f32)> =
            rows.rows.into_iter().map(|(path, row)| (path, row[Signal::Meaning as usize])).collect();
        files.sort_by(|a, b| a.0.cmp(&b.0));
        (files, pieces)
    }

    #[test]
    fn the_best_piece_of_a_file_speaks_for_it() {
        let (files, pieces) = of(&[("a", 0, 0.6), ("b", 3, 0.5), ("a", 1, 0.4), ("c", 0, 0.2)]);
        assert_eq!(pieces, 3);
        assert_eq!(files.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert!((files[0].1 - 1.0).abs() < 1e-6 && (files[1].1 - 0.75).abs() < 1e-6, "{files:?}");
    }

    #[test]
    fn what_is_not_alike_says_nothing() {
        assert_eq!(of(&[]), (vec![], 0));
        assert_eq!(of(&[("a", 0, -0.2), ("b", 0, -0.4)]), (vec![], 0));
        assert_eq!(of(&[("a", 0, 0.5), ("b", 0, -0.4)]), (vec![("a".to_owned(), 1.0)], 1));
    }
}
