//! `ox query`: the files and lines of this project that a text is about, best first. No model is asked, and nothing of
//! the project changes; the index is brought up to date first.

mod batch;
mod shown;

use std::sync::{Arc, Once};
use std::time::Duration;

use clap::Args;
use ox_agent::knowledge::{Knowledge, folder};
use ox_index::embed::{ALIKE, Similar};
use ox_index::{Options, query};
use ox_protocol::locale::Language;
use ox_protocol::{Layer, Problem};
use ox_repo::Tree;

use super::index::Bar;
use super::print::{err, json, out};
use crate::wire::{self, Opening, Told};

/// How long the vector of a question is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Arguments of `ox query`.
#[derive(Debug, Args)]
pub struct QueryArgs {
    /// What is sought, in any words: a task, an issue, an error with its trace, names, paths.
    #[arg(value_name = "TEXT", conflicts_with = "batch")]
    text: Vec<String>,
    /// The file that is being worked on: what is near it in the graph counts more.
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Show at most so many files and so many snippets.
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Show what speaks for each snippet, and how much.
    #[arg(long)]
    explain: bool,
    /// Answer questions from standard input, one {"id", "query"} in JSON a line; "file" and "limit" may be added.
    #[arg(long)]
    batch: bool,
    /// With --batch: print the signals of all files before they are weighed.
    #[arg(long, hide = true, requires = "batch")]
    signals: bool,
}

/// Answers one question, or those of standard input.
pub fn run(args: QueryArgs) -> anyhow::Result<u8> {
    let text = args.text.join(" ");
    if !args.batch && text.trim().is_empty() {
        return Err(Told(Problem::new("usage.query")).into());
    }
    let opening = wire::opening(Layer::default(), &[])?;
    let file = args.file.as_deref().map(|it| relative(&opening, it)).transpose()?;
    let knowledge = refreshed(&opening)?;
    if args.batch {
        return batch::run(&knowledge, opening.settings.language, args.limit, args.signals);
    }
    let similar = similar(&knowledge, opening.settings.language, &text);
    let options = Options { limit: args.limit, file: file.as_deref(), similar: &similar, ..Options::default() };
    let answer = query(&knowledge.snapshot(), &|path| knowledge.read(path), &text, &options);
    if args.json {
        json(&shown::full(&answer));
    } else if answer.files.is_empty() {
        err(&opening.settings.language.say("query.nothing", &[]));
    } else {
        out(&shown::table(&answer, args.explain));
    }
    Ok(0)
}

/// The index of the project as it is now.
pub(super) fn refreshed(opening: &Opening) -> anyhow::Result<Knowledge> {
    let failed = |code: &'static str, why: &dyn std::fmt::Display| Told(Problem::new(code).with("why", why));
    let tree = Tree::open(&opening.root, &opening.added).map_err(|it| failed("error.tree", &it))?;
    let runner = Arc::new(wire::sandbox(&opening.settings).map_err(Told)?);
    let knowledge = Knowledge::open(&tree, &folder(&opening.settings, &opening.paths), runner)
        .map_err(|it| failed("index.failed", &it))?;
    let bar = Bar::new(opening.settings.language);
    let refreshed = knowledge.refresh(false, &|it| bar.show(it)).map_err(|it| failed("index.failed", &it));
    bar.clear();
    refreshed?;
    wire::runtime()?.block_on(knowledge.learn_history());
    knowledge.save();
    wire::embedding_or_say(&knowledge, &opening.settings, &opening.paths);
    Ok(knowledge)
}

/// What means the same as a text, where there are vectors; where they cannot be asked, that is said once.
fn similar(knowledge: &Knowledge, language: Language, text: &str) -> Vec<Similar> {
    static SAID: Once = Once::new();
    knowledge.similar(text, ALIKE, PATIENCE).unwrap_or_else(|why| {
        SAID.call_once(|| err(&language.say("embeddings.unasked", &[("why", &why.to_string())])));
        Vec::new()
    })
}

/// A file as the index calls it.
fn relative(opening: &Opening, file: &str) -> anyhow::Result<String> {
    let absent = || Told(Problem::new("usage.query_file").with("path", file));
    let here = std::env::current_dir().map_err(|error| Told(Problem::new("error.no_folder").with("why", error)))?;
    let (root, full) = (opening.root.canonicalize(), here.join(file).canonicalize());
    let (Ok(root), Ok(full)) = (root, full) else { return Err(absent().into()) };
    let inner = full.strip_prefix(&root).ok().filter(|_| full.is_file()).ok_or_else(absent)?;
    let parts: Vec<String> = inner.components().map(|it| it.as_os_str().to_string_lossy().into_owned()).collect();
    Ok(parts.join("/"))
}
