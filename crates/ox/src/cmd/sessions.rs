//! `ox sessions`: the stored conversations: list, search, rename, delete, export.
//!
//! It never changes what was said.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use ox_app::conversations::stored::{Conversations, write_new};
use ox_app::project::{self, current_folder, now, root_name, root_of};
use ox_protocol::Time;
use ox_protocol::locale::Language;
use ox_store::{Found, Info};
use serde_json::{Value, json};

use super::print::{cut, err, exact, json, out, paint, table};
use super::shared;

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
    /// Show conversations of all folders, not only this project's.
    #[arg(long)]
    all: bool,
    /// Maximum number of conversations.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List conversations, most recent first.
    List {
        #[command(flatten)]
        listing: Listing,
    },
    /// List conversations that contain a text.
    Search {
        /// Text to find; case does not matter.
        text: String,
        #[command(flatten)]
        listing: Listing,
    },
    /// Rename a conversation.
    Rename {
        /// Conversation id, or its beginning.
        id: String,
        /// New name; an empty one removes it.
        name: String,
    },
    /// Copy a conversation into a new one.
    Fork {
        /// Conversation id, or its beginning.
        id: String,
        /// Copy only up to the end of this turn, counted from 1.
        #[arg(long, value_name = "N")]
        turn: Option<u32>,
    },
    /// Delete conversations permanently.
    Delete {
        /// Conversation ids, or their beginnings.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Print a conversation, or write it to a file.
    Export {
        /// Conversation id, or its beginning.
        id: String,
        /// Output format.
        #[arg(long, value_enum, default_value_t = Format::Markdown)]
        format: Format,
        /// Output file; an existing one is not overwritten.
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
    /// For a browser: one file that plays the conversation.
    Html,
}

/// Lists or changes stored conversations.
pub fn run(args: SessionsArgs) -> anyhow::Result<u8> {
    let (all, language) = (Conversations::open()?, language());
    match args.what {
        None => list(&all, &args.listing, language)?,
        Some(What::List { listing }) => list(&all, &listing, language)?,
        Some(What::Search { text, listing }) => search(&all, &text, &listing, language)?,
        Some(What::Rename { id, name }) => all.rename(&id, &name)?,
        Some(What::Fork { id, turn }) => {
            let fork = all.fork(&id, turn)?;
            out(&fork.id.0);
            let turns = fork.turns.to_string();
            err(&language.say("sessions.forked", &[("id", &fork.id.0), ("count", &turns)]));
        }
        Some(What::Delete { ids }) => {
            for info in all.delete(&ids)? {
                let title = cut(info.title(), TITLE);
                err(&language.say("sessions.deleted", &[("id", &info.id.0), ("title", &title)]));
            }
        }
        Some(What::Export { id, format, output }) => {
            let text = match format {
                Format::Markdown => all.as_markdown(&id, language)?,
                Format::Json => serde_json::to_string_pretty(&all.as_json(&id)?)?,
                Format::Html => {
                    let info = all.find(&id)?;
                    let title = if info.title().is_empty() { &info.id.0 } else { info.title() };
                    ox_server::recording(title, &all.frames(&info.id)?, language)
                }
            };
            match output {
                None => exact(&text),
                Some(path) => write_new(&path, &text)?,
            }
        }
    }
    Ok(0)
}

fn language() -> Language {
    shared::open().map_or_else(|_| project::language(), |it| it.settings.language)
}

/// The root under which this project's conversations are kept; none with `--all`.
fn root(listing: &Listing) -> anyhow::Result<Option<String>> {
    let here = || Ok(root_name(&root_of(&current_folder()?)));
    if listing.all { Ok(None) } else { here().map(Some) }
}

fn list(all: &Conversations, listing: &Listing, language: Language) -> anyhow::Result<()> {
    let root = root(listing)?;
    let infos = all.list(root.as_deref(), listing.limit)?;
    if listing.json {
        json(&infos.iter().map(info_json).collect());
    } else if infos.is_empty() {
        say_none(root.as_deref(), language);
    } else {
        out(&rows(infos.iter().map(|it| (it, it.title())), language));
    }
    Ok(())
}

fn search(all: &Conversations, text: &str, listing: &Listing, language: Language) -> anyhow::Result<()> {
    let root = root(listing)?;
    let found = all.search(text, root.as_deref(), listing.limit)?;
    if listing.json {
        let one = |it: &Found| {
            let mut value = info_json(&it.info);
            value["seq"] = json!(it.seq);
            value["excerpt"] = json!(it.excerpt);
            value
        };
        json(&found.iter().map(one).collect());
    } else if found.is_empty() {
        err(&language.say("sessions.not_found", &[("text", text)]));
    } else {
        out(&rows(found.iter().map(|it| (&it.info, it.excerpt.as_str())), language));
    }
    Ok(())
}

fn say_none(root: Option<&str>, language: Language) {
    let key = if root.is_some() { "sessions.none_here" } else { "sessions.none" };
    err(&language.say(key, &[("root", root.unwrap_or_default())]));
}

/// A row for each conversation with the words that it is shown by.
fn rows<'a>(all: impl Iterator<Item = (&'a Info, &'a str)>, language: Language) -> String {
    let head =
        ["id", "when", "turns", "cost", "state", "title"].map(|it| language.say(&format!("sessions.head.{it}"), &[]));
    table(&head, all.map(|(info, words)| row(info, words, now(), language)).collect())
}

fn row(info: &Info, words: &str, now: Time, language: Language) -> Vec<String> {
    let mark = match info.stop {
        Some(stop) if stop.exit_code() == 0 => paint("✓", "32"),
        Some(_) => paint("✗", "31"),
        None if info.turns > 0 => paint("…", "33"),
        None => String::new(),
    };
    vec![
        info.id.0.clone(),
        ox_ui::words::long_ago(language, now, info.updated),
        info.turns.to_string(),
        cost(info, language),
        mark,
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
