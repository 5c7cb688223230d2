//! The models that a person is offered, with what is known of each.
//!
//! Promise: no model and no server is asked, and no key is shown.

use std::collections::BTreeSet;

use ox_model::aliases;
use ox_protocol::{Money, Tokens};

use super::Project;

/// A model that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// `provider/model`.
    pub name: String,
    /// Its short name, where it has one.
    pub alias: Option<String>,
    /// Its window.
    pub window: Option<Tokens>,
    /// Price per million tokens that it reads.
    pub input_price: Option<Money>,
    /// Price per million tokens that it writes.
    pub output_price: Option<Money>,
    /// The variable of the key that is not there; none where it can be asked.
    pub lacks: Option<String>,
    /// True for the one that a new conversation begins with.
    pub default: bool,
}

impl Project {
    /// The models that the configuration names, those of the aliases and the favourite of each provider: those that can be
    /// asked first.
    pub fn offered_models(&self) -> Vec<Offered> {
        let main = self.main_model().ok();
        let choice = self.model_choice(None);
        let named = self.settings.models.keys().cloned();
        // Of the models behind a short name those that can be asked, else the one that it is most about.
        let short = aliases().flat_map(|it| {
            let asked = |model: &&str| model.split_once('/').is_some_and(|(it, _)| ox_model::has_key(&choice, it));
            let can: Vec<&str> = it.models.iter().copied().filter(asked).collect();
            if can.is_empty() { it.models.into_iter().take(1).collect() } else { can }
        });
        let short = short.map(str::to_owned).collect::<Vec<_>>();
        let favourites = ox_model::providers(&choice).into_iter().filter_map(|it| ox_model::favourite(&it.0));
        let mut seen = BTreeSet::new();
        let all = main.clone().into_iter().chain(named).chain(short).chain(favourites);
        let mut offered: Vec<Offered> = all
            .filter(|it| seen.insert(it.clone()))
            .filter_map(|name| {
                let known = self.explain_model(&name).ok();
                // The scripted and other models without a provider are offered only where they are the main one.
                if known.is_none() && main.as_ref() != Some(&name) {
                    return None;
                }
                let facts = known.as_ref().map(|it| &it.facts);
                Some(Offered {
                    alias: aliases().find(|it| it.models.contains(&name.as_str())).map(|it| it.name.to_owned()),
                    window: facts.map(|it| it.window),
                    input_price: facts.and_then(|it| it.input_price),
                    output_price: facts.and_then(|it| it.output_price),
                    lacks: known
                        .as_ref()
                        .filter(|it| !it.has_key && !it.key_variable.is_empty())
                        .map(|it| it.key_variable.clone()),
                    default: main.as_ref() == Some(&name),
                    name,
                })
            })
            .collect();
        offered.sort_by_key(|it| (it.lacks.is_some(), !it.default));
        offered
    }
}
