//! What is known at one point of a line: the folder, the variables and the names that were given another meaning.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::word::Word;

/// A folder that may have become unknown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum WorkingDirectory {
    /// This one; absolute, symlinks resolved as far as they exist.
    Known(PathBuf),
    /// Some folder: a `cd` to a computed one.
    Unknown,
}

/// What is known at one point of a line. Subshells get a copy.
#[derive(Clone)]
pub(crate) struct Scope {
    /// The working folder.
    pub cwd: WorkingDirectory,
    /// Values of variables that the line has set; `None` where the value is not known.
    pub variables: HashMap<String, Option<Word>>,
    /// Functions and aliases that the line defines.
    pub defined: HashSet<String>,
    /// What the standard input holds.
    pub stdin: Stdin,
}

/// What a command reads on its standard input.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stdin {
    /// What Ox gives it: nothing.
    Closed,
    /// This text.
    Text(String),
    /// Something that is not known before it runs.
    Unknown,
}

impl Scope {
    /// The start of a line in `folder`.
    pub fn new(folder: &Path) -> Scope {
        Scope {
            cwd: WorkingDirectory::Known(folder.to_owned()),
            variables: HashMap::new(),
            defined: HashSet::new(),
            stdin: Stdin::Closed,
        }
    }

    /// A copy with another standard input.
    pub fn with_stdin(&self, stdin: Stdin) -> Scope {
        Scope { stdin, ..self.clone() }
    }

    /// Notes that a variable has a value that is not known.
    pub fn forget(&mut self, name: &str) {
        self.variables.insert(name.to_owned(), None);
    }
}
