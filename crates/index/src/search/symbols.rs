//! The second layer: where names are defined and where they are used, over all files.

use std::collections::BTreeSet;
use std::sync::Arc;

use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, TERMINATED, Term};

use crate::snapshot::Live;
use crate::snapshot::{Snapshot, State};
use crate::store::builder::{BEHIND_TERMS, package_term, qualified_term};
use crate::store::schema::LAYOUT;
use ox_syntax::{Reference, Symbol};

/// Answers about declared names that are kept.
const DECLARED: usize = 50_000;

/// How a name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Letter for letter. A qualified name (`a::b`, `a.b`) must end the symbol's own.
    Exact,
    /// Names that begin so, in any case.
    Prefix,
    /// Names in any case with at most so many wrong, missing or added letters as their length allows: none below 4, one
    /// below 8, two from there on; the nearest first.
    Fuzzy,
}

/// Where a symbol is defined.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The file.
    pub path: String,
    /// The symbol.
    pub symbol: Symbol,
}

/// Where a name is used.
#[derive(Clone, Debug, PartialEq)]
pub struct RefPlace {
    /// The file.
    pub path: String,
    /// The use.
    pub reference: Reference,
}

impl Snapshot {
    /// The definitions of `name`, at most `limit`, in the order of their paths and lines; with [`How::Fuzzy`] nearest
    /// first.
    pub fn defined(&self, name: &str, how: How, limit: usize) -> Vec<Place> {
        let last = last_part(name);
        match how {
            How::Exact => {
                let fits = |it: &Symbol| it.name == last && (last == name || ends_with(&it.qualified, name));
                self.places(&[last.to_lowercase()], limit, &fits)
            }
            How::Prefix => {
                let prefix = last.to_lowercase();
                let terms = self.terms(LAYOUT.defined, &prefix);
                self.places(&terms, limit, &|it| it.name.to_lowercase().starts_with(&prefix))
            }
            How::Fuzzy => self.near(&last.to_lowercase(), limit),
        }
    }

    /// The uses of `name`, at most `limit`, in the order of their paths and lines.
    pub fn referenced(&self, name: &str, limit: usize) -> Vec<RefPlace> {
        let name = last_part(name);
        let mut found = Vec::new();
        for file in self.state.holding(LAYOUT.referred, &name.to_lowercase()) {
            let entry = self.state.files.get(file as usize);
            let Some(facts) = self.state.facts(entry) else { continue };
            for reference in facts.references.iter().filter(|it| it.name == name) {
                if found.len() == limit {
                    return found;
                }
                found.push(RefPlace { path: entry.path.to_owned(), reference: reference.clone() });
            }
        }
        found
    }

    /// The files that define `qualified`: a symbol's qualified name with or without its package, or a package.
    pub fn declared(&self, qualified: &str) -> Vec<String> {
        let known = || self.state.declared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let asked = known().get(qualified).cloned();
        let files = asked.unwrap_or_else(|| {
            let files: Arc<[u32]> = self.declaring(qualified).into_iter().collect();
            let mut known = known();
            if known.len() >= DECLARED {
                known.clear();
            }
            known.insert(qualified.into(), files.clone());
            files
        });
        files.iter().map(|it| self.state.files.path(*it as usize).to_owned()).collect()
    }

    fn declaring(&self, qualified: &str) -> BTreeSet<u32> {
        let terms = [qualified_term(qualified), package_term(qualified)];
        terms.iter().flat_map(|it| self.state.holding(LAYOUT.defined, it)).collect()
    }

    fn places(&self, terms: &[String], limit: usize, fits: &dyn Fn(&Symbol) -> bool) -> Vec<Place> {
        let files: BTreeSet<u32> = terms.iter().flat_map(|it| self.state.holding(LAYOUT.defined, it)).collect();
        let mut found = Vec::new();
        for file in files {
            let entry = self.state.files.get(file as usize);
            let Some(facts) = self.state.facts(entry) else { continue };
            for symbol in facts.symbols.iter().filter(|it| fits(it)) {
                if found.len() == limit {
                    return found;
                }
                found.push(Place { path: entry.path.to_owned(), symbol: symbol.clone() });
            }
        }
        found
    }

