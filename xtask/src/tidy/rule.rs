//! What a rule is, and what it finds.

use anyhow::Result;

use crate::workspace::Workspace;

/// One rule: what it is called, why it exists, and how its breaches are found.
pub struct Rule {
    /// What `cargo xtask tidy NAME` takes.
    pub name: &'static str,
    /// What goes wrong without it; shown with the first breach.
    pub why: &'static str,
    /// Looks for breaches.
    pub check: fn(&Workspace) -> Result<Vec<Breach>>,
}

/// One place where a rule does not hold.
#[derive(Debug, PartialEq)]
pub struct Breach {
    /// The file, relative to the root.
    pub path: String,
    /// The line, from 1, if there is one to point at.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub what: String,
}

impl Breach {
    /// A breach of a whole file.
    pub fn of(path: impl Into<String>, what: impl Into<String>) -> Breach {
        Breach { path: path.into(), line: None, what: what.into() }
    }

    /// A breach at a line.
    pub fn at(path: impl Into<String>, line: usize, what: impl Into<String>) -> Breach {
        Breach { path: path.into(), line: Some(line), what: what.into() }
    }
}

impl std::fmt::Display for Breach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.what),
            None => write!(f, "{}: {}", self.path, self.what),
        }
    }
}

/// Fails the calling test with every breach of `rule` in this repository.
#[cfg(test)]
pub fn assert_holds(rule: &Rule) {
    let workspace = Workspace::load().expect("the repository can be read");
    let breaches = (rule.check)(&workspace).expect("the rule can be checked");
    let shown: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    assert!(shown.is_empty(), "\n{}: {}\n{}\n", rule.name, rule.why, shown.join("\n"));
}

/// A repository made of the given files, for the rules' own tests.
#[cfg(test)]
fn example(files: &[(&str, &str)]) -> Workspace {
    let files = files.iter().map(|(path, text)| crate::workspace::File { path: (*path).into(), text: (*text).into() });
    Workspace { root: "/nowhere".into(), files: files.collect() }
}

/// What `rule` finds in the given files, one line per breach.
#[cfg(test)]
pub fn breaches(rule: &Rule, files: &[(&str, &str)]) -> Vec<String> {
    let found = (rule.check)(&example(files)).expect("the rule can be checked");
    found.iter().map(ToString::to_string).collect()
}
