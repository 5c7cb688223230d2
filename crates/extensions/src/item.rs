//! What was found, as a list to look at before anybody trusts it.

use std::path::PathBuf;

use ox_protocol::{HookPoint, Tokens};

use crate::found::Extensions;
use crate::front_matter::front_matter;
use crate::hook::foreign_event;
use crate::skill::{SKILL_FILE, line};
use crate::source::Scope;

/// What kind of thing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A command that Ox runs by itself.
    Hook,
    /// A custom command.
    Command,
    /// A skill.
    Skill,
    /// A kind of sub-agent.
    Agent,
}

/// What a thing takes of a window, by its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// In each request.
    pub always: Tokens,
    /// Once it is used.
    pub used: Tokens,
}

/// A thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What kind.
    pub kind: ItemKind,
    /// Its name; of a hook when it runs and what.
    pub name: String,
    /// What it does, on one line; empty where nobody says.
    pub about: String,
    /// Whose it is.
    pub scope: Scope,
    /// Its file, or its folder.
    pub path: PathBuf,
    /// All files that it is made of.
    pub files: Vec<PathBuf>,
    /// What it takes.
    pub cost: Cost,
}

impl Extensions {
    /// Everything, what runs by itself first.
    pub fn items(&self) -> Vec<Item> {
        let mut items = self.hook_items();
        // A skill is listed once, although it is a command too.
        let commands = self.commands.iter().filter(|it| !it.path.ends_with(SKILL_FILE));
        items.extend(commands.map(|it| Item {
            kind: ItemKind::Command,
            name: format!("/{}", it.name),
            about: it.about.clone(),
            scope: it.scope.clone(),
            path: it.path.clone(),
            files: vec![it.path.clone()],
            cost: Cost { always: Tokens(0), used: it.tokens() },
        }));
        items.extend(self.skills.iter().map(|it| {
            Item {
                kind: ItemKind::Skill,
                name: it.name.clone(),
                about: it.about.clone(),
                scope: it.scope.clone(),
                path: it.folder.clone(),
                files: [SKILL_FILE]
                    .into_iter()
                    .chain(it.files.iter().map(String::as_str))
                    .map(|name| it.folder.join(name))
                    .collect(),
                cost: Cost {
                    always: if it.users_only { Tokens(0) } else { Tokens::estimate(&it.line()) },
                    used: it.tokens,
                },
            }
        }));
        items.extend(self.agents.iter().map(|it| {
            let read = front_matter(&it.text).unwrap_or_default();
            let name = read.text("name").filter(|_| it.foreign).unwrap_or_else(|| it.name.clone());
            let name = it.plugin.as_ref().map_or(name.clone(), |plugin| format!("{plugin}:{name}"));
            let about = line(&name, &read.text("description").unwrap_or_default());
            let cost =
                Cost { always: Tokens::estimate(&format!("- {name}: {about}")), used: Tokens::estimate(&read.body) };
            let (scope, path) = (it.scope.clone(), it.path.clone());
            Item { kind: ItemKind::Agent, name, about, scope, files: vec![path.clone()], path, cost }
        }));
        items
    }

    fn hook_items(&self) -> Vec<Item> {
        let one = |it: &crate::FoundHook| {
            let hook = &it.hook;
            let tools = if hook.tools.is_empty() { String::new() } else { format!(" ({})", hook.tools.join(", ")) };
            let event = foreign_event(hook.at);
            let about_tools = matches!(hook.at, HookPoint::BeforeTool | HookPoint::AfterTool);
            let tools = if about_tools { tools } else { String::new() };
            Item {
                kind: ItemKind::Hook,
                name: format!("{event}{tools}: {}", hook.command),
                about: String::new(),
                scope: it.scope.clone(),
                path: it.path.clone(),
                files: vec![it.path.clone()],
                cost: Cost::default(),
            }
        };
        self.hooks.iter().map(one).collect()
    }
}
