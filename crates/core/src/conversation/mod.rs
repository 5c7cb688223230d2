//! A conversation as a fold over events: `apply` records, `next_event` draws the conclusions that need nobody, `wants` says
//! what should be in flight. None of them does any input or output.

mod accessors;
mod agents;
mod apply;
mod audit;
mod baseline;
mod checked;
mod conclude;
mod fixers;
mod hooks;
mod intent;
mod loops;
mod next_event;
mod plan;
mod prefix;
mod repair;
mod reserve;
mod retry;
mod review;
mod state;
mod wants;
mod window;

use ox_protocol::{CallKind, Event};

pub use repair::Attempt;
pub use review::REVIEW;
pub use state::Conversation;

/// What a log that broke off in the middle of a turn needs before the turn can go on: calls that had started and may
/// have changed files or processes are lost. Everything else is simply wanted again.
pub fn resume(conversation: &Conversation) -> Vec<Event> {
    let running = conversation
        .pending()
        .iter()
        .filter(|it| it.step == state::Step::Running && it.call.facts.kind == CallKind::Mutate);
    running.map(|it| Event::Lost { call: it.call.id.clone() }).collect()
}
