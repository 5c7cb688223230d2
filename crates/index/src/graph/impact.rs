//! What a change reaches: from a file or a symbol to those who use it, step by step, each with the way that led there.
//!
//! It goes by names, imports and visibility (`users`), so it may tell of too much where values go through many hands; what it
//! tells of is never more than it is asked for. No file is read and no step is taken twice.

use std::collections::{HashSet, VecDeque};

use ox_syntax::{Symbol, SymbolKind, is_test};

use super::companions::{Companion, companions, runners};
use super::edges::Tie;
use super::reached::{Impact, Reached, Step, Target, Why};
use super::users::Users;
use super::visible::Range;

/// Steps from the change to what is told of at most.
const MOST_STEPS: u32 = 5;
/// Symbols of a changed file that are followed.
const MOST_SYMBOLS: usize = 300;

/// A place that was reached.
struct Node {
    path: String,
    symbol: Option<u32>,
    /// The place before, as an index, and what ties them.
    from: Option<(usize, Why)>,
    distance: u32,
}

struct Search<'a> {
    users: Users<'a>,
    limit: usize,
    nodes: Vec<Node>,
    /// How many of the nodes are what is changed.
    starts: usize,
    seen: HashSet<(String, Option<u32>)>,
    queue: VecDeque<usize>,
    cut: bool,
}

/// What changes of all `targets` together reach, breadth first, at most `limit` places; what is changed is not among them.
pub(super) fn impacts(users: Users<'_>, targets: &[Target], limit: usize) -> Impact {
    let mut search =
        Search { users, limit, nodes: Vec::new(), starts: 0, seen: HashSet::new(), queue: VecDeque::new(), cut: false };
    for target in targets {
        match target {
            Target::File(path) => search.start(path, None),
            Target::Symbol { path, name } => {
                let symbols = &search.users.edges.facts(path).symbols;
                let named = (0..symbols.len()).filter(|it| symbols[*it].qualified == *name);
                named.for_each(|it| search.start(path, u32::try_from(it).ok()));
            }
        }
    }
    search.starts = search.nodes.len();
    while let Some(at) = search.queue.pop_front() {
        search.expand(at);
    }
    search.reported()
}

