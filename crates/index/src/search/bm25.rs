//! The third layer: full text over fields, scored by BM25 with the figures of the living contents alone.
//!
//! The engine keeps terms and postings; the score is computed here, because contents are shared between files and
//! outlive them for a while: what is dead must neither be found nor count, so that a tree that came here by a hundred
//! edits answers like one that was indexed afresh. Paths belong to files, not to contents, and are scored as a field too.

use std::collections::HashMap;

use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, TERMINATED, Term};

use crate::snapshot::{Live, NONE};
use crate::snapshot::{Snapshot, State};
use crate::store::schema::{LAYOUT, TEXTS};

/// How soon more occurrences of a term stop to count.
const K1: f32 = 1.2;
/// How far long texts are held against it.
const B: f32 = 0.75;
/// The field with the whole text, in which what the other fields have is too.
pub(super) const BODY: usize = 3;
/// The field with the quoted strings.
pub(super) const STRINGS: usize = 4;

/// What each field counts; a field with zero is not looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fields {
    /// The path of the file.
    pub path: f32,
    /// Qualified names of what the chunk defines, or is part of.
    pub name: f32,
    /// Their signatures.
    pub signature: f32,
    /// The whole text.
    pub body: f32,
    /// The texts of quoted strings.
    pub strings: f32,
    /// What is written about the symbols.
    pub doc: f32,
}

impl Fields {
    fn texts(&self) -> [f32; TEXTS] {
        [self.name, self.signature, self.doc, self.body, self.strings]
    }
}

/// What is found: whole files, or chunks of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A file's fields are those of all its chunks together.
    Files,
    /// Each chunk by itself, with its file's path.
    Chunks,
}

/// A hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The file.
    pub path: String,
    /// The chunk's number among those of the file's facts; none with [`Scope::Files`].
    pub chunk: Option<u32>,
    /// The sum over terms of weight times the sum over fields of boost times BM25.
    pub score: f32,
}

impl Snapshot {
    /// The best `limit` files or chunks for `terms` with their weights, best first, ties in the order of their paths. A term
    /// is a word as [`crate::tokens`] gives it; one that is named twice counts twice.
    pub fn search(&self, terms: &[(String, f32)], fields: &Fields, scope: Scope, limit: usize) -> Vec<Scored> {
        let mut weights: HashMap<&str, f32> = HashMap::new();
        for (term, weight) in terms {
            *weights.entry(term).or_default() += weight;
        }
        let mut terms: Vec<(&str, f32)> = weights.into_iter().filter(|(_, it)| *it != 0.0).collect();
        // Totals of fractions depend on their order.
        terms.sort_by(|a, b| a.0.cmp(b.0));
        let state = &*self.state;
        let mut search = Search::new(state, scope);
        for (at, boost) in fields.texts().into_iter().enumerate().filter(|(_, it)| *it != 0.0) {
            for (term, weight) in &terms {
                search.add(at, term, boost * weight);
            }
        }
        let paths = if fields.path == 0.0 { Vec::new() } else { state.path_scores(&terms, fields.path) };
        search.best(&paths, limit)
    }

    /// The number of files, or of chunks, that are searched.
    pub fn count(&self, scope: Scope) -> u64 {
        let totals = &self.state.live().totals;
        match scope {
            Scope::Files => totals.files,
            Scope::Chunks => totals.docs,
        }
    }

    /// The number of files that have `term` in their text.
    pub fn df(&self, term: &str) -> u32 {
        let mut files = 0;
        self.owners_of(term, &mut |it| {
            files += it;
            true
        });
        u32::try_from(files).unwrap_or(u32::MAX)
    }

    /// True where a file has `term` in its text.
    pub fn has_term(&self, term: &str) -> bool {
        let mut found = false;
        self.owners_of(term, &mut |it| {
            found |= it > 0;
            !found
        });
        found
    }

    /// Calls `each` with the number of files of every content that has `term`, until it is false.
    fn owners_of(&self, term: &str, each: &mut dyn FnMut(usize) -> bool) {
        let state = &*self.state;
        let live = state.live();
        for (number, segment) in state.segments.iter().enumerate() {
            let (owners, mut last, mut going) = (segment.owners(), NONE, true);
            state.postings(number, LAYOUT.texts[BODY], term, &mut |doc, _| {
                // The documents of a content follow each other.
                let content = owners[doc as usize];
                if content != last {
                    going = each(Live::files(live, number, content).count());
                    last = content;
                }
                going
            });
            if !going {
                return;
            }
        }
    }
}

impl State {
    /// Calls `each` with every document of a segment that has `term`, dead ones too, and how often, until it is false.
    fn postings(&self, segment: usize, field: Field, term: &str, each: &mut dyn FnMut(u32, u32) -> bool) {
        let Ok(index) = self.segments[segment].reader.inverted_index(field) else { return };
        let term = Term::from_field_text(field, term);
        let Ok(Some(mut postings)) = index.read_postings(&term, IndexRecordOption::WithFreqs) else { return };
        let docs = self.segments[segment].contents.docs();
        while postings.doc() != TERMINATED && postings.doc() < docs {
            if !each(postings.doc(), tantivy::postings::Postings::term_freq(&postings)) {
                return;
            }
            postings.advance();
        }
    }

    /// BM25 of the paths, for each file.
    fn path_scores(&self, terms: &[(&str, f32)], boost: f32) -> Vec<f32> {
        let (words, all) = (self.paths.words(&self.files), self.files.len());
        let mean = words.total as f32 / all.max(1) as f32;
        let (mut scores, mut counts) = (vec![0.0; all], vec![0; all]);
        for (term, weight) in terms {
            let mut found: Vec<(u32, u16)> = Vec::new();
            words.holding(term, &mut counts, &mut |file, count| found.push((file, count)));
            let worth = boost * weight * idf(found.len() as f32, all as f32);
            for (file, count) in found {
                let length = f32::from(words.lengths[file as usize]);
                scores[file as usize] += worth * saturated(f32::from(count), length / mean);
            }
        }
        scores
    }
}

