//! `ox config`: every value with its origin; reading and changing single values.
//!
//! It changes the user's file alone, and it never shows a secret.

use std::path::Path;

use clap::{Args, Subcommand};
use ox_agent::config::{self, KEYS, Kind, Origin, Settings};
use ox_agent::remembered;
use ox_protocol::locale::Language;
use ox_protocol::{Layer, Problem};
use serde_json::json;

use super::print::{columns, err, json, out};
use crate::wire::{self, Told, env};

/// Arguments of `ox config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print where your own file is.
    Path,
    /// Print one value.
    Get {
        /// The key, such as `limits.max_turns`.
        key: String,
    },
    /// Write one value into your own file.
    Set {
        /// The key, such as `limits.max_turns`.
        key: String,
        /// The value; a list as in TOML.
        value: String,
    },
    /// Take one value out of your own file.
    Unset {
        /// The key.
        key: String,
    },
    /// Explain every key, as a Markdown table.
    Keys,
    /// List the rules that you granted for this project once and for all.
    Remembered,
    /// Take back a rule that you granted for this project.
    #[command(arg_required_else_help = true)]
    Forget {
        /// The rule, as `ox config remembered` prints it.
        rule: Option<String>,
        /// All of them.
        #[arg(long, conflicts_with = "rule")]
        all: bool,
    },
}

/// Shows or changes the configuration. Exit code 1 from `get` and `unset` means that there is no such value.
pub fn run(args: ConfigArgs) -> anyhow::Result<u8> {
    let file = || config::paths(&env).map(|it| it.config_file()).map_err(Told);
    match args.what {
        None => show(args.json),
        Some(What::Path) => {
            out(&file()?.display().to_string());
            Ok(0)
        }
        Some(What::Get { key }) => get(&key),
        Some(What::Set { key, value }) => {
            let file = file()?;
            check_model(&key, &value)?;
            config::set(&file, &key, &value).map_err(Told)?;
            say_shadowed(&key, &file);
            Ok(0)
        }
        Some(What::Unset { key }) => Ok(u8::from(!config::unset(&file()?, &key).map_err(Told)?)),
        Some(What::Keys) => {
            out(&config::reference(wire::language()));
            Ok(0)
        }
        Some(What::Remembered) => show_remembered(args.json),
        Some(What::Forget { rule, .. }) => forget(rule.as_deref()),
    }
}

/// Refuses the name of a model that nothing could open: the next start would be too late to say so.
fn check_model(key: &str, value: &str) -> anyhow::Result<()> {
    if config::kind_of(key) != Some(Kind::Model) {
        return Ok(());
    }
    let settings = wire::opening_quietly(Layer::default(), &[])?.settings;
    Ok(ox_model::check_name(&wire::choice(&settings, None, &wire::Extras::default()), value).map_err(Told)?)
}

fn show(as_json: bool) -> anyhow::Result<u8> {
    let settings = wire::opening(Layer::default(), &[])?.settings;
    if as_json {
        json(&as_json_object(&settings));
    } else {
        out(&table(&settings, settings.language));
    }
    Ok(0)
}

fn show_remembered(as_json: bool) -> anyhow::Result<u8> {
    let opening = wire::opening_quietly(Layer::default(), &[])?;
    let rules = remembered::load(&opening.paths.state_dir, &opening.root).map_err(Told)?;
    let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
    match rules.is_empty() && !as_json {
        true => err(&opening.settings.language.say("config.nothing_remembered", &[])),
        false if as_json => json(&json!(rules)),
        false => out(&rules.join("\n")),
    }
    Ok(0)
}

/// Forgets one rule, or all where none is named.
fn forget(rule: Option<&str>) -> anyhow::Result<u8> {
    let language = wire::language();
    let state = config::paths(&env).map_err(Told)?.state_dir;
    let here = std::env::current_dir().map_err(|error| Told(Problem::new("error.no_folder").with("why", error)))?;
    let gone = remembered::forget(&state, &wire::root_of(&here), rule).map_err(Told)?;
    if let (true, Some(rule)) = (gone.is_empty(), rule) {
        return Err(Told(Problem::new("config.not_remembered").with("rule", rule)).into());
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
    let settings = wire::opening(Layer::default(), &[])?.settings;
    match settings.text(key) {
        Some(text) => out(&text),
        None if config::is_key(key) => return Ok(1),
        None => return Err(Told(Problem::new("config.no_such_key").with("key", key)).into()),
    }
    Ok(0)
}

/// All keys that have a value, then those that could have one.
fn names(settings: &Settings) -> Vec<String> {
    let single = KEYS.iter().filter(|it| !it.is_pattern()).map(|it| it.name.to_string());
    let others = settings.names().filter(|name| KEYS.iter().all(|it| it.name != *name)).map(str::to_string);
    single.chain(others).collect()
}

fn table(settings: &Settings, language: Language) -> String {
    let row = |name: String| {
        let value = settings.value(&name);
        let origin = match &value {
            None => language.say("config.unset", &[]),
            Some(_) => origins(settings.origins_of(&name), language),
        };
        vec![name, value.unwrap_or_else(|| "–".to_string()), origin]
    };
    columns(&names(settings).into_iter().map(row).collect::<Vec<Vec<String>>>())
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
    names(settings).into_iter().map(one).collect::<serde_json::Map<String, serde_json::Value>>().into()
}

/// A value that a stronger layer hides would surprise whoever has just set it.
fn say_shadowed(key: &str, file: &Path) {
    let Ok(opening) = wire::opening(Layer::default(), &[]) else { return };
    let settings = opening.settings;
    let Some(origin) = settings.origins_of(key).last() else { return };
    if origin.file().is_none_or(|(it, _)| it != file) {
        let place = origin.to_string();
        super::print::err(&settings.language.say("config.shadowed", &[("key", key), ("place", &place)]));
    }
}
