//! The index's own snapshot as what ranking asks.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::corpus::{Corpus, Defined};
use crate::facts::Facts;
use crate::graph::companions;
use crate::meaning::{Fields, Scope, Scored};
use crate::names::How;
use crate::snapshot::Snapshot;

impl Corpus for Snapshot {
    fn search(&self, terms: &[(String, f32)], fields: &Fields, scope: Scope, limit: usize) -> Vec<Scored> {
        Snapshot::search(self, terms, fields, scope, limit)
    }

    fn covering(&self, words: &[(Vec<String>, f32)], strings: bool, limit: usize) -> (Vec<Scored>, f32) {
        Snapshot::covering(self, words, strings, limit)
    }

    fn holds(&self, word: &str) -> bool {
        self.has_term(word)
    }

    fn defined(&self, name: &str, limit: usize) -> Vec<Defined> {
        let places = Snapshot::defined(self, name, How::Exact, limit).into_iter();
        places.map(|it| Defined { path: it.path, symbol: it.symbol }).collect()
    }

    fn declared(&self, qualified: &str) -> Vec<String> {
        Snapshot::declared(self, qualified)
    }

    fn ending(&self, path: &str) -> Vec<String> {
        self.by_suffix(path)
    }

    fn facts(&self, path: &str) -> Option<Arc<Facts>> {
        Snapshot::facts(self, path)
    }

    fn near(&self, path: &str) -> Vec<String> {
        let mut found: BTreeSet<String> = self.imports(path).into_iter().map(|(it, _)| it).collect();
        found.extend(companions(self, path).into_iter().map(|(it, _)| it));
        found.remove(path);
        found.into_iter().collect()
    }

    fn told(&self) -> Vec<(&str, &str, Vec<&str>)> {
        self.state.history.messages().collect()
    }

    fn size(&self, path: &str) -> u64 {
        self.state(path).map_or(0, |it| it.size)
    }

    fn together(&self, path: &str) -> Vec<(String, f32)> {
        Snapshot::together(self, path)
    }
}
