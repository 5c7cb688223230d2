//! One turn as a fold over facts: `apply` records, `follows` draws the conclusions that need nobody, `wants` says what
//! should be in flight. None of them touches the world.

mod apply;
mod baseline;
mod conclude;
mod follows;
mod hooks;
mod loops;
mod reserve;
mod room;
mod state;
mod wants;
mod weather;

use ox_protocol::{CallKind, Event};

pub use state::Turn;

/// What a log that broke off in the middle of a turn needs before the turn can go on: calls that had started and may
/// have changed the world are lost. Everything else is simply wanted again.
pub fn resume(turn: &Turn) -> Vec<Event> {
    let running =
        turn.slots().iter().filter(|it| it.step == state::Step::Running && it.call.facts.kind == CallKind::Mutate);
    running.map(|it| Event::Lost { call: it.call.id.clone() }).collect()
}
