//! What is known of one file, as data. Nothing is read or worked out here.

use serde::{Deserialize, Deserializer, Serialize};
use tree_sitter::Node;

use crate::definitions::SymbolKind;
use crate::parse::to_u32;

/// References that are kept of one file.
pub const MOST_REFERENCES: usize = 4_000;
/// Imports that are kept of one file.
pub const MOST_IMPORTS: usize = 2_000;

/// The name of a language, or nothing. The alias keeps serde from borrowing it.
type LanguageName = &'static str;

/// What one file says. All indices point into its own lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The language's name as [`crate::language`] gives it, empty where it is not known.
    #[serde(deserialize_with = "known_language")]
    pub language: LanguageName,
    /// The package, namespace or module that the file says it is part of.
    pub package: Option<String>,
    /// What it defines, in the order of the text.
    pub symbols: Vec<Symbol>,
    /// What it refers to, each name once per symbol around it, at most [`MOST_REFERENCES`].
    pub references: Vec<Reference>,
    /// What it imports, in the order of the text, at most [`MOST_IMPORTS`].
    pub imports: Vec<Import>,
    /// The pieces it is cut into: in order, without gaps or overlaps.
    pub chunks: Vec<Chunk>,
}

/// One definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// The last part of its name.
    pub name: String,
    /// The name with those of the definitions around it, in the language's writing; without the package.
    pub qualified: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Its first line, comments and attributes included, from 1.
    pub line: u32,
    /// Its last line, included.
    pub end: u32,
    /// Its first byte.
    pub start_byte: u32,
    /// The byte after its last.
    pub end_byte: u32,
    /// All of its signature in one line, 300 bytes at most.
    pub signature: String,
    /// The first paragraph of what is written about it, 400 bytes at most.
    pub doc: String,
    /// The symbol right around.
    pub parent: Option<u32>,
    /// True where other files can name it.
    pub exported: bool,
    /// True for a test, and for what is inside of one.
    pub test: bool,
    /// True for an announcement whose definition is elsewhere, such as a prototype.
    pub is_declaration: bool,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RefKind {
    /// It is called: a function, method, constructor, macro or component.
    Call,
    /// It stands for a type: in a signature, as a base, in an annotation.
    Type,
    /// It is imported.
    Import,
    /// It is used as a value or a member.
    Other,
}

/// One use of a name. Names that the file binds locally are left out, unless they are called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The last part of the name.
    pub name: String,
    /// The line of the first use within the symbol, from 1.
    pub line: u32,
    /// The strongest kind of use within the symbol.
    pub kind: RefKind,
    /// The innermost symbol around.
    pub within: Option<u32>,
}

/// Where an import looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportKind {
    /// From the place of the file on.
    Relative,
    /// From the project's or a package's root on.
    Absolute,
    /// In what the language or the machine brings.
    System,
}

/// One import.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// What is imported, as the language writes it: `crate::a::b`, `../x`, `a.b.c`, `foo/bar.h`.
    pub what: String,
    /// The names that it brings into the file, `*` for all of them.
    pub names: Vec<String>,
    /// Its line, from 1.
    pub line: u32,
    /// Where it looks.
    pub kind: ImportKind,
}

/// A piece of a file: whole lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// The symbol that it is, or that it is a part of.
    pub symbol: Option<u32>,
    /// Its first line, from 1.
    pub line: u32,
    /// Its last line, included.
    pub end: u32,
    /// Its first byte.
    pub start_byte: u32,
    /// The byte after its last.
    pub end_byte: u32,
}

fn known_language<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    let name = String::deserialize(from)?;
    Ok(crate::language::known(&name))
}

impl Import {
    /// An import at a node that brings these names.
    pub(crate) fn new(what: &str, names: &[&str], at: Node<'_>, kind: ImportKind) -> Import {
        let names = names.iter().map(|it| (*it).to_string()).collect();
        Import { what: what.to_string(), names, line: to_u32(at.start_position().row + 1), kind }
    }
}

impl ImportKind {
    /// That of a whole name which is the language's own where it begins with one of `system`.
    pub(crate) fn of(what: &str, system: &[&str]) -> ImportKind {
        if system.iter().any(|it| what.starts_with(it)) { ImportKind::System } else { ImportKind::Absolute }
    }
}
