//! The nearest existing paths to one that does not exist. A guess to help, never acted upon.

use crate::{RepoError, Tree, WalkOptions};

/// How many paths are looked at.
const LOOKED_AT: usize = 20_000;
/// How many are suggested.
const SUGGESTED: usize = 5;

impl Tree {
    /// Up to five existing paths that resemble `path`, best first.
    pub fn similar(&self, path: &str) -> Vec<String> {
        let wanted = path.trim_start_matches("./").trim_matches('/').to_lowercase();
        if wanted.is_empty() {
            return Vec::new();
        }
        let options = WalkOptions { hidden: true, limit: LOOKED_AT, ..WalkOptions::default() };
        let Ok(entries) = self.walk(&options) else { return Vec::new() };
        let mut scored: Vec<(usize, String)> = entries
            .into_iter()
            .filter_map(|it| score(&wanted, &it.rel.to_lowercase()).map(|score| (score, it.rel)))
            .collect();
        scored.sort();
        scored.truncate(SUGGESTED);
        scored.into_iter().map(|(_, rel)| rel).collect()
    }

    /// Adds suggestions to a `NotFound`.
    pub(crate) fn suggest(&self, error: RepoError) -> RepoError {
        match error {
            RepoError::NotFound { path, similar } if similar.is_empty() => {
                let similar = self.similar(&path);
                RepoError::NotFound { path, similar }
            }
            other => other,
        }
    }
}

/// Lower is nearer; none where there is no resemblance.
fn score(wanted: &str, have: &str) -> Option<usize> {
    let (name, other) = (last(wanted), last(have));
    let shared = wanted.split('/').rev().zip(have.split('/').rev()).take_while(|(a, b)| a == b).count();
    let folders = || distance(wanted, have, 60).unwrap_or(60);
    if name == other {
        return Some(folders().saturating_sub(shared * 8));
    }
    let stem = |it: &str| it.rsplit_once('.').map_or(it.to_owned(), |(stem, _)| stem.to_owned());
    if stem(name) == stem(other) && stem(name).len() > 2 {
        return Some(100 + folders());
    }
    // `parse.rs` for `parser_tokens.rs`: a name that was cut short, or is longer than it was remembered.
    let head = |it: &str| it.split('.').next().unwrap_or(it).to_owned();
    let begins = |a: &str, b: &str| head(a).len() > 3 && head(b).starts_with(&head(a));
    let (folder, neighbour) = (wanted.strip_suffix(name), have.strip_suffix(other));
    if folder == neighbour && (begins(name, other) || begins(other, name)) {
        return Some(150 + folders());
    }
    let allowed = (name.chars().count() / 3).max(1);
    let names = distance(name, other, allowed)?;
    Some(200 + names * 10 + folders())
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Edit distance with neighbours swapped counting once; none above `limit`.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let near = a.chars().count().abs_diff(b.chars().count()) <= limit;
    near.then(|| strsim::osa_distance(a, b)).filter(|it| *it <= limit)
}
