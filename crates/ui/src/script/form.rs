//! Which forms of output there are.

/// The form of standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// The answer alone; everything else on standard error.
    #[default]
    Text,
    /// Nothing: what the answer says is shown by the caller that judges it.
    Aside,
    /// One closing object.
    Json,
    /// One object a line, in the shape that Claude Code made known.
    StreamJson {
        /// Pieces of replies are lines too.
        partial: bool,
    },
    /// Ox's own events, one a line.
    Events,
}
