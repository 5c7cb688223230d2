//! What the sources of a prompt all look at: the question, what the index answered, and which words are rare.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use ox_index::{Answer, FileHit, Scope, tokens};

use super::inputs::PickInputs;
use super::picked::Rank;
use crate::budget::Budget;

/// Words of the task that are looked at; a log of a megabyte is known by its beginning.
const WORDS: usize = 600;

pub(super) struct PickContext<'a> {
    pub known: &'a PickInputs<'a>,
    pub budget: &'a Budget,
    pub answer: Answer,
    /// The files whose path stands in the task, in its order.
    pub named: Vec<String>,
    words: HashSet<String>,
    rarity: RefCell<HashMap<String, f32>>,
}

impl<'a> PickContext<'a> {
    pub fn new(known: &'a PickInputs<'a>, budget: &'a Budget, answer: Answer, named: Vec<String>) -> PickContext<'a> {
        let words = tokens(known.task).into_iter().take(WORDS).collect();
        PickContext { known, budget, answer, named, words, rarity: RefCell::default() }
    }

    /// The best score, by which the others are measured; at least a trace, so that dividing by it means something.
    pub fn best(&self) -> f32 {
        self.answer.files.first().map_or(0.0, |it| it.score).max(f32::EPSILON)
    }

    /// The score of a file as a share of the best; nothing for one that is not among the answer.
    pub fn share(&self, path: &str) -> f32 {
        self.hit(path).map_or(0.0, |it| (it.score / self.best()).max(0.0))
    }

    pub fn hit(&self, path: &str) -> Option<&FileHit> {
        self.answer.files.iter().find(|it| it.path == path)
    }

    pub fn is_named(&self, path: &str) -> bool {
        self.named.iter().any(|it| it == path)
    }

    /// True for the best file, where it is so far ahead that it is all but certain.
    pub fn leads(&self, path: &str) -> bool {
        let next = self.answer.files.get(1).map_or(0.0, |it| it.score) / self.best();
        next <= NEXT && self.answer.files.first().is_some_and(|it| it.path == path)
    }

    /// What the task is about: the named files, then the best ones, each with its rank and share; at most `limit`.
    pub fn centre(&self, limit: usize) -> Vec<(String, Rank, f32)> {
        let named = self.named.iter().map(|it| (it.clone(), Rank::Required, 1.0));
        let hits = self.answer.files.iter().filter(|it| !self.is_named(&it.path));
        let best = hits.map(|it| (it.path.clone(), Rank::High, it.score / self.best())).filter(|it| it.2 >= HIGH);
        named.chain(best).take(limit).collect()
    }

    /// The words of the task, as the index splits them.
    pub fn words(&self) -> Vec<&str> {
        let mut words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        words.sort_unstable();
        words
    }

    /// How rare a word of the task is, from 0 (in all files, or not in the task) to 1 (in one).
    pub fn rarity(&self, word: &str) -> f32 {
        if !self.words.contains(word) {
            return 0.0;
        }
        let look = || {
            let (all, with) = (self.known.snapshot.count(Scope::Files) as f32, self.known.snapshot.df(word) as f32);
            if with < 1.0 { 0.0 } else { ((all + 1.0) / with).ln() / (all + 1.0).ln() }
        };
        *self.rarity.borrow_mut().entry(word.to_owned()).or_insert_with(look)
    }

    /// True where the task has the word; whole identifiers are words too.
    pub fn says(&self, word: &str) -> bool {
        self.words.contains(word)
    }
}

/// A piece or file must have so much of the best score to be among the best.
pub(super) const HIGH: f32 = 0.8;
/// The best file is quoted unasked where the next one has at most so much of its score: of two that are as good one is
/// wrong, and to read the right one costs less than to carry the wrong one through all requests.
const NEXT: f32 = 0.7;
