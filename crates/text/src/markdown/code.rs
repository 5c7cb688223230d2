//! Code blocks, line by line, in the colours of their language.

use std::fmt;

use ox_syntax::{Highlighter, highlighter};

use crate::diff;
use crate::{Line, Role, clean};

/// A code block that is being read.
pub(super) struct Code {
    form: Form,
}

enum Form {
    Diff,
    Program(Highlighter),
    Unknown,
}

impl Code {
    /// A block in this language, as its fence names it.
    pub fn new(language: &str) -> Code {
        let form = match language {
            "diff" | "patch" => Form::Diff,
            name => highlighter(name).map_or(Form::Unknown, Form::Program),
        };
        Code { form }
    }

    /// The next line, which is whole.
    pub fn line(&mut self, line: &str) -> Line {
        // Cleaned first, so that the places of the classes are those of what is shown.
        let line = clean(line);
        match &mut self.form {
            Form::Program(reader) => Line::empty().code(&line, &reader.line(&line), Role::Plain).indented(2, 0),
            Form::Diff | Form::Unknown => self.plain(&line),
        }
    }

    /// A line without the colours of its language.
    pub fn plain(&self, line: &str) -> Line {
        let role = match self.form {
            Form::Diff => diff::role(line),
            Form::Program(_) => Role::Plain,
            Form::Unknown => Role::Code,
        };
        Line::of(line, role).indented(2, 0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}
