//! What can be wrong with a scenario.

/// Why a scenario does not hold.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file cannot be understood.
    #[error("{0}")]
    Syntax(String),
    /// The outside and Ox did not meet: somebody waits for what the file does not supply, or supplies what nobody takes.
    #[error("{0}")]
    Story(String),
    /// Ox did something else than the file says.
    #[error("what happened is not what the file says (- the file, + what happened):\n{0}")]
    Differs(String),
    /// A request broke the rules of its wire format.
    #[error("a request is not in the provider's format:\n{0}")]
    Format(String),
    /// The session itself failed.
    #[error(transparent)]
    Agent(#[from] ox_agent::AgentError),
    /// The temporary project could not be written or read.
    #[error("the temporary project: {0}")]
    Disk(#[from] std::io::Error),
}
