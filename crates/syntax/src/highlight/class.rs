//! What the parts of a text can be.

use std::ops::Range;

/// What a stretch of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A word of the language.
    Keyword,
    /// A text in quotes.
    String,
    /// An escape in a text.
    Escape,
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// A constant, also one of the language's own, such as `true` and `self`.
    Constant,
    /// The name of a function, where it is defined or called.
    Function,
    /// The name of a type or a module.
    Type,
    /// An attribute or annotation.
    Attribute,
    /// The name of a field or a key.
    Property,
    /// The name of an element of markup.
    Tag,
}

impl Class {
    /// Its name for interfaces that bring their own colours.
    pub fn name(self) -> &'static str {
        match self {
            Class::Keyword => "keyword",
            Class::String => "string",
            Class::Escape => "escape",
            Class::Comment => "comment",
            Class::Number => "number",
            Class::Constant => "constant",
            Class::Function => "function",
            Class::Type => "type",
            Class::Attribute => "attribute",
            Class::Property => "property",
            Class::Tag => "tag",
        }
    }
}

/// Classes of one line, by bytes of it, in order and apart from each other.
pub type Classes = Vec<(Range<usize>, Class)>;
