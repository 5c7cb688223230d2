//! What a change reaches: from a file or a symbol to those who use it, step by step, each with the way that led there.
//!
//! It goes by names and imports, so it may tell of too much where names are common; what it tells of is never more than it
//! is asked for. No file is read and no step is taken twice.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use serde::Serialize;

use super::{Companion, Graph, is_test};
use crate::facts::{RefKind, Symbol};
use crate::languages::Kind;
use crate::syntax::counted;

/// Steps from the change to what is told of at most.
const MOST_STEPS: u32 = 5;
/// Uses of one name that are looked at.
const MOST_USES: usize = 400;
/// Symbols of a changed file that are followed.
const MOST_SYMBOLS: usize = 300;
/// Files that may define a name before a use of it must be shown to mean this one.
const COMMON: usize = 3;

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A whole file.
    File(String),
    /// One symbol of a file, by its qualified name.
    Symbol {
        /// The file.
        path: String,
        /// The qualified name.
        name: String,
    },
}

/// Why a step leads from one place to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It calls what is before it.
    Calls,
    /// It has it as a type.
    HasType,
    /// It uses it as a value or a member.
    Uses,
    /// Its file imports the file.
    Imports,
    /// It tests it, by its name.
    Tests,
    /// It declares it, as its header.
    Declares,
    /// It defines what the header declares.
    Defines,
}

/// One step of a way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The file that the step leads to.
    pub path: String,
    /// The symbol in it, by its qualified name; none for the whole file.
    pub symbol: Option<String>,
    /// What ties it to the step before.
    pub why: Why,
}

/// Something that a change reaches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reached {
    /// The file.
    pub path: String,
    /// The symbol in it, by its qualified name; none for the file as a whole.
    pub symbol: Option<String>,
    /// True for a test.
    pub test: bool,
    /// How many steps it is away, from 1.
    pub distance: u32,
    /// The way from the change to it; the last step is itself.
    pub because: Vec<Step>,
}

/// What a change reaches, the nearest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Impact {
    /// What is reached.
    pub items: Vec<Reached>,
    /// True where there is more than was asked for or looked at.
    pub cut: bool,
}

impl Impact {
    /// The files that are reached, each once, the nearest first.
    pub fn files(&self) -> Vec<&str> {
        self.paths(|_| true)
    }

    /// The files of tests that are reached, each once, the nearest first.
    pub fn tests(&self) -> Vec<&str> {
        self.paths(|it| it.test)
    }

    fn paths(&self, wanted: impl Fn(&Reached) -> bool) -> Vec<&str> {
        let mut seen = HashSet::new();
        let paths = self.items.iter().filter(|it| wanted(it)).map(|it| it.path.as_str());
        paths.filter(|it| seen.insert(*it)).collect()
    }
}

/// A place that was reached.
struct Node {
    path: String,
    symbol: Option<u32>,
    /// The place before, as an index, and what ties them.
    from: Option<(usize, Why)>,
    distance: u32,
}

struct Search<'a> {
    graph: &'a dyn Graph,
    limit: usize,
    nodes: Vec<Node>,
    seen: HashSet<(String, Option<u32>)>,
    queue: VecDeque<usize>,
    symbols: HashMap<String, Rc<Vec<Symbol>>>,
    imported: HashMap<String, Rc<HashSet<String>>>,
    importers: HashMap<String, Rc<HashSet<String>>>,
    cut: bool,
}

