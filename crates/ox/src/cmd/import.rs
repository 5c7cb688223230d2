//! `ox import`: the conversations and settings of another agent.
//!
//! It never writes in that agent's folders, never copies a key, and adds no setting that was not shown and agreed to.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ox_app::Project;
use ox_app::import::{Agent, Fate, Imported, ImportedConversation, Offer, Wanted, home};
use ox_protocol::RuleAction;
use ox_protocol::locale::Language;
use serde_json::{Value, json};

use super::print::{columns, cut, err, json as print_json, out};
use super::shared;
use super::trust::{confirmed, plain};

/// Longest title in the list, in characters.
const TITLE: usize = 60;
/// Broken lines that are named; the rest is counted.
const NAMED: usize = 5;

/// Arguments of `ox import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Agent to take over from.
    #[arg(value_enum)]
    agent: Source,
    /// Folder of that agent; by default the one that it uses.
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Show what would be taken over; write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Take over conversations of all folders, not only this project's.
    #[arg(long)]
    all: bool,
    /// Add the settings without asking.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Source {
    Claude,
    Codex,
    Opencode,
}

impl Source {
    fn agent(self) -> Agent {
        match self {
            Source::Claude => Agent::Claude,
            Source::Codex => Agent::Codex,
            Source::Opencode => Agent::Opencode,
        }
    }
}

/// Imports, and says what became of it. Exit code 1 where a conversation or the settings could not be taken.
pub fn run(args: ImportArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    let home = home(args.agent.agent(), args.from.as_deref())?;
    let wanted = Wanted { home, all: args.all, dry: args.dry_run };
    let imported = project.import(&wanted)?;
    let offer = project.offered_settings(&wanted.home)?;
    if args.json {
        let taken = args.yes && !offer.is_empty();
        if taken {
            project.take_settings(&offer)?;
        }
        print_json(&as_json(&wanted, &imported, (&offer, taken), project.settings.language));
    } else {
        let language = project.settings.language;
        show(&wanted, &imported, language);
        show_settings(&wanted, &offer, language);
        take(&project, &wanted, &offer, args.yes)?;
        if args.dry_run {
            err(&language.say("import.dry", &[]));
        }
    }
    Ok(u8::from(!imported.problems.is_empty()))
}

/// Adds the settings where that was said, and says so.
fn take(project: &Project, wanted: &Wanted, offer: &Offer, yes: bool) -> anyhow::Result<()> {
    let language = project.settings.language;
    if offer.is_empty() || wanted.dry {
        return Ok(());
    }
    let can_ask = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !yes && !can_ask {
        err(&language.say("import.settings.needs_answer", &[("name", wanted.home.agent.name())]));
        return Ok(());
    }
    if !yes && !confirmed("import.settings.ask", language)? {
        err(&language.say("import.settings.not_taken", &[]));
        return Ok(());
    }
    project.take_settings(offer)?;
    let folder = project.paths.config_dir.display().to_string();
    err(&language.say("import.settings.taken", &[("folder", &folder)]));
    Ok(())
}

fn fate(fate: Fate, language: Language) -> String {
    let count = if let Fate::Grown(count) = fate { count } else { 0 };
    language.say(&format!("import.fate.{}", fate.name()), &[("count", &count.to_string())])
}

fn is_taken(it: &ImportedConversation) -> bool {
    matches!(it.fate, Fate::New | Fate::Grown(_))
}

