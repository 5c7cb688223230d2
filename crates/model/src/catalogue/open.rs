//! From `provider/model`, the configuration and the environment to a model that can be asked.
//!
//! Opening opens no connection; choosing asks at most one local server. A key is looked for only where its provider's
//! variables or the user's own configuration say, and is sent to that provider's address alone.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ox_protocol::{ModelFacts, ModelLayer, Problem, ProviderLayer, ToolFormat, Wire};
use serde_json::Value;

use crate::catalogue::aliases::{aliases, nearest};
use crate::catalogue::models as catalogue;
use crate::catalogue::providers::{self, PROVIDERS, Provider};
use crate::model::Model;
use crate::offline::cassette::{Match, Recorder, Replay};
use crate::offline::manual::Manual;
use crate::offline::scripted::Scripted;
use crate::output::xml::Xml;

use crate::wire::http::Timeouts;
use crate::wire::{Anthropic, Dialect, Format, Gemini, OpenAiChat, OpenAiResponses, WireModel};

/// How long a local Ollama may take to answer before it counts as absent.
const LOCAL_LIMIT: Duration = Duration::from_millis(300);

/// What the user wants, from flags, files and the environment.
#[derive(Clone)]
pub struct Choice<'a> {
    /// `provider/model`, `manual` or `manual/NAME`, `scripted/FILE` or `cassette/FILE`; none where nothing is configured.
    pub model: Option<String>,
    /// An endpoint that replaces the provider's own.
    pub base_url: Option<String>,
    /// Providers of the user's configuration.
    pub providers: BTreeMap<String, ProviderLayer>,
    /// Models of the user's configuration.
    pub models: BTreeMap<String, ModelLayer>,
    /// How long an endpoint may take, where the user says.
    pub timeouts: Timeouts,
    /// The folder of the `manual` model; the terminal when absent.
    pub manual_dir: Option<PathBuf>,
    /// What the traffic is recorded to.
    pub record: Option<Recorder>,
    /// The environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The key that the user gave for a provider once and for all (`ox login`).
    pub kept: &'a dyn Fn(&str) -> Option<String>,
}

impl Default for Choice<'_> {
    /// Nothing is configured, no variable is set and no key is kept.
    fn default() -> Self {
        Choice {
            model: None,
            base_url: None,
            providers: BTreeMap::new(),
            models: BTreeMap::new(),
            timeouts: Timeouts::default(),
            manual_dir: None,
            record: None,
            env: &|_| None,
            kept: &|_| None,
        }
    }
}

/// What the names of models begin with that no provider is asked for.
const LOCAL: &[&str] = &["manual", "scripted", "cassette", "replay"];

impl Choice<'_> {
    /// The same for a model beside `main`: an address that replaces the main provider's own is not another provider's, whose
    /// key would go there.
    #[must_use]
    pub fn beside(mut self, main: &str) -> Self {
        let alone = LOCAL.contains(&main.split('/').next().unwrap_or(main));
        let provider = |name: &str| split(&self, name).ok().map(|(provider, _)| provider);
        if alone || self.model.as_deref().is_some_and(|it| provider(it) != provider(main)) {
            self.base_url = None;
        }
        self
    }
}

/// Where a model is asked.
#[derive(Debug)]
struct Endpoint {
    wire: Wire,
    base_url: String,
    key: Option<String>,
    /// The variable of a key that has to be there; empty where none has to.
    key_variable: String,
}

/// Opens the model of `choice`; chooses one where none is configured. Problems: those of [`choose`], `model.bad_name`,
/// `model.unknown_provider`, `model.no_key`, `model.no_base_url`, `model.bad_base_url`, `model.script_unreadable`,
/// `model.cassette_unreadable`, `model.manual_folder`.
pub fn open(choice: &Choice<'_>) -> Result<Arc<dyn Model>, Problem> {
    let name = match choice.model.as_deref().map(str::trim).filter(|it| !it.is_empty()) {
        Some(name) => name.to_string(),
        None => choose(choice)?,
    };
    let (model, key) = match without_network(choice, &name)? {
        Some(model) => (model, None),
        None => over_network(choice, &name)?,
    };
    Ok(match &choice.record {
        Some(recorder) => recorder.around(model, key),
        None => model,
    })
}

