//! Agent speed: a real session with the real tools over a temporary project; only the model, the checks, time and the
//! user come from the script.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ox_agent::project_index::ProjectIndex;
use ox_agent::{PreviewCall, RunTool, Session, SessionEnv, Setup};
use ox_checks::Scratch;
use ox_checks::fix::{Edited, Fixed, Place};
use ox_client::pair;
use ox_model::Model;
use ox_protocol::{BoxFuture, Command, ConversationId, Event, Fixer, Frame, Problem, Rights, ToolFormat};
use ox_repo::{Checkpoints, Tree};
use ox_store::Store;

use crate::error::ScenarioError;
use crate::files::{Files, put, write_project};
use crate::knobs::{Knobs, ROUTER};
use crate::moves::{pytest, the_check};
use crate::speed::gate::Gate;
use crate::speed::played;
use crate::speed::servers::Servers;
use crate::speed::stage::Stage;
use crate::story::{BEGINNING, Halt, Story};
use crate::text::Doc;

/// The longest that a scenario may take, in real time.
const LONGEST: Duration = Duration::from_secs(60);

/// What stands around a session in place of the real thing.
#[derive(Default)]
pub struct Outside {
    /// Serves the model's replies where there is one; the script itself otherwise.
    pub provider: Option<Arc<dyn Model>>,
    /// The results of tools come from the file.
    pub plays_tools: bool,
}

/// Runs a scenario and returns it as it went, with its log.
pub fn run(doc: &Doc, knobs: &Knobs, outside: &Outside) -> Result<(Doc, Vec<Frame>), ScenarioError> {
    alone(play(doc, knobs, outside))
}

/// Does the work in a runtime of its own. A tool that did not end when it was told to is left behind.
pub(super) fn alone<T>(work: impl Future<Output = Result<T, ScenarioError>>) -> Result<T, ScenarioError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    result
}

/// The same within a runtime, which has to be of one thread for the story to go the same way each time.
pub(crate) async fn play(doc: &Doc, knobs: &Knobs, outside: &Outside) -> Result<(Doc, Vec<Frame>), ScenarioError> {
    let folder = tempfile::Builder::new().prefix("ox-scenario-").tempdir()?;
    let root = folder.path().canonicalize()?.join("project");
    std::fs::create_dir(&root)?;
    write_project(doc, &root, BEGINNING)?;
    if let Some(branch) = &knobs.git {
        std::fs::create_dir_all(root.join(".git"))?;
        std::fs::write(root.join(".git/HEAD"), format!("ref: refs/heads/{branch}\n"))?;
    }
    let before = Arc::new(Mutex::new(Files::look(&root)?));
    let change = {
        let (before, root) = (before.clone(), root.clone());
        Box::new(move |path: &str, section: &_, time| {
            put(&root, path, section, time)?;
            before.lock().unwrap_or_else(PoisonError::into_inner).take_over(path, &Files::look(&root)?);
            Ok(())
        })
    };
    let servers = Servers::start(doc, knobs).await?;
    let mut story = Story::new(doc, &root.to_string_lossy(), change)?;
    servers.hide(&mut story.scribe);
    story.scribe.hide(&root.parent().unwrap_or(&root).to_string_lossy(), "");
    story.scribe.hide(&format!("Project `project`, {},", std::env::consts::OS), "Project `project`, linux,");
    let store = Store::in_memory().map_err(ox_agent::AgentError::from)?;
    let stage = Stage::new(story, Arc::new(store));
    let tools: (RunTool, PreviewCall) = match outside.plays_tools {
        true => (played::tools(doc, &stage), |_, _, _| None),
        false => (ox_agent::real_tools(), ox_tools::Toolbox::preview),
    };
    let (behind, places) = (outside.provider.clone(), (root.as_path(), folder.path()));
    let env = || env(&stage, knobs, places, behind.clone(), tools.clone(), &servers);
    let lived = tokio::time::timeout(LONGEST, live(&stage, knobs, folder.path(), &env)).await;
    let Ok(lived) = lived else {
        let story = stage.lock();
        let last: Vec<String> = story.scribe.written.iter().rev().take(3).rev().map(ToString::to_string).collect();
        let events = crate::show::events(&story.frames[story.frames.len().saturating_sub(12)..], true);
        return Err(ScenarioError::Story(format!(
            "it takes longer than {LONGEST:?}; the last sections:\n{}the last events:\n{events}",
            last.concat()
        )));
    };
    lived?;
    let before = before.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let happened = finish(doc, &stage, &Files::look(&root)?, &before)?;
    let frames = stage.lock().frames.clone();
    Ok((happened, frames))
}

/// Sessions one after the other, as often as the process is killed.
async fn live(
    stage: &Arc<Stage>,
    knobs: &Knobs,
    folder: &Path,
    env: &dyn Fn() -> Result<(SessionEnv, Arc<dyn Model>), ScenarioError>,
) -> Result<(), ScenarioError> {
    loop {
        let (client, side) = pair();
        stage.connect(client.sender());
        let resume = conversation(&stage.lock().frames);
        let is_resumed = resume.is_some();
        let (env, model) = env()?;
        let session = Session::open(
            Setup {
                settings: knobs.settings.clone(),
                env,
                model,
                resume,
                name: None,
                headless: knobs.headless || knobs.headless_after_crash && is_resumed,
                system: String::new(),
                state: folder.join("state"),
            },
            side,
        )?;
        let broken_off = is_running(&stage.lock().frames);
        stage.play(|story| match broken_off {
            true if knobs.headless_after_crash => story.outbox.push_back(Command::Continue),
            true => story.resume(),
            false => story.idle(),
        });
        let served = tokio::select! {
            biased;
            served = session.serve() => served,
            _ = stage.halted() => Ok(None),
        };
        drop(client);
        match stage.lock().halt.take() {
            Some(Halt::Crash) => {}
            Some(Halt::Fault(why)) => return Err(ScenarioError::Story(why)),
            None => {
                served?;
                return Ok(());
            }
        }
    }
}

