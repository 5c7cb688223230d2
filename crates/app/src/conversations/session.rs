//! Holding a conversation: everything that a session needs, put together from the project.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use ox_agent::Editor;
use ox_agent::project_index::{self, ProjectIndex};
use ox_agent::subagents::kinds::AgentKinds;
use ox_agent::{Clock, OpenFiles, Session, SessionEnv, Setup, server_checks};
use ox_checks::Scratch;
use ox_checks::fix::{self, Edited, Fixed};
use ox_checks::red_green::Without;
use ox_client::{Client, pair};
use ox_config::state::granted_rules;
use ox_config::trust::TrustState;
use ox_lsp::Servers;
use ox_model::Model;
use ox_model::cassette::{Head, Recorder};
use ox_protocol::{
    ApprovalPolicy, BoxFuture, CHECKS_RULE, Check, CheckReport, CheckResult, ConversationId, Event, Fixer, FixerConfig,
    Problem, Rights, Rule, RuleAction, Runner,
};
use ox_repo::{Checkpoints, Hash, Tree};
use ox_store::{Info, Log, Store};
use ox_tools::ToolEnv;

use crate::project::models::{Reach, open_model};
use crate::project::{Project, no_tree};

/// What shapes a session beside the project's settings.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// A stored conversation to go on with; a new one where there is none.
    pub resume: Option<ConversationId>,
    /// Name of a new conversation.
    pub name: Option<String>,
    /// True when nobody can be asked. Edits are then accepted unless somebody said otherwise: a run that may not edit and
    /// cannot ask is of no use.
    pub headless: bool,
    /// The model, where it is neither the project's nor that of the stored conversation.
    pub model: Option<String>,
    /// A command that has to pass before the end.
    pub until: Option<String>,
    /// Folder of the `manual` model's exchange.
    pub manual_dir: Option<PathBuf>,
    /// File that the traffic with all models is recorded to.
    pub record: Option<PathBuf>,
    /// What the user adds to the system prompt; empty for nothing.
    pub system: String,
    /// Without the code index: it is neither read nor refreshed.
    pub no_index: bool,
    /// The editor that the user has files of the project open in, where it can be asked.
    pub editor: Option<Arc<dyn Editor>>,
    /// Where nothing is to stay: a folder that is gone afterwards, for what has to be on disk meanwhile.
    pub ephemeral: Option<PathBuf>,
}

/// How long the command that is the goal may run: it may be a whole suite.
const GOAL_LIMIT_MS: u64 = 600_000;

/// The project's checks, and behind them the goal where there is one; or the goal `alone`.
fn with_goal(find: Arc<ProjectChecks>, tree: Tree, goal: Option<Check>, alone: bool) -> BoxFuture<'static, Vec<Check>> {
    Box::pin(async move {
        let mut checks = if alone { Vec::new() } else { find.find(tree).await };
        checks.extend(goal);
        checks
    })
}

/// A session that is open, before anybody serves it.
pub struct OpenedSession {
    /// The end of whoever speaks and listens.
    pub client: Client,
    /// The end that works; it lasts until the client leaves.
    pub session: Session,
}

/// Why a collector does not get what it should.
fn unsent(endpoint: &str, why: String) -> Problem {
    Problem::new("telemetry.unsent").with("endpoint", endpoint).with("why", why)
}

/// Sends the collector what is left, at the end of the process and outside any runtime.
pub fn finish_telemetry() {
    ox_telemetry::finish().unwrap_or_else(|(endpoint, why)| crate::notice::tell(&unsent(&endpoint, why)));
}

/// Sends the collector what is left of conversations that are over, outside any runtime.
pub fn flush_telemetry() {
    ox_telemetry::flush().unwrap_or_else(|(endpoint, why)| crate::notice::tell(&unsent(&endpoint, why)));
}

