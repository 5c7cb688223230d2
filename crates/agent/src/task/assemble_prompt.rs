//! Phase 3: the prompt is built and recorded, so that a resumed turn sends the very same prefix.

use ox_context::{system_prompt, unsent};
use ox_protocol::{Event, Frame, ToolSpec};

use super::load_context::Loaded;
use crate::AgentError;
use crate::session::Session;

/// A turn whose prompt is on record.
pub(super) struct Prompted;

/// Records the system prompt and the tools where they differ from the last recorded ones, and the new sections.
pub(super) fn assemble(session: &mut Session, loaded: Loaded) -> Result<Prompted, AgentError> {
    if loaded.underway && !session.journal.turn().is_preparing() {
        return Ok(Prompted);
    }
    let (system, tools) = (system_prompt(), ox_tools::specs(session.journal.turn().mode(), session.headless));
    let (old_system, old_tools) = recorded(session.journal.frames());
    let event = Event::Prompted {
        system: (old_system != Some(system.as_str())).then_some(system.clone()),
        tools: (old_tools != Some(tools.as_slice())).then_some(tools.clone()),
        context: unsent(session.journal.frames(), loaded.sections),
    };
    session.journal.note(event);
    Ok(Prompted)
}

fn recorded(frames: &[Frame]) -> (Option<&str>, Option<&[ToolSpec]>) {
    let mut found = (None, None);
    for frame in frames {
        if let Event::Prompted { system, tools, .. } = &frame.event {
            found = (system.as_deref().or(found.0), tools.as_deref().or(found.1));
        }
    }
    found
}