fn env(
    stage: &Arc<Stage>,
    knobs: &Knobs,
    (root, folder): (&Path, &Path),
    behind: Option<Arc<dyn Model>>,
    (run_tool, preview): (RunTool, PreviewCall),
    servers: &Servers,
) -> Result<(SessionEnv, Arc<dyn Model>), ScenarioError> {
    let xml = behind.is_none() && knobs.facts.tools == ToolFormat::Xml;
    let facts = behind.as_ref().map_or(&knobs.facts, |it| it.facts()).clone();
    let gate = Gate {
        stage: stage.clone(),
        facts: ox_protocol::ModelFacts { name: knobs.facts.name.clone(), ..facts },
        behind,
        routes: None,
    };
    let (others, spares, answers) = (knobs.others(), stage.clone(), gate.behind.clone());
    let routes = Arc::new(Mutex::new(knobs.routes.clone().into()));
    let spare = move |facts: &ox_protocol::ModelFacts| -> Arc<dyn Model> {
        let routes = (facts.name == ROUTER).then(|| routes.clone());
        Arc::new(Gate { stage: spares.clone(), facts: facts.clone(), behind: answers.clone(), routes })
    };
    let model: Arc<dyn Model> = if xml { Arc::new(ox_model::xml::Xml::new(gate)) } else { Arc::new(gate) };
    let check = if knobs.pytest { pytest() } else { the_check() };
    let checks = if knobs.checks { vec![check] } else { Vec::new() };
    let tree = Tree::open(root, &[]).map_err(ox_agent::AgentError::from)?;
    let kept = || Checkpoints::open(&folder.join("state"), &tree).map_err(ox_agent::AgentError::from);
    let checkpoints = knobs.checkpoints.then(kept).transpose()?;
    let tools = servers.tool_env(root, folder)?;
    let (fixers, root) = (knobs.fixers.clone(), tree.clone());
    let index = knobs.index.then(|| indexed(&tree, folder)).transpose()?;
    let env = SessionEnv {
        tree,
        tools: Arc::new(tools),
        store: stage.clone(),
        open_model: Arc::new(move |name| match others.iter().find(|it| it.name == name) {
            Some(facts) => Ok(spare(facts)),
            None => Err(Problem::new("model.unknown").with("model", name)),
        }),
        fallback: knobs.settings.fallback.clone(),
        keep_iterations: knobs.settings.keep_iterations,
        index,
        run_tool,
        preview,
        find_checks: Arc::new(move |_| Box::pin(std::future::ready(checks.clone()))),
        run_checks: stage.run_checks(),
        find_fixers: Arc::new(move |_| fixers.clone()),
        run_fixers: Arc::new(move |fixers, edited| fix(root.clone(), fixers, edited)),
        run_without: None,
        kept_checks: None,
        untrusted: false,
        checkpoints,
        remember: Arc::new(|_| Ok(())),
        clock: stage.clock(),
        open_files: None,
        toolbox: Arc::default(),
        agents: Arc::default(),
        extensions: Arc::default(),
    };
    Ok((env, model))
}

/// Runs fixers for real, over a copy.
fn fix(tree: Tree, fixers: Vec<Fixer>, edited: Vec<Edited>) -> BoxFuture<'static, Fixed> {
    Box::pin(async move {
        let rights = Rights::command(tree.root().to_owned(), LONGEST);
        let place = Place { tree: &tree, runner: &ox_sandbox::Plain, rights: &rights, scratch: &Scratch::default() };
        ox_checks::fix::fix(&fixers, &edited, &place).await
    })
}

/// The index of the project, brought up to date.
fn indexed(tree: &Tree, folder: &Path) -> Result<ProjectIndex, ScenarioError> {
    let opened = ProjectIndex::open(tree, &folder.join("index"), Arc::new(ox_sandbox::Plain));
    let index = opened.map_err(|it| ScenarioError::Story(it.to_string()))?;
    index.refresh(false, &|_| {}).map_err(|it| ScenarioError::Story(it.to_string()))?;
    Ok(index)
}

fn conversation(frames: &[Frame]) -> Option<ConversationId> {
    frames.iter().find_map(|it| match &it.event {
        Event::ConversationId { id, .. } => Some(id.clone()),
        _ => None,
    })
}

fn is_running(frames: &[Frame]) -> bool {
    let own = frames.iter().rev().filter(|it| it.conversation.parent().is_none());
    let last = own.into_iter().find(|it| matches!(it.event, Event::TurnStart { .. } | Event::Completion { .. }));
    last.is_some_and(|it| matches!(it.event, Event::TurnStart { .. }))
}

/// What was written, with the changed files before the last word.
fn finish(doc: &Doc, stage: &Stage, files: &Files, before: &Files) -> Result<Doc, ScenarioError> {
    let story = stage.lock();
    if let Some(why) = story.unfinished() {
        return Err(ScenarioError::Story(why));
    }
    let mut sections = story.scribe.written.clone();
    let end = sections.iter().rposition(|it| it.name.starts_with("stop: ")).unwrap_or(sections.len());
    sections.splice(end..end, files.since(before));
    Ok(Doc { title: doc.title.clone(), sections })
}
