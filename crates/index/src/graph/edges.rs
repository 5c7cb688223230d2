//! The fourth layer over a snapshot: imports resolved to files when they are asked for, in both directions.
//!
//! No edge is stored. What an import stands for depends on which other files there are, so a stored one would be wrong
//! after any of them came or went; what is stored is the words of imports, by which few candidates are found and resolved.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::imports::{Resolver, has_implied};
use super::paths::{ending, folder, join, name, stem, upward, within};
use crate::search::{How, RefPlace, tokens};
use crate::snapshot::Snapshot;
use crate::store::builder::{NEARBY, words_of};
use crate::store::schema::LAYOUT;
use ox_syntax::{Facts, Import};

/// The most files whose imports are resolved to answer one question.
const CANDIDATES: usize = 3_000;
/// How many of the folders above a file may be what an import names.
const FOLDERS: usize = 4;
/// How many of the names of a file may be what others use it for.
const NAMES: usize = 50;
/// Uses of one name that are looked at.
pub(super) const MOST_USES: usize = 400;

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
        // Dots alone name the folder around, or one above it.
        let around = within(folder(path), "");
        let is_around = |file: &u32| self.state.files.path(*file as usize).starts_with(&around);
        for word in &names {
            let holding = self.state.holding(LAYOUT.imported, word).into_iter();
            files.extend(holding.filter(|it| word != NEARBY || is_around(it)));
        }
        // Without an import only those languages use a file that have such uses at all.
        let facts = self.facts(path).filter(|it| has_implied(it.language));
        let exported = facts.iter().flat_map(|it| &it.symbols).filter(|it| it.exported && it.parent.is_none());
        for symbol in exported.take(NAMES) {
            files.extend(self.state.holding(LAYOUT.referred, &symbol.name.to_lowercase()));
        }
        let family = family(path);
        let uses = |file: &u32| {
            let from = self.state.files.path(*file as usize);
            let is_known = || family.is_none_or(|it| self::family(from) == Some(it));
            *from != *path && is_known() && used_by(from, &names)
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
        let mut words = BTreeSet::new();
        if self.is_named_itself(path) {
            // Whatever names the file has all words of its stem, so the longest, which fewest others have, will do.
            words.extend(tokens(stem(path).trim_end_matches(".d")).into_iter().max_by_key(String::len));
        }
        if words.is_empty() {
            words.insert(NEARBY.to_owned());
            words.extend(tokens(name(path)));
            words.extend(folder(path).rsplit('/').take(FOLDERS).flat_map(tokens));
        }
        let facts = self.facts(path);
        let package = facts.as_ref().and_then(|it| it.package.as_deref()).unwrap_or_default();
        words.extend(tokens(package));
        let names = facts.iter().flat_map(|it| &it.symbols).filter(|it| it.exported && it.parent.is_none());
        words.extend(names.take(NAMES).flat_map(|it| tokens(&it.name).into_iter().take(1)));
        words
    }

    /// True for a file that an import names by its own name or by a name that it has, and never by its folder alone.
    fn is_named_itself(&self, path: &str) -> bool {
        let stem = stem(path);
        // These stand for their folders; a test that is named so is imported by nobody.
        if matches!(stem, "index" | "__init__" | "__main__" | "mod" | "lib" | "main" | "init") {
            return false;
        }
        match ending(path) {
            "py" | "pyi" | "pyx" | "lua" | "sh" | "bash" | "rb" | "h" | "hpp" | "hh" | "hxx" | "inl" | "c" | "cc"
            | "cpp" | "cxx" => true,
            // What is beneath a module gets all of it by `super::*`.
            "rs" => join(folder(path), stem).is_none_or(|it| self.folder(&it).is_empty()),
            // A package may name any file near its manifest as what it is.
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => {
                !upward(folder(path)).take(2).any(|it| self.is_entry(it, path))
            }
            _ => false,
        }
    }

    /// True where the manifest of a folder names a file's stem, as one that says what a package begins with does.
    fn is_entry(&self, folder: &str, path: &str) -> bool {
        let manifest = join(folder, "package.json").and_then(|it| self.text(&it));
        manifest.is_some_and(|it| it.contains(&format!("{}.", stem(path))))
    }
}

