//! The words of a task against those of files and their pieces.

use std::collections::{HashMap, HashSet};

use super::{Rows, Signal};
use crate::meaning::{Fields, Scope};
use crate::query::corpus::Corpus;
use crate::query::param;
use crate::query::text::{Task, forms};

/// So many files or pieces come back from one search.
const HITS: usize = 400;
const NONE: Fields = Fields { path: 0.0, name: 0.0, signature: 0.0, body: 0.0, strings: 0.0, doc: 0.0 };

pub(super) fn gather(corpus: &dyn Corpus, task: &Task, rows: &mut Rows) -> Vec<(String, u32, f32)> {
    // What counts within a piece.
    let piece = Fields {
        path: param("c_path", 0.6),
        name: param("c_name", 0.6),
        signature: param("c_sig", 0.4),
        body: 1.0,
        strings: param("c_str", 0.2),
        doc: param("c_doc", 0.2),
    };
    let file = Fields { path: param("f_path", 0.0), name: param("f_name", 0.0), body: 1.0, ..NONE };
    let all = worded(corpus, task, |_| true);
    let titled = worded(corpus, task, |it| it.titled);
    let whole: Vec<(String, f32)> =
        task.terms.iter().filter(|it| it.whole).map(|it| (it.word.clone(), it.weight)).collect();
    let best = pieces(corpus, &all, piece, Signal::Piece, Some(Signal::Pieces), rows);
    pieces(corpus, &titled, piece, Signal::Title, None, rows);
    let files = [
        (&all, file, Signal::File),
        (&titled, Fields { path: 1.0, ..NONE }, Signal::TitlePath),
        (&all, Fields { path: 1.0, ..NONE }, Signal::Path),
        (&all, Fields { name: 1.0, ..NONE }, Signal::Name),
        (&titled, Fields { name: 1.0, ..NONE }, Signal::TitleName),
        (&all, Fields { signature: 1.0, ..NONE }, Signal::Signature),
        (&all, Fields { strings: 1.0, ..NONE }, Signal::Strings),
        (&all, Fields { doc: 1.0, ..NONE }, Signal::Doc),
        (&whole, Fields { body: 1.0, ..NONE }, Signal::Whole),
    ];
    for (terms, fields, signal) in files {
        for hit in corpus.search(terms, &fields, Scope::Files, HITS) {
            rows.raise(&hit.path, signal, hit.score);
        }
        rows.scale(signal, 0.0);
    }
    for (path, score) in corpus.told(&all) {
        rows.raise(&path, Signal::Told, score);
    }
    rows.scale(Signal::Told, 0.0);
    best
}

/// The words of a task that the project holds, with their other forms, those that tell most.
fn worded(corpus: &dyn Corpus, task: &Task, wanted: impl Fn(&crate::query::text::Term) -> bool) -> Vec<(String, f32)> {
    let share = param("forms", 0.5);
    let files = corpus.files().max(2) as f32;
    let rare = |word: &str| {
        let df = corpus.frequency(word) as f32;
        if df == 0.0 { 0.0 } else { (1.0 + (files - df + 0.5).max(0.5) / (df + 0.5)).ln() / (1.0 + files).ln() }
    };
    let (pq, pi, most) = (param("pq", 1.0), param("pi", 0.0), param("terms", 96.0) as usize);
    let mut all: Vec<(&crate::query::text::Term, f32, f32)> = task
        .terms
        .iter()
        .filter(|it| wanted(it))
        .map(|it| {
            let r = rare(&it.word);
            (it, it.weight.powf(pq) * r.powf(pi), r)
        })
        .collect();
    all.sort_by(|a, b| (b.1 * b.2).total_cmp(&(a.1 * a.2)).then_with(|| a.0.word.cmp(&b.0.word)));
    all.truncate(most);
    let mut found: Vec<(String, f32)> = Vec::new();
    let mut known: HashSet<String> = task.terms.iter().map(|it| it.word.clone()).collect();
    for (term, weight, _) in all {
        found.push((term.word.clone(), weight));
        if term.whole || share == 0.0 {
            continue;
        }
        for form in forms(&term.word) {
            if !known.contains(&form) && corpus.frequency(&form) > 0 {
                known.insert(form.clone());
                found.push((form, weight * share));
            }
        }
    }
    found
}

/// The best piece of each file, and its best three together.
fn pieces(
    corpus: &dyn Corpus,
    terms: &[(String, f32)],
    fields: Fields,
    best: Signal,
    sum: Option<Signal>,
    rows: &mut Rows,
) -> Vec<(String, u32, f32)> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let mut kept = Vec::new();
    for hit in corpus.search(terms, &fields, Scope::Chunks, HITS * 2) {
        if let Some(chunk) = hit.chunk {
            kept.push((hit.path.clone(), chunk, hit.score));
        }
        let times = seen.entry(hit.path.clone()).or_default();
        if *times == 0 {
            rows.raise(&hit.path, best, hit.score);
        }
        if let Some(sum) = sum.filter(|_| *times < 3) {
            rows.add(&hit.path, sum, hit.score);
        }
        *times += 1;
    }
    rows.scale(best, 0.0);
    if let Some(sum) = sum {
        rows.scale(sum, 0.0);
    }
    kept
}
