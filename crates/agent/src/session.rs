//! A conversation while somebody is connected to it: what is opened, and what all that is done in it works with.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ox_client::{AgentSide, Hub};
use ox_config::Settings;
use ox_config::roles::{Role, Roles, once};
use ox_core::resume;
use ox_model::Model;
use ox_protocol::{
    BackgroundJob, BackgroundState, CallId, ConversationId, Delta, Effort, Event, Frame, Image, Mode, Problem, Rules,
    Seq, Submission, Verification,
};
use ox_repo::Tree;
use ox_store::{TreeLock, lock_conversation};
use ox_tools::{Jobs, ToolEnv, Watcher};
use tokio::sync::mpsc::{UnboundedReceiver, WeakUnboundedSender};

use crate::programs::Programs;
use crate::project_index::Background;
use crate::subagents::running::SubAgents;
use crate::subagents::tool;
use crate::turn::TurnContext;
use crate::{AgentError, Journal, SessionEnv, skill};

/// What a session is opened with.
pub struct Setup {
    /// The merged configuration.
    pub settings: Settings,
    /// What the session works with.
    pub env: SessionEnv,
    /// The model of the first turn.
    pub model: Arc<dyn Model>,
    /// A stored conversation to go on with; a new one where there is none.
    pub resume: Option<ConversationId>,
    /// Name of a new conversation.
    pub name: Option<String>,
    /// True when nobody can be asked.
    pub headless: bool,
    /// What the user adds to the system prompt; empty for nothing.
    pub system: String,
    /// Folder of the locks.
    pub state: PathBuf,
}

/// An open conversation.
pub struct Session {
    pub(crate) journal: Journal,
    pub(crate) env: Arc<SessionEnv>,
    /// The model of the next turn.
    pub(crate) main_model: Arc<dyn Model>,
    pub(crate) settings: Settings,
    pub(crate) headless: bool,
    /// What the user adds to the system prompt.
    system: String,
    pub(crate) state: PathBuf,
    /// Nobody else goes on with this conversation meanwhile.
    _lock: TreeLock,
    /// Keeps the index as fresh as the tree, once the session proves to be a long one.
    pub(crate) following: Option<Background>,
    /// The programs that commands find.
    pub(crate) programs: Programs,
    /// Where further clients send their commands.
    pub(crate) further: WeakUnboundedSender<Submission>,
    pub(crate) inbox: UnboundedReceiver<Submission>,
    pub(crate) closed: bool,
    /// What was asked while a command of the user's ran.
    pub(crate) waiting: VecDeque<Submission>,
    /// The last event before it was opened.
    began: Seq,
    /// Where it is a sub-agent of another conversation.
    pub(crate) nested: Option<Nested>,
    /// What its own sub-agents are begun with.
    pub(crate) agents: Arc<SubAgents>,
}

/// What makes a session that of a sub-agent.
pub(crate) struct Nested {
    /// Its conversation.
    pub id: ConversationId,
    /// What it may do.
    pub rules: Rules,
    /// What it reads of its part.
    pub words: String,
    /// The conversation and the turn that its checkpoints belong to.
    pub keeps_for: (ConversationId, u32),
    /// That turn has changed something already.
    pub changed: bool,
}

/// What a turn is to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnRequest {
    pub prompt: String,
    pub images: Vec<Image>,
    pub mode: Option<Mode>,
    pub continues: bool,
}

impl Session {
    /// Opens a conversation; `side` is told of what happens from now on.
    pub fn open(setup: Setup, side: AgentSide) -> Result<Session, AgentError> {
        let mut session = Session::over(setup, None, side)?;
        session.note_findings()?;
        Ok(session)
    }

    /// Opens the conversation of a sub-agent, or goes on with it.
    pub(crate) fn open_nested(setup: Setup, nested: Nested, side: AgentSide) -> Result<Session, AgentError> {
        let mut session = Session::over(setup, Some(nested), side)?;
        session.journal.commit()?;
        Ok(session)
    }

    /// What opening the tree and its checkpoints brought to light.
    fn note_findings(&mut self) -> Result<(), AgentError> {
        for recovery in self.env.tree.recovered() {
            self.journal.note(Event::Error { problem: recovered(&recovery) });
        }
        for words in self.env.checkpoints.iter().flat_map(ox_repo::Checkpoints::reported) {
            self.journal.note(Event::Error { problem: Problem::new("back.told").with("what", words) });
        }
        for problem in self.env.agents.problems.iter().chain(&self.env.extensions.problems) {
            self.journal.note(Event::Error { problem: problem.clone() });
        }
        self.journal.commit()
    }

