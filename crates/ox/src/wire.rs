//! Puts a session together: project root, configuration, store, model, tools, checks.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ox_agent::config::{self, Belief, Paths, Settings};
use ox_agent::knowledge::{self, Knowledge};
use ox_agent::login::Logins;
use ox_agent::roles::{self, Role};
use ox_agent::trust::{Look, Standing, Trust};
use ox_agent::{AgentError, Clock, Setup, World, checks, remembered};
use ox_model::cassette::{Head, Tape};
use ox_model::{Choice, Model};
use ox_protocol::locale::Language;
use ox_protocol::{Approval, ConversationId, Event, Image, Layer, Network, Problem, RuleAction};
use ox_repo::{Checkpoints, Tree};
use ox_sandbox::Sandbox;
use ox_store::{Log, Store, StoreError};
use ox_tools::Servers;

/// A problem on its way to the user.
#[derive(Debug)]
pub struct Told(pub Problem);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.code)
    }
}

impl std::error::Error for Told {}

/// A project with its configuration.
pub struct Opening {
    /// The project's root, absolute.
    pub root: PathBuf,
    /// Further folders.
    pub added: Vec<PathBuf>,
    /// The merged configuration.
    pub settings: Settings,
    /// Where Ox keeps its files.
    pub paths: Paths,
    /// How the project's own settings stand; they are in `settings` only where they count.
    pub trust: Look,
}

/// True once somebody said that the project's settings count for this run, whatever the record says.
static TRUSTED: AtomicBool = AtomicBool::new(false);

/// Lets the project's settings count for this run, whatever the record says.
pub fn trust_this_run() {
    TRUSTED.store(true, Ordering::Relaxed);
}

/// A variable of the process itself, never one that a file of the project set, may say so too.
fn trusted_this_run() -> bool {
    TRUSTED.load(Ordering::Relaxed) || env("OX_TRUST").is_some_and(|it| it == "1")
}

/// What else shapes a session.
#[derive(Default)]
pub struct Extras {
    /// Folder of the `manual` model's exchange.
    pub manual_dir: Option<PathBuf>,
    /// File that the model's traffic is recorded to.
    pub record: Option<PathBuf>,
    /// The same, once it is begun; all models of a session record to it.
    pub tape: Option<Tape>,
    /// A stored conversation to go on with.
    pub resume: Option<ConversationId>,
    /// Name of a new conversation.
    pub name: Option<String>,
    /// True when nobody can be asked.
    pub headless: bool,
}

/// A variable of the environment.
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The language of messages that come before the configuration is read.
pub fn language() -> Language {
    config::language(&env)
}

/// The problem that an error carries, if it carries one.
pub fn problem_of(error: &anyhow::Error) -> Option<Problem> {
    if let Some(Told(problem)) = error.downcast_ref() {
        return Some(problem.clone());
    }
    if let Some(error) = error.downcast_ref::<StoreError>() {
        return Some(error.problem());
    }
    match error.downcast_ref::<AgentError>()? {
        AgentError::Problem(problem) => Some(problem.clone()),
        AgentError::Store(error) => Some(error.problem()),
        AgentError::Repo(_) => None,
    }
}

/// Finds the project around the current folder and reads its configuration. Says where the project's own settings do
/// not count.
pub fn opening(flags: Layer, added: &[PathBuf]) -> anyhow::Result<Opening> {
    let opening = opening_quietly(flags, added)?;
    crate::cmd::trust::say_ignored(&opening);
    Ok(opening)
}

/// The same for a task in a terminal: whoever sits there is asked about settings that nobody has trusted.
pub fn opening_asking(flags: Layer, added: &[PathBuf]) -> anyhow::Result<Opening> {
    let opening = opening_quietly(flags.clone(), added)?;
    if ox_ui::is_interactive() && opening.trust.asks() && crate::cmd::trust::ask(&opening)? {
        return opening_quietly(flags, added);
    }
    crate::cmd::trust::say_ignored(&opening);
    Ok(opening)
}

