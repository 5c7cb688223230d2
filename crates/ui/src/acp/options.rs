//! What a client may choose in a session: the mode, the model, and the commands that it may offer behind a slash. Pure.

use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigSelectOption, SessionMode, SessionModeState, UnstructuredCommandInput,
};
use ox_protocol::locale::Language;
use ox_protocol::{Effort, Mode};

use crate::commands::COMMANDS;
use crate::composer::Item;
use crate::picker::choices::{DEFAULT_EFFORT, EFFORTS};

/// The ids of the options.
pub(super) const MODE: &str = "mode";
pub(super) const MODEL: &str = "model";
pub(super) const EFFORT: &str = "effort";

/// The commands that do something here; the client has its own ways for the others.
const OFFERED: [&str; 11] =
    ["/clear", "/compact", "/continue", "/undo", "/redo", "/rewind", "/add", "/drop", "/exclude", "/include", "/plan"];

/// What is chosen now, and what else there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) mode: Mode,
    pub(super) model: String,
    pub(super) effort: Option<Effort>,
    /// The models that can be asked.
    pub(super) models: Vec<String>,
}

impl Chosen {
    /// The modes.
    pub(super) fn modes(&self, language: Language) -> SessionModeState {
        let one = |it: Mode| SessionMode::new(it.name(), mode_name(language, it)).description(mode_words(language, it));
        SessionModeState::new(self.mode.name(), Mode::ALL.map(one).to_vec())
    }

    /// The same and the model, as options.
    pub(super) fn options(&self, language: Language) -> Vec<SessionConfigOption> {
        let one = |it: Mode| {
            SessionConfigSelectOption::new(it.name(), mode_name(language, it)).description(mode_words(language, it))
        };
        let name = |key: &str| language.say(key, &[]);
        let mode = SessionConfigOption::select(MODE, name("acp.mode"), self.mode.name(), Mode::ALL.map(one).to_vec());
        let mut models = self.models.clone();
        if !models.contains(&self.model) {
            models.insert(0, self.model.clone());
        }
        let models: Vec<_> = models.into_iter().map(|it| SessionConfigSelectOption::new(it.clone(), it)).collect();
        let model = SessionConfigOption::select(MODEL, name("acp.model"), self.model.clone(), models);
        let one = |(id, about)| SessionConfigSelectOption::new(id, id).description(name(about));
        let efforts: Vec<_> = EFFORTS.into_iter().map(one).collect();
        let effort = self.effort.map_or(DEFAULT_EFFORT, Effort::name);
        let effort = SessionConfigOption::select(EFFORT, name("acp.effort"), effort, efforts);
        vec![
            mode.category(SessionConfigOptionCategory::Mode),
            model.category(SessionConfigOptionCategory::Model),
            effort.category(SessionConfigOptionCategory::ThoughtLevel),
        ]
    }
}

fn mode_name(language: Language, mode: Mode) -> String {
    language.say(&format!("acp.mode.{}", mode.name()), &[])
}

fn mode_words(language: Language, mode: Mode) -> String {
    language.say(&format!("mode.{}", mode.name()), &[])
}

/// The commands that a client may offer.
pub(super) fn commands(language: Language, custom: &[Item]) -> Vec<AvailableCommand> {
    let one = |name: &str, argument: &str, about: String| {
        let hint = (!argument.is_empty()).then(|| UnstructuredCommandInput::new(argument));
        AvailableCommand::new(&name[1..], about).input(hint.map(AvailableCommandInput::Unstructured))
    };
    let own = COMMANDS.iter().filter(|(name, ..)| OFFERED.contains(name));
    let own = own.map(|(name, argument, key)| one(name, argument, language.say(key, &[])));
    own.chain(custom.iter().map(|it| one(&it.name, &it.usage, it.about.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_among_its_options_and_every_command_is_known() {
        let chosen = Chosen { mode: Mode::Plan, model: "a/b".into(), effort: None, models: vec!["c/d".into()] };
        let options = serde_json::to_value(chosen.options(Language::En)).unwrap();
        assert_eq!((&options[0]["currentValue"], &options[1]["currentValue"]), (&"plan".into(), &"a/b".into()));
        assert_eq!(options[1]["options"].as_array().unwrap().len(), 2);
        let modes = serde_json::to_value(chosen.modes(Language::Zh)).unwrap();
        assert_eq!((&modes["currentModeId"], modes["availableModes"].as_array().unwrap().len()), (&"plan".into(), 4));
        assert_eq!(commands(Language::En, &[]).len(), OFFERED.len());
        assert_eq!(Mode::named("build"), Some(Mode::Build));
        assert_eq!(Mode::named("fast"), None);
    }
}