    fn over(setup: Setup, nested: Option<Nested>, side: AgentSide) -> Result<Session, AgentError> {
        let Setup { settings, mut env, model: main_model, resume: stored, name, headless, system, state } = setup;
        let AgentSide { commands, further, hub } = side;
        let root = env.tree.root().to_string_lossy().into_owned();
        let (store, clock) = (env.store.clone(), env.clock.clone());
        let is_new = stored.is_none();
        let id = nested.as_ref().map(|it| it.id.clone()).or(stored).unwrap_or_else(|| clock.new_id());
        // Before anything is written: whoever runs it already would lose its log to this session.
        let lock = lock_conversation(&state, &id).map_err(|it| busy(&it))?;
        let mut journal = match is_new {
            true => Journal::create(id, &root, store, clock, hub)?,
            false => Journal::open(id, store, clock, hub)?,
        };
        let began = journal.conversation().seq();
        resume(journal.conversation()).into_iter().for_each(|event| journal.note(event));
        lost_jobs(journal.frames()).into_iter().for_each(|event| journal.note(event));
        if let Some(name) = name {
            journal.note(Event::Named { name });
        }
        if let Some(it) = &nested {
            journal.keep_for(it.keeps_for.0.clone(), it.keeps_for.1, it.changed);
        }
        let tools = Arc::make_mut(&mut env.tools);
        tools.jobs = Arc::new(Jobs::after(last_job(journal.frames())));
        tools.jobs.watched_by(shows_output(journal.hub().clone()));
        tools.code = env.index.as_ref().map(crate::code::of);
        env.open_model = once(env.open_model);
        if nested.is_none()
            && let Some(tool) = skill::tool(&env.extensions)
        {
            env.toolbox.add(tool);
        }
        if nested.is_none() && settings.limits.agents.depth > 0 {
            env.toolbox.add(tool::tool(&env.agents));
        }
        let agents = Arc::new(SubAgents::new(&settings, &state, headless));
        let session = Session {
            journal,
            env: Arc::new(env),
            main_model,
            settings,
            headless,
            system,
            state,
            _lock: lock,
            following: None,
            programs: Programs::Known(String::new()),
            further,
            inbox: commands,
            closed: false,
            waiting: VecDeque::new(),
            began,
            nested,
            agents,
        };
        session.restore_reads();
        Ok(session)
    }

    /// The conversation.
    pub fn id(&self) -> &ConversationId {
        self.journal.id()
    }

    /// What the loop of the turn that the journal holds works with.
    pub(crate) fn turn_context(&self) -> TurnContext {
        let model = self.model(self.journal.conversation().own_mode());
        let context =
            TurnContext::new(self.env.clone(), model, self.summary_model(), self.agents.clone(), &self.journal);
        context.with_router(self.role_model(Role::Router))
    }

    /// The model that sums up what leaves the window, where one is configured.
    pub(crate) fn summary_model(&self) -> Option<Arc<dyn Model>> {
        let roles = self.roles();
        roles.name(Role::Summary).map(|_| roles.open_or_main(Role::Summary))
    }

    /// The model of a role that is done by nobody else: none where none is configured, or where it cannot be opened.
    pub(crate) fn role_model(&self, role: Role) -> Option<Arc<dyn Model>> {
        // What a sub-agent is to do was decided by who began it.
        if self.nested.is_some() && role == Role::Router {
            return None;
        }
        let roles = self.roles();
        roles.name(role).and_then(|_| roles.open(role).ok())
    }

    /// The models by what they do.
    pub(crate) fn roles(&self) -> Roles {
        Roles::new(&self.settings, self.main_model.clone(), self.env.open_model.clone())
    }

    /// The model of a turn in this mode.
    pub(crate) fn model(&self, mode: Mode) -> Arc<dyn Model> {
        self.roles().open_or_main(if mode == Mode::Plan { Role::Planner } else { Role::Main })
    }

    /// The system prompt, with what the user adds behind it.
    pub(crate) fn system_prompt(&self) -> String {
        let words = ox_context::system_prompt();
        if self.system.trim().is_empty() { words } else { format!("{words}\n\n{}", self.system.trim()) }
    }

    /// How much the model of a turn reasons: as the user chose in this session, else as it is configured, else as it was
    /// chosen in this conversation before.
    pub(crate) fn effort(&self) -> Option<Effort> {
        let counts = |it: &&Frame| it.seq > self.began || self.settings.effort.is_none();
        let chosen = self.journal.frames().iter().rev().take_while(counts).find_map(|it| match it.event {
            Event::EffortSet { effort } => Some(effort),
            _ => None,
        });
        chosen.unwrap_or(self.settings.effort)
    }

