//! The configuration as the rest of Ox uses it: typed, complete, each value with its origin.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_model::Timeouts;
use ox_protocol::locale::Language;
use ox_protocol::{
    AgentLimits, ApprovalPolicy, CheckConfig, Effort, FixerConfig, GitHostLayer, Hook, HookConfig, HookFormat,
    IndexLayer, Layer, Limits, Mode, ModelLayer, Money, Preset, Problem, ProviderLayer, RepairEdits, ReviewPolicy,
    RolesLayer, Rule, RuleAction, RulesLayer, SandboxLayer, ScreenMode, TerminalLayer, TimeoutsLayer, Tokens,
    Verification, WebSearchLayer,
};
use toml::Value;

use crate::keys::kind::Kind;
use crate::keys::table;
use crate::layers::layer::{Flags, Setting, of_environment, of_file, of_flags, shown};
use crate::layers::merge::{self, Values};
use crate::layers::origin::Origin;
use crate::layers::preset;
use crate::paths::{paths, project_file, same_file};
use crate::state::{chosen_policy, granted_rules};

/// The configuration of a session.
#[derive(Clone)]
pub struct Settings {
    /// The model to use, as `provider/model`.
    pub model: Option<String>,
    /// How much the models reason; the providers' own default when absent.
    pub effort: Option<Effort>,
    /// Endpoint that replaces the provider's own.
    pub base_url: Option<String>,
    /// Where traces and metrics are sent, if anywhere.
    pub telemetry: Option<String>,
    /// Which models take which part; none where every part is the model's own.
    pub preset: Option<Preset>,
    /// Models to go on with, in this order, each as `provider/model`.
    pub fallback: Vec<String>,
    /// Models of single parts of the work.
    pub roles: RolesLayer,
    /// How long an endpoint may take, where somebody says.
    pub timeouts: Timeouts,
    /// Latest iterations that pruning leaves as they are.
    pub keep_iterations: u32,
    /// Tokens that code from the index may take in a prompt; none means by the model's window.
    pub context_tokens: Option<u32>,
    /// Tasks that are remembered from one conversation to the next.
    pub memory_tasks: u32,
    /// What is known of the code and the documents.
    pub index: IndexSettings,
    /// Mode of an untyped task.
    pub mode: Mode,
    /// How much is done unasked.
    pub approval: ApprovalPolicy,
    /// Which checks must pass.
    pub verification: Verification,
    /// When a reviewer looks at a change before its turn is done.
    pub review: ReviewPolicy,
    /// What becomes of the edits of a failed attempt.
    pub repair_edits: RepairEdits,
    /// The user's language.
    pub language: Language,
    /// Terminal colours: `auto`, `dark`, `light` or `none`.
    pub theme: String,
    /// How the terminal is used.
    pub terminal: TerminalLayer,
    /// Keys of the terminal, separated by blanks, by what they do.
    pub keys: BTreeMap<String, String>,
    /// How a conversation in a terminal is shown.
    pub screen: ScreenMode,
    /// Globs that edits must stay within; empty means the whole project.
    pub scope: Vec<String>,
    /// Permission rules of all layers.
    pub rules: Vec<Rule>,
    /// The hooks of all layers that count, the user's first.
    pub hooks: Vec<Hook>,
    /// How commands are isolated.
    pub sandbox: SandboxLayer,
    /// Limits of a turn.
    pub limits: Limits,
    /// The project's checks where they are configured; none means discovery.
    pub checks: Option<Vec<CheckConfig>>,
    /// The project's fixers where they are configured; none means discovery.
    pub fixers: Option<Vec<FixerConfig>>,
    /// Providers by name.
    pub providers: BTreeMap<String, ProviderLayer>,
    /// What is known of models, by `provider/model`.
    pub models: BTreeMap<String, ModelLayer>,
    /// Git hosts of the user's own, by name.
    pub git_hosts: BTreeMap<String, GitHostLayer>,
    /// What searches the web.
    pub web_search: WebSearchLayer,
    /// Where each value that somebody set comes from, by key; several for rules, which add up. A default has no entry.
    pub origins: BTreeMap<String, Vec<Origin>>,
    values: Values,
}