/// A model and how it is reached.
pub(crate) struct Reached {
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) wire: Wire,
    pub(crate) base_url: String,
    pub(crate) key: Option<String>,
    /// The variable of the key; empty where none is needed.
    pub(crate) key_variable: String,
    pub(crate) dialect: Dialect,
    pub(crate) facts: ModelFacts,
}

/// Refuses a name that no model can be opened by: `model.bad_name`, `model.unknown_provider`. Keys are not looked for.
pub fn check_name(choice: &Choice<'_>, name: &str) -> Result<(), Problem> {
    let kind = name.split_once('/').map_or(name, |it| it.0);
    match LOCAL.contains(&kind) {
        true => Ok(()),
        false => split(choice, name).map(drop),
    }
}

/// Where and how the model `name` is asked; that its key is missing is no problem yet.
pub(crate) fn reach(choice: &Choice<'_>, name: &str) -> Result<Reached, Problem> {
    let (provider, model) = split(choice, name)?;
    let Endpoint { wire, base_url, key, key_variable } = endpoint(choice, &provider)?;
    let local = providers::find(&provider).is_some_and(|it| it.local);
    let facts = catalogue::facts(&provider, &model, local, choice.models.get(&format!("{provider}/{model}")));
    let dialect = Dialect::of(&provider, &model, &base_url);
    Ok(Reached { provider, model, wire, base_url, key, key_variable, dialect, facts })
}

/// The same with the key, where it needs one. Whatever is said from now on is said without it.
pub(crate) fn reach_with_key(choice: &Choice<'_>, name: &str) -> Result<Reached, Problem> {
    let reached = reach(choice, name)?;
    if reached.key.is_none() && !reached.key_variable.is_empty() {
        let problem = Problem::new("model.no_key").with("provider", reached.provider);
        return Err(problem.with("variable", reached.key_variable));
    }
    reached.key.iter().for_each(|it| crate::keys::know(it));
    crate::keys::know_password(&reached.base_url);
    Ok(reached)
}

/// The model with its key, if it has one.
fn over_network(choice: &Choice<'_>, name: &str) -> Result<(Arc<dyn Model>, Option<String>), Problem> {
    fn speaking(format: impl Format + 'static, it: &Reached, limits: Timeouts) -> Arc<dyn Model> {
        let model = WireModel::new(format, it.facts.clone(), &it.model, &it.base_url, it.key.clone());
        Arc::new(model.within(limits))
    }
    let (it, limits) = (reach_with_key(choice, name)?, choice.timeouts);
    let model = match it.wire {
        Wire::Anthropic => speaking(Anthropic::default(), &it, limits),
        Wire::OpenaiChat => speaking(OpenAiChat::new(it.dialect), &it, limits),
        Wire::OpenaiResponses => speaking(OpenAiResponses::with_key_header(it.dialect.key_header), &it, limits),
        Wire::Gemini => speaking(Gemini::default(), &it, limits),
    };
    Ok((if it.facts.tools == ToolFormat::Xml { Arc::new(Xml::new(model)) } else { model }, it.key))
}

/// The same model asked without native tools, for an endpoint that refused them.
pub fn as_xml(model: Arc<dyn Model>) -> Arc<dyn Model> {
    if model.facts().tools == ToolFormat::Xml { model } else { Arc::new(Xml::new(model)) }
}