    /// The permission policy of a turn.
    pub(crate) fn rules(&self) -> Rules {
        // What the user chose in this session; a session that goes on later asks as it is configured.
        let since = self.journal.frames().iter().rev().take_while(|it| it.seq > self.began);
        let chosen = since.filter_map(|it| match it.event {
            Event::ApprovalSet { policy } => Some(policy),
            _ => None,
        });
        let rules = self.configured_rules();
        Rules { approval: chosen.into_iter().next().unwrap_or(rules.approval), ..rules }
    }

    fn configured_rules(&self) -> Rules {
        if let Some(nested) = &self.nested {
            return Rules { headless: self.headless, ..nested.rules.clone() };
        }
        let env = &self.env;
        Rules { headless: self.headless, ..turn_rules(&self.settings, &env.tree, &env.tools, env.untrusted) }
    }

    /// Which checks a turn has to pass.
    pub(crate) fn verification(&self) -> Verification {
        self.settings.verification
    }

    /// A resumed conversation remembers which files the model has seen whole, as far as they are unchanged since.
    pub(crate) fn restore_reads(&self) {
        let tree = &self.env.tree;
        let mut seen = BTreeMap::new();
        for frame in ox_context::remembered(self.journal.frames()) {
            if let Event::ToolComplete { outcome, .. } = &frame.event {
                seen.extend(outcome.read.iter().filter(|it| it.whole).map(|it| (&it.path, &it.hash)));
            }
        }
        let unchanged = |(path, hash): (&String, &String)| {
            let now = tree.hash(path).ok().filter(|it| it.to_string() == *hash)?;
            Some((path.clone(), now))
        };
        self.env.tools.reads.restore(seen.into_iter().filter_map(unchanged));
    }
}

/// The permission policy of a turn at which somebody can be asked.
pub fn turn_rules(settings: &Settings, tree: &Tree, tools: &ToolEnv, untrusted: bool) -> Rules {
    Rules {
        approval: settings.approval,
        rules: settings.rules.clone(),
        scope: settings.scope.clone(),
        headless: false,
        // Where commands are not isolated, `auto` asks before each of them.
        isolated: tools.runner.isolated(),
        external: tools.runner.external(),
        reach: tools.sandbox_policy.reach(tree),
        not_isolated: tools.runner.not_isolated(),
        within: Vec::new(),
        untrusted,
        hooks: settings.hooks.clone(),
    }
}

/// The number of the last command that ran in the background in this conversation; 0 where none did.
fn last_job(frames: &[Frame]) -> u32 {
    let number = |it: &Frame| match &it.event {
        Event::Background(job) => job.id.rsplit('_').next()?.parse().ok(),
        _ => None,
    };
    frames.iter().filter_map(number).max().unwrap_or(0)
}

/// Shows what commands in the background print to those who follow the conversation.
fn shows_output(hub: Arc<Hub>) -> Watcher {
    let printed: Mutex<HashMap<String, u64>> = Mutex::default();
    Arc::new(move |job, text| {
        let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = printed.entry(job.to_owned()).or_default();
        hub.delta(Delta::output(CallId::of_job(job), *offset, text.to_owned()));
        *offset += text.len() as u64;
    })
}

/// The commands in the background that ended with an earlier Ox, which could not say so itself.
fn lost_jobs(frames: &[Frame]) -> Vec<Event> {
    let mut running: Vec<BackgroundJob> = Vec::new();
    for frame in frames {
        if let Event::Background(job) = &frame.event {
            running.retain(|it| it.id != job.id);
            if job.state == BackgroundState::Started {
                running.push(job.clone());
            }
        }
    }
    let lost = |job| Event::Background(BackgroundJob { state: BackgroundState::Lost, ..job });
    running.into_iter().map(lost).collect()
}

/// A transaction that a crash had cut short was taken back when the tree was opened; the user should know of it.
fn recovered(recovery: &ox_repo::Recovery) -> Problem {
    let copy =
        |it: &ox_repo::Kept| it.copy.as_ref().map_or_else(|| it.path.clone(), |copy| format!("{} → {copy}", it.path));
    let kept: Vec<String> = recovery.kept.iter().map(copy).collect();
    let code = if kept.is_empty() { "session.recovered" } else { "session.recovered_kept" };
    Problem::new(code).with("files", recovery.files.join(", ")).with("kept", kept.join(", "))
}

/// The problem that a turn meets when another process works on the tree.
pub(crate) fn busy(error: &ox_store::StoreError) -> Problem {
    error.problem()
}
