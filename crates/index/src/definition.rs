//! What a definition is to those who show or change it: places in a text, and names. It holds no text itself.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use crate::languages::{Form, Kind};

/// One definition of a file. All places are bytes of the text that it was found in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The qualified name in the language's own writing: `Type::method`, `module.func`. Of more than 16 scopes the inner ones
    /// are left out.
    pub name: String,
    /// For which trait it is defined, as in `Trait for Type`.
    pub via: Option<Arc<str>>,
    /// What it is.
    pub kind: Kind,
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
    pub announces: bool,
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
    pub form: Form,
}

impl Definition {
    /// The name with the trait, where there is one: `Trait for Type::method`.
    pub fn shown(&self) -> String {
        match (&self.via, self.path.last()) {
            (Some(via), Some(last)) if self.kind != Kind::Impl => format!("{via}::{last}"),
            _ => self.name.clone(),
        }
    }
}
