//! What a change reaches, and the way to each place.

use std::collections::HashSet;

use serde::Serialize;

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
    /// It tests it, by its name, or by running the program.
    Tests,
    /// It declares it, as its header.
    Declares,
    /// It defines what the header declares.
    Defines,
    /// It is what the thing before is a part of, which nobody names.
    PartOf,
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
