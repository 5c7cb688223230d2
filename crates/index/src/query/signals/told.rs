//! What was said about past changes: whoever changed a file for a like reason knew where to look.

use std::collections::{HashMap, HashSet};

use super::{Rows, Signal};
use crate::query::corpus::Corpus;
use crate::query::text::Task;
use crate::tokens::Splitter;

/// So many of the past changes that fit best speak.
const SPEAK: usize = 20;
/// So many bytes of what was said are read; what comes later is seldom about the change.
const READ: usize = 300;
/// What a word counts at most beside one in a message of common length, and how far length is held against it.
const K1: f32 = 1.2;
const B: f32 = 0.5;

/// The words of a task that stand in a message.
struct Hit<'a> {
    at: usize,
    words: Vec<&'a str>,
    length: f32,
}

/// Lets the past changes whose messages are most like the task speak for the files that they changed.
pub(super) fn gather(corpus: &dyn Corpus, task: &Task, rows: &mut Rows) {
    let told = corpus.told();
    let terms: HashMap<&str, f32> = task.terms.iter().map(|it| (it.word.as_str(), it.weight)).collect();
    let scored = scored(told.iter().map(|it| it.0), &terms);
    let best = scored.first().map_or(1.0, |it| it.1.max(f32::MIN_POSITIVE));
    for (at, score) in scored.into_iter().take(SPEAK) {
        let files = &told[at].1;
        let value = (score / best).powi(2) / (files.len() as f32).sqrt();
        for path in files {
            // What nothing else speaks for is no candidate; it may not even exist any more.
            if let Some(row) = rows.rows.get_mut(*path) {
                row[Signal::Told as usize] += value;
            }
        }
    }
    rows.scale(Signal::Told, 1.0);
}

/// The messages that share a word with the task, by BM25, best first.
fn scored<'a>(messages: impl Iterator<Item = &'a str>, terms: &HashMap<&str, f32>) -> Vec<(usize, f32)> {
    let (mut all, mut length) = (0.0f32, 0.0f32);
    let mut hits: Vec<Hit<'_>> = Vec::new();
    for (at, message) in messages.enumerate() {
        let hit = read(at, message, terms);
        all += 1.0;
        length += hit.length;
        hits.extend((!hit.words.is_empty()).then_some(hit));
    }
    let mut holding: HashMap<&str, f32> = HashMap::new();
    for word in hits.iter().flat_map(|it| &it.words) {
        *holding.entry(word).or_default() += 1.0;
    }
    let mean = (length / all.max(1.0)).max(1.0);
    let rarity = |word: &str| (1.0 + (all - holding[word] + 0.5) / (holding[word] + 0.5)).ln();
    let score = |it: &Hit<'_>| {
        let sum: f32 = it.words.iter().map(|word| terms[word] * rarity(word)).sum();
        sum * (K1 + 1.0) / (1.0 + K1 * (1.0 - B + B * it.length / mean))
    };
    let mut scored: Vec<(usize, f32)> = hits.iter().map(|it| (it.at, score(it))).collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored
}

fn read<'a>(at: usize, message: &str, terms: &HashMap<&'a str, f32>) -> Hit<'a> {
    let mut found: HashSet<&str> = HashSet::new();
    let mut length = 0.0;
    let mut splitter = Splitter::new(&message[..message.floor_char_boundary(READ)]);
    while let Some(word) = splitter.step() {
        length += 1.0;
        found.extend(terms.get_key_value(word).map(|it| *it.0));
    }
    // Sums of fractions depend on their order.
    let mut words: Vec<&str> = found.into_iter().collect();
    words.sort_unstable();
    Hit { at, words, length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_with_the_rarest_words_of_the_task_comes_first() {
        let messages = ["Fix the parser", "Fix a leak in the pool", "Write the manual", "Fix the lexer"];
        let terms = HashMap::from([("fix", 1.0), ("leak", 1.0), ("pool", 1.0)]);
        let places: Vec<usize> = scored(messages.into_iter(), &terms).into_iter().map(|it| it.0).collect();
        assert_eq!(places, [1, 0, 3]);
        assert!(scored(std::iter::empty(), &terms).is_empty());
    }
}
