//! `ox plugin`: what plugins, users and projects add in files of their own: added, listed, removed.
//!
//! Adding one shows what it adds and what that takes of a window, and runs nothing of it.

use std::io::IsTerminal;

use clap::{Args, Subcommand, ValueEnum};
use ox_app::Project;
use ox_app::project::plugins::{AddedPlugin, NewPlugin};
use ox_extensions::{Item, ItemKind};
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use serde_json::json;

use super::print::{columns, cut, err, json as print_json, out};
use super::trust::{confirmed, cost, plain};
use crate::cmd::shared;

/// Characters of what a thing is for.
const ABOUT: usize = 60;

/// Arguments of `ox plugin`.
#[derive(Debug, Args)]
pub struct PluginArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Add a plugin from a folder or a git repository; a plugin of the same name is replaced.
    Add {
        /// Folder, or the URL of a git repository.
        #[arg(value_name = "PATH|GIT-URL")]
        from: String,
        /// The plugin's folder within that.
        #[arg(long = "folder", value_name = "DIR")]
        part: Option<String>,
        /// Add without asking.
        #[arg(long)]
        yes: bool,
    },
    /// List plugins, skills, custom commands, sub-agents and hooks with their cost in tokens.
    List {
        /// Only these.
        #[arg(value_enum)]
        kind: Option<Kind>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove a plugin.
    Remove {
        /// Name of the plugin.
        name: String,
    },
}

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Plugins,
    Skills,
    Commands,
    Agents,
    Hooks,
}

impl Kind {
    fn of(item: &Item) -> Kind {
        match item.kind {
            ItemKind::Hook => Kind::Hooks,
            ItemKind::Command => Kind::Commands,
            ItemKind::Skill => Kind::Skills,
            ItemKind::Agent => Kind::Agents,
        }
    }
}

/// Adds, lists, removes. Exit code 1 where nothing was added.
pub fn run(args: PluginArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    match args.what {
        What::Add { from, part, yes } => add(&project, &from, part.as_deref(), yes),
        What::List { kind, json } => list(&project, kind, json),
        What::Remove { name } => {
            project.remove_plugin(&name)?;
            err(&project.settings.language.say("plugin.removed", &[("name", &name)]));
            Ok(0)
        }
    }
}

fn add(project: &Project, from: &str, part: Option<&str>, yes: bool) -> anyhow::Result<u8> {
    let language = project.settings.language;
    let new = project.fetch_plugin(from, part)?;
    let name = new.manifest.name.clone();
    preview(&new, language);
    let can_ask = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !yes && !can_ask {
        err(&language.say("plugin.needs_answer", &[]));
        return Ok(1);
    }
    if !yes && !confirmed("plugin.ask", language)? {
        err(&language.say("plugin.not_added", &[]));
        return Ok(1);
    }
    let folder = project.add_plugin(new)?.display().to_string();
    err(&language.say("plugin.added", &[("name", &name), ("folder", &folder)]));
    Ok(0)
}

/// Shows what a plugin would add, what that takes, and what of it is not used.
fn preview(new: &NewPlugin, language: Language) {
    let named = format!("{} {}", new.manifest.name, new.manifest.version);
    err(&language.say("plugin.head", &[("name", named.trim())]));
    let items = new.extensions.items();
    let place = new.place.display().to_string();
    let mut rows: Vec<Vec<String>> = items.iter().map(|it| row(it, language)).collect();
    for server in &new.servers {
        let name = format!("{}: {}", server.name, server.summary());
        rows.push(vec![language.say("trust.thing.server", &[]), plain(&name)]);
    }
    err(&columns(&rows).replace(&place, "${PLUGIN_ROOT}"));
    let always: u64 = items.iter().map(|it| it.cost.always.0).sum();
    err(&language.say("plugin.sum", &[("always", &always.to_string())]));
    let unknown = new.manifest.unknown.iter().map(|it| {
        Problem::new("extensions.unreadable").with("file", "plugin.json").with("why", format!("`{it}` is no field"))
    });
    for problem in new.extensions.problems.iter().chain(&new.extensions.passed).cloned().chain(unknown) {
        err(&plain(&language.problem(&problem)).replace(&place, "${PLUGIN_ROOT}"));
    }
}

/// A thing: what it is, its name, what it takes.
fn row(item: &Item, language: Language) -> Vec<String> {
    let (key, takes) = match item.kind {
        ItemKind::Hook => ("trust.thing.hook", String::new()),
        ItemKind::Command => ("trust.thing.command", cost(item.cost, language)),
        ItemKind::Skill => ("trust.thing.skill", cost(item.cost, language)),
        ItemKind::Agent => ("trust.thing.agent", cost(item.cost, language)),
    };
    vec![language.say(key, &[]), plain(&item.name), takes]
}

fn list(project: &Project, kind: Option<Kind>, as_json: bool) -> anyhow::Result<u8> {
    let language = project.settings.language;
    let (mut plugins, found) = (project.plugins()?, project.extensions());
    let mut items = found.items();
    if let Some(kind) = kind {
        plugins.retain(|_| kind == Kind::Plugins);
        items.retain(|it| kind == Kind::of(it));
    }
    if as_json {
        let plugin = |it: &AddedPlugin| json!({"name": it.name, "version": it.version, "source": it.source});
        let item = |it: &Item| {
            let kind = match it.kind {
                ItemKind::Hook => "hook",
                ItemKind::Command => "command",
                ItemKind::Skill => "skill",
                ItemKind::Agent => "agent",
            };
            let tokens = json!({"always": it.cost.always, "used": it.cost.used});
            json!({"kind": kind, "name": it.name, "source": it.scope.to_string(), "path": it.path, "about": it.about, "tokens": tokens})
        };
        let plugins: Vec<_> = plugins.iter().map(plugin).collect();
        print_json(&json!({"plugins": plugins, "things": items.iter().map(item).collect::<Vec<_>>()}));
    } else if plugins.is_empty() && items.is_empty() {
        err(&language.say("plugin.none", &[]));
    } else {
        let mut rows: Vec<Vec<String>> = plugins
            .iter()
            .map(|it| vec!["plugin".to_owned(), plain(&it.name), plain(&it.version), plain(&it.source)])
            .collect();
        rows.extend(items.iter().map(|it| {
            let mut row = row(it, language);
            row.insert(2, it.scope.to_string());
            row.push(cut(&plain(it.about.lines().next().unwrap_or_default()), ABOUT));
            row
        }));
        out(&columns(&rows));
    }
    for problem in found.problems.iter().chain(&found.passed) {
        err(&plain(&language.problem(problem)));
    }
    super::trust::say_ignored(project);
    Ok(0)
}
