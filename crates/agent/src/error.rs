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
    #[error("{}", .0.code)]
    Problem(Problem),
}

impl From<Problem> for AgentError {
    fn from(problem: Problem) -> AgentError {
        AgentError::Problem(problem)
    }
}
