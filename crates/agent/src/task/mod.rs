//! A task: seven phases, each consuming the value of the one before, so that a wrong order does not compile (T3).
//!
//! Each phase leaves an enter and an exit event with its duration; cleanup runs whatever failed.

mod agent_loop;
mod assemble_prompt;
mod claim;
mod cleanup;
mod final_response;
mod load_context;
mod write_result;

use std::sync::Arc;
use std::time::Instant;

use ox_protocol::{Event, Stage, Stop};

use crate::advice::advice;
use crate::moments::Moment;
use crate::session::{Ask, Session};
use crate::{AgentError, keeping, lacks};

/// Runs one turn from the claim to the cleanup.
pub(crate) async fn run(session: &mut Session, ask: Ask) -> Result<Stop, AgentError> {
    let claimed = staged(session, Stage::Claim, async |it| claim::claim(it, ask)).await;
    let (lock, result) = match claimed {
        Err(error) => (None, Err(error)),
        Ok(mut claimed) => (claimed.lock.take(), phases(session, claimed).await),
    };
    let cleaned = staged(session, Stage::Cleanup, async |_| {
        cleanup::cleanup(lock);
        Ok(())
    })
    .await;
    let stop = result?;
    cleaned?;
    if let Stop::ModelFailed { kind } = stop
        && let Some(problem) = advice(&session.settings, &session.world.model.facts().name, kind)
    {
        session.journal.note(Event::Error { problem });
    }
    lacks::keep(&session.state, &session.settings, session.journal.frames());
    let kept = keeping::after_turn(session.world.checkpoints.as_ref(), &session.journal, (session.world.clock.now)());
    kept.into_iter().for_each(|event| session.journal.note(event));
    let moment = Moment::after(&session.journal, stop);
    if moment.is_heard() {
        let heard = moment.hear(&session.world, Arc::default()).await;
        heard.into_iter().for_each(|event| session.journal.note(event));
    }
    session.journal.record(Event::Completion { stop, exit_code: stop.exit_code() })?;
    Ok(stop)
}

async fn phases(session: &mut Session, claimed: claim::Claimed) -> Result<Stop, AgentError> {
    let loaded = staged(session, Stage::LoadContext, async |it| load_context::load(it, claimed).await).await?;
    let prompted = staged(session, Stage::AssemblePrompt, async |it| assemble_prompt::assemble(it, loaded)).await?;
    let ran = staged(session, Stage::AgentLoop, async |it| agent_loop::run(it, prompted).await).await?;
    let answered = staged(session, Stage::FinalResponse, async |it| final_response::answer(it, &ran)).await?;
    staged(session, Stage::WriteResult, async |it| write_result::write(it, answered)).await
}

/// Runs one phase between its two events.
async fn staged<T>(
    session: &mut Session,
    stage: Stage,
    phase: impl AsyncFnOnce(&mut Session) -> Result<T, AgentError>,
) -> Result<T, AgentError> {
    session.journal.note(Event::StageEnter { stage });
    let began = Instant::now();
    let result = phase(session).await;
    let duration_ms = began.elapsed().as_millis() as u64;
    session.journal.note(Event::StageExit { stage, duration_ms, success: result.is_ok() });
    result
}