/// The same without a word.
pub fn opening_quietly(flags: Layer, added: &[PathBuf]) -> anyhow::Result<Opening> {
    let here = std::env::current_dir().map_err(|error| Told(Problem::new("error.no_folder").with("why", error)))?;
    opening_at(&here, flags, added)
}

/// The same for the project around `folder`.
pub fn opening_at(folder: &Path, flags: Layer, added: &[PathBuf]) -> anyhow::Result<Opening> {
    let root = root_of(folder);
    if let Some(absent) = added.iter().find(|it| !it.is_dir()) {
        return Err(Told(Problem::new("usage.add_dir").with("path", absent.display())).into());
    }
    let paths = config::paths(&env).map_err(Told)?;
    let mut trust = Trust::open(&paths.state_dir).look(&root, Some(&paths.config_file()));
    if trusted_this_run() {
        trust.standing = Standing::Trusted;
    }
    let belief = if trust.counts() { Belief::Trusted } else { Belief::Ignored };
    let settings = config::load(&root, belief, flags, &env).map_err(Told)?;
    Ok(Opening { root, added: added.to_vec(), settings, paths, trust })
}

/// The nearest folder above that is a repository or has a configuration; the folder itself where there is none. The
/// home folder does not count: a repository of dot files is not the project of everything in it.
pub fn root_of(folder: &Path) -> PathBuf {
    let home = env("HOME").map(PathBuf::from);
    let marks = |it: &&Path| it.join(".git").exists() || it.join(".ox").is_dir();
    let found = folder.ancestors().filter(|it| Some(*it) != home.as_deref()).find(marks);
    found.unwrap_or(folder).to_path_buf()
}

/// Opens the store of conversations.
pub fn store(paths: &Paths) -> anyhow::Result<Arc<dyn Log>> {
    Ok(Arc::new(Store::open(&paths.database())?))
}

/// The name of the main model: the one that settings, flags and environment name, else the preset's at the first provider
/// that can be asked.
pub fn main_model(settings: &Settings) -> Result<String, Problem> {
    if let Some(name) = &settings.model {
        return Ok(name.clone());
    }
    let chosen = ox_model::choose(&choice(settings, None, &Extras::default()))?;
    Ok(settings.preset.and_then(|it| ox_model::presets::main(it, &chosen)).unwrap_or(chosen))
}

/// Opens a model by its name; the main one where none is named.
pub fn model(settings: &Settings, name: Option<&str>, extras: &Extras) -> Result<Arc<dyn Model>, Problem> {
    let name = name.map_or_else(|| main_model(settings), |it| Ok(it.to_string()))?;
    ox_model::open(&choice(settings, Some(name), extras))
}

/// The window of the main model; that of an unknown one where none can be opened.
pub fn window(settings: &Settings) -> ox_protocol::Tokens {
    let facts = model(settings, None, &Extras::default()).map(|it| it.facts().clone()).unwrap_or_default();
    facts.window
}

/// What settings and environment say of a model and how it is reached. None stands for the main one.
pub fn choice(settings: &Settings, model: Option<String>, extras: &Extras) -> Choice<'static> {
    let other = settings.base_url.is_some() && model.is_some() && model != settings.model;
    let choice = Choice {
        model,
        base_url: settings.base_url.clone(),
        providers: settings.providers.clone(),
        models: settings.models.clone(),
        timeouts: settings.timeouts,
        manual_dir: extras.manual_dir.clone(),
        record: extras.tape.clone(),
        env: &env,
        kept: &kept,
    };
    if other && let Ok(main) = main_model(settings) { choice.beside(&main) } else { choice }
}

