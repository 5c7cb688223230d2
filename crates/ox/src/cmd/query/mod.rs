//! `ox query`: the files and lines of this project that a text is about, best first. No model is asked, and nothing of
//! the project changes; the index is brought up to date first.

mod batch;
mod shown;

use std::sync::Once;
use std::time::Duration;

use clap::Args;
use ox_agent::project_index::ProjectIndex;
use ox_app::Project;
use ox_index::embed::{ALIKE, Similar};
use ox_index::{Options, query};
use ox_protocol::Problem;
use ox_protocol::locale::Language;

use super::bar::Bar;
use super::print::{err, json, out};
use crate::cmd::shared;

/// How long the vector of a question is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Arguments of `ox query`.
#[derive(Debug, Args)]
pub struct QueryArgs {
    /// What to find: a task, an issue, an error with its stack trace, names, paths.
    #[arg(value_name = "TEXT", conflicts_with = "batch")]
    text: Vec<String>,
    /// File being worked on; results close to it rank higher.
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Maximum number of files and of snippets.
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Show how each result was scored.
    #[arg(long)]
    explain: bool,
    /// Read JSON lines with "id" and "query" (and optionally "file" and "limit") from stdin; print one answer per line.
    #[arg(long, hide = true)]
    batch: bool,
    /// With --batch: print the signals of all files before they are weighed.
    #[arg(long, hide = true, requires = "batch")]
    signals: bool,
}

/// Answers one question, or those of standard input.
pub fn run(args: QueryArgs) -> anyhow::Result<u8> {
    let text = args.text.join(" ");
    if !args.batch && text.trim().is_empty() {
        return Err(Problem::new("usage.query").into());
    }
    let project = shared::open()?;
    let file = args.file.as_deref().map(|it| relative(&project, it)).transpose()?;
    let index = refreshed(&project)?;
    if args.batch {
        return batch::run(&index, &|text| similar(&index, project.settings.language, text), args.limit, args.signals);
    }
    let similar = similar(&index, project.settings.language, &text);
    let options = Options { limit: args.limit, file: file.as_deref(), similar: &similar };
    let answer = query(&index.snapshot(), &|path| index.read(path), &text, &options);
    if args.json {
        json(&shown::full(&answer));
    } else if answer.files.is_empty() {
        err(&project.settings.language.say("query.nothing", &[]));
    } else {
        out(&shown::table(&answer, args.explain));
    }
    Ok(0)
}

/// The index of the project as it is now.
pub(super) fn refreshed(project: &Project) -> anyhow::Result<ProjectIndex> {
    let bar = Bar::new(project.settings.language);
    let index = project.refreshed_index(&|it| bar.show(it));
    bar.clear();
    Ok(index?)
}

/// What means the same as a text, where there are vectors; where they cannot be asked, that is said once.
fn similar(index: &ProjectIndex, language: Language, text: &str) -> Vec<Similar> {
    static SAID: Once = Once::new();
    index.similar(text, ALIKE, PATIENCE).unwrap_or_else(|why| {
        SAID.call_once(|| err(&language.say("embeddings.not_used", &[("why", &why.to_string())])));
        Vec::new()
    })
}

/// A file as the index calls it.
fn relative(project: &Project, file: &str) -> anyhow::Result<String> {
    let absent = || Problem::new("usage.query_file").with("path", file);
    let here = std::env::current_dir().map_err(|error| Problem::new("error.no_folder").with("why", error))?;
    let (root, full) = (project.root.canonicalize(), here.join(file).canonicalize());
    let (Ok(root), Ok(full)) = (root, full) else { return Err(absent().into()) };
    let inner = full.strip_prefix(&root).ok().filter(|_| full.is_file()).ok_or_else(absent)?;
    let parts: Vec<String> = inner.components().map(|it| it.as_os_str().to_string_lossy().into_owned()).collect();
    Ok(parts.join("/"))
}
