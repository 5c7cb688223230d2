//! `ox context`: what a model would be told of a task before its first word, section by section, and why. No model is
//! asked, nothing is sent, and nothing of the project changes; the index is brought up to date first.

mod shown;

use clap::Args;

use super::bar::Bar;
use super::print::{json, out};
use super::shared;

/// Arguments of `ox context`.
#[derive(Debug, Args)]
pub struct ContextArgs {
    /// The task, worded as you would give it.
    #[arg(value_name = "TASK", required = true)]
    task: Vec<String>,
    /// Tokens of indexed code to add; overrides `context.tokens`.
    #[arg(long, value_name = "N")]
    tokens: Option<u32>,
    /// Keep a file, a folder's files or a glob's in view in each turn; `PATH:10-20` for lines. May be repeated.
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// Leave files out: they are neither read nor listed. May be repeated.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Print JSON, including the texts.
    #[arg(long)]
    json: bool,
    /// Show why each file and piece is included or left out.
    #[arg(long)]
    explain: bool,
}

/// Gathers and shows.
pub fn run(args: ContextArgs) -> anyhow::Result<u8> {
    let mut project = shared::open()?;
    project.settings.context_tokens = args.tokens.or(project.settings.context_tokens);
    let task = args.task.join(" ");
    let files = project.context_files(&shared::context_files(&args.file, &args.exclude))?;
    let bar = Bar::new(project.settings.language);
    let shown = project.context_preview(&task, &files, &|it| bar.show(it));
    bar.clear();
    let shown = shown?;
    let language = project.settings.language;
    if args.json {
        json(&shown::as_json(&shown));
        return Ok(0);
    }
    out(&shown::table(&shown, language));
    if args.explain {
        out(&format!("\n{}", shown::explained(&shown.context, language)));
    }
    Ok(0)
}
