//! Words that say nothing about where in the code something is.

use std::collections::HashSet;
use std::sync::LazyLock;

/// English words and those of every report.
static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("common.txt").split_whitespace().collect());

/// True for a word that every text holds.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(word)
}

/// True for numbers, hashes and the like.
pub(super) fn is_noise(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits * 2 > word.len() || (word.len() > 15 && digits > 2 && word.chars().all(|it| it.is_ascii_hexdigit()))
}
