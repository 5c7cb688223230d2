//! What resolving imports has read of a project's manifests so far.

use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::Value;

use crate::graph::project::Project;

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
    pub(super) project: &'a dyn Project,
    pub(super) crates: OnceCell<HashMap<String, String>>,
    pub(super) modules: OnceCell<Vec<(String, String)>>,
    pub(super) packages: OnceCell<HashMap<String, Package>>,
    pub(super) prefixes: OnceCell<Vec<(String, String)>>,
    pub(super) aliases: std::cell::RefCell<HashMap<String, std::rc::Rc<Aliases>>>,
}

impl<'a> Resolver<'a> {
    /// A resolver that has read nothing yet.
    pub fn new(project: &'a dyn Project) -> Resolver<'a> {
        Resolver {
            project,
            crates: OnceCell::new(),
            modules: OnceCell::new(),
            packages: OnceCell::new(),
            prefixes: OnceCell::new(),
            aliases: std::cell::RefCell::default(),
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
}