    /// Names that differ from `name` by few letters, nearest first.
    fn near(&self, name: &str, limit: usize) -> Vec<Place> {
        let most = match name.chars().count() {
            0..4 => 0,
            4..8 => 1,
            _ => 2,
        };
        let near = |term: String| Some((distance(&term, name, most)?, term));
        let mut terms: Vec<_> = self.terms(LAYOUT.defined, "").into_iter().filter_map(near).collect();
        terms.sort();
        let mut found = Vec::new();
        for (_, term) in terms {
            let fits = |it: &Symbol| it.name.to_lowercase() == term;
            found.extend(self.places(std::slice::from_ref(&term), limit - found.len(), &fits));
            if found.len() == limit {
                break;
            }
        }
        found
    }

    /// The terms of a field that begin with `prefix`, each once; dead contents may have some of them.
    fn terms(&self, field: Field, prefix: &str) -> Vec<String> {
        let mut all = BTreeSet::new();
        for segment in &self.state.segments {
            let Ok(index) = segment.reader.inverted_index(field) else { continue };
            let Ok(mut terms) = index.terms().range().ge(prefix.max(BEHIND_TERMS)).into_stream() else { continue };
            while terms.advance() {
                let Ok(term) = std::str::from_utf8(terms.key()) else { continue };
                if !term.starts_with(prefix) {
                    break;
                }
                all.insert(term.to_owned());
            }
        }
        all.into_iter().collect()
    }
}

impl State {
    /// The files whose content has `term` in one of the lists of names, in the order of their paths.
    pub(crate) fn holding(&self, field: Field, term: &str) -> Vec<u32> {
        let live = self.live();
        let mut files = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            let Ok(index) = segment.reader.inverted_index(field) else { continue };
            let postings = index.read_postings(&Term::from_field_text(field, term), IndexRecordOption::Basic);
            let Ok(Some(mut postings)) = postings else { continue };
            let owners = segment.owners();
            while postings.doc() != TERMINATED {
                if let Some(&content) = owners.get(postings.doc() as usize) {
                    files.extend(Live::files(live, number, content));
                }
                postings.advance();
            }
        }
        files.sort_unstable();
        files
    }
}

/// The last part of a qualified name.
fn last_part(name: &str) -> &str {
    name.rsplit([':', '.', '#', '/', '\\']).find(|it| !it.is_empty()).unwrap_or(name)
}

/// True where the parts of `name` end those of `qualified`, whatever stands between them.
fn ends_with(qualified: &str, name: &str) -> bool {
    let parts = |it: &str| -> Vec<String> {
        it.split([':', '.', '#', '/', '\\']).filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    parts(qualified).ends_with(&parts(name))
}

/// The number of letters to change, add or remove, where it is at most `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    // A letter has four bytes at most.
    let near = a.len().abs_diff(b.len()) <= most * 4;
    near.then(|| strsim::levenshtein(a, b)).filter(|it| *it <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_up_to_a_limit() {
        for (a, b, most, expected) in [
            ("abc", "abc", 0, Some(0)),
            ("abc", "abd", 1, Some(1)),
            ("abc", "abcd", 1, Some(1)),
            ("tokenise", "tokenize", 2, Some(1)),
            ("tokeinse", "tokenise", 2, Some(2)),
            ("abc", "xyz", 2, None),
            ("größe", "grösse", 2, Some(2)),
        ] {
            assert_eq!(distance(a, b, most), expected, "{a} {b}");
        }
    }

    #[test]
    fn qualified_names_end_alike() {
        assert!(ends_with("a::b::C", "b.C"));
        assert!(!ends_with("a::xb::C", "b::C"));
        assert_eq!(last_part("a::b"), "b");
        assert_eq!(last_part("pkg.Type.method"), "method");
        assert_eq!(last_part("::"), "::");
    }
}