impl Search<'_> {
    fn start(&mut self, path: &str, symbol: Option<u32>) {
        if self.seen.insert((path.to_string(), symbol)) {
            self.queue.push_back(self.nodes.len());
            self.nodes.push(Node { path: path.to_string(), symbol, from: None, distance: 0 });
        }
    }

    fn reach(&mut self, from: usize, path: &str, symbol: Option<u32>, why: Why) {
        let distance = self.nodes[from].distance + 1;
        if self.seen.contains(&(path.to_string(), symbol)) {
            return;
        }
        if self.nodes.len() - self.starts >= self.limit || distance > MOST_STEPS {
            self.cut = true;
            return;
        }
        self.seen.insert((path.to_string(), symbol));
        self.queue.push_back(self.nodes.len());
        self.nodes.push(Node { path: path.to_string(), symbol, from: Some((from, why)), distance });
    }

    fn expand(&mut self, at: usize) {
        // What is reached at the last step or beyond what was asked for is told of and followed no further.
        if self.nodes[at].distance >= MOST_STEPS || self.nodes.len() - self.starts >= self.limit {
            self.cut = true;
            return;
        }
        let (path, symbol) = (self.nodes[at].path.clone(), self.nodes[at].symbol);
        match symbol {
            Some(symbol) => self.expand_symbol(at, &path, symbol),
            None => self.expand_file(at, &path),
        }
    }

    /// Those who use a symbol, and at the start also the tests that are named after its file.
    fn expand_symbol(&mut self, at: usize, path: &str, symbol: u32) {
        let symbols = &self.users.edges.facts(path).symbols;
        let Some(it) = symbols.get(symbol as usize) else { return };
        let start = self.nodes[at].distance == 0;
        if it.test {
            return;
        }
        let followed = !matches!(it.kind, SymbolKind::Impl | SymbolKind::Module);
        let mut used = false;
        for (user, within, why) in followed.then(|| self.users.of(path, it, symbols)).into_iter().flatten() {
            // A symbol is not its own user, and what is inside of it is part of it.
            if user != path || !is_within(symbols, within, symbol) {
                used = true;
                self.reach(at, &user, within, why);
            }
        }
        // Nobody names it, or many share its name: it is called through what it belongs to, as methods of interfaces are.
        if (!used || self.users.is_shared(path, it))
            && let Some(whole) = whole(symbols, it)
        {
            self.reach(at, path, Some(whole), Why::PartOf);
        }
        if start {
            self.companions(at, path, false);
            self.runners(at, path);
        }
    }

    /// Those who use what a file has, who import it, and who belong to it by name.
    fn expand_file(&mut self, at: usize, path: &str) {
        let symbols = &self.users.edges.facts(path).symbols;
        let mut reported: HashSet<String> = HashSet::new();
        if self.nodes[at].distance == 0 {
            self.companions(at, path, true);
            self.runners(at, path);
            let mut open: Vec<&Symbol> = Vec::new();
            for it in symbols.iter().filter(|it| !matches!(it.kind, SymbolKind::Impl | SymbolKind::Module)) {
                if it.exported || self.users.range(path, symbols, it) != Range::Own {
                    open.push(it);
                }
            }
            self.cut |= open.len() > MOST_SYMBOLS;
            for it in open.into_iter().take(MOST_SYMBOLS) {
                for (user, within, why) in self.users.of(path, it, symbols) {
                    if user != path {
                        reported.insert(user.clone());
                        self.reach(at, &user, within, why);
                    }
                }
            }
        }
        self.importers(at, path, symbols, reported);
    }

    /// Those who import a file whose names they do not use: it may do something by being there. Beyond the first step only
    /// through files that do nothing but hand on all they import.
    fn importers(&mut self, at: usize, path: &str, symbols: &[Symbol], mut reported: HashSet<String>) {
        let hands_on =
            |it: &Symbol| !it.exported || it.test || matches!(it.kind, SymbolKind::Impl | SymbolKind::Module);
        let start = self.nodes[at].from.is_none();
        if !start && !symbols.iter().all(hands_on) {
            return;
        }
        reported.extend(self.seen.iter().filter(|it| it.1.is_some()).map(|it| it.0.clone()));
        for importer in self.users.edges.importers(path).iter().filter(|it| !reported.contains(*it)) {
            let ties = self.users.edges.ties(importer);
            let of_it = |tie: &&Tie| !tie.implied && tie.to.as_deref() == Some(path);
            // Who imports names from a file that hands them on was found by these names already.
            if ties.iter().filter(of_it).any(|tie| start || tie.names.is_empty()) {
                self.reach(at, importer, None, Why::Imports);
            }
        }
    }

    fn companions(&mut self, at: usize, path: &str, whole: bool) {
        for (other, what) in companions(self.users.edges.snapshot, path) {
            match what {
                Companion::Test => self.reach(at, &other, None, Why::Tests),
                Companion::Header if whole => self.reach(at, &other, None, Why::Declares),
                Companion::Source if whole => self.reach(at, &other, None, Why::Defines),
                _ => {}
            }
        }
    }

    /// The tests of a Rust package that use none of its files: they run its program.
    fn runners(&mut self, at: usize, path: &str) {
        for test in runners(self.users.edges.snapshot, path) {
            let own = test.rsplit_once("tests/").map_or("", |it| it.0);
            let source = format!("{own}src/");
            if !self.users.edges.ties(&test).iter().any(|it| it.to.as_ref().is_some_and(|to| to.starts_with(&source))) {
                self.reach(at, &test, None, Why::Tests);
            }
        }
    }

    /// All that was reached, with the ways.
    fn reported(self) -> Impact {
        let mut items = Vec::new();
        let leads_on: HashSet<usize> = self.nodes.iter().filter_map(|it| it.from).map(|it| it.0).collect();
        for at in 0..self.nodes.len() {
            let Some((_, why)) = self.nodes[at].from else { continue };
            // That something has a part says nothing where nobody uses the whole either.
            if why == Why::PartOf && !leads_on.contains(&at) {
                continue;
            }
            let mut because = Vec::new();
            let mut next = at;
            while let Some((before, why)) = self.nodes[next].from {
                let path = self.nodes[next].path.clone();
                because.push(Step { symbol: self.name(next), path, why });
                next = before;
            }
            because.reverse();
            let (path, distance) = (self.nodes[at].path.clone(), self.nodes[at].distance);
            let facts = self.users.edges.facts(&path);
            let in_test = self.nodes[at].symbol.and_then(|it| facts.symbols.get(it as usize)).is_some_and(|it| it.test);
            items.push(Reached { test: in_test || is_test(&path), symbol: self.name(at), path, distance, because });
        }
        Impact { items, cut: self.cut || self.users.cut }
    }

    fn name(&self, at: usize) -> Option<String> {
        let symbol = self.nodes[at].symbol?;
        self.users.edges.facts(&self.nodes[at].path).symbols.get(symbol as usize).map(|it| it.qualified.clone())
    }
}

/// True where a symbol is another one or inside of it.
fn is_within(symbols: &[Symbol], mut symbol: Option<u32>, of: u32) -> bool {
    while let Some(at) = symbol {
        if at == of {
            return true;
        }
        symbol = symbols.get(at as usize).and_then(|it| it.parent);
    }
    false
}

/// What a symbol is a part of and is used through: the type, function or value around it, for an implementation its type.
fn whole(symbols: &[Symbol], of: &Symbol) -> Option<u32> {
    let at = if of.kind == SymbolKind::Impl { None } else { of.parent };
    let parent = at.and_then(|it| symbols.get(it as usize));
    match (parent, of.kind) {
        (Some(parent), _) if parent.kind != SymbolKind::Impl => at.filter(|_| parent.kind != SymbolKind::Module),
        (Some(parent), _) => implemented(symbols, parent),
        (None, SymbolKind::Impl) => implemented(symbols, of),
        (None, _) => None,
    }
}

/// The type of the same file that an implementation is of.
fn implemented(symbols: &[Symbol], of: &Symbol) -> Option<u32> {
    let name = of.name.rsplit(' ').next()?;
    symbols.iter().position(|it| it.kind == SymbolKind::Type && it.name == name).and_then(|it| u32::try_from(it).ok())
}
