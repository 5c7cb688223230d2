//! A task: seven phases, each consuming the value of the one before, so that a wrong order does not compile.
//!
//! Each phase leaves an enter and an exit event with its duration; the tree is given back last, whatever failed.

use std::sync::Arc;
use std::time::Instant;

use ox_config::roles::Role;
use ox_context::{Freshness, estimate, unsent};
use ox_core::intent::{self, Routed};
use ox_protocol::{
    Check, Command, Event, Intent, Mode, ModelFacts, Problem, Section, Stage, Stop, Summary, Time, WantId,
};
use ox_store::{StoreError, TreeLock, lock_tree};

use crate::advice::advice;
use crate::driver::drive;
use crate::hooks::trigger::HookTrigger;
use crate::project_index::ProjectIndex;
use crate::prompt_context::{PromptInputs, prompt_context};
use crate::router::{self, Asked, Routing};
use crate::session::{Session, TurnRequest, busy};
use crate::summary::summary;
use crate::{AgentError, checkpoint_guard, lacks, mentions, redact, repair};

/// Runs one turn from the claim to the cleanup.
pub(crate) async fn run(session: &mut Session, ask: TurnRequest) -> Result<Stop, AgentError> {
    let claimed = staged(session, Stage::Claim, async |it| claim(it, ask).await).await;
    let (lock, result) = match claimed {
        Err(error) => (None, Err(error)),
        Ok(mut claimed) => (claimed.lock.take(), phases(session, claimed).await),
    };
    if let Ok(stop) = result {
        // While the tree is still this turn's: what others do to it afterwards is not its end.
        after_loop(session, stop).await;
    }
    staged(session, Stage::Cleanup, async |_| {
        drop(lock);
        Ok(())
    })
    .await?;
    let stop = result?;
    session.journal.record(Event::Completion { stop, exit_code: stop.exit_code() })?;
    Ok(stop)
}

