//! One folder that may be a project, as the families of checks look at it.

use ox_protocol::{Check, CheckKind};
use ox_repo::{Tree, WalkOptions};

use super::ci::Step;
use crate::paths::{joined, word};

/// A folder of the tree.
pub(super) struct Project<'a> {
    pub(super) tree: &'a Tree,
    /// Relative to the root; empty for the root itself.
    pub(super) dir: String,
    /// Whether a program is installed; for `PYTHON -m MODULE` whether the module is.
    pub(super) installed: &'a dyn Fn(&str) -> bool,
    /// What the CI runs, in every folder.
    pub(super) ci: &'a [Step],
}

/// Where environments of Python lie beside a project, and the lock files of managers that keep them elsewhere.
const ENVIRONMENTS: [&str; 4] = [".venv", "venv", "env", ".env"];
const MANAGERS: [(&str, &str); 3] = [("poetry.lock", "poetry"), ("Pipfile.lock", "pipenv"), ("pdm.lock", "pdm")];

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

    /// True where a file of the folder has `words` in it.
    pub(super) fn says(&self, name: &str, words: &str) -> bool {
        self.text(name).is_some_and(|it| it.contains(words))
    }

    /// The first of `names` that the folder has; `*.x` stands for any file with that ending, also in a folder: `t/*.t`.
    pub(super) fn first<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|it| match it.split_once('*') {
            Some((folder, ending)) => self.ending_within(folder, ending).is_some(),
            None => self.has(it),
        })
    }

    /// The first file of the folder itself whose name ends so.
    pub(super) fn ending_in(&self, ending: &str) -> Option<String> {
        self.ending_within("", ending)
    }

    fn ending_within(&self, folder: &str, ending: &str) -> Option<String> {
        let entries = std::fs::read_dir(self.tree.root().join(&self.dir).join(folder)).into_iter().flatten().flatten();
        let names = entries.map(|it| it.file_name().to_string_lossy().into_owned());
        names.filter(|it| it.ends_with(ending)).min()
    }

    /// Up to `limit` files that match one of `globs` and are not ignored, relative to the root.
    pub(super) fn files(&self, globs: &[&str], depth: Option<usize>, limit: usize) -> Vec<String> {
        let include = globs.iter().map(|it| (*it).to_owned()).collect();
        let options = WalkOptions { from: self.path("."), depth, include, limit, ..WalkOptions::default() };
        self.tree.walk(&options).unwrap_or_default().into_iter().map(|it| it.rel).collect()
    }

    /// The commands that the CI runs in this folder.
    pub(super) fn ci(&self) -> impl Iterator<Item = &Step> {
        self.ci.iter().filter(|it| it.dir == self.dir)
    }

    /// How the project's interpreter of Python is started: that of an environment in this folder or above it, or in the keeping
    /// of the project's manager; else the one that commands find, which is that of an active environment.
    pub(super) fn python(&self) -> String {
        let levels = if self.dir.is_empty() { 0 } else { self.dir.split('/').count() };
        let above = (0..=levels).map(|it| "../".repeat(it));
        let mut places = above.flat_map(|up| ENVIRONMENTS.iter().map(move |it| format!("{up}{it}/bin/python")));
        if let Some(own) = places.find(|it| self.has(it)) {
            return own;
        }
        let manager = MANAGERS.iter().find(|it| self.has(it.0) && (self.installed)(it.1));
        manager.map_or("python3".to_owned(), |it| format!("{} run python", it.1))
    }

    /// Whether an interpreter has a module, as far as that can be seen.
    pub(super) fn has_module(&self, python: &str, module: &str) -> bool {
        let python = if python.contains('/') { self.path(python) } else { python.to_owned() };
        (self.installed)(&format!("{python} -m {module}"))
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
    pub(super) fn here(&self, command: &str) -> String {
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
