//! What a definition is to those who show or change it: places in a text, and names. It holds no text itself.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SymbolKind {
    /// A function or method.
    Function,
    /// A class, struct, interface or another type.
    Type,
    /// A constant, variable, field or macro.
    Value,
    /// A namespace or module.
    Module,
    /// An implementation of a type or trait.
    Impl,
}

/// How the inside of a definition is set off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// Between braces, which are not part of it.
    Braces,
    /// By its indentation.
    Indented,
    /// Not at all: it is an expression.
    Expression,
}

/// One definition of a file. All places are bytes of the text that it was found in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The qualified name in the language's own writing: `Type::method`, `module.func`. Of more than 16 scopes the inner ones
    /// are left out.
    pub name: String,
    /// For which trait it is defined, as in `Trait for Type`.
    pub via: Option<Arc<str>>,
    /// What it is.
    pub kind: SymbolKind,
    /// All of it: comments, attributes and decorators before it, and a `;` that closes it.
    pub span: Range<usize>,
    /// Where the comments at its beginning end and its attributes or signature start; the start of the span if it has none.
    pub docs_end: usize,
    /// From its first word up to its body or its end.
    pub signature: Range<usize>,
    /// Its inside.
    pub body: Option<Body>,
    /// The lines of the span, from 1.
    pub lines: RangeInclusive<u32>,
    /// The line on which the signature starts, from 1.
    pub line: u32,
    /// The definition right around, as an index into the list of all of the file.
    pub parent: Option<usize>,
    /// True for an announcement whose definition is elsewhere, such as a prototype.
    pub is_declaration: bool,
    /// True for a member of a list with commas between.
    pub listed: bool,
    pub(crate) path: Vec<Arc<str>>,
}

/// The inside of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Without the braces around it.
    pub span: Range<usize>,
    /// How it is set off.
    pub form: BodyForm,
}

impl Definition {
    /// The name with the trait, where there is one: `Trait for Type::method`.
    pub fn display_name(&self) -> String {
        match (&self.via, self.path.last()) {
            (Some(via), Some(last)) if self.kind != SymbolKind::Impl => format!("{via}::{last}"),
            _ => self.name.clone(),
        }
    }
}
