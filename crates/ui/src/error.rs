//! What can go wrong in an interface.

/// An interface could not go on.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// Reading from or writing to the terminal failed.
    #[error("the terminal could not be used: {0}; run Ox in a terminal, or use `ox run`")]
    Terminal(#[from] std::io::Error),
    /// The line prompt failed.
    #[error("the line prompt could not be used: {0}; run Ox in a terminal, or use `ox run`")]
    Prompt(#[from] rustyline::error::ReadlineError),
}