/// What a term is worth that `with` of `all` texts have.
pub(crate) fn idf(with: f32, all: f32) -> f32 {
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// What `count` occurrences are worth in a text of `relative` length, where one is the mean.
pub(crate) fn saturated(count: f32, relative: f32) -> f32 {
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * relative))
}

/// One search: scores by document, or by content.
pub(super) struct Search<'a> {
    pub(super) state: &'a State,
    pub(super) live: &'a Live,
    pub(super) scope: Scope,
    /// For each segment.
    pub(super) scores: Vec<Vec<f32>>,
    pub(super) all: f32,
}

/// Occurrences of a term in a segment: document or content, and count.
type Hits = Vec<(u32, u32)>;

impl<'a> Search<'a> {
    pub(super) fn new(state: &'a State, scope: Scope) -> Search<'a> {
        let live = state.live();
        let size = |it: &crate::store::segment::Segment| match scope {
            Scope::Files => it.contents.len(),
            Scope::Chunks => it.contents.docs() as usize,
        };
        let scores = state.segments.iter().map(|it| vec![0.0; size(it)]).collect();
        let all = if scope == Scope::Files { live.totals.files } else { live.totals.docs };
        Search { state, live, scope, scores, all: all as f32 }
    }

    /// Adds what `term` in the text field `at` is worth.
    fn add(&mut self, at: usize, term: &str, weight: f32) {
        let field = LAYOUT.texts[at];
        let hits: Vec<Hits> = (0..self.state.segments.len()).map(|it| self.hits(it, field, term)).collect();
        let copies = |segment: usize, content: u32| Live::files(self.live, segment, content).count();
        let mut with = 0;
        for (segment, hits) in hits.iter().enumerate() {
            let owners = self.state.segments[segment].owners();
            let content = |it: u32| if self.scope == Scope::Files { it } else { owners[it as usize] };
            with += hits.iter().map(|(it, _)| copies(segment, content(*it))).sum::<usize>();
        }
        if with == 0 {
            return;
        }
        let worth = weight * idf(with as f32, self.all);
        let mean = self.live.totals.lengths[at] as f32 / self.all.max(1.0);
        for (segment, hits) in hits.iter().enumerate() {
            let part = &self.state.segments[segment];
            let norms = part.reader.get_fieldnorms_reader(field).ok();
            for &(it, count) in hits {
                let length = match (self.scope, &norms) {
                    (Scope::Files, _) => part.contents.length(it, at),
                    (Scope::Chunks, Some(norms)) => norms.fieldnorm(it),
                    (Scope::Chunks, None) => 0,
                };
                self.scores[segment][it as usize] += worth * saturated(count as f32, length as f32 / mean);
            }
        }
    }

    /// Living documents, or contents, that have a term.
    pub(super) fn hits(&self, segment: usize, field: Field, term: &str) -> Hits {
        let (owners, alive) = (self.state.segments[segment].owners(), &self.live.owners[segment]);
        let mut hits: Hits = Vec::new();
        self.state.postings(segment, field, term, &mut |doc, count| {
            let content = owners[doc as usize];
            if alive[content as usize] == NONE {
                return true;
            }
            match (self.scope, hits.last_mut()) {
                (Scope::Files, Some(last)) if last.0 == content => last.1 += count,
                (Scope::Files, _) => hits.push((content, count)),
                (Scope::Chunks, _) => hits.push((doc, count)),
            }
            true
        });
        hits
    }

    pub(super) fn best(&self, paths: &[f32], limit: usize) -> Vec<Scored> {
        let mut hits: Vec<Hit> = Vec::new();
        let path = |file: u32| paths.get(file as usize).copied().unwrap_or(0.0);
        for (number, segment) in self.state.segments.iter().enumerate() {
            let scores = &self.scores[number];
            for (content, _) in (0u32..).zip(&self.live.owners[number]).filter(|it| *it.1 != NONE) {
                let docs = match self.scope {
                    Scope::Files => content..content + 1,
                    Scope::Chunks => {
                        let (first, docs) = segment.contents.docs_of(content);
                        first..first + docs
                    }
                };
                let scores = &scores[docs.start as usize..docs.end as usize];
                for file in Live::files(self.live, number, content) {
                    let path = path(file);
                    let own = (0u32..).zip(scores).map(|(chunk, score)| (score + path, file, chunk));
                    hits.extend(own.filter(|it| it.0 > 0.0));
                }
            }
        }
        let bare = |file: u32| self.state.files.get(file as usize).at.is_none();
        // Files whose contents are not indexed still have a path.
        let alone = (0u32..).zip(paths).filter(|(file, score)| **score > 0.0 && bare(*file));
        hits.extend(alone.map(|(file, score)| (*score, file, 0)));
        let scored = |(score, file, chunk): Hit| Scored {
            path: self.state.files.path(file as usize).to_owned(),
            chunk: (self.scope == Scope::Chunks && !bare(file)).then_some(chunk),
            score,
        };
        best(hits, limit).into_iter().map(scored).collect()
    }
}

/// A file or chunk of one by number, and its score.
pub(crate) type Hit = (f32, u32, u32);

/// The best `limit` hits, best first, ties in the order of files and chunks.
pub(crate) fn best(mut hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    let better = |a: &Hit, b: &Hit| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2)));
    if hits.len() > limit && limit > 0 {
        hits.select_nth_unstable_by(limit - 1, better);
    }
    hits.truncate(limit);
    hits.sort_by(better);
    hits
}
