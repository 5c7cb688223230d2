//! Runs one sub-agent: what its session is opened with, and the turn that it does.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ox_client::{AgentSide, nested};
use ox_config::Settings;
use ox_core::{AgentRun, REVIEW};
use ox_model::Model;
use ox_protocol::{
    BoxFuture, Event, Frame, HookPoint, Limits, Mode, Problem, ReviewPolicy, Rules, Stop, Submission, Verification,
};
use ox_repo::Tree;
use ox_tools::{Jobs, ReadLog, ToolEnv, Toolbox};
use tokio::sync::mpsc::UnboundedSender;

use super::kinds::AgentKind;
use super::worktree::{Merge, Worktree};
use super::{result, tool};
use crate::session::{Nested, Session, Setup};
use crate::turn::context::TurnContext;
use crate::turn::model::asked;
use crate::{AgentError, Journal, SessionEnv, checkpoint_guard};

/// Runs a sub-agent to its end; one that a crash broke off goes on.
pub(crate) fn run(cx: &TurnContext, journal: &Journal, agent: &AgentRun) -> BoxFuture<'static, Vec<Event>> {
    let agent = agent.clone();
    let begun = begin(cx, journal, &agent);
    let (agents, cancel) = (cx.agents.clone(), cx.cancel.clone());
    Box::pin(async move {
        let ended = async {
            let Begun { setup, nested_in, inbox, side, task, own } = begun?;
            // Here and not before: work that was dropped a moment ago gives its log back first.
            let session = Session::open_nested(setup, nested_in, side)?;
            agents.begin(agent.conversation.clone(), inbox);
            if cancel.load(Ordering::Relaxed) {
                agents.interrupt();
            }
            let (stop, frames) = session.run_nested(task).await?;
            let merged = match own {
                Some((copy, merge)) => Some(copy.end(merge, agents.clone(), stop.exit_code() == 0, &frames).await),
                None => None,
            };
            Ok((stop, frames, merged))
        };
        let ended: Result<_, AgentError> = ended.await;
        agents.end(&agent.conversation);
        match ended {
            Ok((stop, frames, None)) => result::events(&agent, stop, &frames),
            Ok((stop, frames, Some(merged))) => result::merged(result::events(&agent, stop, &frames), merged),
            Err(error) => result::broke(&agent, result::why(&error.into())),
        }
    })
}

/// What a sub-agent is opened with.
struct Begun {
    setup: Setup,
    nested_in: Nested,
    inbox: UnboundedSender<Submission>,
    side: AgentSide,
    task: String,
    /// Its own copy of the project, where its kind has one.
    own: Option<(Worktree, Merge)>,
}

