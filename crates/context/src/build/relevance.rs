//! Whether words are about this code at all, and which of its files they name.
//!
//! Only the index is asked. Thanks, greetings and questions about the weather name nothing in it, and cost nothing.

use ox_index::{Fields, Scope, Snapshot, tokens};

use crate::paths::paths_in;

/// A word that more than one in so many files have tells nothing.
const COMMON: u64 = 8;
/// Words that are looked up; a log of a megabyte is known by its beginning.
const WORDS: usize = 400;
/// So many words that few files have are about the code, whatever they are.
const ENOUGH: usize = 3;
/// Shorter words are hardly ever chosen with care.
const SHORTEST: usize = 4;

/// True where the words name something of the project, or enough of them are rare in it.
pub(super) fn is_about_code(snapshot: &Snapshot, task: &str) -> bool {
    if snapshot.is_empty() {
        return false;
    }
    if !named(snapshot, task).is_empty() {
        return true;
    }
    let files = snapshot.count(Scope::Files);
    let mut words: Vec<String> =
        tokens(task).into_iter().take(WORDS).filter(|it| it.chars().count() >= SHORTEST).collect();
    words.sort();
    words.dedup();
    let is_telling = |word: &&String| {
        let df = u64::from(snapshot.df(word));
        df > 0 && df <= (files / COMMON).max(2)
    };
    let telling: Vec<&String> = words.iter().filter(is_telling).take(ENOUGH).collect();
    telling.len() >= ENOUGH || telling.iter().any(|it| is_name(snapshot, it))
}

/// True for a word in the name of a file or a definition.
fn is_name(snapshot: &Snapshot, word: &str) -> bool {
    let fields = Fields { path: 1.0, name: 1.0, signature: 0.0, body: 0.0, strings: 0.0, doc: 0.0 };
    !snapshot.search(&[(word.to_owned(), 1.0)], &fields, Scope::Files, 1).is_empty()
}

/// The files whose path stands in the words, in the order of the words.
pub(super) fn named(snapshot: &Snapshot, task: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for path in paths_in(task).take(WORDS) {
        if snapshot.has(path) && !found.iter().any(|it| it == path) {
            found.push(path.to_owned());
        }
    }
    found
}
