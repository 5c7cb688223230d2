//! The models of a project: which is the main one, how each is reached, and which keys there are.
//!
//! Nothing here asks a model, and no key is ever shown.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ox_agent::project_index::ProjectIndex;
use ox_config::Settings;
use ox_config::roles::{self, Role};
use ox_config::state::key_store::KeyStore;
use ox_model::cassette::Recorder;
use ox_model::{Choice, Explained, Model};
use ox_protocol::{ModelFacts, Problem, Tokens};

use super::{Project, env, paths};
use crate::notice;

/// How models of a session are reached beside what the settings say.
#[derive(Clone, Default)]
pub struct Reach {
    /// Folder of the `manual` model's exchange.
    pub manual_dir: Option<PathBuf>,
    /// What the traffic of all models is recorded to.
    pub cassette: Option<Recorder>,
}

impl Project {
    /// The name of the main model: the one that settings, flags and environment name, else the preset's at the first
    /// provider that can be asked.
    pub fn main_model(&self) -> Result<String, Problem> {
        main_model(&self.settings)
    }

    /// Opens a model by its name; the main one where none is named.
    pub fn model(&self, name: Option<&str>, reach: &Reach) -> Result<Arc<dyn Model>, Problem> {
        open_model(&self.settings, name, reach)
    }

    /// What settings and environment say of a model and how it is reached. None stands for the main one.
    pub fn model_choice(&self, model: Option<String>) -> Choice<'static> {
        choice(&self.settings, model, &Reach::default())
    }

    /// The window of the main model; that of an unknown one where none can be opened.
    pub fn window(&self) -> Tokens {
        self.model(None, &Reach::default()).map(|it| it.facts().window).unwrap_or_else(|_| ModelFacts::default().window)
    }

    /// The models that an interface may offer: those that the settings name, and the favourite of each provider that can be
    /// asked.
    pub fn selectable_models(&self) -> Vec<String> {
        let named = self.settings.models.keys().cloned();
        let providers = ox_model::providers(&self.model_choice(None));
        let favourites = providers.iter().filter_map(|(name, _)| ox_model::favourite(name));
        let mut all: Vec<String> = self.main_model().into_iter().chain(named).chain(favourites).collect();
        let mut seen = BTreeSet::new();
        all.retain(|it| seen.insert(it.clone()) && self.model(Some(it), &Reach::default()).is_ok());
        all
    }

    /// What is known of a model, without asking it.
    pub fn explain_model(&self, name: &str) -> Result<Explained, Problem> {
        ox_model::explain(&self.model_choice(Some(name.to_string())), name)
    }

    /// What opens the model that draws beside the main one; none where none is named and the provider has none.
    pub fn painter(&self, main: &str) -> Option<ox_tools::OpenPainter> {
        let name = roles::name_of(&self.settings, main, Role::Image)?;
        let settings = self.settings.clone();
        let choice = move |name: &str| choice(&settings, Some(name.to_string()), &Reach::default());
        Some(Arc::new(move || ox_model::images::painter(&choice(&name), &name)))
    }

    /// Lets the configured model, if any, make vectors of the code. The problem is that of the model that is named.
    pub fn embed(&self, index: &ProjectIndex) -> Result<(), Problem> {
        let choice = self.model_choice(None);
        let connect = |name: &str| {
            // An address that replaces the main provider's own says nothing of another one's.
            ox_model::embeddings::endpoint(&Choice { base_url: None, ..choice.clone() }, name)
        };
        if let Some(embedder) = ox_agent::embedding::open(&self.settings, &self.paths, &connect)? {
            index.embed_with(embedder);
        }
        Ok(())
    }

    /// The same; what keeps it from working is a notice. Without vectors there is still all the rest.
    pub fn embed_or_tell(&self, index: &ProjectIndex) {
        if let Err(problem) = self.embed(index) {
            notice::tell(&problem);
        }
    }

    /// Makes every key that can be found here one that nothing shows, used or not.
    pub fn hide_keys(&self) {
        let (providers, hosts) = (&self.settings.providers, &self.settings.git_hosts);
        let secret = |name: &str| {
            ox_protocol::names::is_secret_variable(name)
                || providers.values().any(|it| it.key_env.as_deref() == Some(name))
                || hosts.values().any(|it| it.token_env.as_deref() == Some(name))
        };
        for (name, value) in std::env::vars_os() {
            if let (Some(true), Some(value)) = (name.to_str().map(secret), value.to_str()) {
                ox_model::keys::know(value);
            }
        }
        providers.values().filter_map(|it| it.key.as_ref()).for_each(|it| ox_model::keys::know(it));
        let stored = paths().and_then(|it| KeyStore::of(&it).all()).unwrap_or_default();
        stored.values().for_each(|it| ox_model::keys::know(it));
    }
}

fn main_model(settings: &Settings) -> Result<String, Problem> {
    if let Some(name) = &settings.model {
        return Ok(ox_model::full_name(&reached_with(settings, None, &env, &stored_key), name));
    }
    let chosen = ox_model::choose(&choice(settings, None, &Reach::default()))?;
    Ok(settings.preset.and_then(|it| ox_model::presets::main(it, &chosen)).unwrap_or(chosen))
}

/// Opens a model by its name; the main one where none is named.
pub(crate) fn open_model(settings: &Settings, name: Option<&str>, reach: &Reach) -> Result<Arc<dyn Model>, Problem> {
    let name = name.map_or_else(|| main_model(settings), |it| Ok(it.to_string()))?;
    ox_model::open(&choice(settings, Some(name), reach))
}

fn choice(settings: &Settings, model: Option<String>, reach: &Reach) -> Choice<'static> {
    let other = settings.base_url.is_some() && model.is_some() && model != settings.model;
    let choice = Choice {
        manual_dir: reach.manual_dir.clone(),
        record: reach.cassette.clone(),
        ..reached_with(settings, model, &env, &stored_key)
    };
    if other && let Ok(main) = main_model(settings) { choice.beside(&main) } else { choice }
}

/// How a model is reached with an environment and stored keys of the caller's.
pub fn reached_with<'a>(
    settings: &Settings,
    model: Option<String>,
    env: &'a dyn Fn(&str) -> Option<String>,
    kept: &'a dyn Fn(&str) -> Option<String>,
) -> Choice<'a> {
    Choice {
        model,
        base_url: settings.base_url.clone(),
        providers: settings.providers.clone(),
        models: settings.models.clone(),
        timeouts: settings.timeouts,
        env,
        kept,
        ..Choice::default()
    }
}

/// The keys that the user gave with `ox login`, once they were read.
static STORED: Mutex<Option<BTreeMap<String, String>>> = Mutex::new(None);

/// The key that the user gave for a provider with `ox login`. What keeps the keys from being used is told once.
pub fn stored_key(provider: &str) -> Option<String> {
    let read = || {
        let read = paths().and_then(|it| KeyStore::of(&it).all());
        read.unwrap_or_else(|problem| {
            notice::tell(&problem);
            BTreeMap::new()
        })
    };
    let mut stored = STORED.lock().unwrap_or_else(PoisonError::into_inner);
    stored.get_or_insert_with(read).get(provider).cloned()
}

/// Has the stored keys read anew: those that another process keeps from now on count too.
pub fn forget_stored_keys() {
    *STORED.lock().unwrap_or_else(PoisonError::into_inner) = None;
}
