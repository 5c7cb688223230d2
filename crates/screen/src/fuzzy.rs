//! Fuzzy matching, as in an editor's file finder.

use frizbee::{Config, Matcher};

/// The positions of the `limit` candidates that match `query` best, best first; all in their order where it is empty.
pub fn best<T: AsRef<str>>(query: &str, candidates: &[T], limit: usize) -> Vec<usize> {
    if query.is_empty() {
        return (0..candidates.len().min(limit)).collect();
    }
    let texts: Vec<&str> = candidates.iter().map(AsRef::as_ref).collect();
    let config = Config { max_typos: Some(0), ..Config::default() };
    let mut found = Matcher::new(query, &config).match_list(&texts);
    // Of equally good ones the shortest.
    found.sort_by_key(|it| (std::cmp::Reverse(it.score), texts[it.index as usize].len(), it.index));
    found.into_iter().take(limit).map(|it| it.index as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first() {
        let files = ["src/main.rs", "src/lib.rs", "tests/library.rs", "README.md", "docs/libs/a.md"];
        let found = |query: &str| best(query, &files, 3).into_iter().map(|at| files[at]).collect::<Vec<_>>();
        assert_eq!(found("lib")[0], "src/lib.rs");
        assert_eq!(found("srmain"), ["src/main.rs"]);
        assert_eq!(found("readme"), ["README.md"]);
        assert_eq!(found(""), ["src/main.rs", "src/lib.rs", "tests/library.rs"]);
        assert!(found("xyz").is_empty());
    }
}
