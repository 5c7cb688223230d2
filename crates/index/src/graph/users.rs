//! Who uses a symbol, as far as names, imports and visibility tell. A name alone is not believed: the file that uses it must
//! see the symbol, import it or what hands it on, and for a method of a common name it must name the type too.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use ox_syntax::{RefKind, Symbol, SymbolKind};

use super::companions::{HEADERS, companions};
use super::edges::{Edges, MOST_USES, Tie};
use super::paths::{ending, folder, name as file_name, stem};
use super::reached::Why;
use super::visible::{Range, range};
use crate::search::RefPlace;
use crate::snapshot::Snapshot;

/// Files that may define a name before a use of it must be shown to mean this one: by the type's name in the file.
const COMMON: usize = 3;
/// The same: by the type's name right where it is used.
const VERY_COMMON: usize = 12;
/// Files that hand a name on, one importing it from the other.
const MOST_HANDING: usize = 40;

/// A place that uses a symbol: the file, the symbol around, and how.
pub(super) type User = (String, Option<u32>, Why);

/// Who uses what, in one search.
pub(super) struct Users<'a> {
    pub(super) edges: Edges<'a>,
    handing: HashMap<(String, String), Rc<HashSet<String>>>,
    /// True where a name is used in more places than were looked at.
    pub(super) cut: bool,
}

/// What is asked about one symbol.
struct Asked<'s> {
    path: &'s str,
    symbol: &'s Symbol,
    range: Range,
    /// The type that it is a member of.
    owner: Option<&'s str>,
    definers: Rc<BTreeSet<String>>,
    /// Uses of the owner's name, where the member's own is common.
    named: Option<Rc<Vec<RefPlace>>>,
    belonging: HashSet<String>,
    /// The name is found nowhere else and is no word that a library might have too.
    distinctive: bool,
}

