//! Phase 2: the project's checks and whatever the model should know before its first word; the turn begins here.

use ox_context::Fresh;
use ox_protocol::{Check, Event, Mode, ModelFacts, Problem, Section};

use super::claim::Claimed;
use crate::gather::{Around, gather};
use crate::session::Session;
use crate::{AgentError, lacks, memory};

/// A turn that has begun, with the sections of its prompt.
pub(super) struct Loaded {
    pub sections: Vec<Section>,
    /// The log broke off in this very turn: it goes on with the prompt that it has.
    pub underway: bool,
}

/// Records the beginning of the turn with everything that its decisions depend on.
pub(super) async fn load(session: &mut Session, claimed: Claimed) -> Result<Loaded, AgentError> {
    let Claimed { ask, mode, .. } = claimed;
    if ask.continues && session.journal.turn().is_running() {
        let turn = session.journal.turn();
        if turn.is_headless() == session.headless && turn.mode() == mode {
            return Ok(Loaded { sections: Vec::new(), underway: true });
        }
        wind_up(session)?;
    }
    let checks = (session.world.find_checks)(session.world.tree.clone()).await;
    let sections = sections(session, mode, &ask.prompt, &checks).await;
    let fallbacks = fallbacks(session);
    let event = Event::TurnStart {
        turn: session.journal.turn().turns() + 1,
        mode,
        prompt: ask.prompt,
        images: ask.images,
        continues: ask.continues,
        rules: session.rules(),
        limits: session.settings.limits.clone(),
        model: session.model(mode).facts().clone(),
        fallbacks,
        verification: session.verification(),
        checks,
    };
    session.journal.note(event);
    let models = models(session);
    let models: Vec<&str> = models.iter().map(String::as_str).collect();
    for event in lacks::known(&session.state, &session.settings, &models) {
        let Event::Downgrade { model, what, .. } = &event else { continue };
        if !session.journal.turn().lacks(model, what) {
            session.journal.note(event);
        }
    }
    Ok(Loaded { sections, underway: false })
}

/// The models that this turn may ask, by name.
fn models(session: &Session) -> Vec<String> {
    let turn = session.journal.turn();
    std::iter::once(turn.model().name.clone()).chain(session.world.fallback.iter().cloned()).collect()
}

/// What is known of the models that may take over; one that cannot be opened is told of and left out.
fn fallbacks(session: &mut Session) -> Vec<ModelFacts> {
    let mut fallbacks: Vec<ModelFacts> = Vec::new();
    for name in session.world.fallback.clone() {
        match (session.world.open_model)(&name) {
            Ok(model) if model.facts().name == session.world.model.facts().name => {}
            Ok(model) => fallbacks.push(model.facts().clone()),
            Err(problem) => {
                let why = problem.code.clone();
                let problem = Problem::new("model.fallback_unusable").with("model", &name).with("why", why);
                session.journal.note(Event::Error { problem });
            }
        }
    }
    fallbacks
}

/// Whether somebody can be asked is a rule of the turn, and so is its mode. Where either changed while the turn lay
/// still, it ends, and the turn that continues it begins under the new rule: else a question would wait for nobody.
fn wind_up(session: &mut Session) -> Result<(), AgentError> {
    session.journal.record(Event::Interrupted)?;
    while let Some(event) = session.journal.turn().follows() {
        session.journal.record(event)?;
    }
    Ok(())
}

async fn sections(session: &mut Session, mode: Mode, prompt: &str, checks: &[Check]) -> Vec<Section> {
    // Who wants nothing from the index does not wait for it.
    let wants = !prompt.trim().is_empty() && session.settings.context_tokens != Some(0);
    let knowledge = session.world.knowledge.clone().filter(|_| wants);
    let fresh = knowledge.as_ref().map_or(Fresh::Whole, |it| it.freshen(session.settings.context_tokens.is_some()));
    let programs = session.programs.words().await;
    let world = &session.world;
    let knowledge = knowledge.as_ref();
    let around = Around {
        tree: &world.tree,
        knowledge,
        fresh,
        settings: &session.settings,
        window: world.model.facts().window,
        today: &world.clock.today,
        programs: &programs,
        checks,
        mode,
        headless: session.headless,
        prompt,
        plan: session.journal.turn().plan(),
        memory: memory::section(session, world.model.facts().window),
        reads: &world.reads,
    };
    let sections = gather(&around).sections;
    // What git tells is for the next turns; this one does not wait for it.
    if let (Some(knowledge), Ok(runtime)) = (knowledge, tokio::runtime::Handle::try_current()) {
        knowledge.ask_history(&runtime);
    }
    sections
}
