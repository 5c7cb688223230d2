//! Why a language server gave no answer, as data.

use std::time::Duration;

use ox_protocol::RunError;

use crate::jsonrpc::CallError;

/// Why a file cannot be read, as whoever reads it says so.
pub type FileError = Box<dyn std::error::Error + Send + Sync>;

/// Why there is no answer. `server` is the name of the server that was asked.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // The fields are the words' own parts.
pub enum Error {
    /// No server knows the language of a file, or of any file of the project.
    #[error("no language server for {}", .path.as_deref().unwrap_or("this project"))]
    NoServer { path: Option<String>, endings: Vec<&'static str> },
    /// Servers run in the sandbox only, and none works here.
    #[error("no sandbox for {server}")]
    NotIsolated { server: &'static str },
    /// The program is not on the search path.
    #[error("{server} is not installed")]
    NotInstalled { server: &'static str, program: &'static str, install: &'static str },
    /// It obeys a file of a project that nobody has trusted.
    #[error("{server} obeys `{file}` of an untrusted project")]
    Untrusted { server: &'static str, file: &'static str },
    /// It could not be started: it lacks something.
    #[error("{server} was not started: {why}")]
    NotStarted { server: &'static str, why: String },
    /// It ended before it had answered its greeting.
    #[error("{server} {why}")]
    NotGreeted { server: &'static str, why: String, install: &'static str },
    /// It ended too often to be started once more.
    #[error("{server} {why} too often")]
    GivenUp { server: &'static str, why: String },
    /// It has ended, or what it writes cannot be understood any more.
    #[error("{server} {why}")]
    Ended { server: &'static str, why: String },
    /// It did not answer in time. `silent`: it said nothing at all meanwhile.
    #[error("{server} did not answer {method} within {after:?}")]
    TimedOut { server: &'static str, method: String, after: Duration, silent: bool },
    /// It answered with an error, or with something that cannot be used.
    #[error("{server} refused: {message}")]
    Refused { server: &'static str, message: String },
    /// It has not seen the whole project yet, so that a renaming would be a part of one.
    #[error("{server} has not seen the whole project yet: {progress}")]
    NotReady { server: &'static str, progress: String },
    /// The project lacks something, so that the server does not know all of it.
    #[error("{server} does not know the whole project: {lack}")]
    Incomplete { server: &'static str, lack: &'static str },
    /// A renaming would create, rename or delete a file.
    #[error("{server} would {operation} a file")]
    FileOperation { server: &'static str, operation: &'static str },
    /// The name is not in the file.
    #[error("`{symbol}` does not occur in `{path}`")]
    NoOccurrence { symbol: String, path: String },
    /// The name is in the file, and not near the given line. Lines count from 1.
    #[error("`{symbol}` is not on line {line} of `{path}`")]
    NotOnLine { symbol: String, path: String, line: u32, lines: Vec<u32> },
    /// The text is too large to be shown to a server.
    #[error("`{path}` is too large ({bytes} bytes)")]
    TooLarge { path: String, bytes: usize },
    /// The file changed since the server was told of it.
    #[error("`{path}` changed")]
    Stale { path: String },
    /// The file cannot be read.
    #[error("{0}")]
    File(FileError),
    /// The process could not be started.
    #[error("{0}")]
    Run(RunError),
    /// The question was to stop.
    #[error("stopped")]
    Cancelled,
}

impl Error {
    /// What went wrong in a call of `server`.
    pub(crate) fn of(server: &'static str, error: CallError) -> Error {
        match error {
            CallError::Ended(why) => Error::Ended { server, why },
            CallError::TimedOut { method, after, silent } => Error::TimedOut { server, method, after, silent },
            CallError::Refused(message) => Error::Refused { server, message },
        }
    }

    /// True when the server is of no more use.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self, Error::Ended { .. } | Error::TimedOut { silent: true, .. })
    }
}