/// What is known of the code and the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSettings {
    /// Folder that the index is kept in, absolute; none means below the cache folder.
    pub cache: Option<PathBuf>,
    /// `auto`, `off`, the name of a pulled model, or `provider/model`.
    pub embeddings: String,
    /// Further folders of documents: absolute, or relative to the project's root.
    pub docs: Vec<String>,
    /// Addresses of document servers by name.
    pub rag: BTreeMap<String, String>,
}

/// Whether a project's file counts: not before its folder is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectConfig {
    /// It counts.
    Use,
    /// It is not even opened.
    Ignore,
    /// Nor does what was chosen and allowed in a folder that stood in its place before: this one is somebody else's.
    Foreign,
}

/// Reads all layers. `env` gives a variable of the process's environment; no `.env` file is read.
pub fn load(
    root: &Path,
    project_config: ProjectConfig,
    flags: Flags,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Settings, Problem> {
    let places = paths(env)?;
    let (user, project) = (places.config_file(), project_file(root));
    let own = of_file(&user, &|line| Origin::User { file: user.clone(), line });
    let [own, variables, flags] = all([own, of_environment(env), of_flags(&flags)])?;
    let mut values = merge::defaults();
    values.extend(preset::budgets(&[&own, &variables, &flags]));
    merge::put(&mut values, own);
    if project_config == ProjectConfig::Use && !same_file(&user, &project) {
        let layer = of_file(&project, &|line| Origin::Project { file: project.clone(), line })?;
        merge::check_project(&values, &layer)?;
        merge::put(&mut values, layer);
    }
    if project_config != ProjectConfig::Foreign {
        merge::put(&mut values, remembered(&places.state_dir, root)?);
    }
    merge::put(&mut values, variables);
    merge::put(&mut values, flags);
    if !values.contains_key("language") {
        let (language, origin) = system_language(env);
        let tag = if language == Language::Zh { "zh" } else { "en" };
        let merged = merge::Merged::new("language", Value::String(tag.to_string()), origin);
        values.insert("language".to_string(), merged);
    }
    let mut settings = Settings::of(values)?;
    let home = env("HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    for folder in settings.sandbox.write.iter_mut().flatten().chain(&mut settings.index.docs) {
        *folder = at_home(folder, home.as_deref())?;
    }
    if let Some(folder) = &mut settings.index.cache {
        *folder = PathBuf::from(at_home(&folder.to_string_lossy(), home.as_deref())?);
    }
    Ok(settings)
}

/// All layers, or the faults of all.
fn all<const N: usize>(layers: [Result<Vec<Setting>, Problem>; N]) -> Result<[Vec<Setting>; N], Problem> {
    let mut faults = Vec::new();
    let layers = layers.map(|it| {
        it.unwrap_or_else(|problem| {
            faults.push(problem);
            Vec::new()
        })
    });
    Problem::all(faults).map_or(Ok(layers), Err)
}

/// A folder whose `~` stands for the user's home.
fn at_home(folder: &str, home: Option<&Path>) -> Result<String, Problem> {
    let Some(rest) = folder.strip_prefix('~') else { return Ok(folder.to_string()) };
    let home = home.ok_or_else(|| Problem::new("config.no_home"))?;
    Ok(home.join(rest.trim_start_matches('/')).to_string_lossy().into_owned())
}

/// What the user chose and allowed for this project once and for all, as a layer of its own.
fn remembered(state: &Path, root: &Path) -> Result<Vec<Setting>, Problem> {
    let setting = |path: &[&str], value: Value, file: PathBuf| {
        let path: Vec<String> = path.iter().map(|it| (*it).to_string()).collect();
        table::at(&path).map(|key| Setting { key, path, value, origin: Origin::Remembered { file } })
    };
    let rules = granted_rules::load(state, root)?;
    let rules: Vec<Value> = rules.iter().map(|it| Value::String(it.to_string())).collect();
    let rules = (!rules.is_empty()).then_some(Value::Array(rules));
    let policy = chosen_policy::load(state, root)?.and_then(|it| Value::try_from(it).ok());
    let rules = rules.and_then(|it| setting(&["rules", "allow"], it, granted_rules::file(state, root)));
    let policy = policy.and_then(|it| setting(&["approval"], it, chosen_policy::file(state, root)));
    Ok(rules.into_iter().chain(policy).collect())
}

/// The language of the environment, for words that are needed before the configuration is read.
pub fn language(env: &dyn Fn(&str) -> Option<String>) -> Language {
    system_language(env).0
}

fn system_language(env: &dyn Fn(&str) -> Option<String>) -> (Language, Origin) {
    let variables = ["OX_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let first = variables.filter_map(|it| Some((env(it)?, it))).find(|(tag, _)| !tag.is_empty());
    match first {
        Some((tag, variable)) => (Language::from_tag(&tag), Origin::Environment { variable }),
        None => (Language::default(), Origin::Default),
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::of(merge::defaults()).expect("invariant: the defaults are valid")
    }
}

impl Settings {
    /// The value of a key as it would be written, secrets hidden; none where nobody set it and it has no default.
    pub fn value(&self, name: &str) -> Option<String> {
        let merged = self.values.get(table::current(name))?;
        Some(if merged.kind == Kind::Secret {
            "\"…\"".to_string()
        } else {
            ox_model::keys::address(&shown(&merged.value))
        })
    }

    /// The value of a key as plain text: a text without its quotes; secrets hidden.
    pub fn text(&self, name: &str) -> Option<String> {
        let merged = self.values.get(table::current(name))?;
        match merged.value.as_str() {
            Some(text) if merged.kind != Kind::Secret => Some(ox_model::keys::address(text)),
            _ => self.value(name),
        }
    }

    /// Where a value comes from; `Default` where nobody set it.
    pub fn origins_of(&self, name: &str) -> &[Origin] {
        self.origins.get(table::current(name)).map_or(&[Origin::Default], Vec::as_slice)
    }

    /// The names of all keys that have a value, defaults included.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// The names of all keys: those of the table, also where they have no value, then those with a value for which a key
    /// with `*` stands.
    pub fn all_names(&self) -> impl Iterator<Item = &str> {
        let single = table::KEYS.iter().filter(|it| !it.is_pattern()).map(|it| it.name);
        single.chain(self.names().filter(|name| table::KEYS.iter().all(|it| it.name != *name)))
    }

    fn of(values: Values) -> Result<Settings, Problem> {
        // Every value was checked by its kind; what is left is a fault of the tables of keys.
        let invalid = |why: String| Problem::new("config.invalid").with("why", why);
        let layer: Layer =
            merge::as_table(&values).try_into().map_err(|error: toml::de::Error| invalid(error.to_string()))?;
        Ok(Settings {
            hooks: hooks(&layer, &values),
            limits: limits(&layer),
            timeouts: timeouts(&layer.timeouts),
            keep_iterations: layer.context.keep_iterations.unwrap_or_default(),
            context_tokens: layer.context.tokens,
            memory_tasks: layer.limits.memory_tasks.unwrap_or_default(),
            preset: layer.preset,
            fallback: layer.fallback.unwrap_or_default(),
            roles: layer.roles,
            index: index(layer.index),
            rules: rules(&layer.rules).map_err(invalid)?,
            model: layer.model,
            effort: layer.effort,
            base_url: layer.base_url,
            telemetry: layer.telemetry.endpoint,
            mode: layer.mode.unwrap_or_default(),
            approval: layer.approval.unwrap_or_default(),
            verification: layer.verification.unwrap_or_default(),
            review: layer.review.unwrap_or_default(),
            repair_edits: layer.limits.repair_edits.unwrap_or_default(),
            language: Language::from_tag(&layer.language.unwrap_or_default()),
            theme: layer.theme.unwrap_or_else(|| "auto".to_string()),
            terminal: layer.terminal,
            keys: layer.keys,
            screen: layer.screen.unwrap_or_default(),
            sandbox: layer.sandbox,
            scope: layer.scope.unwrap_or_default(),
            checks: layer.checks,
            fixers: layer.fixers,
            providers: layer.providers,
            models: layer.models,
            git_hosts: layer.git_hosts,
            web_search: layer.web_search,
            origins: set(&values).collect(),
            values,
        })
    }
}

fn set(values: &Values) -> impl Iterator<Item = (String, Vec<Origin>)> {
    let set = values.iter().filter(|(_, it)| it.origins != [Origin::Default]);
    set.map(|(name, it)| {
        let mut origins = it.origins.clone();
        origins.dedup();
        (name.clone(), origins)
    })
}

fn limits(layer: &Layer) -> Limits {
    let given = &layer.limits;
    let default = Limits::default();
    let time = given.max_time.as_deref().and_then(|it| humantime::parse_duration(it).ok());
    Limits {
        iterations: given.max_iterations.unwrap_or(default.iterations),
        stop_hook_retries: given.stop_hook_retries.unwrap_or(default.stop_hook_retries),
        check_rounds: given.check_rounds.unwrap_or(default.check_rounds),
        repair_attempts: given.repair_attempts.unwrap_or(default.repair_attempts),
        tokens: given.max_tokens.map(Tokens).or(default.tokens),
        cost: given.max_cost.map(|it| Money((it * 1_000_000.0).round() as u64)).or(default.cost),
        time_ms: time.map(millis).or(default.time_ms),
        agents: agents(layer),
        ..default
    }
}

fn agents(layer: &Layer) -> AgentLimits {
    let (given, default) = (&layer.agents, AgentLimits::default());
    AgentLimits {
        depth: given.depth.unwrap_or(default.depth),
        parallel: given.parallel.unwrap_or(default.parallel),
        per_turn: given.per_turn.unwrap_or(default.per_turn),
        iterations: given.iterations.unwrap_or(default.iterations),
    }
}

fn timeouts(layer: &TimeoutsLayer) -> Timeouts {
    let time = |it: &Option<String>| it.as_deref().and_then(|it| humantime::parse_duration(it).ok());
    Timeouts { connect: time(&layer.connect), first_byte: time(&layer.first_byte), idle: time(&layer.idle) }
}

fn index(layer: IndexLayer) -> IndexSettings {
    IndexSettings {
        cache: layer.cache.map(PathBuf::from),
        embeddings: layer.embeddings.unwrap_or_else(|| "auto".to_string()),
        docs: layer.docs.unwrap_or_default(),
        rag: layer.rag,
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// How long a hook may take where nobody says.
const HOOK_SECONDS: u64 = 10;

fn hooks(layer: &Layer, values: &Values) -> Vec<Hook> {
    let origins = values.get("hooks").map_or(&[][..], |it| it.origins.as_slice());
    let of = |(hook, origin): (&HookConfig, &Origin)| Hook {
        at: hook.at,
        command: hook.command.clone(),
        tools: hook.tools.clone(),
        limit_ms: hook.timeout.unwrap_or(HOOK_SECONDS).saturating_mul(1000),
        source: if matches!(origin, Origin::Project { .. }) { "project" } else { "user" }.to_string(),
        format: HookFormat::Ox,
    };
    layer.hooks.iter().flatten().zip(origins).map(of).collect()
}

fn rules(layer: &RulesLayer) -> Result<Vec<Rule>, String> {
    let lists = [(RuleAction::Allow, &layer.allow), (RuleAction::Ask, &layer.ask), (RuleAction::Deny, &layer.deny)];
    lists.iter().flat_map(|(action, texts)| texts.iter().map(|it| Rule::parse(*action, it))).collect()
}