impl<'a> Users<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Users<'a> {
        Users { edges: Edges::new(snapshot), handing: HashMap::new(), cut: false }
    }

    /// Where a symbol of a file can be named.
    pub(super) fn range(&self, path: &str, symbols: &[Symbol], symbol: &Symbol) -> Range {
        let used = if symbol.exported { Rc::default() } else { self.edges.used(&symbol.name) };
        let outside = |it: &RefPlace| {
            let around = it.reference.within.and_then(|at| symbols.get(at as usize));
            it.path == path && around.is_none_or(|it| it.name == "exports" || it.name == "module.exports")
        };
        range(path, symbols, symbol, used.iter().any(outside))
    }

    /// The places that use a symbol of a file.
    pub(super) fn of(&mut self, path: &str, symbol: &Symbol, symbols: &[Symbol]) -> Vec<User> {
        let used = self.edges.used(&symbol.name);
        self.cut |= used.len() >= MOST_USES;
        let asked = self.asked(path, symbol, symbols);
        let mut out = Vec::new();
        for place in used.iter() {
            if self.means(&asked, place) {
                let why = match place.reference.kind {
                    RefKind::Call => Why::Calls,
                    RefKind::Type => Why::HasType,
                    RefKind::Import => Why::Imports,
                    RefKind::Other => Why::Uses,
                };
                out.push((place.path.clone(), place.reference.within, why));
            }
        }
        // Where a file is told of with its symbols, that it imports the name says nothing more.
        let inner: HashSet<String> = out.iter().filter(|it| it.1.is_some()).map(|it| it.0.clone()).collect();
        out.retain(|it| it.2 != Why::Imports || !inner.contains(&it.0));
        out
    }

    /// True for a method that is likely one of many forms of the same, in a language in which classes inherit.
    pub(super) fn is_shared(&self, path: &str, symbol: &Symbol) -> bool {
        symbol.kind == SymbolKind::Function
            && !matches!(ending(path), "rs" | "go" | "c" | "lua" | "sh")
            && self.edges.defining(&symbol.name).len() > VERY_COMMON
    }

    fn asked<'s>(&self, path: &'s str, symbol: &'s Symbol, symbols: &'s [Symbol]) -> Asked<'s> {
        let definers = self.edges.defining(&symbol.name);
        let around = symbol.parent.and_then(|it| symbols.get(it as usize));
        let around = around.filter(|it| matches!(it.kind, SymbolKind::Type | SymbolKind::Impl));
        let owner = around.and_then(|it| it.name.rsplit(' ').next());
        let named = owner.filter(|_| definers.len() > COMMON).map(|it| self.edges.used(it));
        let alone = definers.iter().eq([path]);
        Asked {
            path,
            symbol,
            range: self.range(path, symbols, symbol),
            owner,
            named,
            belonging: companions(self.edges.snapshot, path).into_iter().map(|it| it.0).collect(),
            distinctive: alone && is_distinctive(&symbol.name),
            definers,
        }
    }

    /// True where a use of the name means the symbol.
    fn means(&mut self, it: &Asked<'_>, place: &RefPlace) -> bool {
        if place.path == it.path {
            return place.reference.kind != RefKind::Import && self.is_typed(it, place);
        }
        let alone = it.definers.iter().eq([it.path]);
        if !it.range.has(it.path, &place.path) || !alone && self.defines(&it.definers, place, &it.symbol.name) {
            return false;
        }
        if !self.is_typed(it, place) || it.owner.is_none() && self.is_elsewhere(it, &place.path) {
            return false;
        }
        it.distinctive
            || it.belonging.contains(&place.path)
            || match it.owner {
                None => self.brings(&place.path, it.path, &it.symbol.name),
                Some(owner) => {
                    self.brings(&place.path, it.path, owner)
                        || self.is_near(&place.path, it.path)
                        || it.belonging.iter().any(|other| self.brings(&place.path, other, owner))
                }
            }
            || it.belonging.iter().any(|other| self.brings(&place.path, other, &it.symbol.name))
    }

    /// True for a file that has the name itself. Where it only names a module so, the import is of that, a use may not be.
    fn defines(&self, definers: &BTreeSet<String>, place: &RefPlace, name: &str) -> bool {
        definers.contains(&place.path) && {
            let import = place.reference.kind == RefKind::Import;
            let facts = self.edges.facts(&place.path);
            facts.symbols.iter().any(|it| it.name == name && (import || it.kind != SymbolKind::Module))
        }
    }

    /// A method of a common name is meant only where its type is named too, one of a very common name only right there.
    fn is_typed(&self, it: &Asked<'_>, place: &RefPlace) -> bool {
        let Some(named) = &it.named else { return true };
        if it.definers.len() <= VERY_COMMON || place.reference.within.is_none() {
            return place.path == it.path || named.iter().any(|there| there.path == place.path);
        }
        // What is named in the symbols around is known to what is inside of them.
        let facts = self.edges.facts(&place.path);
        let mut around = place.reference.within;
        while let Some(symbol) = around.and_then(|at| facts.symbols.get(at as usize)) {
            let here = |there: &RefPlace| there.path == place.path && there.reference.within == around;
            if named.iter().any(here) || symbol.name.rsplit(' ').next() == it.owner {
                return true;
            }
            around = symbol.parent;
        }
        false
    }

    /// True where a file imports the name, and from somewhere else.
    fn is_elsewhere(&mut self, it: &Asked<'_>, user: &str) -> bool {
        let ties = self.edges.ties(user);
        let bringing: Vec<&Tie> = ties.iter().filter(|tie| tie.names.contains(&it.symbol.name)).collect();
        if bringing.is_empty() {
            return false;
        }
        let handing = self.handing(it.path, &it.symbol.name);
        !bringing.iter().any(|tie| tie.to.as_ref().is_some_and(|to| handing.contains(to) || it.belonging.contains(to)))
    }

    /// True where a file imports a name of `path`, from there or from one that hands it on.
    fn brings(&mut self, user: &str, path: &str, name: &str) -> bool {
        let handing = self.handing(path, name);
        let ties = self.edges.ties(user);
        let brought = ties.iter().any(|tie| {
            let Some(to) = tie.to.as_ref().filter(|to| handing.contains(*to)) else { return false };
            tie.names.iter().any(|it| it == name || it == "*") || self.is_whole(tie, to)
        });
        brought || ending(path) == "rs" && self.is_qualified(user, path)
    }

    /// True for a tie that brings a file as a whole, under a name that is none of what the file has or hands on.
    fn is_whole(&self, tie: &Tie, to: &str) -> bool {
        let (facts, handed) = (self.edges.facts(to), self.edges.ties(to));
        let has = |name: &String| {
            facts.symbols.iter().any(|it| it.name == *name) || handed.iter().any(|it| it.names.contains(name))
        };
        tie.names.is_empty() || !tie.names.iter().any(has)
    }

    /// True where a Rust file of the same folders names the module itself, as `module::name` does without an import.
    fn is_qualified(&self, user: &str, path: &str) -> bool {
        let module = match stem(path) {
            "mod" | "lib" | "main" => file_name(folder(path)),
            stem => stem,
        };
        let root = path.split_once("src/").map_or("", |it| it.0);
        module.len() > 1 && user.starts_with(root) && self.edges.used(module).iter().any(|it| it.path == user)
    }

    /// True where a file imports what imports `path`: it may get values of its types without naming them.
    fn is_near(&self, user: &str, path: &str) -> bool {
        let importers = self.edges.importers(path);
        importers.contains(user)
            || self.edges.ties(user).iter().any(|it| it.to.as_ref().is_some_and(|to| importers.contains(to)))
    }

    /// The files from which a name of `path` can be imported: it, and those that hand the name on.
    fn handing(&mut self, path: &str, name: &str) -> Rc<HashSet<String>> {
        let key = (path.to_owned(), name.to_owned());
        if let Some(known) = self.handing.get(&key) {
            return known.clone();
        }
        let mut all = HashSet::from([path.to_owned()]);
        let mut open = vec![path.to_owned()];
        while let Some(here) = open.pop().filter(|_| all.len() < MOST_HANDING) {
            for importer in self.edges.importers(&here).iter() {
                let header = HEADERS.contains(&ending(importer));
                let hands = |tie: &Tie| {
                    tie.to.as_deref() == Some(&here) && (tie.names.iter().any(|it| it == name || it == "*") || header)
                };
                if !all.contains(importer) && self.edges.ties(importer).iter().any(hands) {
                    all.insert(importer.clone());
                    open.push(importer.clone());
                }
            }
        }
        let all = Rc::new(all);
        self.handing.insert(key, all.clone());
        all
    }
}

/// True for a name of several words, which no library is likely to have too.
fn is_distinctive(name: &str) -> bool {
    let inner = name.trim_matches('_');
    inner.len() >= 6 && (inner.contains('_') || inner.chars().skip(1).any(char::is_uppercase))
}
