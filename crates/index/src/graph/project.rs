//! What following imports and uses must know of a project, and what it is told.

use ox_syntax::{RefKind, Symbol};

/// What resolving must know of a project. Paths are relative to its root, with `/` between their parts.
pub trait Project {
    /// True for a file of the project.
    fn has(&self, path: &str) -> bool;
    /// The files with this name, whatever their folder.
    fn by_name(&self, file_name: &str) -> Vec<String>;
    /// The files whose path is this or ends in `/` and this.
    fn by_suffix(&self, suffix: &str) -> Vec<String>;
    /// The text of a manifest: `Cargo.toml`, `go.mod`, `package.json`, `tsconfig.json`, `composer.json`, `pom.xml`. None for
    /// other files.
    fn text(&self, path: &str) -> Option<String>;
    /// The files that define this: a symbol's qualified name with or without its package in front, or a package.
    fn declared(&self, qualified: &str) -> Vec<String>;
    /// The paths of the files directly in a folder; that of the root is empty.
    fn folder(&self, folder: &str) -> Vec<String>;
}

/// A place where a name is used.
#[derive(Clone, Debug, PartialEq)]
pub struct UsedAt {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// How the name is used.
    pub kind: RefKind,
    /// The innermost symbol around, as an index into the file's symbols.
    pub within: Option<u32>,
}

/// What following a change must know of a project.
pub trait Graph {
    /// The files that import a file.
    fn importers(&self, path: &str) -> Vec<String>;
    /// What a file imports, an entry for each file that an import stands for, and what it uses without an import.
    fn ties(&self, path: &str) -> Vec<Tie>;
    /// The symbols of a file, in its order.
    fn symbols(&self, path: &str) -> Vec<Symbol>;
    /// The places where a name is used, at most so many.
    fn used(&self, name: &str, limit: usize) -> Vec<UsedAt>;
    /// The files that define a name.
    fn defining(&self, name: &str) -> Vec<String>;
    /// What belongs to a file by its name.
    fn companions(&self, path: &str) -> Vec<(String, Companion)>;
    /// The tests that may run the program which a file is part of.
    fn runners(&self, path: &str) -> Vec<String>;
}

/// What one file has of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Tie {
    /// The file; none for what is not of the project.
    pub to: Option<String>,
    /// The names that it brings, `*` for all of them; none where the other file is there as a whole.
    pub names: Vec<String>,
    /// True where no import says so but the language: files of one package see each other.
    pub implied: bool,
}

/// What a file is to another that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Companion {
    /// It declares what the other defines.
    Header,
    /// It defines what the other declares.
    Source,
    /// It tests the other.
    Test,
    /// It is tested by the other.
    Subject,
}