/// What a change of `of` reaches, breadth first, at most `limit` places.
pub fn impact(graph: &dyn Graph, of: &Target, limit: usize) -> Impact {
    let mut search = Search {
        graph,
        limit,
        nodes: Vec::new(),
        seen: HashSet::new(),
        queue: VecDeque::new(),
        symbols: HashMap::new(),
        imported: HashMap::new(),
        importers: HashMap::new(),
        cut: false,
    };
    match of {
        Target::File(path) => search.start(path, None),
        Target::Symbol { path, name } => {
            let symbols = search.symbols(path);
            let named = (0..symbols.len()).filter(|it| symbols[*it].qualified == *name);
            named.for_each(|it| search.start(path, Some(counted(it))));
        }
    }
    while let Some(at) = search.queue.pop_front() {
        search.expand(at);
    }
    search.told()
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
        let starts = self.nodes.iter().take_while(|it| it.from.is_none()).count();
        if self.seen.contains(&(path.to_string(), symbol)) {
            return;
        }
        if self.nodes.len() - starts >= self.limit || distance > MOST_STEPS {
            self.cut = true;
            return;
        }
        self.seen.insert((path.to_string(), symbol));
        self.queue.push_back(self.nodes.len());
        self.nodes.push(Node { path: path.to_string(), symbol, from: Some((from, why)), distance });
    }

    fn expand(&mut self, at: usize) {
        let (path, symbol) = (self.nodes[at].path.clone(), self.nodes[at].symbol);
        match symbol {
            Some(symbol) => self.expand_symbol(at, &path, symbol),
            None => self.expand_file(at, &path),
        }
    }

    /// Those who use a symbol, and at the start also the tests that are named after its file.
    fn expand_symbol(&mut self, at: usize, path: &str, symbol: u32) {
        let symbols = self.symbols(path);
        let Some(it) = symbols.get(symbol as usize) else { return };
        let followed = !matches!(it.kind, Kind::Impl | Kind::Module) && !it.test;
        for (user, within, why) in followed.then(|| self.users(path, it, &symbols)).into_iter().flatten() {
            // A symbol is not its own user, and what is inside of it is part of it.
            if user != path || !is_within(&symbols, within, symbol) {
                self.reach(at, &user, within, why);
            }
        }
        if self.nodes[at].distance == 0 {
            self.companions(at, path, false);
        }
    }

    /// Those who use what a file has, who import it, and who belong to it by name.
    fn expand_file(&mut self, at: usize, path: &str) {
        let symbols = self.symbols(path);
        let mut told: HashSet<String> = HashSet::new();
        if self.nodes[at].distance == 0 {
            self.companions(at, path, true);
            let open = symbols.iter().filter(|it| it.exported && !matches!(it.kind, Kind::Impl | Kind::Module));
            let open: Vec<&Symbol> = open.take(MOST_SYMBOLS + 1).collect();
            self.cut |= open.len() > MOST_SYMBOLS;
            for it in open.into_iter().take(MOST_SYMBOLS) {
                for (user, within, why) in self.users(path, it, &symbols) {
                    if user != path {
                        told.insert(user.clone());
                        self.reach(at, &user, within, why);
                    }
                }
            }
        }
        // Who imports a file that is itself only reached is reached where that file does nothing but hand on.
        let hands_on = |it: &Symbol| !it.exported || it.test || matches!(it.kind, Kind::Impl | Kind::Module);
        let by_import = matches!(self.nodes[at].from, Some((_, Why::Imports | Why::Uses | Why::Calls | Why::HasType)));
        if by_import && !symbols.iter().all(hands_on) {
            return;
        }
        told.extend(self.seen.iter().filter(|it| it.1.is_some()).map(|it| it.0.clone()));
        let mut importers: Vec<String> = self.importers(path).iter().cloned().collect();
        importers.sort();
        for importer in importers.into_iter().filter(|it| !told.contains(it)) {
            self.reach(at, &importer, None, Why::Imports);
        }
    }

    fn companions(&mut self, at: usize, path: &str, whole: bool) {
        for (other, what) in self.graph.companions(path) {
            match what {
                Companion::Test => self.reach(at, &other, None, Why::Tests),
                Companion::Header if whole => self.reach(at, &other, None, Why::Declares),
                Companion::Source if whole => self.reach(at, &other, None, Why::Defines),
                _ => {}
            }
        }
    }

    /// The places that use a symbol of a file, as far as names and imports tell.
    fn users(&mut self, path: &str, symbol: &Symbol, symbols: &[Symbol]) -> Vec<(String, Option<u32>, Why)> {
        let used = self.graph.used(&symbol.name, MOST_USES);
        self.cut |= used.len() >= MOST_USES;
        let definers = self.graph.defining(&symbol.name);
        let around = symbol.parent.and_then(|it| symbols.get(it as usize));
        let around = around.filter(|it| matches!(it.kind, Kind::Type | Kind::Impl));
        // A method of a common name is meant only where its type is named too.
        let of_type: Option<HashSet<String>> = around.filter(|_| definers.len() > COMMON).map(|it| {
            let name = it.name.rsplit(' ').next().unwrap_or_default();
            self.graph.used(name, MOST_USES).into_iter().map(|it| it.path).collect()
        });
        let belonging: HashSet<String> = self.graph.companions(path).into_iter().map(|it| it.0).collect();
        let mut out = Vec::new();
        for place in used {
            let own = place.path == path;
            let typed = of_type.as_ref().is_none_or(|it| own || it.contains(&place.path));
            let alone = matches!(definers.as_slice(), [only] if only == path);
            let tied = own || alone || belonging.contains(&place.path) || self.reaches(&place.path, path, &belonging);
            let elsewhere = !own && !alone && definers.contains(&place.path);
            if typed && tied && !elsewhere && (place.kind != RefKind::Import || !own) {
                let why = match place.kind {
                    RefKind::Call => Why::Calls,
                    RefKind::Type => Why::HasType,
                    RefKind::Import => Why::Imports,
                    RefKind::Other => Why::Uses,
                };
                out.push((place.path, place.within, why));
            }
        }
        // Where a file is told of with its symbols, that it imports the name says nothing more.
        let inner: HashSet<String> = out.iter().filter(|it| it.1.is_some()).map(|it| it.0.clone()).collect();
        out.retain(|it| it.2 != Why::Imports || !inner.contains(&it.0));
        out
    }

    /// True where a file imports another, what belongs to it, or one that imports it and may hand on what it has.
    fn reaches(&mut self, user: &str, path: &str, belonging: &HashSet<String>) -> bool {
        let imported = self.imported(user);
        imported.contains(path) || !imported.is_disjoint(belonging) || {
            let importers = self.importers(path);
            imported.iter().any(|it| importers.contains(it))
        }
    }

    fn symbols(&mut self, path: &str) -> Rc<Vec<Symbol>> {
        let graph = self.graph;
        Rc::clone(self.symbols.entry(path.to_string()).or_insert_with(|| Rc::new(graph.symbols(path))))
    }

    fn imported(&mut self, path: &str) -> Rc<HashSet<String>> {
        let graph = self.graph;
        let known = self.imported.entry(path.to_string());
        Rc::clone(known.or_insert_with(|| Rc::new(graph.imported(path).into_iter().collect())))
    }

    fn importers(&mut self, path: &str) -> Rc<HashSet<String>> {
        let graph = self.graph;
        let known = self.importers.entry(path.to_string());
        Rc::clone(known.or_insert_with(|| Rc::new(graph.importers(path).into_iter().collect())))
    }

    /// All that was reached, with the ways.
    fn told(mut self) -> Impact {
        let mut items = Vec::new();
        for at in 0..self.nodes.len() {
            if self.nodes[at].from.is_none() {
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
            let symbols = self.symbols(&path);
            let in_test = self.nodes[at].symbol.and_then(|it| symbols.get(it as usize)).is_some_and(|it| it.test);
            items.push(Reached { test: in_test || is_test(&path), symbol: self.name(at), path, distance, because });
        }
        Impact { items, cut: self.cut }
    }

    fn name(&mut self, at: usize) -> Option<String> {
        let symbol = self.nodes[at].symbol?;
        let path = self.nodes[at].path.clone();
        self.symbols(&path).get(symbol as usize).map(|it| it.qualified.clone())
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
