//! The configuration as a person is shown it: each setting and each rule with where it comes from.

use ox_config::Origin;
use ox_config::state::granted_rules;
use ox_protocol::{Problem, Rule, RuleAction};

use super::Project;

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownSetting {
    /// The key.
    pub name: String,
    /// The value; none where nothing is set.
    pub value: Option<String>,
    /// For each layer that says something of it the code of its name, and its place.
    pub origins: Vec<(&'static str, String)>,
}

/// A permission rule and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownRule {
    /// What it does with the calls that it is about.
    pub action: RuleAction,
    /// As it is written.
    pub rule: String,
    /// As in [`ShownSetting`].
    pub origins: Vec<(&'static str, String)>,
    /// True where the user granted it in this project, and it can be forgotten.
    pub remembered: bool,
}

fn places<'a>(origins: impl IntoIterator<Item = &'a Origin>) -> Vec<(&'static str, String)> {
    origins.into_iter().map(|it| (it.code(), it.to_string())).collect()
}

impl Project {
    /// Every setting that has a value, those of the table of keys first.
    pub fn shown_settings(&self) -> Vec<ShownSetting> {
        let settings = &self.settings;
        let shown = |name: &str| ShownSetting {
            name: name.to_string(),
            value: settings.value(name),
            origins: places(settings.origins_of(name)),
        };
        settings.all_names().map(shown).collect()
    }

    /// The permission rules, those first that the user granted in this project.
    pub fn shown_rules(&self) -> Result<Vec<ShownRule>, Problem> {
        let granted = granted_rules::load(&self.paths.state_dir, &self.root)?;
        let is_granted =
            |rule: &Rule| granted.iter().any(|it| it.to_string() == rule.to_string() && it.action == rule.action);
        let shown = |rule: &Rule, remembered: bool| {
            let key = match rule.action {
                RuleAction::Allow => "rules.allow",
                RuleAction::Ask => "rules.ask",
                RuleAction::Deny => "rules.deny",
            };
            let of = self.settings.origins_of(key).iter();
            let of = of.filter(|it| matches!(it, Origin::Remembered { .. }) == remembered);
            ShownRule { action: rule.action, rule: rule.to_string(), origins: places(of), remembered }
        };
        let others = self.settings.rules.iter().filter(|it| !is_granted(it));
        Ok(granted.iter().map(|it| shown(it, true)).chain(others.map(|it| shown(it, false))).collect())
    }

    /// Forgets a rule that the user granted in this project. False where there was no such one.
    pub fn forget_rule(&self, rule: &str) -> Result<bool, Problem> {
        Ok(!granted_rules::forget(&self.paths.state_dir, &self.root, Some(rule))?.is_empty())
    }

    /// Writes a setting into the user's own configuration.
    pub fn keep_setting(&self, key: &str, value: &str) -> Result<(), Problem> {
        ox_config::set(&self.paths.config_file(), key, value)
    }
}