impl OpenedSession {
    /// Opens the session that `setup` describes.
    pub fn open(setup: Setup) -> Result<OpenedSession, Problem> {
        let (client, side) = pair();
        let collector = setup.settings.telemetry.clone();
        let session = Session::open(setup, side)?;
        if let Some(endpoint) = collector
            && let Err(why) = ox_telemetry::follow(&endpoint, &client.hub())
        {
            crate::notice::tell(&unsent(&endpoint, why));
        }
        Ok(OpenedSession { client, session })
    }
}

impl Project {
    /// Everything that a session with the project's own model needs.
    pub fn setup(mut self, options: SessionOptions) -> Result<Setup, Problem> {
        self.accept_edits_of(&options);
        let cassette = options.record.as_ref().map(|path| self.cassette(path)).transpose()?;
        let stored = match &options.resume {
            _ if options.model.is_some() => options.model.clone(),
            Some(id) if self.settings.model.is_none() => model_of(self.store()?.as_ref(), id)?,
            _ => None,
        };
        let reach = Reach { manual_dir: options.manual_dir.clone(), cassette };
        let model = self.model(stored.as_deref(), &reach)?;
        self.assembled(options, model, reach)
    }

    /// The same with a model that is already open.
    pub fn setup_with(mut self, options: SessionOptions, model: Arc<dyn Model>) -> Result<Setup, Problem> {
        self.accept_edits_of(&options);
        self.assembled(options, model, Reach::default())
    }

    fn accept_edits_of(&mut self, options: &SessionOptions) {
        if options.headless && !self.settings.origins.contains_key("approval") {
            self.settings.approval = ApprovalPolicy::AcceptEdits;
        }
    }

    /// Whoever gives a command as the goal consents to it, and to no check of a project that is not trusted: where nobody can be
    /// asked about these and no rule speaks of them, the goal is the only check. True then.
    fn goal_alone(&mut self, options: &SessionOptions) -> bool {
        let about = |it: &&Rule| it.tool == CHECKS_RULE && it.pattern.is_none();
        let asked_about = options.headless && self.trust.state != TrustState::Trusted;
        if options.until.is_none() || !asked_about || self.settings.rules.iter().any(|it| about(&it)) {
            return false;
        }
        self.settings.rules.push(Rule { action: RuleAction::Allow, tool: CHECKS_RULE.to_owned(), pattern: None });
        true
    }