/// The model where none is configured: by the first key in the environment or the user's configuration, else the first
/// of a local Ollama. Problem: `no_model` with `variables`.
pub fn choose(choice: &Choice<'_>) -> Result<String, Problem> {
    for provider in PROVIDERS.iter().filter(|it| !it.favourite.is_empty()) {
        if key_of(choice, provider.name, Some(provider)).is_some() {
            return Ok(format!("{}/{}", provider.name, provider.favourite));
        }
    }
    if let Some(model) = models_at(&ollama_url(choice)).into_iter().flatten().next() {
        return Ok(format!("ollama/{model}"));
    }
    let variables: Vec<&str> = PROVIDERS.iter().filter_map(|it| it.key_env.first().copied()).collect();
    Err(Problem::new("no_model").with("variables", variables.join(", ")))
}

/// Providers that can be named, those of the configuration included, each with the variable of its key where it has one.
pub fn providers(choice: &Choice<'_>) -> Vec<(String, Option<String>)> {
    let variable = |it: &Provider| it.key_env.first().map(|it| it.to_string());
    let mut all: Vec<_> = PROVIDERS.iter().map(|it| (it.name.to_string(), variable(it))).collect();
    for (name, layer) in &choice.providers {
        if !all.iter().any(|(known, _)| known == name) {
            all.push((name.clone(), layer.key_env.clone()));
        }
    }
    all
}

/// True where a provider has its key, or needs none.
pub fn has_key(choice: &Choice<'_>, provider: &str) -> bool {
    let built_in = providers::find(provider);
    built_in.is_some_and(|it| it.local) || key_of(choice, provider, built_in).is_some()
}

