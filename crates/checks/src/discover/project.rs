//! One folder that may be a project, as the families of checks look at it.

use ox_protocol::{Check, CheckKind};
use ox_repo::{Tree, WalkOptions};

use crate::paths::{joined, word};

/// A folder of the tree.
pub(super) struct Project<'a> {
    pub(super) tree: &'a Tree,
    /// Relative to the root; empty for the root itself.
    pub(super) dir: String,
    /// Whether a program is installed.
    pub(super) installed: &'a dyn Fn(&str) -> bool,
}

impl Project<'_> {
    /// The text of a file of the folder.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        // Reading what is not there would walk the tree to suggest what is.
        if !self.has(name) {
            return None;
        }
        self.tree.read(&self.path(name)).ok().map(|it| it.text)
    }

    /// True when the folder has `name`, also when it is ignored or, as an interpreter usually is, a link out of the tree.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tree.root().join(self.path(name)).exists()
    }

    /// The first of `names` that the folder has.
    pub(super) fn first<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|it| self.has(it))
    }

    /// Up to `limit` files that match one of `globs` and are not ignored, relative to the root.
    pub(super) fn files(&self, globs: &[&str], depth: Option<usize>, limit: usize) -> Vec<String> {
        let include = globs.iter().map(|it| (*it).to_owned()).collect();
        let options = WalkOptions { from: self.path("."), depth, include, limit, ..WalkOptions::default() };
        self.tree.walk(&options).unwrap_or_default().into_iter().map(|it| it.rel).collect()
    }

    /// A check that was found in the file `source`.
    pub(super) fn check(&self, name: &str, kind: CheckKind, command: &str, source: &str) -> Check {
        let command = self.here(command);
        Check::new(name, kind, &command, limit_ms(kind), &self.path(source))
    }

    /// The same, of tests, with the command that runs one of them.
    pub(super) fn tests(&self, name: &str, command: &str, source: &str, one: &str) -> Check {
        Check { one: Some(self.here(one)), ..self.check(name, CheckKind::Test, command, source) }
    }

    /// A command of the folder as it is run from the root.
    fn here(&self, command: &str) -> String {
        match self.dir.as_str() {
            "" => command.to_owned(),
            dir => format!("cd {} && {command}", word(dir)),
        }
    }

    fn path(&self, name: &str) -> String {
        joined(&self.dir, name)
    }
}

/// The default time limit of a check of this kind in milliseconds.
pub(super) fn limit_ms(kind: CheckKind) -> u64 {
    match kind {
        CheckKind::Types | CheckKind::Lint => 30_000,
        CheckKind::Build | CheckKind::Test | CheckKind::Security => 120_000,
    }
}
