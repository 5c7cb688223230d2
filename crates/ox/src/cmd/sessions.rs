//! `ox sessions`: the stored conversations: list, search, rename, delete, export.
//!
//! It never changes what was said.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand, ValueEnum};
use ox_agent::config::{self, Paths};
use ox_protocol::locale::Language;
use ox_protocol::{Layer, Problem, Time};
use ox_store::{Found, Info, Log, export_json, export_markdown};
use serde_json::{Value, json};

use super::print::{columns, cut, json, out};
use crate::wire::{self, Told, env};

/// Longest title in a list, in characters.
const TITLE: usize = 60;

/// Arguments of `ox sessions`.
#[derive(Debug, Args)]
pub struct SessionsArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    listing: Listing,
}

/// Which conversations are listed, and how.
#[derive(Clone, Debug, Args)]
struct Listing {
    /// Those of all folders, not of this project alone.
    #[arg(long)]
    all: bool,
    /// At most this many.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List conversations, the most recently used first.
    List {
        #[command(flatten)]
        listing: Listing,
    },
    /// List conversations in which a text occurs.
    Search {
        /// The text; upper and lower case are the same.
        text: String,
        #[command(flatten)]
        listing: Listing,
    },
    /// Name a conversation.
    Rename {
        /// The conversation, or the beginning of its id.
        id: String,
        /// The name; an empty one takes the name away.
        name: String,
    },
    /// Delete conversations for good.
    Delete {
        /// The conversations, or the beginnings of their ids.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Print a conversation, or write it to a file.
    Export {
        /// The conversation, or the beginning of its id.
        id: String,
        /// As what.
        #[arg(long, value_enum, default_value_t = Format::Markdown)]
        format: Format,
        /// The file; it is not overwritten.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Markdown,
    /// For programs: every event.
    Json,
}

/// Lists or changes stored conversations.
pub fn run(args: SessionsArgs) -> anyhow::Result<u8> {
    let (log, language) = open()?;
    match args.what {
        None => list(log.as_ref(), &args.listing, language)?,
        Some(What::List { listing }) => list(log.as_ref(), &listing, language)?,
        Some(What::Search { text, listing }) => search(log.as_ref(), &text, &listing, language)?,
        Some(What::Rename { id, name }) => log.rename(&log.find(&id)?.id, &name)?,
        Some(What::Delete { ids }) => delete(log.as_ref(), &ids, language)?,
        Some(What::Export { id, format, output }) => {
            let text = export(log.as_ref(), &id, format, language)?;
            match output {
                None => out(&text),
                Some(path) => write_new(&path, &text)?,
            }
        }
    }
    Ok(0)
}

/// A broken project file must not keep anybody from their conversations, so the configuration is not needed.
fn open() -> anyhow::Result<(Arc<dyn Log>, Language)> {
    let paths: Paths = config::paths(&env).map_err(Told)?;
    let language = wire::opening(Layer::default(), &[]).map_or_else(|_| wire::language(), |it| it.settings.language);
    Ok((wire::store(&paths)?, language))
}

/// The root under which this project's conversations are kept; none with `--all`.
fn root(listing: &Listing) -> anyhow::Result<Option<String>> {
    if listing.all {
        return Ok(None);
    }
    let here = std::env::current_dir().map_err(|error| Told(Problem::new("error.no_folder").with("why", error)))?;
    let root = wire::root_of(&here);
    let root = root.canonicalize().unwrap_or(root);
    Ok(Some(root.to_string_lossy().into_owned()))
}

fn list(log: &dyn Log, listing: &Listing, language: Language) -> anyhow::Result<()> {
    let root = root(listing)?;
    // A start that failed is no conversation.
    let begun = log.list(root.as_deref(), usize::MAX)?.into_iter().filter(Info::has_begun);
    let infos: Vec<Info> = begun.take(listing.limit).collect();
    if listing.json {
        json(&infos.iter().map(info_json).collect());
    } else if infos.is_empty() {
        say_none(root.as_deref(), language);
    } else {
        out(&columns(&infos.iter().map(|it| row(it, it.title(), now(), language)).collect::<Vec<Vec<String>>>()));
    }
    Ok(())
}

fn search(log: &dyn Log, text: &str, listing: &Listing, language: Language) -> anyhow::Result<()> {
    let root = root(listing)?;
    let found = log.search(text, root.as_deref(), listing.limit)?;
    if listing.json {
        let one = |it: &Found| {
            let mut value = info_json(&it.info);
            value["seq"] = json!(it.seq);
            value["excerpt"] = json!(it.excerpt);
            value
        };
        json(&found.iter().map(one).collect());
    } else if found.is_empty() {
        super::print::err(&language.say("sessions.not_found", &[("text", text)]));
    } else {
        let rows: Vec<Vec<String>> = found.iter().map(|it| row(&it.info, &it.excerpt, now(), language)).collect();
        out(&columns(&rows));
    }
    Ok(())
}

fn say_none(root: Option<&str>, language: Language) {
    let key = if root.is_some() { "sessions.none_here" } else { "sessions.none" };
    super::print::err(&language.say(key, &[("root", root.unwrap_or_default())]));
}

/// All ids are looked up before anything is deleted, so that a typing error deletes nothing.
fn delete(log: &dyn Log, ids: &[String], language: Language) -> anyhow::Result<()> {
    let infos: Vec<Info> = ids.iter().map(|id| log.find(id)).collect::<Result<_, _>>()?;
    for info in infos {
        log.delete(&info.id)?;
        let title = cut(info.title(), TITLE);
        super::print::err(&language.say("sessions.deleted", &[("id", &info.id.0), ("title", &title)]));
    }
    Ok(())
}

fn export(log: &dyn Log, id: &str, format: Format, language: Language) -> anyhow::Result<String> {
    let info = log.find(id)?;
    let history = log.read(&info.id)?;
    Ok(match format {
        Format::Markdown => export_markdown(&info, &history, language),
        Format::Json => serde_json::to_string_pretty(&export_json(&info, &history))?,
    })
}

fn write_new(path: &PathBuf, text: &str) -> anyhow::Result<()> {
    let written = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
    let written = written.and_then(|mut it| std::io::Write::write_all(&mut it, text.as_bytes()));
    written.map_err(|error| {
        Told(Problem::new("sessions.not_written").with("path", path.display()).with("why", error)).into()
    })
}

fn row(info: &Info, words: &str, now: Time, language: Language) -> Vec<String> {
    let turns = info.turns.to_string();
    let mark = match info.stop {
        Some(stop) if stop.exit_code() == 0 => "✓",
        Some(_) => "✗",
        None if info.turns > 0 => "…",
        None => "",
    };
    vec![
        info.id.0.clone(),
        ox_ui::words::age(now, info.updated),
        language.say(if info.turns == 1 { "sessions.turn" } else { "sessions.turns" }, &[("count", &turns)]),
        cost(info, language),
        mark.to_string(),
        cut(words, TITLE),
    ]
}

/// What the conversation cost; where no price is known that is said, for free it was hardly.
fn cost(info: &Info, language: Language) -> String {
    match info.cost {
        Some(cost) => ox_ui::words::money(cost),
        None if info.tokens.0 > 0 => language.say("ui.usage.no_price", &[]),
        None => String::new(),
    }
}

fn info_json(info: &Info) -> Value {
    json!({
        "id": info.id, "title": info.title(), "name": info.name, "root": info.root, "created": info.created,
        "updated": info.updated, "turns": info.turns, "stop": info.stop, "cost": info.cost, "tokens": info.tokens,
        "events": info.last,
    })
}

fn now() -> Time {
    Time(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| u64::try_from(it.as_millis()).unwrap_or(0)))
}