/// The model that `name` is short for, unless all models are asked at an address of the user's own: the first whose provider has a key, else the first. None where it is no alias.
pub fn meant(choice: &Choice<'_>, name: &str) -> Option<&'static str> {
    if choice.base_url.is_some() {
        return None;
    }
    let alias = aliases().find(|it| it.name.eq_ignore_ascii_case(name))?;
    let asked = |model: &&&str| model.split_once('/').is_some_and(|(provider, _)| has_key(choice, provider));
    alias.models.iter().find(asked).or(alias.models.first()).copied()
}

/// `name` as `provider/model`: an alias as the model that it stands for. A name that leads nowhere is left as it is.
pub fn full_name(choice: &Choice<'_>, name: &str) -> String {
    meant(choice, name).map_or_else(|| name.to_string(), str::to_string)
}

/// The model of a provider that is taken where only its key is there; none where each user has models of their own.
pub fn favourite(provider: &str) -> Option<String> {
    let known = providers::find(provider).filter(|it| !it.favourite.is_empty())?;
    Some(format!("{}/{}", known.name, known.favourite))
}

/// Models that need neither provider nor key.
fn without_network(choice: &Choice<'_>, name: &str) -> Result<Option<Arc<dyn Model>>, Problem> {
    if name == "manual" || name.starts_with("manual/") {
        return manual(choice, name).map(Some);
    }
    let Some((kind, path)) = name.split_once('/') else { return Ok(None) };
    let unreadable = |code: &str, reason: String| Problem::new(code).with("path", path).with("reason", reason);
    match kind {
        "scripted" => {
            let scripted = Scripted::open(Path::new(path));
            let scripted = scripted.map_err(|error| unreadable("model.script_unreadable", error.to_string()))?;
            if scripted.left() == 0 {
                return Err(unreadable("model.script_unreadable", "it has no `-- model --` section".to_string()));
            }
            Ok(Some(Arc::new(scripted)))
        }
        "cassette" | "replay" => {
            let replay = Replay::open(Path::new(path), Match::Lenient);
            Ok(Some(Arc::new(replay.map_err(|reason| unreadable("model.cassette_unreadable", reason))?)))
        }
        _ => Ok(None),
    }
}

/// Whoever sits at the other end, under the facts that the user gives this name; asked in XML where they say so.
fn manual(choice: &Choice<'_>, name: &str) -> Result<Arc<dyn Model>, Problem> {
    let model = match &choice.manual_dir {
        None => {
            let input = Box::new(std::io::BufReader::new(std::io::stdin()));
            Manual::terminal(Box::new(std::io::stderr()), input)
        }
        Some(folder) => {
            let problem =
                |error| Problem::new("model.manual_folder").with("path", folder.display()).with("reason", error);
            Manual::folder(folder).map_err(problem)?
        }
    };
    let model = Arc::new(model.named(name, choice.models.get(name)));
    Ok(if model.facts().tools == ToolFormat::Xml { Arc::new(Xml::new(model)) } else { model })
}

/// Provider and name of the model. With an endpoint of the user's own, the whole is the name unless it begins with a
/// provider; without one, a bare name is given to the provider that it is known of.
fn split(choice: &Choice<'_>, model: &str) -> Result<(String, String), Problem> {
    let known = |name: &str| PROVIDERS.iter().any(|it| it.name == name) || choice.providers.contains_key(name);
    let model = meant(choice, model).unwrap_or(model);
    let unknown = || match nearest(model) {
        Some(near) => Problem::new("model.near_name").with("model", model).with("near", near),
        None => Problem::new("model.bad_name").with("model", model),
    };
    match model.split_once('/') {
        Some((provider, name)) if known(provider) && !name.is_empty() => Ok((provider.to_string(), name.to_string())),
        _ if model.is_empty() || model.ends_with('/') => Err(Problem::new("model.bad_name").with("model", model)),
        None if model.starts_with("claude-") => Ok(("anthropic".to_string(), model.to_string())),
        _ if choice.base_url.is_some() => Ok(("openai".to_string(), model.to_string())),
        None if model.starts_with("gemini-") => Ok(("gemini".to_string(), model.to_string())),
        None if ["gpt-", "o1", "o3", "o4"].iter().any(|it| model.starts_with(it)) => {
            Ok(("openai".to_string(), model.to_string()))
        }
        None => Err(unknown()),
        Some((provider, _)) => {
            let names: Vec<String> = providers(choice).into_iter().map(|(name, _)| name).collect();
            Err(Problem::new("model.unknown_provider").with("provider", provider).with("known", names.join(", ")))
        }
    }
}

fn endpoint(choice: &Choice<'_>, provider: &str) -> Result<Endpoint, Problem> {
    let built_in = providers::find(provider);
    let layer = choice.providers.get(provider);
    let from_env = built_in.filter(|it| !it.url_env.is_empty()).and_then(|it| variable(choice, it.url_env));
    let own_url = choice.base_url.clone().or(from_env).or_else(|| layer.and_then(|it| it.base_url.clone()));
    let base_url = match (&own_url, built_in) {
        (Some(url), Some(it)) => with_path(url, it.path),
        (Some(url), None) => url.clone(),
        (None, Some(it)) if it.name == "ollama" => ollama_url(choice),
        (None, Some(it)) if !it.base_url.is_empty() => it.base_url.to_string(),
        _ => return Err(Problem::new("model.no_base_url").with("provider", provider)),
    };
    if !base_url.starts_with("http://") && !base_url.starts_with("https://") {
        return Err(Problem::new("model.bad_base_url").with("url", crate::keys::address(&base_url)));
    }
    let key = key_of(choice, provider, built_in);
    let usual = built_in.and_then(|it| it.key_env.first().copied());
    let wanted = layer.and_then(|it| it.key_env.as_deref()).or(usual).unwrap_or_default();
    // The provider's own address always wants a key; somebody's own endpoint may not.
    let key_variable = if own_url.is_none() { wanted.to_string() } else { String::new() };
    let usual = built_in.map(|it| if own_url.is_some() && !is_own(it, &base_url) { it.elsewhere } else { it.wire });
    let wire = layer.and_then(|it| it.wire).or(usual).unwrap_or(Wire::OpenaiChat);
    Ok(Endpoint { wire, base_url, key, key_variable })
}

/// True where the address is the provider's own, though the user wrote it out.
fn is_own(provider: &Provider, base_url: &str) -> bool {
    !provider.base_url.is_empty() && base_url.trim_end_matches('/') == provider.base_url
}

/// The address with `path` where it has none of its own.
fn with_path(url: &str, path: &str) -> String {
    let url = url.trim_end_matches('/');
    let has_path = url.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
    if has_path { url.to_string() } else { format!("{url}{path}") }
}

/// The key of a provider: from the variable that the configuration names, the provider's own variable, what `ox login`
/// keeps, or the configuration itself.
fn key_of(choice: &Choice<'_>, provider: &str, built_in: Option<&Provider>) -> Option<String> {
    let layer = choice.providers.get(provider);
    let named = layer.and_then(|it| it.key_env.as_deref());
    let usual = built_in.map_or(&[][..], |it| &it.key_env);
    let variables = named.into_iter().chain(usual.iter().copied()).filter(|it| !it.is_empty());
    let found = variables.filter_map(|it| variable(choice, it)).next();
    found.or_else(|| (choice.kept)(provider)).or_else(|| layer.and_then(|it| it.key.clone()))
}

/// A variable that is set and not blank.
fn variable(choice: &Choice<'_>, name: &str) -> Option<String> {
    (choice.env)(name).map(|it| it.trim().to_string()).filter(|it| !it.is_empty())
}

/// Ollama's address; `OLLAMA_HOST` may be a host, a port with it, or a whole address.
fn ollama_url(choice: &Choice<'_>) -> String {
    let host = variable(choice, "OLLAMA_HOST").unwrap_or_default().replace("0.0.0.0", "127.0.0.1");
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", &host));
    let rest = rest.trim_end_matches('/');
    match rest {
        "" => "http://127.0.0.1:11434/v1".to_string(),
        _ if rest.contains(':') || scheme == "https" => format!("{scheme}://{rest}/v1"),
        _ => format!("{scheme}://{rest}:11434/v1"),
    }
}

/// The models of the servers that answer on this machine, as `provider/model`, without those that only make embeddings. All
/// servers are asked at once.
pub fn local_models(choice: &Choice<'_>) -> Vec<String> {
    let local = PROVIDERS.iter().filter(|it| it.local);
    let servers: Vec<(&str, String)> =
        local.filter_map(|it| Some((it.name, endpoint(choice, it.name).ok()?.base_url))).collect();
    std::thread::scope(|scope| {
        let asked: Vec<_> = servers.iter().map(|(name, url)| (name, scope.spawn(|| models_at(url)))).collect();
        let found = asked.into_iter().filter_map(|(name, it)| Some((name, it.join().ok()??)));
        let named = found.flat_map(|(name, models)| models.into_iter().map(move |it| format!("{name}/{it}")));
        named.filter(|it| !it.contains("embed")).collect()
    })
}

/// The models that the server at this address lists; none where nobody answers in time. Asked by hand, so that the common
/// case, a key in the environment, needs no runtime.
fn models_at(url: &str) -> Option<Vec<String>> {
    let (authority, path) = url.strip_prefix("http://")?.split_once('/')?;
    let began = Instant::now();
    let address = authority.to_socket_addrs().ok()?.next()?;
    let mut stream = TcpStream::connect_timeout(&address, LOCAL_LIMIT).ok()?;
    write!(stream, "GET /{path}/models HTTP/1.0\r\nHost: {authority}\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    let mut piece = [0; 8192];
    loop {
        let left = LOCAL_LIMIT.checked_sub(began.elapsed()).filter(|it| !it.is_zero())?;
        stream.set_read_timeout(Some(left)).ok()?;
        match stream.read(&mut piece).ok()? {
            0 => break,
            read => answer.extend_from_slice(&piece[..read]),
        }
    }
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let list: Value = serde_json::from_str(body).ok().filter(|_| head.contains(" 200 "))?;
    let ids = list["data"].as_array()?.iter().filter_map(|it| it["id"].as_str());
    Some(ids.map(str::to_string).collect())
}

#[cfg(test)]
#[path = "open_tests.rs"]
mod tests;