    fn assembled(mut self, options: SessionOptions, model: Arc<dyn Model>, reach: Reach) -> Result<Setup, Problem> {
        let tree = self.tree()?;
        let runner: Arc<dyn Runner> = Arc::new(self.sandbox()?);
        try_beside(runner.clone());
        let index = (!options.no_index).then(|| self.index_beside(&tree, runner.clone())).flatten();
        let trusted = self.trust.state == TrustState::Trusted;
        let (extensions, plugins) = self.extensions_and_plugins();
        self.settings.hooks.extend(extensions.hooks.iter().map(|it| it.hook.clone()));
        // Programs that a project brings run only where somebody trusted it, not already where it asks for nothing.
        let policy = self.sandbox_policy();
        let tools = Arc::new(ToolEnv {
            mcp: self.mcp_servers(runner.clone(), &policy, &plugins),
            servers: Arc::new(Servers::new(trusted)),
            paint: self.painter(&model.facts().name),
            open_pull_request: Some(self.opens_pull_requests()),
            sandbox_policy: Arc::new(policy),
            ..ToolEnv::new(runner)
        });
        let checks = Arc::new(ProjectChecks {
            configured: self.settings.checks.clone().unwrap_or_default(),
            fixers: self.settings.fixers.clone(),
            tree: tree.clone(),
            tools: tools.clone(),
            scratch: Scratch::default(),
            fixers_scratch: Scratch::default(),
        });
        let alone = self.goal_alone(&options);
        let goal = options.until.as_deref().map(|it| Check::goal(it, GOAL_LIMIT_MS));
        let (find, partly, find_fixers, run_fixers) = (checks.clone(), checks.clone(), checks.clone(), checks.clone());
        let settings = self.settings.clone();
        let (state, root) = (self.paths.state_dir.clone(), self.root.clone());
        let place = Hash::of(root.as_os_str().as_encoded_bytes()).to_string();
        // Of a session that leaves nothing, only the locks and the socket stand where those of others do.
        let kept = options.ephemeral.as_ref().unwrap_or(&state);
        let kept_checks = ox_checks::Kept::new(kept.join("checks").join(place));
        let checkpoints = Checkpoints::open(kept, &tree).map_err(no_tree)?;
        let store = match &options.ephemeral {
            Some(_) => Arc::new(Store::in_memory()?),
            None => self.store()?,
        };
        let clock = Clock::real();
        let open_files = options.editor.clone().map(|it| OpenFiles::new(it, (clock.now)()));
        let env = SessionEnv {
            store,
            open_model: Arc::new(move |name| open_model(&settings, Some(name), &reach)),
            fallback: self.settings.fallback.clone(),
            keep_iterations: self.settings.keep_iterations,
            index,
            run_tool: ox_agent::real_tools(),
            preview: ox_tools::Toolbox::preview,
            find_checks: Arc::new(move |tree| with_goal(find.clone(), tree, goal.clone(), alone)),
            run_checks: Arc::new(move |which| checks.clone().run(which)),
            find_fixers: Arc::new(move |tree| ox_checks::fixers(tree, find_fixers.fixers.as_deref())),
            run_fixers: Arc::new(move |fixers, edited| run_fixers.clone().fix(fixers, edited)),
            run_without: Some(Arc::new(move |check, without| partly.clone().run_without(check, without))),
            kept_checks: Some(Arc::new(kept_checks)),
            untrusted: !trusted,
            checkpoints: Some(checkpoints),
            remember: Arc::new(move |rule| granted_rules::add(&state, &root, rule).map(drop)),
            clock,
            open_files,
            toolbox: Arc::default(),
            agents: Arc::new(AgentKinds::of(&extensions.agents)),
            extensions: Arc::new(extensions),
            tree,
            tools,
        };
        let SessionOptions { resume, name, headless, system, .. } = options;
        Ok(Setup { settings: self.settings, env, model, resume, name, headless, system, state: self.paths.state_dir })
    }

    /// The index, and its first refresh beside the rest of the start. Without an index there are still all other tools.
    fn index_beside(&self, tree: &Tree, runner: Arc<dyn Runner>) -> Option<ProjectIndex> {
        let index = ProjectIndex::open(tree, &project_index::folder(&self.settings, &self.paths), runner).ok()?;
        // Who wants nothing from the index does not pay for it.
        let wanted = self.settings.context_tokens;
        if wanted != Some(0) {
            index.begin_ahead(wanted.is_some());
        }
        self.embed_or_tell(&index);
        Some(index)
    }

    /// Begins a cassette of the traffic with all models of a session.
    fn cassette(&self, path: &std::path::Path) -> Result<Recorder, Problem> {
        let settings = &self.settings;
        let allowed = settings.rules.iter().filter(|it| it.action == RuleAction::Allow);
        let head = Head {
            ox: env!("CARGO_PKG_VERSION").to_string(),
            root: self.root_name(),
            mode: Some(settings.mode),
            approval: Some(settings.approval),
            effort: settings.effort,
            allow: allowed.map(ToString::to_string).collect(),
            scope: settings.scope.clone(),
            ..Head::default()
        };
        let unwritable =
            |error| Problem::new("model.cassette_unwritable").with("path", path.display()).with("reason", error);
        Recorder::create(path, head).map_err(unwritable)
    }

