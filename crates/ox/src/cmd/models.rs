//! `ox models`: what is known of models, where a model's facts come from, and what it proves to be able to do.
//!
//! Only `ox models test` asks a model anything, and it says so; nothing here shows a key.

use clap::{Args, Subcommand};
use ox_app::Project;
use ox_app::project::env;
use ox_app::project::models::{self, Reach};
use ox_app::project::pull::pull_model;
use ox_config::Settings;
use ox_config::roles::{self, ROLES, Role};
use ox_model::{Choice, Explained, Known, Proof};
use ox_protocol::locale::Language;
use ox_protocol::{Money, Problem, Tokens};
use serde_json::{Value, json};

use super::print::{columns, err, json as print_json, marked, out, paint, table};
use crate::cmd::shared;

/// Arguments of `ox models`.
#[derive(Debug, Args)]
pub struct ModelsArgs {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the known models by name prefix, with window, abilities and prices.
    List {
        /// Only models whose names contain this.
        part: Option<String>,
    },
    /// Show what Ox knows about a model, and its source.
    Explain {
        /// Model, as provider/model; the configured one by default.
        model: Option<String>,
    },
    /// Test a model with four tiny requests: streaming, tools, forced tool calls, images.
    Test {
        /// Model, as provider/model; the configured one by default.
        model: Option<String>,
    },
    /// Download an embedding model and use it from now on.
    Pull {
        /// Name: potion-code, potion, or owner/model on the hub (HF_ENDPOINT sets another hub).
        name: String,
        /// Use this folder or URL instead.
        #[arg(long, value_name = "FOLDER|URL")]
        from: Option<String>,
    },
}

/// Lists, explains or tests models. Exit code 1 where the model streams nothing or calls no tool.
pub fn run(args: ModelsArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    match args.what {
        None if args.json => all_json(&project, ""),
        None => overview(&project),
        Some(What::List { part }) if args.json => all_json(&project, part.as_deref().unwrap_or_default()),
        Some(What::List { part }) => list(project.settings.language, part.as_deref().unwrap_or_default()),
        Some(What::Explain { model }) => explain(&project, model, args.json)?,
        Some(What::Test { model }) => return test(&project, model, args.json),
        Some(What::Pull { name, from }) => return pull(project.settings.language, &name, from.as_deref(), args.json),
    }
    Ok(0)
}

/// Fetches an embedding model and says what it is.
fn pull(language: Language, name: &str, from: Option<&str>, as_json: bool) -> anyhow::Result<u8> {
    let on_file = |file: &str, bytes: u64| {
        if !as_json {
            err(&language.say("models.pulling", &[("file", file), ("kib", &bytes.div_ceil(1024).to_string())]));
        }
    };
    let pulled = shared::runtime()?.block_on(pull_model(name, from, &on_file))?;
    let numbers = pulled.dimensions;
    if as_json {
        print_json(&json!({"name": name, "dimensions": numbers, "folder": pulled.folder}));
        return Ok(0);
    }
    let place = pulled.folder.display().to_string();
    out(&language.say("models.pulled", &[("name", name), ("numbers", &numbers.to_string()), ("folder", &place)]));
    out("\n");
    Ok(0)
}

fn choice(project: &Project, model: Option<String>) -> Choice<'static> {
    project.model_choice(model.or_else(|| project.settings.model.clone()))
}

/// Everything as data; of the models those whose names contain `part`.
fn all_json(project: &Project, part: &str) {
    let providers = ox_model::providers(&choice(project, None));
    let providers: Vec<Value> = providers.iter().map(|(name, key)| json!({"name": name, "key": key})).collect();
    let models: Vec<Value> = ox_model::search(part).map(known_json).collect();
    let short: Vec<Value> = ox_model::aliases().map(|it| json!({"name": it.name, "models": it.models})).collect();
    print_json(&json!({
        "providers": providers, "models": models, "aliases": short, "roles": roles_json(project), "pulled": pulled(),
    }));
}

/// Which providers can be used, which model does what, and the short names.
fn overview(project: &Project) {
    let language = project.settings.language;
    let part = |key: &str, rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            out(&format!("{}\n{}\n", paint(&language.say(key, &[]), "1"), columns(&rows)));
        }
    };
    let providers = ox_model::providers(&choice(project, None));
    part("models.providers", providers.into_iter().map(|(name, key)| provider_row(language, name, key)).collect());
    if let Ok(main) = project.main_model() {
        part("models.roles", role_rows(&project.settings, &main));
    }
    let short = ox_model::aliases().map(|it| vec![format!("  {}", it.name), it.models.join(", ")]);
    part("models.aliases", short.collect());
    part("models.here", pulled().into_iter().map(|it| vec![format!("  {it}")]).collect());
    err(&language.say("models.how", &[("count", &ox_model::search("").count().to_string())]));
}

fn list(language: Language, part: &str) {
    let head = ["models.begins", "models.window", "models.reply", "models.abilities", "models.prices"];
    out(&table(
        &head.map(|it| language.say(it, &[])),
        ox_model::search(part).map(|it| known_row(language, it)).collect(),
    ));
}

/// The embedding models that were pulled.
fn pulled() -> Vec<String> {
    ox_config::paths(&env).map(|it| ox_agent::embedding::pulled(&it)).unwrap_or_default()
}

/// Each part of the work with the model that does it.
fn role_rows(settings: &Settings, main: &str) -> Vec<Vec<String>> {
    let language = settings.language;
    let row = |(role, key): &(Role, &str)| {
        let name = match role {
            Role::Main => main.to_string(),
            _ => roles::name_of(settings, main, *role).unwrap_or_else(|| {
                let without = matches!(role, Role::Embedding | Role::Image);
                language.say(if without { "models.role_none" } else { "models.role_main" }, &[])
            }),
        };
        vec![format!("  {}", language.say(&format!("models.role.{key}"), &[])), name]
    };
    ROLES.iter().map(row).collect()
}

