//! `ox config`: every value with its origin; reading and changing single values.
//!
//! It changes the user's file alone, and it never shows a secret.

use std::fs;
use std::path::Path;

use clap::{Args, Subcommand};
use ox_app::project::{editor, env};
use ox_app::{Project, ProjectOptions};
use ox_config::state::granted_rules;
use ox_config::{Kind, Origin, Settings};
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use serde_json::json;

use super::print::{err, exact, json, out};
use crate::cmd::shared;

/// Arguments of `ox config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    what: Option<What>,
    /// Show also the keys that are not set.
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Print JSON, with every key.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Open your configuration file in your editor, and check it afterwards.
    Edit,
    /// Print the path of your configuration file.
    Path,
    /// Print a value.
    Get {
        /// Key, such as `limits.max_iterations`.
        key: String,
    },
    /// Set a value in your configuration file.
    Set {
        /// Key, such as `limits.max_iterations`.
        key: String,
        /// Value; a list in TOML syntax.
        value: String,
    },
    /// Remove a value from your configuration file.
    Unset {
        /// Key to remove.
        key: String,
    },
    /// Explain all keys, as a Markdown table.
    Keys,
    /// List the rules remembered for this project.
    Remembered,
    /// Remove a rule remembered for this project.
    #[command(arg_required_else_help = true)]
    Forget {
        /// Rule, as printed by `ox config remembered`.
        rule: Option<String>,
        /// Remove all.
        #[arg(long, conflicts_with = "rule")]
        all: bool,
    },
}

/// Shows or changes the configuration. Exit code 1 from `get` and `unset` means that there is no such value.
pub fn run(args: ConfigArgs) -> anyhow::Result<u8> {
    let file = || ox_config::paths(&env).map(|it| it.config_file());
    match args.what {
        None => show(args.all, args.json),
        Some(What::Edit) => edit(&file()?),
        Some(What::Path) => {
            exact(&file()?.display().to_string());
            Ok(0)
        }
        Some(What::Get { key }) => get(&key),
        Some(What::Set { key, value }) => {
            let file = file()?;
            check_model(&key, &value)?;
            ox_config::set(&file, &key, &value)?;
            say_shadowed(&key, &file);
            Ok(0)
        }
        Some(What::Unset { key }) => Ok(u8::from(!ox_config::unset(&file()?, &key)?)),
        Some(What::Keys) => {
            exact(&ox_config::reference(ox_app::project::language()));
            Ok(0)
        }
        Some(What::Remembered) => show_remembered(args.json),
        Some(What::Forget { rule, .. }) => forget(rule.as_deref()),
    }
}

/// Refuses the name of a model that nothing could open: the next start would be too late to say so.
fn check_model(key: &str, value: &str) -> anyhow::Result<()> {
    if ox_config::kind_of(key) != Some(Kind::Model) {
        return Ok(());
    }
    let project = Project::here(ProjectOptions::default())?;
    Ok(ox_model::check_name(&project.model_choice(None), value)?)
}

/// Lets the user edit the file. An error names what Ox could not read in it; the file stays as it was saved.
fn edit(file: &Path) -> anyhow::Result<u8> {
    let language = ox_app::project::language();
    let root = std::env::current_dir()?;
    if !file.exists() {
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, format!("# {}\n", language.say("config.new_file", &[])))?;
    }
    shared::runtime()?.block_on(editor::open(&editor::chosen(), &root, file))?;
    Project::here(ProjectOptions::default())?;
    err(&language.say("config.in_force", &[("file", &file.display().to_string())]));
    Ok(0)
}

fn show(all: bool, as_json: bool) -> anyhow::Result<u8> {
    let settings = shared::open()?.settings;
    let language = settings.language;
    if as_json {
        json(&as_json_object(&settings));
        return Ok(0);
    }
    let names: Vec<&str> = settings.all_names().collect();
    let shown: Vec<&str> = names.iter().copied().filter(|it| all || settings.value(it).is_some()).collect();
    out(&table(&settings, &shown, language));
    if shown.len() < names.len() {
        err(&language.say("config.more", &[("count", &(names.len() - shown.len()).to_string())]));
    }
    Ok(0)
}

fn show_remembered(as_json: bool) -> anyhow::Result<u8> {
    let project = Project::here(ProjectOptions::default())?;
    let rules = granted_rules::load(&project.paths.state_dir, &project.root)?;
    let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
    match rules.is_empty() && !as_json {
        true => err(&project.settings.language.say("config.nothing_remembered", &[])),
        false if as_json => json(&json!(rules)),
        false => out(&rules.join("\n")),
    }
    Ok(0)
}

/// Forgets one rule, or all where none is named.
fn forget(rule: Option<&str>) -> anyhow::Result<u8> {
    let language = ox_app::project::language();
    let state = ox_config::paths(&env)?.state_dir;
    let here = std::env::current_dir().map_err(|error| Problem::new("error.no_folder").with("why", error))?;
    let gone = granted_rules::forget(&state, &ox_app::project::root_of(&here), rule)?;
    if let (true, Some(rule)) = (gone.is_empty(), rule) {
        return Err(Problem::new("config.not_remembered").with("rule", rule).into());
    }
    for rule in &gone {
        err(&language.say("config.forgotten", &[("rule", rule)]));
    }
    if gone.is_empty() {
        err(&language.say("config.nothing_remembered", &[]));
    }
    Ok(0)
}

fn get(key: &str) -> anyhow::Result<u8> {
    let settings = shared::open()?.settings;
    match settings.text(key) {
        Some(text) => exact(&text),
        None if ox_config::is_key(key) => return Ok(1),
        None => return Err(Problem::new("config.no_such_key").with("key", key).into()),
    }
    Ok(0)
}

fn table(settings: &Settings, names: &[&str], language: Language) -> String {
    let row = |name: &&str| {
        let value = settings.value(name);
        let origin = match &value {
            None => language.say("config.unset", &[]),
            Some(_) => origins(settings.origins_of(name), language),
        };
        vec![(*name).to_string(), value.unwrap_or_else(|| "–".to_string()), origin]
    };
    let head = ["key", "value", "origin"].map(|it| language.say(&format!("config.head.{it}"), &[]));
    super::print::table(&head, names.iter().map(row).collect())
}

fn origins(origins: &[Origin], language: Language) -> String {
    let one = |origin: &Origin| {
        let name = language.say(origin.code(), &[]);
        let place = origin.to_string();
        if place.is_empty() { name } else { format!("{name} {place}") }
    };
    origins.iter().map(one).collect::<Vec<String>>().join(", ")
}

fn as_json_object(settings: &Settings) -> serde_json::Value {
    let kind = |origin: &Origin| origin.code().trim_start_matches("config.origin.").to_string();
    let one = |name: String| {
        let origins: Vec<_> = settings.origins_of(&name).iter().collect();
        let origins: Vec<_> =
            origins.into_iter().map(|it| json!({ "from": kind(it), "place": it.to_string() })).collect();
        (name.clone(), json!({ "value": settings.text(&name), "origins": origins }))
    };
    settings.all_names().map(str::to_string).map(one).collect::<serde_json::Map<String, serde_json::Value>>().into()
}

/// A value that a stronger layer hides would surprise whoever has just set it.
fn say_shadowed(key: &str, file: &Path) {
    let Ok(project) = shared::open() else { return };
    let settings = project.settings;
    let Some(origin) = settings.origins_of(key).last() else { return };
    if origin.file().is_none_or(|(it, _)| it != file) {
        let place = origin.to_string();
        super::print::err(&settings.language.say("config.shadowed", &[("key", key), ("place", &place)]));
    }
}
