//! Paths as tools print them, made relative to the project root.

use std::collections::HashMap;

use ox_protocol::Check;
use ox_repo::{Tree, WalkOptions};

/// Knows the root and the folder that a check runs in.
pub(super) struct Settle<'a> {
    tree: &'a Tree,
    root: String,
    folder: String,
    /// All files, listed when first needed.
    files: Option<Vec<String>>,
    /// Paths that were settled: many complaints are about the same file.
    known: HashMap<String, String>,
}

impl<'a> Settle<'a> {
    pub(super) fn new(tree: &'a Tree, check: &Check) -> Settle<'a> {
        let root = format!("{}/", tree.root().display());
        let folder = crate::command::folder(&check.command).to_owned();
        Settle { tree, root, folder, files: None, known: HashMap::new() }
    }

    /// The path as seen from the root; unchanged where no such file is found.
    pub(super) fn path(&mut self, path: &str) -> String {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let settled = self.settled(path);
        self.known.insert(path.to_owned(), settled.clone());
        settled
    }

    fn settled(&mut self, path: &str) -> String {
        let path = path.strip_prefix("file://").unwrap_or(path);
        let path = path.strip_prefix(&self.root).unwrap_or(path).trim_start_matches("./");
        if path.is_empty() || path.starts_with('/') {
            return path.to_owned();
        }
        if !self.folder.is_empty() {
            let inside = format!("{}/{path}", self.folder);
            if self.exists(&inside) {
                return inside;
            }
        }
        if self.exists(path) {
            return path.to_owned();
        }
        // A package's import path in front, as Go prints it, or a bare file name, as Java does.
        let shorter = path.match_indices('/').map(|(at, _)| &path[at + 1..]).find(|it| self.exists(it));
        if let Some(shorter) = shorter {
            return shorter.to_owned();
        }
        self.only(path).unwrap_or_else(|| path.to_owned())
    }

    /// A message that names the root's own place names it no more.
    pub(super) fn message(&self, message: &str) -> String {
        message.replace(&self.root, "")
    }

    /// A look at the name alone, for a name is all that comes of it: what is read later is located first.
    fn exists(&self, path: &str) -> bool {
        !path.split('/').any(|it| it == "..") && self.tree.root().join(path).is_file()
    }

    /// The one file whose path ends in the name of `path`.
    fn only(&mut self, path: &str) -> Option<String> {
        let list = || {
            let options = WalkOptions { limit: 50_000, ..WalkOptions::default() };
            let entries = self.tree.walk(&options).unwrap_or_default();
            entries.into_iter().filter(|it| !it.is_dir).map(|it| it.rel).collect()
        };
        let files = self.files.get_or_insert_with(list);
        let name = format!("/{}", path.rsplit('/').next().unwrap_or(path));
        let mut fitting = files.iter().filter(|it| it.ends_with(&name));
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }
}
