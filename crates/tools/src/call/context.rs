//! What a running tool may use, and nothing else.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use globset::GlobBuilder;
use ox_githost::NewPullRequest;
use ox_lsp::Servers;
use ox_mcp::McpServers;
use ox_model::images::Painter;
use ox_protocol::{CallFacts, CheckLine, Exit, Job, Level, Mode, PathUse, Problem, Rights, Runner, ToolSpec};
use ox_repo::Tree;

use crate::call::consent::{CallConsent, opened};
use crate::session::code_index::CodeIndex;
use crate::session::project_files::ProjectFiles;
use crate::{
    call::error::ToolError, jobs::Jobs, session::checkpoints::TurnCheckpoints, session::read_log::ReadLog,
    session::sandbox_policy::SandboxPolicy, session::todo_board::TodoBoard,
};

/// Does the work of a tool on a thread where it may block. A panic in it is that call's failure and nobody else's.
pub(crate) async fn blocking<T: Send + 'static>(
    tool: &str,
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(ToolError::Broke { tool: tool.to_string(), what: error.to_string() }))
}

/// Receives each piece of a process's output.
type Live<'a> = &'a (dyn Fn(&[u8]) + Send + Sync);

/// How often a waiting call looks whether it is to stop.
const POLL: Duration = Duration::from_millis(20);

/// Opens the model that draws.
pub type OpenPainter = Arc<dyn Fn() -> Result<Painter, Problem> + Send + Sync>;

/// Pushes the branch `head` of the project and opens a pull request for it, to the host's default branch where `base` is empty;
/// gives the address of its page. It may block.
pub type OpenPullRequest = Arc<dyn Fn(NewPullRequest) -> Result<String, Problem> + Send + Sync>;

/// A tool as it is listed for a model that looks for one.
#[derive(Debug)]
pub(crate) struct Listed {
    /// As a model sees it.
    pub spec: ToolSpec,
    /// Its other names.
    pub aliases: String,
    /// True for a tool of somebody else, whose words are data.
    pub foreign: bool,
}

/// What all calls of a session use, set up once.
#[derive(Clone)]
pub struct ToolEnv {
    /// Starts processes.
    pub runner: Arc<dyn Runner>,
    /// What the model has read.
    pub reads: Arc<ReadLog>,
    /// Commands that run in the background; they end with the session.
    pub jobs: Arc<Jobs>,
    /// Language servers; they end with the session.
    pub servers: Arc<Servers>,
    /// MCP servers; one of them is started when it is first asked.
    pub mcp: McpServers,
    /// Opens the model that draws; none where no model is configured that does.
    pub paint: Option<OpenPainter>,
    /// Opens pull requests; none where nobody speaks to a git host.
    pub open_pull_request: Option<OpenPullRequest>,
    /// What is known of the project's code; none where there is no index.
    pub code: Option<CodeIndex>,
    /// What commands may reach.
    pub sandbox_policy: Arc<SandboxPolicy>,
}

impl ToolEnv {
    /// An environment in which nothing has happened, without index and drawing.
    pub fn new(runner: Arc<dyn Runner>) -> ToolEnv {
        ToolEnv {
            runner,
            reads: Arc::default(),
            jobs: Arc::default(),
            servers: Arc::default(),
            mcp: McpServers::default(),
            paint: None,
            open_pull_request: None,
            code: None,
            sandbox_policy: Arc::default(),
        }
    }
}

/// What one call may use: the session's environment, and what is the call's own. Cheap to clone.
#[derive(Clone)]
pub struct CallContext {
    env: Arc<ToolEnv>,
    /// The working tree, with the places that were consented to.
    pub tree: Tree,
    /// The todo list; one board for all calls of a turn.
    pub board: Arc<TodoBoard>,
    /// The kept states of the tree, where there are any.
    pub past: Option<TurnCheckpoints>,
    /// What earlier calls returned, whole, by their ids; filled for tools that need [`Need::Results`](crate::Need).
    pub results: Arc<BTreeMap<String, String>>,
    /// The last checks of the turn; filled for tools that need [`Need::Checks`](crate::Need).
    pub checked: Arc<[CheckLine]>,
    /// The names of the tools that the conversation was offered; none: those of the mode.
    pub offered: Option<Arc<[String]>>,
    /// The tools that are no part of the request; filled for tools that need them.
    pub(crate) directory: Arc<[Listed]>,
    /// What is missing from them, and why.
    pub(crate) missing: Arc<[String]>,
    /// The command lines of the project's checks; none where the project is not trusted.
    pub checks: Arc<[String]>,
    /// What the turn may do.
    pub mode: Mode,
    /// Globs that edits must stay within; empty means the whole project.
    pub scope: Vec<String>,
    /// Further scopes, each of which holds too.
    pub within: Vec<Vec<String>>,
    /// Set when the call is to stop; long work polls it.
    pub cancel: Arc<AtomicBool>,
    /// Receives output while a command runs, to show it.
    pub live: Arc<dyn Fn(&str) + Send + Sync>,
    /// True when the user was asked about exactly this call and said yes.
    pub asked: bool,
    /// What the user consented to for this call alone.
    pub(crate) consent: CallConsent,
}

impl Deref for CallContext {
    type Target = ToolEnv;

    fn deref(&self) -> &ToolEnv {
        &self.env
    }
}

