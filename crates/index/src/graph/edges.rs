//! The fourth layer over a snapshot: imports resolved to files when they are asked for, in both directions.
//!
//! No edge is stored. What an import stands for depends on which other files there are, so a stored one would be wrong
//! after any of them came or went; what is stored is the words of imports, by which few candidates are found and resolved.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::companions::{companions, runners};
use super::imports::{Resolver, has_implied, ties};
use super::project::{Companion, Graph, Project, Tie, UsedAt};
use crate::snapshot::Snapshot;
use crate::store::builder::{NEARBY, import_words, words_of};
use crate::store::schema::LAYOUT;
use ox_syntax::{Facts, Import, Symbol};

/// The most files whose imports are resolved to answer one question.
const CANDIDATES: usize = 3_000;
/// How many of the folders above a file may be what an import names.
const FOLDERS: usize = 4;
/// How many of the names of a file may be what others use it for.
const NAMES: usize = 50;

impl Snapshot {
    /// What `path` imports: each file of the project with the import that brings it, in the order of the text.
    pub fn imports(&self, path: &str) -> Vec<(String, Import)> {
        let Some(facts) = self.facts(path) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let resolved =
            |it: &Import| resolver.resolve(path, &facts, it).into_iter().map(|to| (to, it.clone())).collect();
        facts.imports.iter().flat_map(|it| -> Vec<(String, Import)> { resolved(it) }).collect()
    }

    /// The files that use `path`: by an import, or without one where the language needs none in a package. In the order of
    /// their paths.
    pub fn importers(&self, path: &str) -> Vec<String> {
        let resolver = Resolver::new(self);
        self.importers_by(path, &|from, names| self.used_by(&resolver, from, path, names))
    }

    /// Those of the files that may use `path` which do; it is asked with the words by which they were found.
    fn importers_by(&self, path: &str, used_by: &dyn Fn(&str, &BTreeSet<String>) -> bool) -> Vec<String> {
        let mut files = BTreeSet::new();
        let names = self.import_names(path);
        for word in &names {
            files.extend(self.state.holding(LAYOUT.imported, word));
        }
        let facts = self.facts(path);
        let exported = facts.iter().flat_map(|it| &it.symbols).filter(|it| it.exported && it.parent.is_none());
        for symbol in exported.take(NAMES) {
            files.extend(self.state.holding(LAYOUT.referred, &symbol.name.to_lowercase()));
        }
        let uses = |file: &u32| {
            let from = self.state.files.path(*file as usize);
            *from != *path && used_by(from, &names)
        };
        let found = files.into_iter().take(CANDIDATES).filter(uses);
        found.map(|it| self.state.files.path(it as usize).to_owned()).collect()
    }

    /// The files that `path` uses, by an import or without one, in the order of their paths.
    pub fn imported(&self, path: &str) -> Vec<String> {
        self.targets(&Resolver::new(self), path).into_iter().collect()
    }

    /// The number of edges between files, by resolving all of them.
    pub fn edges(&self) -> u64 {
        let threads = std::thread::available_parallelism().map_or(1, |it| it.get());
        let (next, sum) = (AtomicUsize::new(0), AtomicU64::new(0));
        let work = || {
            let resolver = Resolver::new(self);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.state.files.len() {
                    break;
                }
                let targets = self.targets(&resolver, self.state.files.path(number));
                sum.fetch_add(targets.len() as u64, Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
        sum.into_inner()
    }

    fn targets(&self, resolver: &Resolver<'_>, path: &str) -> BTreeSet<String> {
        let Some(facts) = self.facts(path) else { return BTreeSet::new() };
        let imported = facts.imports.iter().flat_map(|it| resolver.resolve(path, &facts, it));
        imported.chain(resolver.implied(path, &facts)).collect()
    }

    /// Resolves only those imports of `from` that have a word of `names`.
    fn used_by(&self, resolver: &Resolver<'_>, from: &str, path: &str, names: &BTreeSet<String>) -> bool {
        let Some(facts) = self.facts(from) else { return false };
        let is = |it: Vec<String>| it.iter().any(|it| it == path);
        let fits = |it: &&Import| words_of(it).iter().any(|it| names.contains(it));
        facts.imports.iter().filter(fits).any(|it| is(resolver.resolve(from, &facts, it)))
            || is(resolver.implied(from, &facts))
    }

    /// The words by one of which every import of `path` is found.
    fn import_names(&self, path: &str) -> BTreeSet<String> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut words = BTreeSet::from([NEARBY.to_owned()]);
        words.extend(import_words(name));
        words.extend(folder.rsplit('/').take(FOLDERS).flat_map(import_words));
        let facts = self.facts(path);
        let package = facts.as_ref().and_then(|it| it.package.as_deref()).unwrap_or_default();
        words.extend(import_words(package));
        let names = facts.iter().flat_map(|it| &it.symbols).filter(|it| it.exported && it.parent.is_none());
        words.extend(names.take(NAMES).flat_map(|it| import_words(&it.name).into_iter().take(1)));
        words
    }
}

impl Project for Snapshot {
    fn has(&self, path: &str) -> bool {
        Snapshot::has(self, path)
    }

