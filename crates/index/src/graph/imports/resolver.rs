//! From imports to files, by each language's own rules. What manifests say is read once per resolver; nothing outside of
//! the project is ever an answer, and an import that fits nothing has no answer rather than a guess.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::script::{Aliases, Package};
use super::{bash, c, csharp, go, jvm, lua, php, python, ruby, rust, script, swift};
use crate::graph::paths::{folder, join, nearest};
use crate::snapshot::Snapshot;
use ox_syntax::{Facts, Import, Reference};

/// Files that one import stands for at most.
const MOST: usize = 60;
/// Files that a name found by its end alone may stand for.
const FEW: usize = 3;

/// The rules of all languages over one state of a project. It keeps what it read of manifests, so one for many imports is
/// far cheaper than one each.
pub struct Resolver<'a> {
    pub(super) project: &'a Snapshot,
    pub(super) crates: OnceCell<HashMap<String, String>>,
    pub(super) modules: OnceCell<Vec<(String, String)>>,
    pub(super) packages: OnceCell<HashMap<String, Package>>,
    pub(super) prefixes: OnceCell<Vec<(String, String)>>,
    pub(super) aliases: RefCell<HashMap<String, Rc<Aliases>>>,
}

impl<'a> Resolver<'a> {
    /// A resolver that has read nothing yet.
    pub fn new(project: &'a Snapshot) -> Resolver<'a> {
        Resolver {
            project,
            crates: OnceCell::new(),
            modules: OnceCell::new(),
            packages: OnceCell::new(),
            prefixes: OnceCell::new(),
            aliases: RefCell::default(),
        }
    }

    /// The files of the project that an import of `from` stands for, the likeliest first; never `from` itself.
    pub fn resolve(&self, from: &str, facts: &Facts, import: &Import) -> Vec<String> {
        let found = match facts.language {
            "Rust" => rust::resolve(self, from, import),
            "Python" => python::resolve(self, from, import),
            "JavaScript" | "TypeScript" | "Vue" | "Svelte" => script::resolve(self, from, import),
            "Go" => go::resolve(self, from, facts, import),
            "Java" | "Kotlin" | "Scala" => jvm::resolve(self, from, facts, import),
            "C" | "C++" => c::resolve(self, from, import),
            "C#" => csharp::resolve(self, facts, import),
            "Ruby" => ruby::resolve(self, from, import),
            "PHP" => php::resolve(self, from, import),
            "Lua" => lua::resolve(self, from, import),
            "Swift" => swift::resolve(self, facts, import),
            "Shell" => bash::resolve(self, from, import),
            _ => Vec::new(),
        };
        settled(from, found)
    }

    /// The files that a file uses without an import: of its own package or module, where the language has that.
    pub fn implied(&self, from: &str, facts: &Facts) -> Vec<String> {
        let found = match facts.language {
            "Java" | "Kotlin" | "Scala" => jvm::implied(self, from, facts),
            "Go" => go::implied(self, from, facts),
            "C#" => csharp::implied(self, facts),
            "Ruby" => ruby::implied(self, from, facts),
            "PHP" => php::implied(self, from, facts),
            "Swift" => swift::implied(self, from, facts),
            _ => Vec::new(),
        };
        settled(from, found)
    }

    /// Those of some paths that are files of the project.
    pub(super) fn existing(&self, paths: impl IntoIterator<Item = String>) -> Vec<String> {
        paths.into_iter().filter(|it| self.project.has(it)).collect()
    }

    /// The first of some paths that is a file of the project.
    pub(super) fn first(&self, paths: impl IntoIterator<Item = String>) -> Option<String> {
        paths.into_iter().find(|it| self.project.has(it))
    }

    /// The file that a path names from the folder of another one on, or else from the root on.
    pub(super) fn beside(&self, from: &str, path: &str) -> Option<String> {
        self.first([join(folder(from), path), join("", path)].into_iter().flatten())
    }

    /// The files that declare one of these names.
    pub(super) fn declaring<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
        names.into_iter().flat_map(|it| self.project.declared(it)).collect()
    }

    /// The manifests of this name: the folder and the text of each.
    pub(super) fn manifests(&self, name: &str) -> Vec<(String, String)> {
        let text = |it: String| Some((folder(&it).to_string(), self.project.text(&it)?));
        self.project.by_name(name).into_iter().filter_map(text).collect()
    }
}

/// True for a language in which files use others without an import.
pub(crate) fn has_implied(language: &str) -> bool {
    matches!(language, "Java" | "Kotlin" | "Scala" | "Go" | "C#" | "Ruby" | "PHP" | "Swift")
}

/// Each file once, without the one that asks, and not too many.
fn settled(from: &str, found: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for path in found {
        if path != from && !out.contains(&path) && out.len() < MOST {
            out.push(path);
        }
    }
    out
}

/// Those nearest to a file; none where they are too many to be meant.
pub(super) fn few(from: &str, found: Vec<String>) -> Vec<String> {
    let found = nearest(from, found);
    if found.len() > FEW { Vec::new() } else { found }
}

/// The names that a file uses in such a way and does not define.
pub(super) fn used(facts: &Facts, wanted: impl Fn(&Reference) -> bool) -> BTreeSet<&str> {
    let own: BTreeSet<&str> = facts.symbols.iter().map(|it| it.name.as_str()).collect();
    let names = facts.references.iter().filter(|it| wanted(it)).map(|it| it.name.as_str());
    names.filter(|it| !own.contains(it)).collect()
}

/// True for a name that begins like that of a type, or of what is exported.
pub(super) fn is_capital(it: &str) -> bool {
    it.starts_with(char::is_uppercase)
}
