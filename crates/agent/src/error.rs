//! What can go wrong in the agent itself.

use ox_protocol::Problem;

/// An error that ends a session. What was recorded before it stays recorded.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The log could not be written or read; nothing is performed after that.
    #[error(transparent)]
    Store(#[from] ox_store::StoreError),
    /// The working tree could not be opened.
    #[error(transparent)]
    Repo(#[from] ox_repo::RepoError),
    /// A problem with a sentence in the catalogue.
    #[error(transparent)]
    Problem(#[from] Problem),
}

impl From<AgentError> for Problem {
    fn from(error: AgentError) -> Problem {
        match error {
            AgentError::Problem(problem) => problem,
            AgentError::Store(error) => error.problem(),
            AgentError::Repo(error) => Problem::new("error.session").with("why", error),
        }
    }
}