/// What opens the model that draws beside the main one; none where none is named and the provider has none.
fn paint(settings: &Settings, main: &str) -> Option<ox_tools::Paint> {
    let name = roles::name_of(settings, main, Role::Image)?;
    let settings = settings.clone();
    let choice = move |name: &str| choice(&settings, Some(name.to_string()), &Extras::default());
    Some(Arc::new(move || ox_model::images::painter(&choice(&name), &name)))
}

/// The key that the user gave for a provider with `ox login`. What keeps the keys from being used is said once.
pub fn kept(provider: &str) -> Option<String> {
    static KEPT: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    let read = || {
        let read = config::paths(&env).and_then(|it| Logins::of(&it).all());
        read.unwrap_or_else(|problem| {
            crate::cmd::login::say(&problem);
            BTreeMap::new()
        })
    };
    KEPT.get_or_init(read).get(provider).cloned()
}

/// Makes every key that can be found here one that nothing shows, used or not.
pub fn know_keys(settings: &Settings) {
    let secret = |name: &str| {
        ox_sandbox::is_secret_name(name) || settings.providers.values().any(|it| it.key_env.as_deref() == Some(name))
    };
    for (name, value) in std::env::vars_os() {
        if let (Some(true), Some(value)) = (name.to_str().map(secret), value.to_str()) {
            ox_model::keys::know(value);
        }
    }
    settings.providers.values().filter_map(|it| it.key.as_ref()).for_each(|it| ox_model::keys::know(it));
    let kept = config::paths(&env).and_then(|it| Logins::of(&it).all()).unwrap_or_default();
    kept.values().for_each(|it| ox_model::keys::know(it));
}

/// Begins the cassette that was asked for.
fn taped(opening: &Opening, extras: Extras) -> Result<Extras, Problem> {
    let Some(path) = &extras.record else { return Ok(extras) };
    let settings = &opening.settings;
    let allowed = settings.rules.iter().filter(|it| it.action == RuleAction::Allow);
    // Nobody can be asked in such a run, so that edits are accepted unless somebody said otherwise.
    let edits = extras.headless && !settings.origins.contains_key("approval");
    let head = Head {
        ox: env!("CARGO_PKG_VERSION").to_string(),
        root: opening.root.canonicalize().unwrap_or_else(|_| opening.root.clone()).to_string_lossy().into_owned(),
        mode: Some(settings.mode),
        approval: Some(if edits { Approval::AcceptEdits } else { settings.approval }),
        allow: allowed.map(ToString::to_string).collect(),
        scope: settings.scope.clone(),
        ..Head::default()
    };
    let problem = |error| Problem::new("model.cassette_unwritable").with("path", path.display()).with("reason", error);
    let tape = Tape::create(path, head).map_err(problem)?;
    Ok(Extras { tape: Some(tape), ..extras })
}

/// Everything that a session needs.
pub fn setup(opening: Opening, extras: Extras) -> anyhow::Result<Setup> {
    let extras = taped(&opening, extras).map_err(Told)?;
    let stored = match &extras.resume {
        Some(id) if opening.settings.model.is_none() => model_of(store(&opening.paths)?.as_ref(), id)?,
        _ => None,
    };
    let model = model(&opening.settings, stored.as_deref(), &extras).map_err(Told)?;
    setup_with(opening, extras, model)
}

/// The model that a stored conversation was last held with.
fn model_of(log: &dyn Log, id: &ConversationId) -> anyhow::Result<Option<String>> {
    let history = log.read(id)?;
    Ok(history.frames.iter().rev().find_map(|it| match &it.event {
        Event::TurnStart { model, .. } => Some(model.name.clone()),
        Event::ModelSet { model } => Some(model.clone()),
        _ => None,
    }))
}

