//! Proving a provider's key before it is kept.

use std::sync::Arc;

use ox_model::{Choice, Model, Request};
use ox_protocol::{FailureKind, Message, Problem, Role, Tokens};

use super::models::{reached_with, stored_key};
use super::{Project, env};

impl Project {
    /// The providers by name, each with the variable that may hold its key.
    pub fn providers(&self) -> Vec<(String, Option<String>)> {
        ox_model::providers(&reached_with(&self.settings, None, &env, &stored_key))
    }

    /// The variable that may hold a provider's key. The problem `model.unknown_provider` where there is no such provider.
    pub fn provider_variable(&self, provider: &str) -> Result<Option<String>, Problem> {
        let all = self.providers();
        let found = all.iter().find(|(name, _)| name == provider).map(|(_, variable)| variable.clone());
        found.ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
            Problem::new("model.unknown_provider").with("provider", provider).with("known", names.join(", "))
        })
    }

    /// The model that a key of `provider` is tried with: the one that is named, else the main one where it is the
    /// provider's, else the provider's best known. It is asked with this key, whatever the environment has.
    pub fn model_for_key(&self, provider: &str, model: Option<String>, key: &str) -> Result<Arc<dyn Model>, Problem> {
        let settings = &self.settings;
        let named = settings.providers.get(provider).and_then(|it| it.key_env.clone());
        let others =
            |name: &str| if name.ends_with("_API_KEY") || Some(name) == named.as_deref() { None } else { env(name) };
        let given = |name: &str| (name == provider).then(|| key.to_string());
        let choice = reached_with(settings, model, &others, &given);
        let own = settings.model.clone().filter(|it| it.split('/').next() == Some(provider));
        let name = choice.model.clone().or(own).or_else(|| ox_model::favourite(provider));
        let name = name.ok_or_else(|| untested(provider, &settings.language.say("login.no_model", &[])))?;
        let choice = Choice { model: Some(name.clone()), ..choice };
        ox_model::open(&choice.beside(settings.model.as_ref().unwrap_or(&name)))
    }
}

/// Asks the model one tiny question. None where it answered; a doubt where the key was known and something else was in
/// the way; the problem `login.rejected` where the key is no good, `login.untested` where nobody can tell.
pub async fn test_key(model: &dyn Model, provider: &str) -> Result<Option<Problem>, Problem> {
    let request = Request {
        system: "You answer briefly.".to_string(),
        messages: vec![Message::text(Role::User, "Say OK.").into()],
        max_output: Tokens(64),
        ..Request::default()
    };
    let Err(failure) = model.ask(&request, &|_| {}).await else { return Ok(None) };
    let with = |code: &str| Problem::new(code).with("provider", provider).with("why", &failure.message);
    match failure.kind {
        FailureKind::Auth => Err(with("login.rejected")),
        FailureKind::Quota | FailureKind::RateLimited | FailureKind::Overloaded | FailureKind::ContentFilter => {
            Ok(Some(with("login.doubt")))
        }
        _ => Err(untested(provider, &failure.message)),
    }
}

fn untested(provider: &str, why: &str) -> Problem {
    Problem::new("login.untested").with("provider", provider).with("why", why)
}