async fn phases(session: &mut Session, claimed: Claimed) -> Result<Stop, AgentError> {
    let loaded = staged(session, Stage::LoadContext, async |it| load_context(it, claimed).await).await?;
    let prompted = staged(session, Stage::AssemblePrompt, async |it| assemble_prompt(it, loaded)).await?;
    let ran = staged(session, Stage::AgentLoop, async |it| agent_loop(it, prompted).await).await?;
    let answered = staged(session, Stage::FinalResponse, async |it| Ok(final_response(it, ran))).await?;
    staged(session, Stage::WriteResult, async |it| Ok(write_result(it, answered))).await
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

/// A turn that has its tree.
struct Claimed {
    ask: TurnRequest,
    mode: Mode,
    lock: Option<TreeLock>,
}

/// Phase 1: the working tree is taken by a turn that may edit, so that two never change it at once; reading needs no claim.
async fn claim(session: &mut Session, ask: TurnRequest) -> Result<Claimed, AgentError> {
    let mode = ask.mode.or(session.journal.conversation().next_mode()).unwrap_or(session.settings.mode);
    // A sub-agent works in the tree that its parent holds.
    let lock = match mode.may_change() && session.nested.is_none() {
        true => Some(take_tree(session, &ask.prompt).await?),
        false => None,
    };
    Ok(Claimed { ask, mode, lock })
}

/// The problem of a turn that was not begun, as the user did not wait for its tree.
pub(crate) const GAVE_UP: &str = "store.gave_up";

/// How long until a tree that another turn has is tried again, in milliseconds: soon for a person, and no load.
const AGAIN: u64 = 250;

/// Takes the tree for `prompt`. Where another turn has it, a person learns who and waits, until the tree is free or they
/// interrupt; what they send meanwhile comes next. A script is refused.
async fn take_tree(session: &mut Session, prompt: &str) -> Result<TreeLock, AgentError> {
    let mut waits = false;
    loop {
        let error = match lock_tree(&session.state, session.env.tree.root()) {
            Ok(lock) => return Ok(lock),
            Err(error) => error,
        };
        let problem = busy(&error);
        match error {
            StoreError::TreeBusy { root, holder } if !session.headless => {
                if !std::mem::replace(&mut waits, true) {
                    let holder = if holder.is_empty() { "ox".to_owned() } else { holder };
                    let problem = Problem::new("store.tree_waits").with("root", root.display()).with("holder", holder);
                    let problem = problem.with("prompt", prompt.trim().lines().next().unwrap_or_default());
                    session.journal.record(Event::Error { problem })?;
                }
            }
            _ => return Err(problem.into()),
        }
        let clock = &session.env.clock;
        let later = (clock.sleep)(Time((clock.now)().0 + AGAIN));
        tokio::select! {
            biased;
            submission = session.inbox.recv() => match submission {
                Some(it) if it.command == Command::Interrupt => {
                    session.journal.hub().accept(it.id);
                    return Err(Problem::new(GAVE_UP).into());
                }
                Some(it) if it.command != Command::Close => session.waiting.push_back(it),
                _ => {
                    session.closed = true;
                    return Err(problem.into());
                }
            },
            () = later => {}
        }
    }
}

/// A turn that has begun, with the sections of its prompt.
struct Loaded {
    sections: Vec<Section>,
    /// The question to the router, where one is asked.
    routing: Routing,
    /// The log broke off in this very turn: it goes on with the prompt that it has.
    underway: bool,
}

/// Phase 2: the project's checks and whatever the model should know before its first word. The turn begins here, with
/// everything on record that its decisions depend on.
async fn load_context(session: &mut Session, claimed: Claimed) -> Result<Loaded, AgentError> {
    let Claimed { ask, mode, .. } = claimed;
    if ask.continues && session.journal.conversation().is_running() {
        let conversation = session.journal.conversation();
        if conversation.is_headless() == session.headless && conversation.own_mode() == mode {
            return Ok(Loaded { sections: Vec::new(), routing: Routing::default(), underway: true });
        }
        wind_up(session)?;
    }
    let inherited = inherited(session, mode, &ask);
    let (router, mut routing) = if inherited.is_none() { route(session, mode, &ask) } else { Default::default() };
    let checks = (session.env.find_checks)(session.env.tree.clone()).await;
    let sections = sections(session, mode, &ask.prompt, &checks, &mut routing).await;
    let fixers = if mode.may_change() { (session.env.find_fixers)(&session.env.tree) } else { Vec::new() };
    let fallbacks = fallbacks(session);
    let event = Event::TurnStart {
        turn: session.journal.conversation().turns() + 1,
        mode,
        prompt: ask.prompt,
        images: ask.images,
        continues: ask.continues,
        branch: ox_repo::git::branch(session.env.tree.root()).filter(|it| !it.is_empty()),
        rules: session.rules(),
        limits: session.settings.limits.clone(),
        model: ModelFacts { effort: session.effort(), ..session.model(mode).facts().clone() },
        fallbacks,
        verification: session.verification(),
        review: session.settings.review,
        checks,
        fixers,
        router,
    };
    session.journal.note(event);
    if let Some(intent) = inherited {
        session.journal.note(router::event(WantId::default(), Routed { intent: Some(intent), ..Routed::default() }));
    }
    let models = models(session);
    let models: Vec<&str> = models.iter().map(String::as_str).collect();
    for event in lacks::known(&session.state, &session.settings, &models) {
        let Event::Downgrade { model, what, .. } = &event else { continue };
        if !session.journal.conversation().lacks(model, what) {
            session.journal.note(event);
        }
    }
    Ok(Loaded { sections, routing, underway: false })
}

/// What the prompt asks for because it only answers the agent's question.
fn inherited(session: &Session, mode: Mode, ask: &TurnRequest) -> Option<Intent> {
    let conversation = session.journal.conversation();
    let choices = conversation.plan().is_some_and(|it| !it.options.is_empty());
    let asked = choices || intent::asks(router::last_words(session.journal.frames()));
    intent::inherited(conversation, &ask.prompt, asked).filter(|_| mode == Mode::Auto && !ask.continues)
}

/// The name of the router model and the question to it; nothing where no small model is configured, or the user chose a mode.
fn route(session: &Session, mode: Mode, ask: &TurnRequest) -> (Option<String>, Routing) {
    let model = session
        .role_model(Role::Router)
        .filter(|_| mode == Mode::Auto && !ask.continues && !ask.prompt.trim().is_empty());
    let Some(model) = model else { return Default::default() };
    let name = model.facts().name.clone();
    let last_words = router::last_words(session.journal.frames()).to_owned();
    let asked = Asked { prompt: &ask.prompt, images: &ask.images, last_words };
    (Some(name), Routing::begin(model, asked, session.env.tree.clone(), session.env.index.clone()))
}

/// The models that this turn may ask, by name.
fn models(session: &Session) -> Vec<String> {
    let conversation = session.journal.conversation();
    std::iter::once(conversation.model().name.clone()).chain(session.env.fallback.iter().cloned()).collect()
}

/// What is known of the models that may take over; one that cannot be opened is told of and left out.
fn fallbacks(session: &mut Session) -> Vec<ModelFacts> {
    let (mut fallbacks, effort) = (Vec::new(), session.effort());
    for name in session.env.fallback.clone() {
        match (session.env.open_model)(&name) {
            Ok(model) if model.facts().name == session.main_model.facts().name => {}
            Ok(model) => fallbacks.push(ModelFacts { effort, ..model.facts().clone() }),
            Err(problem) => {
                let why = problem.code.clone();
                let problem = Problem::new("model.fallback_unusable").with("model", &name).with("why", why);
                session.journal.note(Event::Error { problem });
            }
        }
    }
    fallbacks
}

/// Ends a turn that was interrupted under another mode, or when somebody else could be asked: the turn that continues it
/// begins under the present rules. Else it would ask where nobody answers.
fn wind_up(session: &mut Session) -> Result<(), AgentError> {
    session.journal.record(Event::Interrupted)?;
    while let Some(event) = session.journal.conversation().next_event() {
        session.journal.record(event)?;
    }
    Ok(())
}

/// What is remembered of earlier turns, for the turn that begins.
fn memory(session: &Session) -> Option<Section> {
    let env = &session.env;
    let root = env.tree.root().to_string_lossy().into_owned();
    let here = (session.journal.id(), session.journal.frames());
    let limits = (session.settings.memory_tasks, session.main_model.facts().window);
    crate::memory::memory(env.store.as_ref(), &root, here, limits).ok()?.section
}

async fn sections(
    session: &mut Session,
    mode: Mode,
    prompt: &str,
    checks: &[Check],
    routing: &mut Routing,
) -> Vec<Section> {
    // Who wants nothing from the index does not wait for it.
    let wants = !prompt.trim().is_empty() && session.settings.context_tokens != Some(0);
    let index = session.env.index.clone().filter(|_| wants);
    let is_asked = session.settings.context_tokens.is_some();
    let knows_nothing = |it: &ProjectIndex| it.snapshot().is_empty();
    let was_unknown = index.as_ref().is_some_and(knows_nothing);
    let fresh = match index.clone() {
        // The programs tell their versions meanwhile.
        Some(it) => tokio::task::spawn_blocking(move || it.freshen(is_asked)).await.unwrap_or(Freshness::Behind),
        None => Freshness::Whole,
    };
    // Where the turn waited for a new project, a moment more counts for little; a tiny one has no index and is not waited for.
    let is_first = was_unknown && !index.as_ref().is_some_and(knows_nothing);
    let programs = session.programs.words(is_first).await;
    // What the router named already is as good as named by the user.
    let paths = routing.answer().and_then(|it| it.intent.as_ref()).map(|it| it.paths.join("\n")).unwrap_or_default();
    let named = if paths.is_empty() { prompt.to_owned() } else { format!("{prompt}\n\n{paths}") };
    let prompt = named.as_str();
    let env = &session.env;
    let index = index.as_ref();
    let inputs = PromptInputs {
        tree: &env.tree,
        index,
        fresh,
        settings: &session.settings,
        window: session.main_model.facts().window,
        today: &env.clock.today,
        programs: &programs,
        checks,
        mode,
        headless: session.headless,
        prompt,
        plan: session.journal.conversation().plan().filter(|it| it.is_open()),
        files: session.journal.conversation().files(),
        servers: &env.tools.mcp,
        memory: memory(session),
        reads: &env.tools.reads,
    };
    let mut sections = prompt_context(&inputs).sections;
    know_files(session, &sections);
    sections.extend(session.nested.as_ref().map(|it| ox_context::agent_section(&it.words)));
    let typed = !session.headless && session.nested.is_none();
    let rules = session.rules();
    // Of a command only its line was typed; the rest is what the command says.
    let own = if prompt.starts_with('/') { prompt.split("\n\n").next().unwrap_or_default() } else { prompt };
    sections.extend(mentions::resources(env, &rules, own, typed).await);
    // What git tells is for the next turns; this one does not wait for it.
    if let (Some(index), Ok(runtime)) = (index, tokio::runtime::Handle::try_current()) {
        index.ask_history(&runtime);
    }
    sections
}

/// What these sections have of the files in view counts as read where it is the whole of a file.
fn know_files(session: &Session, sections: &[Section]) {
    let tree = &session.env.tree;
    let is_sent = |path: &str, text: &str| {
        let of = |it: &&Section| it.name.split_once(':').is_some_and(|(_, name)| name == path);
        sections
            .iter()
            .find(of)
            .is_some_and(|it| it.text == text.trim_end() && redact::text(it.text.clone()) == it.text)
    };
    let files = session.journal.conversation().files().files.iter().filter(|it| it.lines.is_none());
    let read = files.filter_map(|it| tree.read(&it.path).ok()).filter(|it| is_sent(&it.rel, &it.text));
    session.env.tools.reads.restore(read.map(|it| (it.rel, it.hash)));
}

/// A turn whose prompt is on record.
struct Prompted {
    /// The question to the router, where it has not answered yet.
    routing: Routing,
}

/// Phase 3: the system prompt and the tools are recorded where they differ from the last recorded ones, and the new
/// sections, so that a resumed turn sends the very same prefix.
fn assemble_prompt(session: &mut Session, mut loaded: Loaded) -> Result<Prompted, AgentError> {
    let want = session.journal.conversation().routing();
    if let Some((want, routed)) = want.zip(loaded.routing.answer().cloned()) {
        session.journal.note(router::event(want, routed));
    }
    let routing = loaded.routing;
    if loaded.underway && !session.journal.conversation().is_preparing() {
        return Ok(Prompted { routing });
    }
    let (sent, mode) = (session.journal.transcript(), session.journal.conversation().own_mode());
    let recorded = session.journal.frames().iter().filter_map(|it| match &it.event {
        Event::Prompted { tools, .. } => tools.as_deref(),
        _ => None,
    });
    let (system, tools) = (session.system_prompt(), session.env.toolbox.offered(mode, session.headless, recorded));
    let event = Event::Prompted {
        system: (sent.system != system).then_some(system),
        tools: (sent.tools != tools).then_some(tools),
        context: unsent(session.journal.frames(), loaded.sections),
    };
    session.journal.note(event);
    Ok(Prompted { routing })
}

/// A turn whose loop is over.
struct Ran {
    stop: Stop,
}

/// Phase 4: model and tools take turns until the turn stops; one whose loop was over when the log broke off is not run
/// again.
async fn agent_loop(session: &mut Session, prompted: Prompted) -> Result<Ran, AgentError> {
    if let Some(stop) = session.journal.conversation().stopped() {
        return Ok(Ran { stop });
    }
    let mut routing = prompted.routing;
    loop {
        let cx = session.turn_context().routing(std::mem::take(&mut routing));
        let stop = match drive(&mut session.journal, &cx, &mut session.inbox, &mut session.closed).await {
            Err(AgentError::Problem(problem)) => thrown(session, problem)?,
            other => other?,
        };
        if let Some(model) = cx.chosen_model() {
            session.main_model = model;
        }
        let Some(attempt) = session.journal.conversation().next_attempt().filter(|_| !session.closed) else {
            return Ok(Ran { stop });
        };
        repair::begin(session, attempt, stop).await;
        assemble_anew(session).await;
    }
}

/// A problem of Ox's own ends an attempt like any other failure.
fn thrown(session: &mut Session, problem: Problem) -> Result<Stop, AgentError> {
    session.journal.note(Event::Error { problem });
    session.journal.record(Event::Stopped { stop: Stop::Internal })?;
    Ok(Stop::Internal)
}

/// The prompt of a further attempt: the sections as the project is now, and what is known of the failure.
async fn assemble_anew(session: &mut Session) {
    let frames = session.journal.frames();
    let failure = frames.iter().rev().find_map(|it| match &it.event {
        Event::Repair(repair) => Some(repair.diagnosis.clone()),
        _ => None,
    });
    let prompt = frames.iter().rev().find_map(|it| match &it.event {
        Event::TurnStart { prompt, continues: false, .. } => Some(prompt.clone()),
        _ => None,
    });
    let (mode, checks) = (session.journal.conversation().own_mode(), session.journal.conversation().checks().to_vec());
    let mut sections = sections(session, mode, &prompt.unwrap_or_default(), &checks, &mut Routing::default()).await;
    sections.extend(failure.map(|text| Section { name: "repair".to_owned(), tokens: estimate(&text), text }));
    let context = unsent(session.journal.frames(), sections);
    session.journal.note(Event::Prompted { system: None, tools: None, context });
}

/// A turn with its summary.
struct Answered {
    stop: Stop,
    summary: Summary,
}

/// Phase 5: what was done is summed up.
fn final_response(session: &mut Session, ran: Ran) -> Answered {
    let summary = summary(&session.journal, session.env.checkpoints.as_ref(), session.env.tree.root());
    Answered { stop: ran.stop, summary }
}

/// Phase 6: the summary is put on record.
fn write_result(session: &mut Session, answered: Answered) -> Stop {
    session.journal.note(Event::Summary { summary: answered.summary });
    answered.stop
}

/// True for a variable of the environment that a key can be taken from.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|it| !it.is_empty())
}

/// What follows from the end of a turn: advice, what was learnt of models, the last checkpoint, the user's hooks.
async fn after_loop(session: &mut Session, stop: Stop) {
    if let Stop::ModelFailed { kind } = stop
        && let Some(problem) = advice(&session.settings, &session.main_model.facts().name, kind, is_set)
    {
        session.journal.note(Event::Error { problem });
    }
    lacks::keep(&session.state, &session.settings, session.journal.frames());
    let now = (session.env.clock.now)();
    let kept = checkpoint_guard::after_turn(session.env.checkpoints.as_ref(), &session.journal, now).await;
    kept.into_iter().for_each(|event| session.journal.note(event));
    let trigger = HookTrigger::after(&session.journal, stop);
    if trigger.is_due() {
        let said = trigger.run(&session.env, Arc::default()).await;
        said.into_iter().for_each(|event| session.journal.note(event));
    }
}