    fn by_name(&self, file_name: &str) -> Vec<String> {
        Snapshot::by_name(self, file_name)
    }

    fn by_suffix(&self, suffix: &str) -> Vec<String> {
        Snapshot::by_suffix(self, suffix)
    }

    fn text(&self, path: &str) -> Option<String> {
        self.state.kept(self.entry(path)?)?.text
    }

    fn declared(&self, qualified: &str) -> Vec<String> {
        Snapshot::declared(self, qualified)
    }

    fn folder(&self, folder: &str) -> Vec<String> {
        Snapshot::folder(self, folder)
    }
}

/// A snapshot as what follows changes asks it. It keeps what it read of manifests, so one is made for a whole search.
pub struct Edges<'a> {
    snapshot: &'a Snapshot,
    resolver: Resolver<'a>,
    known: RefCell<HashMap<String, Rc<Vec<Tie>>>>,
}

impl Edges<'_> {
    /// Each file is resolved once in a search, however many others are asked about.
    fn known(&self, path: &str) -> Rc<Vec<Tie>> {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let facts = self.snapshot.facts(path);
        let found = Rc::new(facts.map(|it| ties(&self.resolver, path, &it)).unwrap_or_default());
        self.known.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }
}

impl Snapshot {
    /// The edges of this snapshot, for one search.
    pub fn graph(&self) -> Edges<'_> {
        Edges { snapshot: self, resolver: Resolver::new(self), known: RefCell::default() }
    }
}

impl Graph for Edges<'_> {
    fn importers(&self, path: &str) -> Vec<String> {
        let uses = |from: &str| self.known(from).iter().any(|it| it.to.as_deref() == Some(path));
        let fits = |facts: &Facts, names: &BTreeSet<String>| {
            has_implied(facts.language)
                || facts.imports.iter().any(|it| words_of(it).iter().any(|it| names.contains(it)))
        };
        self.snapshot.importers_by(path, &|from, names| {
            self.snapshot.facts(from).is_some_and(|it| fits(&it, names)) && uses(from)
        })
    }

    fn ties(&self, path: &str) -> Vec<Tie> {
        self.known(path).as_ref().clone()
    }

    fn symbols(&self, path: &str) -> Vec<Symbol> {
        self.snapshot.facts(path).map(|it| it.symbols.clone()).unwrap_or_default()
    }

    fn used(&self, name: &str, limit: usize) -> Vec<UsedAt> {
        let used = self.snapshot.referenced(name, limit).into_iter();
        used.map(|it| UsedAt {
            path: it.path,
            line: it.reference.line,
            kind: it.reference.kind,
            within: it.reference.within,
        })
        .collect()
    }

    fn defining(&self, name: &str) -> Vec<String> {
        let places = self.snapshot.defined(name, crate::How::Exact, CANDIDATES).into_iter().map(|it| it.path);
        places.collect::<BTreeSet<String>>().into_iter().collect()
    }

    fn companions(&self, path: &str) -> Vec<(String, Companion)> {
        companions(self.snapshot, path)
    }

    fn runners(&self, path: &str) -> Vec<String> {
        runners(self.snapshot, path)
    }
}