/// The same with a model that is already open.
pub fn setup_with(opening: Opening, extras: Extras, model: Arc<dyn Model>) -> anyhow::Result<Setup> {
    let Opening { root, added, settings, paths, trust } = opening;
    let no_tree = |error| Told(Problem::new("error.tree").with("why", error));
    let tree = Tree::open(&root, &added).map_err(no_tree)?;
    // What a crash cut short is taken back here, before anything reads the tree.
    let tree = tree.with_journal(&paths.state_dir);
    let runner: Arc<dyn ox_protocol::Runner> = Arc::new(sandbox(&settings).map_err(Told)?);
    try_beside(runner.clone());
    // Without an index there are still all other tools.
    let knowledge = Knowledge::open(&tree, &knowledge::folder(&settings, &paths), runner.clone()).ok();
    // Who wants nothing from the index does not pay for it.
    let wanted = settings.context_tokens;
    knowledge.iter().filter(|_| wanted != Some(0)).for_each(|it| it.begin_ahead(wanted.is_some()));
    knowledge.iter().for_each(|it| embedding_or_say(it, &settings, &paths));
    let configured = settings.checks.clone();
    let walls = Arc::new(walls(&root, &settings, &paths));
    let (check_tree, check_runner, check_walls) = (tree.clone(), runner.clone(), walls.clone());
    let (find_runner, find_walls, scratch) = (runner.clone(), walls.clone(), Arc::new(checks::Scratch::default()));
    // Programs that a project brings run only where somebody trusted it, not already where it asks for nothing.
    let servers = Arc::new(Servers::new(trust.standing == Standing::Trusted));
    let check_servers = servers.clone();
    let (reopen, manual_dir, tape) = (settings.clone(), extras.manual_dir.clone(), extras.tape.clone());
    let checkpoints = Some(Checkpoints::open(&paths.state_dir, &tree).map_err(no_tree)?);
    let paint = paint(&settings, &model.facts().name);
    let world = World {
        tree,
        runner,
        store: store(&paths)?,
        model,
        summary: None,
        open_model: Arc::new(move |name| {
            let extras = Extras { manual_dir: manual_dir.clone(), tape: tape.clone(), ..Extras::default() };
            self::model(&reopen, Some(name), &extras)
        }),
        fallback: settings.fallback.clone(),
        paint,
        keep_turns: settings.keep_turns,
        knowledge,
        find_checks: Arc::new(move |tree| {
            let found = checks::discover(&tree, configured.as_deref().unwrap_or_default());
            let (runner, walls) = (find_runner.clone(), find_walls.clone());
            Box::pin(async move {
                let rights = walls.rights(tree.root(), tree.added(), Duration::MAX);
                checks::seen_from_inside(found, &tree, runner.as_ref(), &rights).await
            })
        }),
        run_checks: Arc::new(move |checks| {
            let (tree, runner, walls) = (check_tree.clone(), check_runner.clone(), check_walls.clone());
            let (servers, scratch) = (check_servers.clone(), scratch.clone());
            Box::pin(async move {
                let rights = walls.rights(tree.root(), tree.added(), Duration::MAX);
                let report = checks::run(&checks, &tree, runner.as_ref(), &rights, &scratch, None).await;
                checks::with_servers(report, &servers, &tree, runner, walls).await
            })
        }),
        untrusted: trust.standing != Standing::Trusted,
        checkpoints,
        remember: {
            let (state, root) = (paths.state_dir.clone(), root.clone());
            Arc::new(move |rule, level| remembered::add(&state, &root, rule, level).map(drop))
        },
        clock: Clock::real(),
        reads: Arc::default(),
        jobs: Arc::default(),
        servers,
        walls,
    };
    let Extras { resume, name, headless, .. } = extras;
    Ok(Setup { settings, world, resume, name, headless, state: paths.state_dir })
}

/// Finds out beside the rest of the start whether commands can be isolated: it takes as long as all of that.
fn try_beside(runner: Arc<dyn ox_protocol::Runner>) {
    // Without the thread it is found out when it is first asked.
    let _ = std::thread::Builder::new().name("sandbox".to_owned()).spawn(move || runner.isolated());
}

