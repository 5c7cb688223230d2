//! A problem as a code and its arguments; each interface turns it into its user's language.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What went wrong, for whoever must act next. `code` is a key of the catalogue in `locales/`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Key of the sentence, for example `no_model`.
    pub code: String,
    /// Values of its placeholders.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, String>,
    /// Further problems of the same kind of thing, such as the other faults of a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Problem>,
}

/// The code alone: an interface says the sentence in its user's language.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code)
    }
}

impl std::error::Error for Problem {}

impl Problem {
    /// A problem without arguments.
    pub fn new(code: &str) -> Problem {
        Problem { code: code.to_string(), args: BTreeMap::new(), also: Vec::new() }
    }

    /// Several problems as one, the first with the others beside it; none where there are none.
    pub fn all(problems: impl IntoIterator<Item = Problem>) -> Option<Problem> {
        let mut problems = problems.into_iter();
        let mut first = problems.next()?;
        first.also.extend(problems);
        Some(first)
    }

    /// Adds one argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Problem {
        self.args.insert(name.to_string(), value.to_string());
        self
    }
}
