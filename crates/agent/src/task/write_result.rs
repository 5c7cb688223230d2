//! Phase 6: the summary is put on record.

use ox_protocol::{Event, Stop};

use super::final_response::Answered;
use crate::AgentError;
use crate::session::Session;

/// Records the summary.
pub(super) fn write(session: &mut Session, answered: Answered) -> Result<Stop, AgentError> {
    session.journal.note(Event::Summary { summary: answered.summary });
    Ok(answered.stop)
}