/// Lets the configured model, if any, make vectors of the code, and says why it cannot. Without them there is still all the rest.
pub fn embedding_or_say(knowledge: &Knowledge, settings: &Settings, paths: &Paths) {
    if let Err(problem) = embedding(knowledge, settings, paths) {
        crate::cmd::login::say(&problem);
    }
}

/// The same; the problem is that of the model that is named.
pub fn embedding(knowledge: &Knowledge, settings: &Settings, paths: &Paths) -> Result<(), Problem> {
    let choice = choice(settings, None, &Extras::default());
    let connect = |name: &str| {
        let mut choice = choice.clone();
        // An address that replaces the main provider's own says nothing of another one's.
        choice.base_url = None;
        ox_model::embeddings::endpoint(&choice, name)
    };
    if let Some(embedder) = ox_agent::embedding::open(settings, paths, &connect)? {
        knowledge.embed_with(embedder);
    }
    Ok(())
}

/// What commands run in, as it is configured.
pub fn sandbox(settings: &Settings) -> Result<Sandbox, Problem> {
    let wrong = |error: ox_sandbox::SandboxError| Problem::new("config.sandbox").with("why", error);
    let name = settings.sandbox.backend.as_deref().unwrap_or("auto");
    let backend = name.parse().map_err(wrong)?;
    ox_sandbox::withhold(settings.providers.values().filter_map(|it| it.key_env.clone()));
    Sandbox::open(&ox_sandbox::Choice { backend, image: settings.sandbox.image.clone() }).map_err(wrong)
}

/// What commands may reach, as it is configured.
pub fn walls(root: &Path, settings: &Settings, paths: &Paths) -> ox_tools::Walls {
    let layer = &settings.sandbox;
    let default = ox_tools::Walls::default();
    let network = match layer.hosts.as_deref() {
        None | Some([]) => default.network.clone(),
        Some(hosts) => Network::Hosts(hosts.to_vec()),
    };
    ox_tools::Walls {
        home: env("HOME").map(PathBuf::from),
        state: vec![paths.state_dir.clone(), paths.config_dir.clone()],
        trusted: ox_agent::trust::covers(root),
        write: layer.write.iter().flatten().map(PathBuf::from).collect(),
        network,
        memory: layer.memory.map_or(default.memory, |mib| mib << 20),
        processes: layer.processes.unwrap_or(default.processes),
        output: paths.state_dir.join("output"),
        sources: Arc::new(ox_tools::Sources::new(
            Some(knowledge::folder(settings, paths)),
            settings.index.docs.clone(),
            settings.index.rag.clone(),
        )),
    }
}

/// Bytes of an attachment: as base64 it still fits into the 20 MB that the strictest provider takes in a request.
const ATTACHED: u64 = 14 << 20;

/// Reads a picture or document for a prompt.
pub fn image(path: &Path) -> Result<Image, Problem> {
    let shown = path.display().to_string();
    let unreadable = |error| Problem::new("usage.image").with("path", &shown).with("why", error);
    if std::fs::metadata(path).map_err(unreadable)?.len() > ATTACHED {
        return Err(Problem::new("usage.image_large").with("path", shown).with("most", ATTACHED >> 20));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    ox_model::attachment(&shown, &bytes).ok_or_else(|| Problem::new("usage.image_kind").with("path", shown))
}

/// Refuses documents that the main model cannot take; a text goes to any model.
pub fn check_attached(settings: &Settings, attached: &[Image]) -> Result<(), Problem> {
    let Some(document) = attached.iter().find(|it| it.media_type == "application/pdf") else { return Ok(()) };
    let name = main_model(settings)?;
    if ox_model::takes_documents(&choice(settings, None, &Extras::default()), &name) {
        return Ok(());
    }
    Err(Problem::new("usage.document_model").with("model", name).with("path", &document.name))
}

/// The runtime of a session: two workers beside the main thread are plenty.
pub fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}
