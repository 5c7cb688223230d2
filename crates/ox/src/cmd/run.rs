//! `ox run`: one task for scripts and CI. The answer alone on stdout, everything else on stderr, a documented exit code.

use std::io::{IsTerminal, Read};

use clap::Args;
use ox_protocol::{Command, Problem};

use super::shared::{TurnArgs, images};
use crate::wire::{self, Extras, Told};

/// Arguments of `ox run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// What shapes the turn.
    #[command(flatten)]
    pub turn: TurnArgs,
    /// Print events as JSON, one object a line.
    #[arg(long)]
    pub json: bool,
    /// Go on with this conversation.
    #[arg(long, value_name = "ID")]
    pub resume: Option<String>,
    /// The task; `-` or nothing reads it from stdin.
    pub task: Vec<String>,
}

/// Runs one task.
pub fn run(args: RunArgs) -> anyhow::Result<u8> {
    let text = task(&args.task, args.resume.is_some())?;
    let images = images(&args.turn.image).map_err(Told)?;
    let opening = args.turn.opening(false)?;
    wire::check_attached(&opening.settings, &images).map_err(Told)?;
    let language = opening.settings.language;
    let resume = super::resume::find(&opening, args.resume.as_deref())?;
    let extras = Extras {
        manual_dir: args.turn.manual_dir,
        record: args.turn.record,
        tape: None,
        resume,
        name: args.turn.name,
        headless: true,
    };
    let setup = wire::setup(opening, extras)?;
    let first = match text {
        Some(text) => Command::Prompt { text, images, mode: None },
        None => Command::Continue,
    };
    super::start::headless(setup, first, language, args.json)
}

/// The task from the arguments, or from stdin where there is none.
fn task(words: &[String], resumes: bool) -> anyhow::Result<Option<String>> {
    let given = words.join(" ");
    if given != "-" && !given.trim().is_empty() {
        return Ok(Some(given));
    }
    if given != "-" && (resumes || std::io::stdin().is_terminal()) {
        return if resumes { Ok(None) } else { Err(Told(Problem::new("usage.no_task")).into()) };
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| Told(Problem::new("usage.stdin").with("why", error)))?;
    match text.trim() {
        "" => Err(Told(Problem::new("usage.no_task")).into()),
        text => Ok(Some(text.to_string())),
    }
}
