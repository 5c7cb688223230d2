//! What a text says by its syntax: languages, definitions, references, imports, and where it does not parse.
//!
//! Everything is read off one text and its path. No file is opened, no other file is looked at, no name is resolved, and
//! nothing recurses over a tree. Texts over 1 MiB and those that keep the parser busy for too long are not parsed.

mod definitions;
mod facts;
mod highlight;
mod language;
mod languages;
mod parse;
mod source;
mod test_files;
mod yaml;

pub use definitions::{Body, BodyForm, Definition, Lookup, SymbolKind, definitions, find, literals};
pub use facts::{
    Chunk, Facts, Import, ImportKind, MOST_IMPORTS, MOST_REFERENCES, RefKind, Reference, Symbol, facts,
    facts_or_given_up,
};
pub use highlight::{Class, Classes, Highlighter, highlighter, highlighter_of_file};
pub use language::language;
pub use parse::{FlatNode, FlatTree, SyntaxError, check, plain_json, tree};
pub use source::Source;
pub use test_files::is_test;
pub use yaml::{Yaml, yaml};
