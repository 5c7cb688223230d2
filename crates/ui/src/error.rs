//! What can go wrong in an interface.

/// An interface could not go on.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// Reading from or writing to the terminal failed.
    #[error("the terminal could not be used: {0}; run Ox in a terminal, or use `ox run`")]
    Terminal(#[from] std::io::Error),
    /// The configuration binds a key or an action that there is not.
    #[error("`{0}` in [keys] is no key and no action; `?` at the prompt lists both")]
    Key(String),
}