fn begin(cx: &TurnContext, journal: &Journal, agent: &AgentRun) -> Result<Begun, AgentError> {
    let request = &agent.request;
    let unknown = || Problem::new("agents.no_kind").with("kind", &request.kind);
    let mut kind = cx.env.agents.get(&request.kind).ok_or_else(unknown)?.clone();
    if agent.call.is_review() {
        // Whatever the user's own reviewer may do, this one was not asked for and changes nothing.
        kind.mode = Mode::Chat;
    }
    let kind = &kind;
    let stored = match cx.env.store.info(&agent.conversation) {
        Ok(_) => Some(agent.conversation.clone()),
        Err(ox_store::StoreError::NotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let own = match request.worktree && kind.mode.may_change() {
        // What it did in a copy that went with a crash stands in its log and nowhere else.
        true if stored.is_some() => return Err(Problem::new("agents.copy_lost").into()),
        true => Some((Worktree::make(&cx.env.tree)?, Merge::of(cx, journal, agent))),
        false => None,
    };
    let mut env = env(&cx.env, kind, &agent.limits);
    let mut rules = rights(journal.conversation().rules(), kind, &request.scope);
    if let Some((copy, _)) = &own {
        rules.reach = env.tools.sandbox_policy.reach(&copy.tree);
        in_copy(&mut env, copy.tree.clone());
    }
    let setup = Setup {
        settings: settings(&cx.agents.settings, kind, &agent.limits),
        env,
        model: model(cx, journal, kind, agent)?,
        resume: stored,
        name: None,
        headless: cx.agents.headless,
        system: String::new(),
        state: cx.agents.state.clone(),
    };
    let nested_in = Nested {
        id: agent.conversation.clone(),
        rules,
        words: kind.prompt.clone(),
        keeps_for: (journal.id().clone(), journal.conversation().turns()),
        changed: checkpoint_guard::changed_before(journal.frames()),
    };
    let task = match request.files.as_slice() {
        [] => request.task.clone(),
        files => format!("{}\n\nBegin with: {}", request.task, files.join(", ")),
    };
    let task = match agent.call.is_review() {
        true => format!("The task:\n{}", crate::summary::asked(crate::summary::this_turn(journal.frames()))),
        false => task,
    };
    let task = match kind.name == REVIEW {
        true => format!("{task}\n\n{}", result::change(cx, journal)),
        false => task,
    };
    let (inbox, side) = nested(journal.hub());
    Ok(Begun { setup, nested_in, inbox, side, task, own })
}

/// The configuration of a sub-agent: small, without memory and without the parent's verification, which follows anyway.
fn settings(settings: &Settings, kind: &AgentKind, limits: &Limits) -> Settings {
    let mut own = settings.clone();
    own.mode = kind.mode;
    own.limits = limits.clone();
    own.verification = Verification::Off;
    own.review = ReviewPolicy::Off;
    own.context_tokens = Some(0);
    own.memory_tasks = 0;
    own
}

/// The environment of a sub-agent: the same tree and sandbox, its own knowledge and commands, and the tools of its kind.
fn env(env: &SessionEnv, kind: &AgentKind, limits: &Limits) -> SessionEnv {
    let tools =
        ToolEnv { reads: Arc::new(ReadLog::default()), jobs: Arc::new(Jobs::default()), ..(*env.tools).clone() };
    let (own, may_spawn) = (kind.clone(), limits.agents.depth > 0);
    let keep = move |it: &ox_tools::Tool| own.has(it) && (may_spawn || it.name != tool::SPAWN);
    let toolbox: Toolbox = env.toolbox.only(keep);
    let checks = env.find_checks.clone();
    let changes = kind.mode.may_change();
    SessionEnv {
        tools: Arc::new(tools),
        toolbox: Arc::new(toolbox),
        find_checks: Arc::new(move |tree| match changes {
            true => checks(tree),
            false => Box::pin(std::future::ready(Vec::new())),
        }),
        // What a sub-agent edits is fixed with the rest of the turn.
        find_fixers: Arc::new(|_| Vec::new()),
        ..env.clone()
    }
}

/// The same in a copy of the project. Index, checkpoints and the project's checks belong to the project: it has none of them.
fn in_copy(env: &mut SessionEnv, tree: Tree) {
    env.toolbox = Arc::new(env.toolbox.only(|it| it.name != "run_checks"));
    env.find_checks = Arc::new(|_| Box::pin(std::future::ready(Vec::new())));
    (env.index, env.checkpoints) = (None, None);
    // What the user has open is not the copy.
    env.open_files = None;
    env.tree = tree;
}

/// The model of a kind: its own, that of its role, or that of its parent's turn.
fn model(cx: &TurnContext, journal: &Journal, kind: &AgentKind, agent: &AgentRun) -> Result<Arc<dyn Model>, Problem> {
    let roles = &cx.agents.settings.roles;
    let review = roles.review.clone().filter(|_| kind.name == REVIEW);
    // The turn's own reviewer is no part of the work that is handed to sub-agents.
    let role = review.or_else(|| roles.agent.clone().filter(|_| !agent.call.is_review()));
    match kind.model.clone().or(role) {
        Some(name) => (cx.env.open_model)(&name),
        None => asked(cx, journal),
    }
}

/// What a sub-agent may do: what its parent may, within the scopes of its kind and of the request. Hooks around calls hold
/// for it too; those around a turn are about the turns of the user.
fn rights(parent: Rules, kind: &AgentKind, scope: &[String]) -> Rules {
    let mut scopes = vec![scope.to_vec(), kind.scope.clone(), parent.scope];
    scopes.extend(parent.within);
    scopes.retain(|it| !it.is_empty());
    let first = if scopes.is_empty() { Vec::new() } else { scopes.remove(0) };
    let hooks = parent.hooks.into_iter().filter(|it| matches!(it.at, HookPoint::BeforeTool | HookPoint::AfterTool));
    Rules { scope: first, within: scopes, hooks: hooks.collect(), ..parent }
}

impl Session {
    /// Runs the one turn of a sub-agent, or goes on with it. How it ended, and its log.
    async fn run_nested(mut self, task: String) -> Result<(Stop, Vec<Frame>), AgentError> {
        let conversation = self.journal.conversation();
        let ended = conversation.turns() > 0 && !conversation.is_running();
        let stop = match conversation.last_stop().filter(|_| ended) {
            Some(stop) => stop,
            None => self.one_turn(task).await?,
        };
        Ok((stop, self.journal.frames().to_vec()))
    }
}