fn roles_json(project: &Project) -> Value {
    let settings = &project.settings;
    let Ok(main) = project.main_model() else { return Value::Null };
    let name = |role: Role| if role == Role::Main { Some(main.clone()) } else { roles::name_of(settings, &main, role) };
    ROLES.iter().map(|(role, key)| (key.trim_start_matches("roles.").to_string(), json!(name(*role)))).collect()
}

fn provider_row(language: Language, name: String, key: Option<String>) -> Vec<String> {
    let state = match &key {
        _ if models::stored_key(&name).is_some() => "models.key_kept",
        None => "models.key_none",
        Some(variable) if env(variable).is_some_and(|it| !it.trim().is_empty()) => "models.key_set",
        Some(_) => "models.key_unset",
    };
    vec![format!("  {name}"), key.unwrap_or_default(), language.say(state, &[])]
}

fn known_row(language: Language, it: &Known) -> Vec<String> {
    let mut abilities = Vec::new();
    abilities.extend(it.sees.then(|| language.say("models.sees", &[])));
    abilities.extend(it.reasons.then(|| language.say("models.reasons", &[])));
    let prices = [it.input_price, it.cached_price, it.output_price].map(price).join(" / ");
    vec![it.begins.to_string(), thousands(it.window), thousands(it.max_output), abilities.join(", "), prices]
}

fn thousands(tokens: Tokens) -> String {
    format!("{}K", tokens.0 / 1000)
}

fn price(price: Option<Money>) -> String {
    price.map_or_else(|| "-".to_string(), |it| format!("{}", it.0 as f64 / 1e6))
}

fn known_json(it: &Known) -> Value {
    json!({
        "begins": it.begins, "window": it.window, "max_output": it.max_output, "reasons": it.reasons, "sees": it.sees,
        "input_price": it.input_price, "cached_price": it.cached_price, "output_price": it.output_price,
    })
}

/// The name that is meant: the given one, the configured one, or the one that would be chosen.
fn named(project: &Project, choice: &Choice<'_>) -> Result<String, Problem> {
    choice.model.clone().map_or_else(|| project.main_model(), Ok)
}

fn explain(project: &Project, model: Option<String>, as_json: bool) -> anyhow::Result<()> {
    let choice = choice(project, model);
    let explained = ox_model::explain(&choice, &named(project, &choice)?)?;
    if as_json {
        print_json(&json!({
            "facts": explained.facts, "wire": explained.wire, "base_url": explained.base_url,
            "server": explained.dialect, "key": explained.key_variable, "has_key": explained.has_key,
            "catalogue": explained.known.map(known_json),
        }));
        return Ok(());
    }
    out(&columns(&explained_rows(&project.settings, &explained)));
    Ok(())
}

fn explained_rows(settings: &Settings, it: &Explained) -> Vec<Vec<String>> {
    let language = settings.language;
    let facts = &it.facts;
    let source = match (settings.models.contains_key(&facts.name), it.known) {
        (true, _) => language.say("models.from_config", &[]),
        (false, Some(known)) => language.say("models.from_catalogue", &[("begins", known.begins)]),
        (false, None) => language.say("models.from_defaults", &[]),
    };
    let key = match (it.has_key, it.key_variable.as_str()) {
        (true, _) => language.say("models.key_found", &[]),
        (false, "") => language.say("models.key_none", &[]),
        (false, variable) => language.say("models.key_missing", &[("variable", variable)]),
    };
    let wire = serde_json::to_value(it.wire).ok().and_then(|it| it.as_str().map(str::to_string)).unwrap_or_default();
    let prices = [facts.input_price, facts.cached_price, facts.output_price].map(price).join(" / ");
    let row = |key: &str, value: String| vec![language.say(key, &[]), value];
    vec![
        row("models.model", facts.name.clone()),
        row("models.address", format!("{} ({})", it.base_url, it.dialect)),
        row("models.format", wire),
        row("models.key", key),
        row("models.source", source),
        row("models.window", facts.window.to_string()),
        row("models.reply", facts.max_output.to_string()),
        row("models.prices", prices),
    ]
}

fn test(project: &Project, model: Option<String>, as_json: bool) -> anyhow::Result<u8> {
    let language = project.settings.language;
    let choice = choice(project, model);
    let name = named(project, &choice)?;
    let model = project.model(Some(&name), &Reach::default())?;
    if !as_json {
        err(&language.say("models.testing", &[("model", &name)]));
    }
    let proofs = shared::runtime()?.block_on(ox_model::probe(&*model));
    if as_json {
        let proofs: Vec<Value> = proofs.iter().map(proof_json).collect();
        print_json(&json!({"model": name, "proofs": proofs}));
    } else {
        let rows: Vec<Vec<String>> = proofs.iter().map(|it| proof_row(language, it)).collect();
        out(&marked(&columns(&rows)));
    }
    let needed = proofs.iter().filter(|it| it.what == "streaming" || it.what == "tools");
    Ok(u8::from(!needed.clone().all(|it| it.seen.is_ok())))
}

fn proof_json(it: &Proof) -> Value {
    json!({"what": it.what, "ok": it.seen.is_ok(), "seen": it.seen.as_ref().unwrap_or_else(|words| words)})
}

fn proof_row(language: Language, it: &Proof) -> Vec<String> {
    let (mark, words) = match &it.seen {
        Ok(words) => ("✓", words),
        Err(words) => ("✗", words),
    };
    vec![mark.to_string(), language.say(&format!("models.proof.{}", it.what), &[]), words.clone()]
}
