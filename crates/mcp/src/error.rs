//! What can go wrong with a server, said to whoever must act next: the model, and the user who configured it.

/// Why a server did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No server has that name.
    #[error("No MCP server is called `{name}`; there are: {known}.")]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// It could not be started or reached.
    #[error("The MCP server `{server}` could not be started: {why}")]
    NotStarted {
        /// Its name.
        server: String,
        /// Why, and what to do.
        why: String,
    },
    /// It failed a moment ago, and it is not tried again yet.
    #[error(
        "The MCP server `{server}` failed {failures} times ({why}) and is not started again for {wait} s. Go on without it, or tell the user."
    )]
    Resting {
        /// Its name.
        server: String,
        /// How often it failed in a row.
        failures: u32,
        /// What came of the last attempt.
        why: String,
        /// Seconds until it may be tried again.
        wait: u64,
    },
    /// It wants the user to log in.
    #[error("The MCP server `{server}` asks for a login. Tell the user to run `ox mcp login {server}`.")]
    Login {
        /// Its name.
        server: String,
    },
    /// It ended while it was asked.
    #[error(
        "The MCP server `{server}` ended while it was asked: {why}. Whether it did what it was asked is not known. It is started again with the next call."
    )]
    Ended {
        /// Its name.
        server: String,
        /// What is known of it.
        why: String,
    },
    /// It did not answer in time.
    #[error(
        "The MCP server `{server}` did not answer within {seconds} s. Whether it did what it was asked is not known. Ask for less at once, or raise `timeout` in its configuration."
    )]
    TimedOut {
        /// Its name.
        server: String,
        /// The limit in seconds.
        seconds: u64,
    },
    /// It answered with an error.
    #[error("The MCP server `{server}` answered with an error: {why}")]
    Refused {
        /// Its name.
        server: String,
        /// Its words.
        why: String,
    },
}