/// Languages whose files import each other; none for what may be imported from several.
fn family(path: &str) -> Option<&'static str> {
    Some(match ending(path) {
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => "scripts",
        "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" | "hh" | "hxx" => "C",
        "java" | "kt" | "kts" | "scala" => "JVM",
        "py" | "pyi" | "pyx" => "Python",
        "rs" => "Rust",
        "go" => "Go",
        "rb" => "Ruby",
        "php" => "PHP",
        "cs" => "C#",
        _ => return None,
    })
}

/// What one search asks of a snapshot again and again: each answer is worked out once.
pub(super) struct Edges<'a> {
    pub(super) snapshot: &'a Snapshot,
    resolver: Resolver<'a>,
    facts: Memo<Arc<Facts>>,
    ties: Memo<Rc<Vec<Tie>>>,
    importers: Memo<Rc<BTreeSet<String>>>,
    used: Memo<Rc<Vec<RefPlace>>>,
    defining: Memo<Rc<BTreeSet<String>>>,
}

/// Answers by what was asked.
type Memo<T> = RefCell<HashMap<String, T>>;

/// The answer that is known, or else the one that is made.
fn recalled<T: Clone>(known: &Memo<T>, asked: &str, make: impl FnOnce() -> T) -> T {
    if let Some(it) = known.borrow().get(asked) {
        return it.clone();
    }
    let made = make();
    known.borrow_mut().insert(asked.to_owned(), made.clone());
    made
}

/// What one file has of another.
#[derive(Debug)]
pub(super) struct Tie {
    /// The file; none for what is not of the project.
    pub(super) to: Option<String>,
    /// The names that it brings, `*` for all of them; none where the other file is there as a whole.
    pub(super) names: Vec<String>,
    /// True where no import says so but the language: files of one package see each other.
    pub(super) implied: bool,
}

impl<'a> Edges<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Edges<'a> {
        Edges {
            snapshot,
            resolver: Resolver::new(snapshot),
            facts: Memo::default(),
            ties: Memo::default(),
            importers: Memo::default(),
            used: Memo::default(),
            defining: Memo::default(),
        }
    }

    /// The files that import a file.
    pub(super) fn importers(&self, path: &str) -> Rc<BTreeSet<String>> {
        let uses = |from: &str| self.ties(from).iter().any(|it| it.to.as_deref() == Some(path));
        let fits = |facts: &Facts, names: &BTreeSet<String>| {
            has_implied(facts.language)
                || facts.imports.iter().any(|it| words_of(it).iter().any(|it| names.contains(it)))
        };
        let by = |from: &str, names: &BTreeSet<String>| {
            self.snapshot.facts(from).is_some_and(|it| fits(&it, names)) && uses(from)
        };
        recalled(&self.importers, path, || Rc::new(self.snapshot.importers_by(path, &by).into_iter().collect()))
    }

    /// What a file has of others: an entry for each file that one of its imports stands for, one for each import that stands
    /// for none, and those that it uses without an import.
    pub(super) fn ties(&self, path: &str) -> Rc<Vec<Tie>> {
        recalled(&self.ties, path, || {
            let mut out = Vec::new();
            let Some(facts) = self.snapshot.facts(path) else { return Rc::default() };
            for import in &facts.imports {
                let found = self.resolver.resolve(path, &facts, import);
                let none = found.is_empty().then_some(None);
                let to = found.into_iter().map(Some).chain(none);
                out.extend(to.map(|to| Tie { to, names: import.names.clone(), implied: false }));
            }
            let implied = self.resolver.implied(path, &facts).into_iter();
            out.extend(implied.map(|to| Tie { to: Some(to), names: Vec::new(), implied: true }));
            Rc::new(out)
        })
    }

    /// What a file says; nothing where it is not known.
    pub(super) fn facts(&self, path: &str) -> Arc<Facts> {
        recalled(&self.facts, path, || self.snapshot.facts(path).unwrap_or_default())
    }

    /// The places where a name is used, as far as they are looked at.
    pub(super) fn used(&self, name: &str) -> Rc<Vec<RefPlace>> {
        recalled(&self.used, name, || Rc::new(self.snapshot.referenced(name, MOST_USES)))
    }

    /// The files that define a name.
    pub(super) fn defining(&self, name: &str) -> Rc<BTreeSet<String>> {
        let places = || self.snapshot.defined(name, How::Exact, CANDIDATES);
        recalled(&self.defining, name, || Rc::new(places().into_iter().map(|it| it.path).collect()))
    }
}
