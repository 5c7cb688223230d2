//! What was said about past changes: whoever changed a file for a like reason knew where to look.
//!
//! All messages about a file taken together speak for it, and a commit that the task names for its files. When and how often
//! a file was changed says nothing: it lifts the hubs of a project over what a task names.

use std::collections::HashMap;

use super::rows::Rows;
use crate::Snapshot;
use crate::query::text::{Task, forms};
use crate::query::weights::Signal;
use crate::search::{Splitter, idf, saturated};

/// So many bytes of what was said are read; what comes later is seldom about the change.
const READ: usize = 400;
/// What a word below the first line counts.
const BELOW: f32 = 0.5;
/// Changes of more files say nothing about one of them.
const WIDE: usize = 30;

/// What of a task stands in a text: the numbers of its words, and how often.
#[derive(Clone, Debug, Default)]
struct Hit {
    counts: Vec<(usize, f32)>,
    length: f32,
}

impl Hit {
    fn count(&mut self, word: usize, worth: f32) {
        match self.counts.iter_mut().find(|it| it.0 == word) {
            Some(known) => known.1 += worth,
            None => self.counts.push((word, worth)),
        }
    }
}

/// Lets past changes and their messages speak for the files that they changed.
pub(super) fn gather(snapshot: &Snapshot, task: &Task, rows: &mut Rows) {
    let commits: Vec<(&str, &str, Vec<&str>)> = snapshot.state.history.messages().collect();
    named(snapshot, &commits, task, rows);
    let reported: Vec<(&str, Vec<&str>)> = commits.into_iter().map(|it| (it.1, it.2)).collect();
    let words = words(task);
    let weights: Vec<f32> = task.terms.iter().map(|it| it.weight).collect();
    let hits: Vec<Hit> = reported.iter().map(|it| read(it.0, &words)).collect();
    said(&reported, &hits, &weights, rows);
}

/// The commits that the task names, by their own name or by the number that their first line ends in.
fn named(snapshot: &Snapshot, commits: &[(&str, &str, Vec<&str>)], task: &Task, rows: &mut Rows) {
    for name in &task.commits {
        let number = name.strip_prefix('#').map(|it| format!("(#{it})"));
        for (id, message, files) in commits {
            let first = message.lines().next().unwrap_or_default();
            let is = match &number {
                Some(number) => first.ends_with(number),
                None => id.starts_with(&name[..name.len().min(id.len())]) && !id.is_empty(),
            };
            for path in files.iter().filter(|it| is && snapshot.state(it).is_some_and(|it| it.size > 0)) {
                rows.add(path, Signal::Commit, 1.0 / (files.len() as f32).sqrt());
            }
        }
    }
    rows.scale(Signal::Commit, 1.0);
}

/// All that was said about a file, as one text; what was said of many files at once counts less for each.
fn said(reported: &[(&str, Vec<&str>)], hits: &[Hit], weights: &[f32], rows: &mut Rows) {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut files: Vec<Hit> = Vec::new();
    for (hit, (_, paths)) in hits.iter().zip(reported).filter(|it| it.1.1.len() <= WIDE) {
        let share = 1.0 / (paths.len() as f32).sqrt();
        // What nothing else speaks for is no candidate; it may not even exist any more.
        for path in paths.iter().filter(|it| rows.rows.contains_key(**it)) {
            let at = *places.entry(path).or_insert(files.len());
            if at == files.len() {
                files.push(Hit::default());
            }
            files[at].length += share * hit.length;
            hit.counts.iter().for_each(|(word, count)| files[at].count(*word, share * count));
        }
    }
    let scores = scored(&files, weights);
    for (path, at) in places {
        rows.add(path, Signal::Said, scores[at]);
    }
    rows.scale(Signal::Said, 0.0);
}

/// BM25 of texts, in their order.
fn scored(hits: &[Hit], weights: &[f32]) -> Vec<f32> {
    let all = hits.len() as f32;
    let mean = (hits.iter().map(|it| it.length).sum::<f32>() / all.max(1.0)).max(1e-6);
    let mut holding = vec![0.0f32; weights.len()];
    for (word, _) in hits.iter().flat_map(|it| &it.counts) {
        holding[*word] += 1.0;
    }
    let score = |it: &Hit| {
        let worth = |&(word, count): &(usize, f32)| {
            weights[word] * idf(holding[word], all) * saturated(count, it.length / mean)
        };
        it.counts.iter().map(worth).sum()
    };
    hits.iter().map(score).collect()
}

/// The words of a task and their other forms, with the numbers of the terms that they stand for.
fn words(task: &Task) -> HashMap<String, usize> {
    let mut words: HashMap<String, usize> = HashMap::new();
    for (at, term) in task.terms.iter().enumerate() {
        words.insert(term.word.clone(), at);
    }
    for (at, term) in task.terms.iter().enumerate().filter(|it| !it.1.whole) {
        for form in forms(&term.word) {
            words.entry(form).or_insert(at);
        }
    }
    words
}

/// What of the task a message says.
fn read(message: &str, words: &HashMap<String, usize>) -> Hit {
    let message = &message[..message.floor_char_boundary(READ)];
    let (first, below) = message.split_once('\n').unwrap_or((message, ""));
    let mut hit = Hit::default();
    for (text, worth) in [(first, 1.0), (below, BELOW)] {
        let mut splitter = Splitter::new(text);
        while let Some(word) = splitter.step() {
            hit.length += worth;
            if let Some(&number) = words.get(word) {
                hit.count(number, worth);
            }
        }
    }
    hit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::text;

    const REPORTED: &[(&str, &[&str])] = &[
        ("Fix the parser", &["a"]),
        ("Fix a leak in the pool", &["b", "c"]),
        ("Write the manual", &["d"]),
        ("Fix the lexer\n\nIt was leaking.", &["a", "gone"]),
    ];

    fn row(signal: Signal) -> Vec<f32> {
        let reported: Vec<(&str, Vec<&str>)> = REPORTED.iter().map(|it| (it.0, it.1.to_vec())).collect();
        let task = text::read("Pools leak");
        let mut rows = Rows::default();
        for path in ["a", "b", "c", "d"] {
            rows.add(path, Signal::File, 1.0);
        }
        let (words, weights): (_, Vec<f32>) = (words(&task), task.terms.iter().map(|it| it.weight).collect());
        let hits: Vec<Hit> = reported.iter().map(|it| read(it.0, &words)).collect();
        said(&reported, &hits, &weights, &mut rows);
        assert_eq!(rows.rows.len(), 4, "what nothing else speaks for is no candidate");
        ["a", "b", "c", "d"].map(|it| rows.rows[it][signal as usize]).into()
    }

    #[test]
    fn messages_with_the_words_of_the_task_speak_for_their_files() {
        let row = row(Signal::Said);
        assert!(row[1] > row[0] && row[1] == row[2] && row[0] > 0.0 && row[3] == 0.0, "{row:?}");
    }

    #[test]
    fn a_project_without_history_says_nothing() {
        assert!(scored(&[], &[1.0]).is_empty());
    }
}