impl DerefMut for CallContext {
    fn deref_mut(&mut self) -> &mut ToolEnv {
        Arc::make_mut(&mut self.env)
    }
}

impl CallContext {
    /// A context of build mode in which nobody listens.
    pub fn new(tree: Tree, env: Arc<ToolEnv>) -> CallContext {
        CallContext {
            env,
            tree,
            board: Arc::default(),
            past: None,
            results: Arc::default(),
            checked: Arc::default(),
            offered: None,
            directory: Arc::default(),
            missing: Arc::default(),
            checks: Arc::default(),
            mode: Mode::Build,
            scope: Vec::new(),
            within: Vec::new(),
            cancel: Arc::default(),
            live: Arc::new(|_| {}),
            asked: false,
            consent: CallConsent::default(),
        }
    }

    /// The project as language servers are asked about it.
    pub(crate) fn project(&self) -> ox_lsp::Project {
        let (root, added) = (self.tree.root(), self.tree.added());
        ox_lsp::Project {
            root: root.to_path_buf(),
            added: added.to_vec(),
            files: Arc::new(ProjectFiles(self.tree.clone())),
            runner: self.runner.clone(),
            rights: self.sandbox_policy.rights(root, added, Duration::ZERO),
            cancel: self.cancel.clone(),
        }
    }

    /// True when the call is to stop.
    pub(crate) fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Runs a process to its end. None: the call was to stop, and the process is killed with all that it started.
    pub(crate) async fn start(&self, job: Job, live: Option<Live<'_>>) -> Result<Option<Exit>, ToolError> {
        let running = self.runner.run(job, live);
        tokio::select! {
            biased;
            exit = running => Ok(Some(exit?)),
            () = self.stopped() => Ok(None),
        }
    }

    /// Resolves when the call is to stop.
    pub(crate) async fn stopped(&self) {
        while !self.cancelled() {
            tokio::time::sleep(POLL).await;
        }
    }

    /// The context of a call that was decided on. Of the places that need consent it opens those that the decision was
    /// about, as they were resolved then.
    pub(crate) fn consented(&self, decided: &CallFacts, now: &CallFacts) -> CallContext {
        // What the sandbox contains runs unasked, so no consent can be read out of it.
        let far = if self.asked { decided.level } else { decided.level_in_sandbox() };
        let asked = far == Level::System;
        let open =
            |it: &&PathUse| (asked && decided.paths.contains(it)) || self.sandbox_policy.kept(&it.path).is_some();
        let places: Vec<PathUse> = now.paths.iter().filter(open).cloned().collect();
        let reads = decided.command.is_some() && decided.level == Level::Read;
        let mut consent = CallConsent { reads, ..CallConsent::default() };
        if asked {
            consent.hosts.clone_from(&now.hosts);
            consent.paths.clone_from(&places);
            let outside = places.iter().filter(|it| it.write && it.path.starts_with('/')).map(|it| (&it.path).into());
            if let Some(line) = &now.command {
                let (write, made) = opened(outside.collect(), line);
                (consent.write, consent.made) = (write, Arc::new(made));
            }
        }
        CallContext { tree: self.tree.consenting(&places), consent, ..self.clone() }
    }

    /// Refuses a write to `rel` (relative to the root) that the turn's scope does not cover.
    pub(crate) fn within_scope(&self, rel: &str) -> Result<(), ToolError> {
        let outside = |globs: &&Vec<String>| !globs.is_empty() && !globs.iter().any(|glob| covers(glob, rel));
        let Some(globs) = std::iter::once(&self.scope).chain(&self.within).find(outside) else { return Ok(()) };
        Err(ToolError::Denied(format!(
            "`{rel}` is outside the allowed scope ({}); nothing was changed. Change only files within it, or ask the user to widen it.",
            globs.join(", ")
        )))
    }

    /// The rights of a command that runs for `time` at most: those of the session, and what was consented to for this call.
    pub(crate) fn rights(&self, time: Duration) -> Rights {
        let mut rights = self.sandbox_policy.rights(self.tree.root(), self.tree.added(), time);
        // A mode that changes nothing has no place to write, whatever was consented to.
        let changes = self.mode.may_change();
        rights.discard = !changes && !self.consent.reads;
        rights.write.extend(self.consent.write.iter().filter(|_| changes).cloned());
        rights.scratch = self.jobs.scratch().map(Path::to_path_buf);
        rights.network = self.consent.network(rights.network);
        let root = self.tree.root();
        let meets = |consented: &PathUse, name: &Path| {
            let path = root.join(&consented.path);
            path.starts_with(name) || name.starts_with(&path)
        };
        rights.open =
            self.consent.paths.iter().filter(|it| it.write && changes).map(|it| root.join(&it.path)).collect();
        rights.protect.retain(|name| !self.consent.paths.iter().any(|it| it.write && changes && meets(it, name)));
        rights.hide.retain(|name| !self.consent.paths.iter().any(|it| meets(it, name)));
        if self.consent.reads {
            rights.read_only();
        }
        rights
    }
}

/// True when the glob matches the path, as permission sees it; a glob that cannot be read covers nothing.
fn covers(glob: &str, rel: &str) -> bool {
    let glob = GlobBuilder::new(glob).literal_separator(true).build();
    glob.is_ok_and(|it| it.compile_matcher().is_match(rel))
}