/// The conversations and what was not understood of them.
fn show(wanted: &Wanted, imported: &Imported, language: Language) {
    let row = |it: &ImportedConversation| {
        let turns = language.say("sessions.turns", &[("count", &it.turns.to_string())]);
        vec![it.id.0.clone(), fate(it.fate, language), turns, plain(&cut(&it.title, TITLE))]
    };
    let rows: Vec<Vec<String>> = imported.conversations.iter().map(row).collect();
    if !rows.is_empty() {
        out(&columns(&rows));
    }
    let taken = imported.conversations.iter().filter(|it| is_taken(it)).count();
    let skipped = imported.conversations.len() - taken + imported.problems.len();
    let key = if wanted.dry { "import.would" } else { "import.summary" };
    err(&language.say(key, &[("taken", &taken.to_string()), ("skipped", &skipped.to_string())]));
    let counted = |key: &str, count: usize, args: &[(&str, &str)]| {
        let number = count.to_string();
        if count > 0 {
            err(&plain(&language.say(key, &[args, &[("count", number.as_str())]].concat())));
        }
    };
    counted("import.elsewhere", imported.elsewhere, &[("name", wanted.home.agent.name())]);
    counted("import.of_agents", imported.of_agents, &[]);
    let broken = &imported.unread.broken;
    let more = if broken.len() > NAMED { ", …" } else { "" };
    let names = broken.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ") + more;
    counted("import.broken", broken.len(), &[("names", &names)]);
    if !imported.unread.kinds.is_empty() {
        let kinds: Vec<String> =
            imported.unread.kinds.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
        err(&plain(&language.say("import.kinds", &[("kinds", &kinds.join(", "))])));
    }
    imported.problems.iter().for_each(|it| err(&plain(&language.problem(it))));
}

fn action(action: RuleAction) -> &'static str {
    match action {
        RuleAction::Allow => "allow",
        RuleAction::Ask => "ask",
        RuleAction::Deny => "deny",
    }
}

/// Everything that the settings would add, and what they would not.
fn show_settings(wanted: &Wanted, offer: &Offer, language: Language) {
    if offer.is_empty() {
        err(&language.say("import.settings.none", &[]));
    } else {
        err(&language.say("import.settings.head", &[("agent", &wanted.home.agent.to_string())]));
        let row = |thing: &str, text: &str| vec![language.say(&format!("import.thing.{thing}"), &[]), plain(text)];
        let model = offer.model.iter().map(|it| row("model", it));
        let servers = offer.servers.iter().map(|it| row("server", &format!("{}: {}", it.name, it.summary())));
        let rules = offer.rules.iter().map(|it| row(action(it.action), &it.to_string()));
        err(&columns(&model.chain(servers).chain(rules).collect::<Vec<_>>()));
    }
    if !offer.variables.is_empty() {
        err(&language.say("import.settings.variables", &[("names", &offer.variables.join(", "))]));
    }
    offer.left.iter().for_each(|it| err(&plain(&language.problem(it))));
}

fn as_json(wanted: &Wanted, imported: &Imported, (offer, taken): (&Offer, bool), language: Language) -> Value {
    let one = |it: &ImportedConversation| {
        let added = if let Fate::Grown(count) = it.fate { Some(count) } else { None };
        json!({
            "id": it.id, "origin": it.origin, "root": it.root, "title": it.title, "turns": it.turns,
            "fate": it.fate.name(), "new_events": added,
        })
    };
    let rule = |it: &ox_protocol::Rule| json!({"action": action(it.action), "rule": it.to_string()});
    let server = |it: &ox_mcp::ServerConfig| json!({"name": it.name, "what": it.summary()});
    let words = |all: &[ox_protocol::Problem]| all.iter().map(|it| language.problem(it)).collect::<Vec<_>>();
    json!({
        "agent": wanted.home.agent.name(),
        "folder": wanted.home.folder,
        "dry_run": wanted.dry,
        "conversations": imported.conversations.iter().map(one).collect::<Vec<_>>(),
        "imported": imported.conversations.iter().filter(|it| is_taken(it)).count(),
        "elsewhere": imported.elsewhere,
        "of_agents": imported.of_agents,
        "broken": imported.unread.broken,
        "not_understood": imported.unread.kinds,
        "problems": words(&imported.problems),
        "settings": {
            "taken": taken,
            "model": offer.model,
            "servers": offer.servers.iter().map(server).collect::<Vec<_>>(),
            "rules": offer.rules.iter().map(rule).collect::<Vec<_>>(),
            "variables": offer.variables,
            "not_taken": words(&offer.left),
        },
    })
}
