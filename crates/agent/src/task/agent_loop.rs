//! Phase 4: model and tools take turns until the turn stops.

use ox_protocol::Stop;

use super::assemble_prompt::Prompted;
use crate::AgentError;
use crate::session::Session;

/// A turn whose loop is over.
pub(super) struct Ran {
    pub stop: Stop,
}

/// Runs the loop; a turn whose loop was already over when the log broke off is not run again.
pub(super) async fn run(session: &mut Session, _prompt: Prompted) -> Result<Ran, AgentError> {
    let stop = match session.journal.turn().stopped() {
        Some(stop) => stop,
        None => session.drive().await?,
    };
    Ok(Ran { stop })
}
