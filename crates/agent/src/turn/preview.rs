//! What an edit would change, worked out before anybody is asked to consent to it. Nothing is written.

use ox_protocol::Event;

use super::context::TurnContext;
use crate::Journal;

/// The event with what the edit that it asks about would change. Nobody is asked about an edit that does not apply: it fails
/// at once, in the words in which it would fail after the consent.
pub(crate) fn previewed(cx: &TurnContext, journal: &Journal, mut event: Event) -> Event {
    let Event::ApprovalRequest { call: id, changes, .. } = &mut event else { return event };
    let Some(call) = journal.conversation().call(id) else { return event };
    let Some(outcome) = (cx.env.preview)(&cx.env.toolbox, &cx.call_context(journal), call) else { return event };
    if outcome.is_failure() {
        return Event::ToolComplete { call: call.id.clone(), tool: call.tool.clone(), outcome };
    }
    *changes = outcome.changed;
    event
}