    /// Opens a conversation of the project as it is configured now, and serves it on the runtime: the one whose id begins
    /// with `resume`, else a new one. Beside the client comes the name of the model that answers next.
    pub fn open_conversation(&self, resume: Option<&str>) -> Result<(Client, String), Problem> {
        let project = self.reopened()?;
        let resume = resume.map(|it| project.conversation_to_resume(Some(it))).transpose()?;
        let setup = project.setup(SessionOptions { resume, ..SessionOptions::default() })?;
        let model = setup.model.facts().name.clone();
        let OpenedSession { client, session } = OpenedSession::open(setup)?;
        tokio::spawn(session.serve());
        Ok((client, model))
    }

    /// The stored conversation whose id begins with `prefix`; without one the newest of this project that has begun.
    pub fn conversation_to_resume(&self, prefix: Option<&str>) -> Result<ConversationId, Problem> {
        let store = self.store()?;
        if let Some(prefix) = prefix {
            return Ok(store.find(prefix)?.id);
        }
        let root = self.root_name();
        let newest = store.list(Some(&root), usize::MAX)?.into_iter().find(Info::has_begun);
        newest.map(|it| it.id).ok_or_else(|| Problem::new("usage.nothing_to_resume").with("root", root))
    }
}

/// The checks of a project as a session finds and runs them.
struct ProjectChecks {
    configured: Vec<ox_protocol::CheckConfig>,
    fixers: Option<Vec<FixerConfig>>,
    tree: Tree,
    tools: Arc<ToolEnv>,
    scratch: Scratch,
    /// Another copy than that of the checks: what a fixer leaves there is not what the project is.
    fixers_scratch: Scratch,
}

impl ProjectChecks {
    /// What checks may do; each has its own time.
    fn rights(&self, tree: &Tree) -> Rights {
        self.tools.sandbox_policy.rights(tree.root(), tree.added(), Duration::MAX)
    }

    fn find(self: Arc<Self>, tree: Tree) -> BoxFuture<'static, Vec<Check>> {
        Box::pin(async move {
            let found = ox_checks::discover(&tree, &self.configured);
            let rights = self.rights(&tree);
            ox_checks::seen_from_inside(found, &tree, self.tools.runner.as_ref(), &rights).await
        })
    }

    fn run(self: Arc<Self>, checks: Vec<Check>) -> BoxFuture<'static, CheckReport> {
        Box::pin(async move {
            let (tree, runner) = (&self.tree, self.tools.runner.as_ref());
            let rights = self.rights(tree);
            let report = ox_checks::run(&checks, tree, runner, &rights, &self.scratch, None).await;
            server_checks::with_servers(report, tree, &self.tools).await
        })
    }

    fn fix(self: Arc<Self>, fixers: Vec<Fixer>, edited: Vec<Edited>) -> BoxFuture<'static, Fixed> {
        Box::pin(async move {
            let (tree, runner) = (&self.tree, self.tools.runner.as_ref());
            let place = fix::Place { tree, runner, rights: &self.rights(tree), scratch: &self.fixers_scratch };
            fix::fix(&fixers, &edited, &place).await
        })
    }

    fn run_without(self: Arc<Self>, check: Check, without: Arc<Without>) -> BoxFuture<'static, CheckResult> {
        Box::pin(async move {
            let (tree, runner) = (&self.tree, self.tools.runner.as_ref());
            let rights = self.rights(tree);
            ox_checks::run_without(&check, &without, tree, runner, &rights, &self.scratch).await
        })
    }
}

/// Finds out beside the rest of the start whether commands can be isolated: it takes as long as all of that.
fn try_beside(runner: Arc<dyn Runner>) {
    // Without the thread it is found out when it is first asked.
    let _ = std::thread::Builder::new().name("sandbox".to_owned()).spawn(move || runner.isolated());
}

/// The model that a stored conversation was last held with.
fn model_of(log: &dyn Log, id: &ConversationId) -> Result<Option<String>, Problem> {
    let history = log.read(id)?;
    Ok(history.frames.iter().rev().find_map(|it| match &it.event {
        Event::TurnStart { model, .. } => Some(model.name.clone()),
        Event::ModelSet { model } => Some(model.clone()),
        _ => None,
    }))
}
