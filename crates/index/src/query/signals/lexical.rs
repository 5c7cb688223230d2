//! The words of a task against those of files and their pieces.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::rows::Rows;
use crate::Snapshot;
use crate::query::text::{Task, Term, forms};
use crate::query::weights::Signal;
use crate::search::{Fields, Scope};

/// So many files, and twice as many pieces, come back from one search.
const HITS: usize = 400;
const NONE: Fields = Fields { path: 0.0, name: 0.0, signature: 0.0, body: 0.0, strings: 0.0, doc: 0.0 };
/// What counts within a piece, and within a file.
const PIECE: Fields = Fields { path: 0.6, name: 0.6, signature: 0.4, body: 1.0, strings: 0.2, doc: 0.2 };
const FILE: Fields = Fields { body: 1.0, ..NONE };
/// What another form of a word counts beside the word.
const FORM: f32 = 0.5;
/// So many of the dearest words are sought in other forms, too.
const FORMED: usize = 40;

/// So many messages are looked for, and so many places of each; and what the words of one are worth that says enough.
const QUOTED: usize = 8;
const MESSAGES: usize = 40;
const SURE: f32 = 12.0;

/// A piece of a file and how well it matches.
pub(super) type Piece = (String, u32, f32);

/// Searches, and tells the pieces that were found, best first.
pub(super) fn gather(snapshot: &Snapshot, task: &Task, rows: &mut Rows) -> Vec<Piece> {
    let all = worded(snapshot, task);
    let words = |wanted: &dyn Fn(&Term) -> bool, power: i32| -> Vec<(String, f32)> {
        let kept = all.iter().filter(|(term, ..)| wanted(term));
        kept.map(|(_, word, weight)| (word.clone(), weight.powi(power))).collect()
    };
    let (every, titled) = (words(&|_| true, 1), words(&|it| it.titled, 1));
    // Where a text repeats a word, the square lets that word decide.
    let stressed = words(&|_| true, 2);
    let whole = words(&|it| it.whole, 1);
    let found = pieces(snapshot, &every, rows);
    best_three(&found, rows);
    for hit in snapshot.covering(&title(&all), false, HITS * 2).0 {
        rows.raise(&hit.path, Signal::TitleCovered, hit.score);
    }
    messages(snapshot, task, rows);
    let files = [
        (&every, FILE, Signal::File),
        (&stressed, FILE, Signal::StressedFile),
        (&whole, FILE, Signal::Whole),
        (&titled, Fields { path: 1.0, ..NONE }, Signal::TitlePath),
        (&every, Fields { name: 1.0, ..NONE }, Signal::Name),
    ];
    for (terms, fields, signal) in files {
        for hit in snapshot.search(terms, &fields, Scope::Files, HITS) {
            rows.raise(&hit.path, signal, hit.score);
        }
    }
    for signal in Signal::SEARCHED {
        rows.scale(signal, 0.0);
    }
    found
}

/// The words of a task, each with the term that it comes from: itself, and other forms of it that the project holds.
fn worded<'a>(snapshot: &Snapshot, task: &'a Task) -> Vec<(&'a Term, String, f32)> {
    let mut known: HashSet<String> = task.terms.iter().map(|it| it.word.clone()).collect();
    let mut found: Vec<(&Term, String, f32)> =
        task.terms.iter().map(|term| (term, term.word.clone(), term.weight)).collect();
    for term in task.terms.iter().filter(|it| !it.whole).take(FORMED) {
        for form in forms(&term.word) {
            if !known.contains(&form) && snapshot.has_term(&form) {
                known.insert(form.clone());
                found.push((term, form, term.weight * FORM));
            }
        }
    }
    found
}

/// The words of the first line, parts instead of whole names, each in the forms that the project holds.
fn title(all: &[(&Term, String, f32)]) -> Vec<(Vec<String>, f32)> {
    let mut words: Vec<(&str, Vec<String>, f32)> = Vec::new();
    for (term, word, _) in all.iter().filter(|(term, ..)| term.titled && !term.whole) {
        match words.iter_mut().find(|it| it.0 == term.word) {
            Some(known) => known.1.push(word.clone()),
            None => words.push((&term.word, vec![word.clone()], term.weight)),
        }
    }
    words.into_iter().map(|(_, forms, weight)| (forms, weight)).collect()
}

/// Messages that the text quotes, where the strings of one place hold most of their words.
fn messages(snapshot: &Snapshot, task: &Task, rows: &mut Rows) {
    for message in task.quotes.iter().take(QUOTED) {
        // In one order, because totals of fractions depend on it.
        let words: BTreeSet<String> = crate::tokens(message).into_iter().collect();
        let words: Vec<(Vec<String>, f32)> = words.into_iter().map(|it| (vec![it], 1.0)).collect();
        let (found, all) = snapshot.covering(&words, true, MESSAGES);
        if words.len() < 2 || all <= 0.0 {
            continue;
        }
        let share = |score: f32| (score / all).powi(3) * (all / SURE).min(1.0);
        let near = found.first().map_or(0.0, |it| it.score * 0.9);
        let places: HashSet<&str> = found.iter().filter(|it| it.score >= near).map(|it| it.path.as_str()).collect();
        for hit in &found {
            rows.raise(&hit.path, Signal::Message, share(hit.score) / (places.len() as f32).sqrt());
        }
    }
}

/// The pieces that match, best first; the best of each file speaks for it.
fn pieces(snapshot: &Snapshot, terms: &[(String, f32)], rows: &mut Rows) -> Vec<Piece> {
    let mut found = Vec::new();
    for hit in snapshot.search(terms, &PIECE, Scope::Chunks, HITS * 2) {
        rows.raise(&hit.path, Signal::Piece, hit.score);
        found.extend(hit.chunk.map(|chunk| (hit.path, chunk, hit.score)));
    }
    found
}

/// The best three pieces of each file together.
fn best_three(found: &[Piece], rows: &mut Rows) {
    let mut times: HashMap<&str, u32> = HashMap::new();
    for (path, _, score) in found {
        let times = times.entry(path).or_default();
        *times += 1;
        if *times <= 3 {
            rows.add(path, Signal::Pieces, *score);
        }
    }
}
