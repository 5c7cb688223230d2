//! What the rules of all languages share: the project, what was read of its manifests so far, and how files are chosen.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::Value;

use crate::graph::paths::{folder, join, nearest};
use crate::snapshot::Snapshot;
use ox_syntax::{Facts, Reference};

/// Files that a name found by its end alone may stand for.
const FEW: usize = 3;

/// What a package of the workspace offers.
pub(super) struct Package {
    pub(super) folder: String,
    pub(super) entries: Vec<String>,
    pub(super) exports: Value,
}

/// What a configuration says about paths.
#[derive(Default)]
pub(super) struct Aliases {
    /// A pattern with at most one `*`, and the places that it stands for.
    pub(super) paths: Vec<(String, Vec<String>)>,
    /// The folder from which plain names are looked for.
    pub(super) base: Option<String>,
}

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
